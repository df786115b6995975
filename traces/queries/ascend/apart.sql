-- SPDX-License-Identifier: Apache-2.0
-- What took longer or shorter than predicted, pipes of a kind together, and what were they waiting for?
--
-- kind []: of sub-core
-- pipe []: pipe
-- what []: busy; waits for flags, for a counter of another sub-core (cross-core), for the scalar unit or units of L0C (issue)
-- predicted [cycles]: by the schedule, in what was compared
-- simulated [cycles]: the same in the run
-- more [cycles]: simulated less predicted
-- share [fraction]: of the run, on average of those pipes
WITH whole AS (SELECT max(1, value) AS cycles FROM counter WHERE name = 'cycles'),
waited AS (
	SELECT s.kind, c.subcore, substr(c.name, 11) AS name,
	       CASE substr(c.name, 1, 10) WHEN 'predicted.' THEN c.value ELSE 0 END AS predicted,
	       CASE substr(c.name, 1, 10) WHEN 'simulated.' THEN c.value ELSE 0 END AS simulated
	FROM subcore_counters c JOIN subcores s ON s.name = c.subcore
	WHERE c.name GLOB 'predicted.*.*' OR c.name GLOB 'simulated.*.*'
),
parts AS (
	SELECT id, kind, pipe, 'busy' AS what, name, predicted_busy AS predicted, compared_busy AS simulated
	FROM pipes WHERE compared > 0
	UNION ALL
	SELECT p.id, w.kind, p.pipe, substr(w.name, instr(w.name, '.') + 1), p.name, w.predicted, w.simulated
	FROM waited w JOIN pipes p ON p.name = w.subcore || '.' || substr(w.name, 1, instr(w.name, '.') - 1)
)
SELECT kind, pipe, what, sum(predicted) AS predicted, sum(simulated) AS simulated,
       sum(simulated) - sum(predicted) AS more,
       (sum(simulated) - sum(predicted)) * 1.0 / (count(DISTINCT id) * w.cycles) AS share
FROM parts, whole w GROUP BY kind, pipe, what HAVING sum(simulated) <> sum(predicted)
ORDER BY abs(sum(simulated) - sum(predicted)) DESC, min(id), what;
