-- SPDX-License-Identifier: Apache-2.0
-- What did each node of the graph cost on each kind of pipe?
--
-- node []: graph node or macro-operation
-- kind []: of sub-core
-- pipe []: pipe
-- executions []: instructions
-- busy [cycles]: of all sub-cores
-- share [fraction]: of the run, on average of the pipes it used
-- start [cycle]: of the first
-- stop [cycle]: when the last was done
-- bytes [B]: moved
-- work []: MACs (M), lane operations (V)
-- stall [cycles]: before and within, whatever the cause
WITH whole AS (SELECT max(1, value) AS cycles FROM counter WHERE name = 'cycles')
SELECT d.name AS node, p.kind, p.pipe, sum(s.executions) AS executions, sum(s.stop - s.start) AS busy,
       sum(s.stop - s.start) * 1.0 / (count(DISTINCT s.pipe) * w.cycles) AS share,
       min(s.start) AS start, max(s.stop) AS stop, sum(s.bytes) AS bytes, sum(s.work) AS work, sum(s.stall) AS stall
FROM span s JOIN pipes p ON p.id = s.pipe LEFT JOIN nodes d ON d.id = s.node, whole w
GROUP BY s.node, p.kind, p.pipe ORDER BY s.node, min(p.id);
