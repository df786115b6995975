-- SPDX-License-Identifier: Apache-2.0
-- What made the machine late, by cause?
--
-- cause []: bank delay (an access ended later than alone in memory), freeze (the machine stood still), or a violation
-- count []: accesses (below level full: spans with one), freezes, violations
-- cycles [cycles]: summed over them, accesses that overlap counted each; a violation's length is not known
SELECT cause AS cause, count AS count, cycles AS cycles FROM (
	SELECT 1 AS place, 'bank delay' AS cause,
	       CASE WHEN EXISTS (SELECT 1 FROM issue) THEN (SELECT count(*) FROM issue WHERE delay > 0)
	            ELSE (SELECT count(*) FROM span WHERE delay > 0) END AS count,
	       (SELECT coalesce(sum(delay), 0) FROM span) AS cycles
	UNION ALL
	SELECT 2, 'freeze', (SELECT count(*) FROM slip), (SELECT coalesce(sum(cycles), 0) FROM slip)
	UNION ALL
	SELECT 3, 'late operand', count(*), NULL FROM violations WHERE kind = 'late-operand'
	UNION ALL
	SELECT 4, 'queue underrun', count(*), NULL FROM violations WHERE kind = 'queue-underrun'
) ORDER BY place;
