-- SPDX-License-Identifier: Apache-2.0
-- How many requests did each bank have, how long did they wait, and when?
--
-- Above, totals of each bank; below, where the trace has banks over time, requests a cycle of each bank in at most 160
-- columns.

DROP TABLE IF EXISTS temp.plot_axis;
CREATE TEMP TABLE plot_axis AS
WITH bounds (start, stop, windows) AS (SELECT min(start), max(stop), count(DISTINCT start) FROM bank_window)
SELECT start, stop, windows, max(1, (stop - start + 159) / 160) AS width FROM bounds;

-- Requests of each bank in each column, a window's to the column it begins in.  Columns are no narrower than windows.
DROP TABLE IF EXISTS temp.plot_cell;
CREATE TEMP TABLE plot_cell AS
WITH grid (width) AS (
	SELECT max(a.width, (SELECT max(stop - start) FROM bank_window)) FROM plot_axis a WHERE a.windows > 1
)
SELECT w.bank AS bank, a.start + (w.start - a.start) / g.width * g.width AS start, g.width AS width,
       sum(w.requests) AS requests
FROM bank_window w, plot_axis a, grid g GROUP BY 1, 2;

-- Variables.
SELECT coalesce((SELECT value FROM run WHERE key = 'machine'), '') || ': '
       || coalesce((SELECT value FROM run WHERE key = 'workload'), '') AS heading,
       printf('%,d requests to %d of %d banks, %,d each; the busiest, bank %d, has %.2f times that; '
              || '%,d cycles waited (%.3f a request)',
              sum(requests), sum(requests > 0), count(*), CAST(round(avg(requests)) AS INTEGER),
              (SELECT id FROM bank ORDER BY requests DESC, id LIMIT 1), max(requests) / nullif(avg(requests), 0),
              sum(wait), sum(wait) * 1.0 / nullif(sum(requests), 0)) AS subheading,
       count(*) AS banks, coalesce(avg(requests), 0) AS mean, max(max(requests), 1) AS most, sum(wait) > 0 AS waits,
       max(wait, 1) AS longest,
       coalesce((SELECT max(requests * 1.0 / width) FROM plot_cell), 0) AS peak,
       (SELECT count(*) > 0 FROM plot_cell) AS timed,
       coalesce((SELECT start FROM plot_axis), 0) AS start, coalesce((SELECT stop FROM plot_axis), 1) AS stop
FROM (SELECT id, requests, wait, max(wait) OVER () AS longest FROM bank);

-- Banks: number, requests, wait cycles.
SELECT id, requests, wait FROM bank ORDER BY id;

-- Cells: bank, start, stop, requests a cycle.
SELECT c.bank, c.start, min(c.start + c.width, a.stop), c.requests * 1.0 / (min(c.start + c.width, a.stop) - c.start)
FROM plot_cell c, plot_axis a WHERE c.requests > 0 ORDER BY c.start, c.bank;

-- Tics: cycle, label.
WITH RECURSIVE axis (start, stop, step) AS (
	SELECT start, stop, tic_step(stop - start, 9) FROM plot_axis WHERE windows > 1
), tic (cycle) AS (
	SELECT (start + step - 1) / step * step FROM axis
	UNION ALL SELECT cycle + step FROM tic, axis WHERE cycle + step <= stop
)
SELECT cycle, printf('%,d', cycle) FROM tic;
