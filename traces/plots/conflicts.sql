-- SPDX-License-Identifier: Apache-2.0
-- Which tensors cost each other cycles in banks?
--
-- Rows are tensors whose accesses waited, columns those whose requests stood in the way; the diagonal is a tensor's own
-- doing.  A cell adds up own beats (beyond those of an access without self conflict) and delay; of a machine that freezes
-- it has the cycles frozen, which is what those lead to.  The 20 tensors with the most have a place of their own, the rest shares one.

-- A tensor is its parts together.
DROP TABLE IF EXISTS temp.plot_name;
CREATE TEMP TABLE plot_name AS
SELECT id AS part, min(id) OVER (PARTITION BY name, epoch) AS id FROM tensor;

DROP TABLE IF EXISTS temp.plot_pair;
CREATE TEMP TABLE plot_pair AS
WITH pair AS (
	SELECT s.insn AS a, s.insn AS b, coalesce(sum(s.beats - (SELECT value FROM counter WHERE name = 'bank_service')), 0) AS own,
	       0 AS delay, 0 AS slip
	FROM issue s WHERE s.requests > 0 GROUP BY s.insn
	UNION ALL SELECT insn, other, 0, sum(delay), 0 FROM conflict GROUP BY insn, other
	UNION ALL SELECT coalesce(met, other), other, 0, 0, sum(cycles) FROM slip GROUP BY coalesce(met, other), other
)
SELECT coalesce((SELECT id FROM plot_name WHERE part = i.tensor), -1) AS tensor,
       coalesce((SELECT id FROM plot_name WHERE part = o.tensor), -1) AS other, sum(p.own) AS own, sum(p.delay) AS delay,
       sum(p.slip) AS slip,
       sum(CASE WHEN (SELECT value FROM run WHERE key = 'policy') = 'freeze' THEN p.slip ELSE p.own + p.delay END) AS cost
FROM pair p LEFT JOIN insn i ON i.id = p.a LEFT JOIN insn o ON o.id = p.b
GROUP BY 1, 2;

DELETE FROM plot_pair WHERE cost = 0;

DROP TABLE IF EXISTS temp.plot_tensor;
CREATE TEMP TABLE plot_tensor AS
WITH involved AS (
	SELECT tensor, sum(cost) AS cost
	FROM (SELECT tensor, cost FROM plot_pair UNION ALL SELECT other, cost FROM plot_pair WHERE other <> tensor)
	GROUP BY tensor
), ranked AS (
	SELECT tensor, row_number() OVER (ORDER BY cost DESC, tensor) AS place, count(*) OVER () AS number FROM involved
), chosen AS (
	SELECT tensor, place <= 20 OR number = 21 AS own FROM ranked
)
SELECT tensor, own, CASE WHEN own THEN row_number() OVER (PARTITION BY own ORDER BY tensor) - 1
                         ELSE (SELECT sum(own) FROM chosen) END AS place
FROM chosen;

DROP TABLE IF EXISTS temp.plot_cell;
CREATE TEMP TABLE plot_cell AS
SELECT t.place AS y, o.place AS x, sum(p.cost) AS cost
FROM plot_pair p JOIN plot_tensor t ON t.tensor = p.tensor JOIN plot_tensor o ON o.tensor = p.other GROUP BY 1, 2;

-- Variables.
SELECT coalesce((SELECT value FROM run WHERE key = 'machine'), '') || ': '
       || coalesce((SELECT value FROM run WHERE key = 'workload'), '') AS heading,
       CASE WHEN (SELECT value FROM run WHERE key = 'policy') = 'freeze'
            THEN printf('%,d cycles frozen because requests met in banks', sum(slip))
            ELSE printf('%,d cycles in banks: %,d of accesses to themselves, %,d behind others', sum(cost), sum(own),
                        sum(delay)) END
       || coalesce((SELECT '; map ' || substr(rest, 1, instr(rest, ' ') - 1)
                    FROM (SELECT substr(value, instr(value, 'sram.map = ') + 11) AS rest FROM run
                          WHERE key = 'machine_hw' AND instr(value, 'sram.map = ') > 0)), '') AS subheading,
       CASE WHEN (SELECT value FROM run WHERE key = 'policy') = 'freeze' THEN 'cycles frozen' ELSE 'cycles' END AS unit,
       (SELECT max(place) + 1 FROM plot_tensor) AS tensors, (SELECT max(cost) FROM plot_cell) AS peak
FROM plot_pair;

-- Cells: column, row, cycles.
SELECT x, y, cost FROM plot_cell ORDER BY y, x;

-- Tensors: place, name.
SELECT p.place, CASE WHEN NOT max(p.own) THEN '(' || count(*) || ' others)' WHEN p.tensor < 0 THEN '(none)'
                     ELSE CASE WHEN (SELECT count(*) FROM epoch) > 1 THEN coalesce(t.epoch_name || '/', '') ELSE '' END
                          || t.name END
FROM plot_tensor p LEFT JOIN tensors t ON t.id = p.tensor GROUP BY p.place ORDER BY p.place;
