-- SPDX-License-Identifier: Apache-2.0
-- Between which pipes did waiting cost most?
--
-- kind []: of the sub-core that waited
-- pipe []: that waited
-- cause []: flag (also: units of L0C), cross, barrier
-- node []: of the waiting instruction
-- setter_kind []: of the sub-core that set
-- setter_pipe []: where the set was queued
-- setter_node []: of the set
-- times []: waited
-- cycles [cycles]: waited, of all sub-cores
-- share [fraction]: of the run, on average of the pipes that waited so
-- mean [cycles]: of a wait
-- late [cycles]: of the waits, from the set's issue to its effect; in the rest the setter had not come so far
WITH whole AS (SELECT max(1, value) AS cycles FROM counter WHERE name = 'cycles')
SELECT p.kind, p.pipe, n.text AS cause, d.name AS node, q.kind AS setter_kind, q.pipe AS setter_pipe, e.name AS setter_node,
       count(*) AS times, sum(w.stop - w.start) AS cycles,
       sum(w.stop - w.start) * 1.0 / (count(DISTINCT w.pipe) * o.cycles) AS share,
       sum(w.stop - w.start) * 1.0 / count(*) AS mean,
       sum(CASE WHEN w.effect IS NOT NULL THEN min(w.stop - w.start, w.effect - w.issued) END) AS late
FROM wait w JOIN pipes p ON p.id = w.pipe JOIN name n ON n.id = w.cause JOIN insn i ON i.id = w.insn
LEFT JOIN nodes d ON d.id = i.node LEFT JOIN pipes q ON q.id = w.setter_pipe
LEFT JOIN insn s ON s.id = w.setter LEFT JOIN nodes e ON e.id = s.node, whole o
WHERE w.stop > w.start
GROUP BY p.kind, p.pipe, w.cause, i.node, q.kind, q.pipe, s.node
ORDER BY sum(w.stop - w.start) DESC, min(w.start), min(w.pipe);
