-- SPDX-License-Identifier: Apache-2.0
-- Which queue was occupied when?
--
-- Cycles are cut into at most 1,200 columns of equal width; a cell's shade is the share of its queue-cycles that lie
-- in spans.  Short runs have columns of one cycle, so nothing is lost.  A unit with more than 16 used queues in a
-- hemisphere shows 4, 8 or 16 neighbours in a row.

DROP TABLE IF EXISTS temp.plot_queue;
CREATE TEMP TABLE plot_queue AS
WITH used AS (
	SELECT id, name, unit,
	       row_number() OVER (PARTITION BY unit, side ORDER BY id) - 1 AS place,
	       count(*) OVER (PARTITION BY unit, side) AS number,
	       min(id) OVER (PARTITION BY unit, side) AS first
	FROM queues q WHERE EXISTS (SELECT 1 FROM span s WHERE s.queue = q.id)
)
SELECT id AS queue, name, unit,
       dense_rank() OVER (ORDER BY first, place / CASE WHEN number <= 16 THEN 1 WHEN number <= 48 THEN 4
                                                       WHEN number <= 96 THEN 8 ELSE 16 END) AS row
FROM used;

DROP TABLE IF EXISTS temp.plot_row;
CREATE TEMP TABLE plot_row AS
SELECT row, count(*) AS queues, unit,
       (SELECT name FROM plot_queue q WHERE q.row = r.row ORDER BY queue LIMIT 1) AS first,
       (SELECT name FROM plot_queue q WHERE q.row = r.row ORDER BY queue DESC LIMIT 1) AS last
FROM plot_queue r GROUP BY row;

DROP TABLE IF EXISTS temp.plot_unit;
CREATE TEMP TABLE plot_unit AS
WITH palette (unit, red, green, blue) AS (
	VALUES ('icu', 110, 110, 110), ('mem', 0, 114, 178), ('vxm', 224, 130, 20), ('mxm', 0, 148, 108),
	       ('sxm', 178, 90, 160), ('c2c', 200, 62, 40)
)
SELECT r.unit, min(r.row) AS first, max(r.row) AS last,
       coalesce(p.red, 90) AS red, coalesce(p.green, 90) AS green, coalesce(p.blue, 90) AS blue
FROM plot_row r LEFT JOIN palette p ON p.unit = r.unit GROUP BY r.unit;

-- One pass over the spans for all that is asked by layer, and for the bounds of the whole.
DROP TABLE IF EXISTS temp.plot_layer;
CREATE TEMP TABLE plot_layer AS
SELECT d.epoch AS epoch, min(s.start) AS start, max(max(s.stop, coalesce(s.due, s.stop))) AS stop
FROM span s LEFT JOIN node d ON d.id = s.node GROUP BY d.epoch;

DROP TABLE IF EXISTS temp.plot_axis;
CREATE TEMP TABLE plot_axis AS
SELECT min(start) AS start, max(stop) AS stop, max(1, (max(stop) - min(start) + 1199) / 1200) AS width FROM plot_layer;

DROP TABLE IF EXISTS temp.plot_cell;
CREATE TEMP TABLE plot_cell AS
WITH lines AS (
	SELECT s.queue AS queue,
	       occupied(s.start, s.stop, (SELECT start FROM plot_axis), (SELECT width FROM plot_axis)) AS cells
	FROM span s GROUP BY s.queue
)
SELECT q.row AS row, c.key AS bin, sum(c.value) AS busy
FROM lines l JOIN plot_queue q ON q.queue = l.queue, json_each(l.cells) c GROUP BY q.row, c.key;

-- Variables.
SELECT coalesce((SELECT value FROM run WHERE key = 'machine'), '') || ': '
       || coalesce((SELECT value FROM run WHERE key = 'workload'), '') AS heading,
       printf('%,d cycles', coalesce((SELECT value FROM counter WHERE name = 'cycles'), a.stop - a.start))
       || coalesce((SELECT printf(', MXM utilisation %.1f %%', 100.0 * m.value / (p.value * c.value))
              FROM counter m, counter p, counter c
              WHERE m.name = 'macs' AND p.name = 'mxm_peak' AND c.name = 'cycles' AND p.value * c.value > 0), '')
       || CASE WHEN a.width > 1
              THEN printf('; a column is %,d cycles, its shade the share of them occupied', a.width) ELSE '' END
       || coalesce((SELECT '; cycles ' || value || ' only' FROM run WHERE key = 'trace.window'), '')
       || CASE (SELECT value FROM run WHERE key = 'status') WHEN 'complete' THEN ''
              ELSE '; the trace is incomplete' END AS subheading,
       coalesce(a.start, 0) AS start, coalesce(a.stop, 1) AS stop,
       (SELECT count(*) FROM plot_row) AS rows,
       (SELECT count(epoch) FROM plot_layer) AS layers
FROM plot_axis a;

-- Boxes: start, stop, row, colour.  Neighbours of one shade are one box; shades are sixteenths.
WITH shaded AS (
	SELECT c.row AS row, c.bin AS bin, (16 * c.busy + a.width * r.queues - 1) / (a.width * r.queues) AS shade
	FROM plot_cell c JOIN plot_row r ON r.row = c.row, plot_axis a WHERE c.busy > 0
), islands AS (
	SELECT row, bin, shade, bin - row_number() OVER (PARTITION BY row, shade ORDER BY bin) AS island FROM shaded
)
SELECT a.start + min(bin) * a.width, min(a.stop, a.start + (max(bin) + 1) * a.width), i.row,
       -- Between an eighth and all of the unit's colour, the rest white.
       (255 - (255 - u.red) * (2 + min(shade, 16)) / 18) * 65536
       + (255 - (255 - u.green) * (2 + min(shade, 16)) / 18) * 256
       + 255 - (255 - u.blue) * (2 + min(shade, 16)) / 18
FROM islands i JOIN plot_row r ON r.row = i.row JOIN plot_unit u ON u.unit = r.unit, plot_axis a
GROUP BY i.row, shade, island ORDER BY i.row, min(bin);

-- Rows: row, label, share of cycles occupied.
SELECT r.row,
       -- Digits of the last name behind an ellipsis.
       r.first || CASE WHEN r.queues > 1 THEN char(8230) || replace(r.last, rtrim(r.last, '0123456789'), '')
                       ELSE '' END,
       printf('%.0f %%', 100.0 * (SELECT sum(c.busy) FROM plot_cell c WHERE c.row = r.row)
              / (r.queues * (SELECT max(1, stop - start) FROM plot_axis)))
FROM plot_row r ORDER BY r.row;

-- Units: first row, last row.
SELECT first, last FROM plot_unit ORDER BY first;

-- Layers: first issue.
SELECT start FROM plot_layer WHERE epoch IS NOT NULL ORDER BY start;

-- Layers with room for their name: first issue, name.
WITH layer AS (
	SELECT epoch, start, lead(start, 1, (SELECT stop FROM plot_axis)) OVER (ORDER BY start) - start AS room
	FROM plot_layer WHERE epoch IS NOT NULL
)
SELECT l.start, e.name FROM layer l JOIN epochs e ON e.id = l.epoch, plot_axis a
WHERE l.room >= 0.045 * (a.stop - a.start) ORDER BY l.start;

-- Tics: cycle, label.
WITH RECURSIVE axis (start, stop, step) AS (
	SELECT start, stop, tic_step(stop - start, 9) FROM plot_axis
), tic (cycle) AS (
	SELECT (start + step - 1) / step * step FROM axis
	UNION ALL SELECT cycle + step FROM tic, axis WHERE cycle + step <= stop
)
SELECT cycle, printf('%,d', cycle) FROM tic;
