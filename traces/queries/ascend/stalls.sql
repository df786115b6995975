-- SPDX-License-Identifier: Apache-2.0
-- What did pipes wait for?
--
-- kind []: of sub-core
-- pipe []: pipe
-- cause []: flag, cross-core counter, barrier, full queue, banks by class, requests in flight, a line another core holds
-- cycles [cycles]: of all sub-cores
-- share [fraction]: of the run, on average of the pipes that waited so; none where cycles are those of requests
-- at_once []: requests in flight or at a line wait side by side, and each counts: so many at a time, over the run
-- pipes []: that waited so
-- most [cycles]: of one pipe
-- name []: that pipe
WITH whole AS (SELECT max(1, value) AS cycles FROM counter WHERE name = 'cycles'),
ranked AS (
	SELECT p.id, p.kind, p.pipe, p.name, s.cause, s.cycles,
	       row_number() OVER (PARTITION BY p.kind, p.pipe, s.cause ORDER BY s.cycles DESC, p.id) AS rank
	FROM pipe_stalls s JOIN pipes p ON p.id = s.id
)
SELECT kind, pipe, cause, sum(r.cycles) AS cycles,
       CASE WHEN cause NOT IN ('outstanding', 'line') THEN sum(r.cycles) * 1.0 / (count(*) * w.cycles) END AS share,
       CASE WHEN cause IN ('outstanding', 'line') THEN sum(r.cycles) * 1.0 / (count(*) * w.cycles) END AS at_once,
       count(*) AS pipes, max(r.cycles) AS most, max(CASE rank WHEN 1 THEN name END) AS name
FROM ranked r, whole w GROUP BY kind, pipe, cause ORDER BY sum(r.cycles) DESC, min(id), cause;
