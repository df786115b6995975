-- SPDX-License-Identifier: Apache-2.0
-- Which pipe of which core was busy when?
--
-- Cycles are cut into at most 1,200 columns of equal width; a cell's shade is the share of it in which the pipe was busy.
-- Short runs have columns of one cycle, so nothing is lost.  Pipes that did nothing have no row.

DROP TABLE IF EXISTS temp.plot_row;
CREATE TEMP TABLE plot_row AS
SELECT p.id AS pipe, p.name, p.pipe AS kind, p.core, p.subcore, row_number() OVER (ORDER BY p.id) AS row
FROM pipes p WHERE EXISTS (SELECT 1 FROM span s WHERE s.pipe = p.id);

DROP TABLE IF EXISTS temp.plot_axis;
CREATE TEMP TABLE plot_axis AS
SELECT s.start, s.stop, max(1, (s.stop - s.start + 1199) / 1200) AS width
-- From the first cycle, unless there are only those of a window; the last pipe may end before the run does.
FROM (SELECT CASE WHEN EXISTS (SELECT 1 FROM run WHERE key = 'trace.window') THEN min(start) ELSE min(0, min(start)) END
             AS start, max(stop) AS stop FROM span) s;

DROP TABLE IF EXISTS temp.plot_cell;
CREATE TEMP TABLE plot_cell AS
WITH lines AS (
	SELECT s.pipe AS pipe,
	       occupied(s.start, s.stop, (SELECT start FROM plot_axis), (SELECT width FROM plot_axis)) AS cells
	FROM span s GROUP BY s.pipe
)
SELECT r.row AS row, r.kind AS kind, c.key AS bin, c.value AS busy
FROM lines l JOIN plot_row r ON r.pipe = l.pipe, json_each(l.cells) c WHERE c.value > 0;

DROP TABLE IF EXISTS temp.plot_palette;
CREATE TEMP TABLE plot_palette (kind, red, green, blue);
INSERT INTO temp.plot_palette
VALUES ('S', 110, 110, 110), ('V', 224, 130, 20), ('M', 0, 148, 108), ('MTE1', 70, 150, 210),
       ('MTE2', 0, 90, 178), ('MTE3', 178, 90, 160), ('FIX', 200, 62, 40);

-- Variables.
SELECT coalesce((SELECT value FROM run WHERE key = 'machine'), '') || ': '
       || coalesce((SELECT value FROM run WHERE key = 'workload'), '') AS heading,
       printf('%,d cycles', coalesce((SELECT value FROM counter WHERE name = 'cycles'), a.stop - a.start))
       || coalesce((SELECT printf(', predicted %,d', value) FROM counter WHERE name = 'predicted_cycles'), '')
       || CASE (SELECT value FROM run WHERE key = 'issue') WHEN 'by timestamp' THEN ', by timestamp' ELSE '' END
       || '; rows are core.sub-core.pipe'
       || CASE WHEN a.width > 1
              THEN printf('; a column is %,d cycles, its shade the share of them busy', a.width) ELSE '' END
       || coalesce((SELECT '; cycles ' || value || ' only' FROM run WHERE key = 'trace.window'), '')
       || CASE (SELECT value FROM run WHERE key = 'status') WHEN 'complete' THEN ''
              ELSE '; the trace is incomplete' END AS subheading,
       coalesce(a.start, 0) AS start, max(coalesce(a.stop, 1), coalesce(a.start, 0) + 1) AS stop,
       (SELECT count(*) FROM plot_row) AS rows,
       0 AS layers,
       -- Words: pipe, colour.
       (SELECT group_concat(k.kind || ' ' || (p.red * 65536 + p.green * 256 + p.blue), ' ')
        FROM (SELECT kind, min(row) AS row FROM plot_row GROUP BY kind ORDER BY min(row)) k
        JOIN plot_palette p ON p.kind = k.kind) AS legend
FROM plot_axis a;

-- Boxes: start, stop, row, colour.  Neighbours of one shade are one box; shades are sixteenths.
WITH shaded AS (
	SELECT c.row, c.kind, c.bin, min(16, (16 * c.busy + a.width - 1) / a.width) AS shade FROM plot_cell c, plot_axis a
), islands AS (
	SELECT row, kind, bin, shade, bin - row_number() OVER (PARTITION BY row, shade ORDER BY bin) AS island FROM shaded
)
SELECT a.start + min(bin) * a.width, min(a.stop, a.start + (max(bin) + 1) * a.width), i.row,
       -- Between an eighth and all of the pipe's colour, the rest white.
       (255 - (255 - p.red) * (2 + shade) / 18) * 65536
       + (255 - (255 - p.green) * (2 + shade) / 18) * 256
       + 255 - (255 - p.blue) * (2 + shade) / 18
FROM islands i JOIN plot_palette p ON p.kind = i.kind, plot_axis a
GROUP BY i.row, shade, island ORDER BY i.row, min(bin);

-- Rows: row, label, share of cycles busy.
SELECT row, name, CASE WHEN share < 0.5 THEN '< 1 %' ELSE printf('%.0f %%', share) END
FROM (SELECT r.row, r.name, 100.0 * (SELECT sum(c.busy) FROM plot_cell c WHERE c.row = r.row)
             / (SELECT max(1, stop - start) FROM plot_axis) AS share FROM plot_row r) ORDER BY row;

-- Lines between cores; between sub-cores where there is one core: first row, last row.
SELECT min(row), max(row) FROM plot_row
GROUP BY core, CASE WHEN (SELECT max(core) FROM plot_row) = 0 THEN subcore ELSE 0 END ORDER BY min(row);

-- Layers: none.
SELECT start FROM plot_axis WHERE 0;
SELECT start, 'none' FROM plot_axis WHERE 0;

-- Tics: cycle, label.
WITH RECURSIVE axis (start, stop, step) AS (
	SELECT start, stop, tic_step(stop - start, 9) FROM plot_axis
), tic (cycle) AS (
	SELECT (start + step - 1) / step * step FROM axis
	UNION ALL SELECT cycle + step FROM tic, axis WHERE cycle + step <= stop
)
SELECT cycle, printf('%,d', cycle) FROM tic;
