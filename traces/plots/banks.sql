-- SPDX-License-Identifier: Apache-2.0
-- How many requests did each bank have, how long did they wait, and when?
--
-- Above, totals of each bank; below, where the trace has banks over time, requests a cycle of each bank.  More than 200
-- windows are drawn several to a column, whole ones, lest columns differ by what they hold.

DROP TABLE IF EXISTS temp.plot_window;
CREATE TEMP TABLE plot_window AS
WITH windows AS (
	SELECT start, stop, row_number() OVER (ORDER BY start) - 1 AS place, count(*) OVER () AS number
	FROM (SELECT DISTINCT start, stop FROM bank_window)
), columns AS (
	SELECT start, stop, place / ((number + 199) / 200) AS col FROM windows WHERE number > 1
)
SELECT start, min(start) OVER (PARTITION BY col) AS first, max(stop) OVER (PARTITION BY col) AS last FROM columns;

DROP TABLE IF EXISTS temp.plot_cell;
CREATE TEMP TABLE plot_cell AS
SELECT w.bank AS bank, p.first AS start, p.last AS stop, sum(w.requests) * 1.0 / (p.last - p.first) AS rate
FROM bank_window w JOIN plot_window p ON p.start = w.start GROUP BY w.bank, p.first, p.last;

-- The whole run; of a windowed trace, what it holds.
DROP TABLE IF EXISTS temp.plot_axis;
CREATE TEMP TABLE plot_axis AS
SELECT coalesce(min(start, first), start) AS start, coalesce(max(stop, last), stop) AS stop
FROM (SELECT min(start) AS start, max(stop) AS stop FROM plot_cell),
     (SELECT f.value AS first, f.value + c.value AS last FROM (SELECT 1) LEFT JOIN counter f ON f.name = 'first_issue'
      LEFT JOIN counter c ON c.name = 'cycles' AND NOT EXISTS (SELECT 1 FROM run WHERE key = 'trace.window'));

-- Variables.
SELECT coalesce((SELECT value FROM run WHERE key = 'machine'), '') || ': '
       || coalesce((SELECT value FROM run WHERE key = 'workload'), '') AS heading,
       printf('%,d requests to %d of %d banks, %s each; the busiest, bank %d, has %.2f times that; '
              || '%,d cycles waited (%.3f a request)',
              sum(requests), sum(requests > 0), count(*),
              CASE WHEN avg(requests) < 100 THEN printf('%.2f', avg(requests))
                   ELSE printf('%,d', CAST(round(avg(requests)) AS INTEGER)) END,
              (SELECT id FROM bank ORDER BY requests DESC, id LIMIT 1), max(requests) / nullif(avg(requests), 0),
              sum(wait), sum(wait) * 1.0 / nullif(sum(requests), 0)) AS subheading,
       count(*) AS banks, coalesce(avg(requests), 0) AS mean, max(max(requests), 1) AS most,
       tic_step(max(max(requests), 1) * 118 / 100, 7) AS step, sum(wait) > 0 AS waits,
       max(max(wait), 1) AS longest, tic_step(max(max(wait), 1) * 118 / 100, 7) AS waitstep,
       (SELECT count(*) > 0 FROM plot_cell) AS timed,
       coalesce((SELECT max(rate) FROM plot_cell), 1) AS peak,
       coalesce((SELECT start FROM plot_axis), 0) AS start, coalesce((SELECT stop FROM plot_axis), 1) AS stop
FROM bank;

-- Banks: number, requests, wait cycles.
SELECT id, requests, wait FROM bank ORDER BY id;

-- Cells: bank, start, stop, requests a cycle.
SELECT bank, start, stop, rate FROM plot_cell ORDER BY start, bank;

-- Tics: cycle, label.
WITH RECURSIVE axis (start, stop, step) AS (
	SELECT start, stop, tic_step(stop - start, 9) FROM plot_axis WHERE start IS NOT NULL
), tic (cycle) AS (
	SELECT (start + step - 1) / step * step FROM axis
	UNION ALL SELECT cycle + step FROM tic, axis WHERE cycle + step <= stop
)
SELECT cycle, printf('%,d', cycle) FROM tic WHERE cycle IS NOT NULL;
