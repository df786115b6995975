-- SPDX-License-Identifier: Apache-2.0
-- How busy was each unit in each layer?
--
-- layer []: name
-- unit []: kind of unit
-- issues []: instructions issued, repeats counted
-- occupied [fraction]: of its queues' cycles in the layer, spent in spans
-- issuing [fraction]: of its queues' cycles in the layer, with an issue
-- delay [cycles]: by which its accesses ended later than alone in the memory
WITH layer AS (
	SELECT d.epoch AS epoch, max(1, max(coalesce(s.due, s.stop)) - min(s.start)) AS cycles
	FROM span s JOIN node d ON d.id = s.node GROUP BY d.epoch
), size AS (
	SELECT unit, count(*) AS queues, min(id) AS place FROM queue GROUP BY unit
), busy AS (
	SELECT d.epoch AS epoch, q.unit AS unit, sum(s.stop - s.start) AS occupied, sum(s.issues) AS issues,
	       sum(s.delay) AS delay
	FROM span s JOIN node d ON d.id = s.node JOIN queue q ON q.id = s.queue GROUP BY d.epoch, q.unit
)
SELECT e.name AS layer, n.text AS unit, b.issues AS issues,
       b.occupied * 1.0 / (s.queues * l.cycles) AS occupied,
       b.issues * 1.0 / (s.queues * l.cycles) AS issuing,
       b.delay AS delay
FROM busy b JOIN layer l ON l.epoch = b.epoch JOIN epochs e ON e.id = b.epoch
JOIN size s ON s.unit = b.unit JOIN name n ON n.id = b.unit
ORDER BY e.id, s.place;
