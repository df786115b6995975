-- SPDX-License-Identifier: Apache-2.0
-- Which instructions are furthest from their predictions?  (The first 30, by lateness that they did not inherit.)
--
-- pipe []: that executed it
-- stream []: of the program
-- insn []: number in its stream
-- op []: instruction
-- node []: it came from
-- pred_start [cycle]: predicted
-- start [cycle]: simulated
-- pred_done [cycle]: predicted
-- done [cycle]: simulated
-- late [cycles]: start behind its prediction
-- added [cycles]: of that, more than the instruction before it on the pipe was
WITH first AS (
	SELECT e.pipe, e.insn, e.start, e.start + e.done AS done, i.start AS pred_start, i.stop AS pred_done,
	       row_number() OVER (PARTITION BY e.pipe, e.insn ORDER BY e.id) AS time
	FROM execution e JOIN insn i ON i.id = e.insn WHERE i.start IS NOT NULL
), late AS (
	SELECT *, start - pred_start AS late,
	       start - pred_start - lag(start - pred_start, 1, 0) OVER (PARTITION BY pipe ORDER BY start) AS added
	FROM first WHERE time = 1
)
SELECT p.name AS pipe, i.stream, i.number AS insn, i.op, i.node, l.pred_start, l.start, l.pred_done, l.done, l.late, l.added
FROM late l JOIN pipes p ON p.id = l.pipe JOIN insns i ON i.id = l.insn
WHERE l.late <> 0 OR l.done <> l.pred_done ORDER BY abs(l.added) DESC, l.start, l.pipe LIMIT 30;
