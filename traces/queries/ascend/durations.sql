-- SPDX-License-Identifier: Apache-2.0
-- Which instructions took longer, or less, than predicted?
--
-- kind []: of sub-core
-- pipe []: pipe
-- op []: instruction
-- node []: it came from
-- compared []: executions with predicted times, the first of each instruction and sub-core
-- predicted [cycles]: from start to done, of all of them
-- simulated [cycles]: the same
-- more [cycles]: simulated less predicted
-- stalled [cycles]: lost to banks, buffers and memory
WITH first AS (
	SELECT e.id, e.pipe, e.insn, e.done, i.stop - i.start AS predicted,
	       row_number() OVER (PARTITION BY e.pipe, e.insn ORDER BY e.id) AS time
	FROM execution e JOIN insn i ON i.id = e.insn WHERE i.start IS NOT NULL AND i.stop IS NOT NULL
), lost AS (
	SELECT s.execution, sum(s.cycles) AS cycles FROM stall s JOIN name n ON n.id = s.cause
	WHERE n.text NOT IN ('flag', 'cross', 'barrier') GROUP BY s.execution
)
SELECT p.kind, p.pipe, i.op, i.node, count(*) AS compared, sum(f.predicted) AS predicted, sum(f.done) AS simulated,
       sum(f.done - f.predicted) AS more, coalesce(sum(l.cycles), 0) AS stalled
FROM first f JOIN pipes p ON p.id = f.pipe JOIN insns i ON i.id = f.insn LEFT JOIN lost l ON l.execution = f.id
WHERE f.time = 1 GROUP BY p.kind, p.pipe, i.op, i.node
ORDER BY abs(sum(f.done - f.predicted)) DESC, min(f.id);
