-- SPDX-License-Identifier: Apache-2.0
-- Which instructions met themselves or others in banks?  The twenty that lost most.
--
-- insn []: number
-- layer []: name
-- node []: graph node or macro-operation
-- op []: instruction
-- tensor []: that it accesses
-- own [beats]: of its accesses beyond those of one without self conflict
-- accesses []: of them that ended later than alone in the memory
-- delay [cycles]: by which they did
-- late [cycles]: of these, where a consumer sampled before the value came (the rest was hidden)
-- slip [cycles]: the machine was frozen because its requests were in the way
WITH own AS (
	SELECT s.insn AS insn, sum(s.beats - (SELECT value FROM counter WHERE name = 'bank_service')) AS beats
	FROM issue s WHERE s.requests > 0 GROUP BY s.insn
), late AS (
	SELECT v.cycle, v.other FROM violation v JOIN name n ON n.id = v.kind WHERE n.text = 'late-operand'
), met AS (
	SELECT c.insn AS insn, c.other AS other, count(*) AS accesses, sum(c.delay) AS delay,
	       sum(c.delay * EXISTS (SELECT 1 FROM late v WHERE v.other = c.insn AND v.cycle >= c.cycle AND v.cycle < c.due)) AS late
	FROM conflict c GROUP BY c.insn, c.other
), lost AS (
	SELECT insn, sum(own) AS own, sum(accesses) AS accesses, sum(delay) AS delay, sum(late) AS late, sum(slip) AS slip
	FROM (SELECT insn, beats AS own, 0 AS accesses, 0 AS delay, 0 AS late, 0 AS slip FROM own
	      UNION ALL SELECT insn, 0, accesses, delay, late, 0 FROM met
	      UNION ALL SELECT other, 0, 0, 0, 0, cycles FROM slip)
	GROUP BY insn
)
SELECT l.insn AS insn, i.epoch AS layer, i.node AS node, i.op AS op, i.tensor AS tensor, l.own AS own,
       l.accesses AS accesses, l.delay AS delay, l.late AS late, l.slip AS slip
FROM lost l JOIN insns i ON i.id = l.insn WHERE l.own + l.delay + l.slip > 0
ORDER BY l.own + l.delay + l.slip DESC, l.insn LIMIT 20;
