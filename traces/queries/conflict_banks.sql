-- SPDX-License-Identifier: Apache-2.0
-- In which banks did accesses wait, and did that matter?  The twenty with the most waiting.
--
-- bank []: number
-- requests []: block requests
-- wait [cycles]: requests waited for others in this bank, of their own access too
-- accesses []: that ended in this bank later than alone in the memory
-- delay [cycles]: by which they did
-- late [cycles]: of these, of accesses whose consumer sampled before the value came (the rest was hidden)
-- slip [cycles]: the machine was frozen because of this bank
WITH late AS (
	SELECT v.cycle, v.other FROM violation v JOIN name n ON n.id = v.kind WHERE n.text = 'late-operand'
), met AS (
	SELECT c.bank AS bank, c.delay AS delay,
	       EXISTS (SELECT 1 FROM late v WHERE v.other = c.insn AND v.cycle >= c.cycle AND v.cycle < c.due) AS late
	FROM conflict c
)
SELECT b.id AS bank, b.requests AS requests, b.wait AS wait, count(m.delay) AS accesses,
       coalesce(sum(m.delay), 0) AS delay, coalesce(sum(m.delay * m.late), 0) AS late, b.slip AS slip
FROM bank b LEFT JOIN met m ON m.bank = b.id WHERE b.wait > 0 OR b.slip > 0
GROUP BY b.id ORDER BY b.wait + b.slip DESC, b.id LIMIT 20;
