-- SPDX-License-Identifier: Apache-2.0
-- Whose accesses met others in their banks?  The twenty with the most delay, then the most delayed requests.
--
-- layer []: name
-- node []: graph node or macro-operation
-- op []: instruction
-- accesses []: issues that asked banks for something
-- requests []: block requests of them
-- delayed [fraction]: of the requests, behind another one in their bank (of the same access, too)
-- beats []: of an access on average
-- delay [cycles]: by which accesses ended later than alone in the memory
SELECT i.epoch AS layer, i.node AS node, i.op AS op, count(*) AS accesses, sum(s.requests) AS requests,
       sum(s.delayed) * 1.0 / sum(s.requests) AS delayed, avg(s.beats) AS beats, sum(s.delay) AS delay
FROM issue s JOIN insns i ON i.id = s.insn WHERE s.requests > 0
GROUP BY i.epoch, i.node, i.op HAVING sum(s.delayed) > 0 OR sum(s.delay) > 0
ORDER BY sum(s.delay) DESC, sum(s.delayed) DESC, min(s.cycle), min(s.insn) LIMIT 20;
