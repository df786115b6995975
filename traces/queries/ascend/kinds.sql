-- SPDX-License-Identifier: Apache-2.0
-- How busy were the pipes, all sub-cores of a kind together?
--
-- kind []: of sub-core
-- pipe []: pipe
-- used []: pipes that executed something
-- instructions []: executed
-- busy [fraction]: of the run, on average of those used
-- busiest [fraction]: the busiest of them
-- name []: the busiest of them
-- predicted [cycles]: busy by the schedule, in what was compared
-- simulated [cycles]: busy in what was compared
WITH whole AS (SELECT max(1, value) AS cycles FROM counter WHERE name = 'cycles'),
ranked AS (
	SELECT *, row_number() OVER (PARTITION BY kind, pipe ORDER BY busy DESC, id) AS rank
	FROM pipes WHERE instructions > 0
)
SELECT kind, pipe, count(*) AS used, sum(instructions) AS instructions,
       sum(busy) * 1.0 / (count(*) * w.cycles) AS busy,
       max(busy) * 1.0 / w.cycles AS busiest, max(CASE rank WHEN 1 THEN name END) AS name,
       sum(predicted_busy) AS predicted, sum(compared_busy) AS simulated
FROM ranked, whole w GROUP BY kind, pipe ORDER BY min(id);
