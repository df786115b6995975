-- SPDX-License-Identifier: Apache-2.0
-- How busy was each unit?
--
-- unit []: kind of unit
-- queues []: instruction queues it has
-- used []: of them issued something
-- issues []: instructions issued, repeats counted
-- occupied [fraction]: of its queues' cycles, spent in spans (a repeated instruction occupies its queue between issues)
-- issuing [fraction]: of its queues' cycles, with an issue
-- work []: useful MACs (MXM: of its queues for activations, .a), lane operations (VXM, SXM), bytes (MEM, C2C)
-- delay [cycles]: by which its accesses ended later than alone in the memory
WITH whole AS (
	-- Of a windowed trace, what it holds.
	SELECT max(1, CASE WHEN EXISTS (SELECT 1 FROM run WHERE key = 'trace.window') THEN max(stop) - min(start)
	       ELSE coalesce((SELECT value FROM counter WHERE name = 'cycles'), max(due) - min(start)) END) AS cycles
	FROM span
), busy AS (
	SELECT queue, sum(stop - start) AS occupied, sum(issues) AS issues, sum(work) AS work, sum(delay) AS delay
	FROM span GROUP BY queue
)
SELECT q.unit AS unit,
       count(*) AS queues,
       count(b.queue) AS used,
       sum(coalesce(b.issues, 0)) AS issues,
       sum(coalesce(b.occupied, 0)) * 1.0 / (count(*) * (SELECT cycles FROM whole)) AS occupied,
       sum(coalesce(b.issues, 0)) * 1.0 / (count(*) * (SELECT cycles FROM whole)) AS issuing,
       sum(CASE WHEN q.unit = 'mxm' AND q.name NOT LIKE '%.a' THEN 0 ELSE coalesce(b.work, 0) END) AS work,
       sum(coalesce(b.delay, 0)) AS delay
FROM queues q LEFT JOIN busy b ON b.queue = q.id
GROUP BY q.unit ORDER BY min(q.id);
