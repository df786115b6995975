-- SPDX-License-Identifier: Apache-2.0
-- Which pairs of operations froze the machine?  The twenty with the most cycles.
--
-- node []: of the request that waited
-- op []: its instruction
-- other_node []: of the request in the way
-- other_op []: its instruction
-- freezes []: times the machine stood still
-- cycles [cycles]: in all
-- banks []: different banks
SELECT i.node AS node, i.op AS op, o.node AS other_node, o.op AS other_op, count(*) AS freezes, sum(s.cycles) AS cycles,
       count(DISTINCT s.bank) AS banks
FROM slip s LEFT JOIN insns i ON i.id = s.insn LEFT JOIN insns o ON o.id = s.other
GROUP BY i.node, i.op, o.node, o.op ORDER BY sum(s.cycles) DESC, min(s.cycle), min(s.insn) LIMIT 20;
