-- SPDX-License-Identifier: Apache-2.0
-- How full was each buffer over time?
--
-- A row a buffer that held something; the area in it is the share of its bytes that are alive, from their write to their
-- last read.  Where a run has more cycles than the picture has columns (1,200), a column shows the most in it.

DROP TABLE IF EXISTS temp.plot_row;
CREATE TEMP TABLE plot_row AS
SELECT b.id AS buffer, b.name, b.space, b.core, b.subcore, max(b.bytes, 1) AS bytes, b.peak,
       row_number() OVER (ORDER BY b.id) AS row
FROM (SELECT v.*, r.subcore FROM buffers v JOIN buffer r ON r.id = v.id) b WHERE b.peak > 0;

DROP TABLE IF EXISTS temp.plot_axis;
CREATE TEMP TABLE plot_axis AS
SELECT 0 AS start, max(s.stop, 1) AS stop, max(1, (max(s.stop, 1) + 1199) / 1200) AS width
FROM (SELECT coalesce((SELECT value FROM counter WHERE name = 'cycles'), (SELECT max(cycle) FROM buffer_level), 1) AS stop) s;

DROP TABLE IF EXISTS temp.plot_step;
CREATE TEMP TABLE plot_step AS
SELECT r.row, r.space, l.cycle AS start, lead(l.cycle, 1, l.cycle) OVER (PARTITION BY l.buffer ORDER BY l.cycle) AS stop,
       l.bytes * 1.0 / r.bytes AS full, l.bytes
FROM buffer_level l JOIN plot_row r ON r.buffer = l.buffer;

-- Variables.
SELECT coalesce((SELECT value FROM run WHERE key = 'machine'), '') || ': '
       || coalesce((SELECT value FROM run WHERE key = 'workload'), '') AS heading,
       printf('%,d cycles; bytes alive, from their write to their last read; at the right the peak', a.stop)
       || CASE WHEN a.width > 1 THEN printf('; a column is %,d cycles and shows the most in them', a.width) ELSE '' END
       || CASE (SELECT value FROM run WHERE key = 'status') WHEN 'complete' THEN ''
              ELSE '; the trace is incomplete' END AS subheading,
       a.start AS start, a.stop AS stop,
       (SELECT count(*) FROM plot_row) AS rows
FROM plot_axis a;

-- Boxes: start, stop, row, share full, colour.  What lasts longer than a column stands as it is.
WITH palette (space, colour) AS (
	VALUES ('l1', 0x0072b2), ('l0a', 0x4696d2), ('l0b', 0x7fb4dc), ('l0c', 0x00946c), ('ub', 0xe08214),
	       ('bt', 0xb25aa0), ('fb', 0xc83e28)
), box AS (
	SELECT row, space, start, stop, full FROM plot_step, (SELECT width FROM plot_axis) a
	WHERE bytes > 0 AND stop - start >= a.width
	UNION ALL
	SELECT s.row, s.space, s.start / a.width * a.width, s.start / a.width * a.width + a.width, max(s.full)
	FROM plot_step s, (SELECT width FROM plot_axis) a
	WHERE s.bytes > 0 AND s.stop - s.start < a.width GROUP BY s.row, s.start / a.width
)
SELECT b.start, b.stop, b.row, printf('%.4f', b.full), p.colour
FROM box b JOIN palette p ON p.space = b.space ORDER BY b.row, b.start;

-- Rows: row, label, peak.
SELECT row, name, printf('%.0f %%', 100.0 * peak / bytes) FROM plot_row ORDER BY row;

-- Lines between cores; between sub-cores where there is one core: first row, last row.
SELECT min(row), max(row) FROM plot_row
GROUP BY core, CASE WHEN (SELECT max(core) FROM plot_row) = 0 THEN subcore ELSE 0 END ORDER BY min(row);

-- Tics: cycle, label.
WITH RECURSIVE axis (start, stop, step) AS (
	SELECT start, stop, tic_step(stop - start, 9) FROM plot_axis
), tic (cycle) AS (
	SELECT (start + step - 1) / step * step FROM axis
	UNION ALL SELECT cycle + step FROM tic, axis WHERE cycle + step <= stop
)
SELECT cycle, printf('%,d', cycle) FROM tic;
