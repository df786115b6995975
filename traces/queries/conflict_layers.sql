-- SPDX-License-Identifier: Apache-2.0
-- What did banks cost each layer?
--
-- layer []: name
-- accesses []: issues that asked banks for something
-- own [beats]: of accesses beyond those of one without self conflict; planned, hidden as far as the schedule hides them
-- waited []: accesses that ended later than alone in the memory
-- delay [cycles]: by which they did
-- late [cycles]: of these, where a consumer sampled before the value came (the rest was hidden)
-- slip [cycles]: the machine was frozen: all of it is on the critical path
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
	SELECT insn, beats AS own, 0 AS waited, 0 AS delay, 0 AS late, 0 AS slip FROM own
	UNION ALL SELECT insn, 0, accesses, delay, late, 0 FROM met
	UNION ALL SELECT insn, 0, 0, 0, 0, cycles FROM slip
), asked AS (
	SELECT i.epoch AS epoch, count(*) AS accesses FROM issue s JOIN insns i ON i.id = s.insn WHERE s.requests > 0
	GROUP BY i.epoch
), total AS (
	SELECT i.epoch AS epoch, sum(own) AS own, sum(waited) AS waited, sum(delay) AS delay, sum(late) AS late,
	       sum(slip) AS slip
	FROM lost l LEFT JOIN insns i ON i.id = l.insn GROUP BY i.epoch
)
SELECT a.epoch AS layer, a.accesses AS accesses, coalesce(t.own, 0) AS own, coalesce(t.waited, 0) AS waited,
       coalesce(t.delay, 0) AS delay, coalesce(t.late, 0) AS late, coalesce(t.slip, 0) AS slip
FROM asked a LEFT JOIN total t ON t.epoch IS a.epoch ORDER BY a.epoch;
