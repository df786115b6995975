-- SPDX-License-Identifier: Apache-2.0
-- Which tensors collided with which?  A tensor with itself: its stride; with another one: their placement.
--
-- layer []: name
-- tensor []: whose access waited
-- other []: whose requests were in the way
-- own [beats]: of accesses beyond those of one without self conflict
-- accesses []: that ended later than alone in the memory
-- delay [cycles]: by which they did
-- late [cycles]: of these, where a consumer sampled before the value came (the rest was hidden)
-- slip [cycles]: the machine was frozen because requests of both (or of one access) met in one bank
WITH own AS (
	SELECT s.insn AS insn, sum(s.beats - (SELECT value FROM counter WHERE name = 'bank_service')) AS beats
	FROM issue s WHERE s.requests > 0 GROUP BY s.insn
), late AS (
	SELECT v.cycle, v.other FROM violation v JOIN name n ON n.id = v.kind WHERE n.text = 'late-operand'
), met AS (
	SELECT c.insn AS insn, c.other AS other, count(*) AS accesses, sum(c.delay) AS delay,
	       sum(c.delay * EXISTS (SELECT 1 FROM late v WHERE v.other = c.insn AND v.cycle >= c.cycle AND v.cycle < c.due)) AS late
	FROM conflict c GROUP BY c.insn, c.other
), pair AS (
	SELECT insn AS a, insn AS b, beats AS own, 0 AS accesses, 0 AS delay, 0 AS late, 0 AS slip FROM own
	UNION ALL SELECT insn, other, 0, accesses, delay, late, 0 FROM met
	UNION ALL SELECT coalesce(met, other), other, 0, 0, 0, 0, cycles FROM slip
)
SELECT i.epoch AS layer, i.tensor AS tensor, o.tensor AS other, sum(own) AS own, sum(accesses) AS accesses,
       sum(delay) AS delay, sum(late) AS late, sum(slip) AS slip
FROM pair p LEFT JOIN insns i ON i.id = p.a LEFT JOIN insns o ON o.id = p.b
GROUP BY i.epoch, i.tensor, o.tensor HAVING sum(own) + sum(delay) + sum(slip) > 0
ORDER BY sum(own) + sum(delay) + sum(slip) DESC, min(p.a), min(p.b) LIMIT 40;
