-- SPDX-License-Identifier: Apache-2.0
-- How full were the buffers?
--
-- buffer []: core, sub-core and buffer
-- bytes [B]: usable
-- peak [B]: most bytes alive at once, from their write to their last read
-- share [fraction]: peak of usable
-- peak_cycle [cycle]: first with so many
-- mean [B]: alive on average of the run
WITH step AS (
	SELECT buffer, bytes, lead(cycle, 1, cycle) OVER (PARTITION BY buffer ORDER BY cycle) - cycle AS cycles
	FROM buffer_level
), filled AS (
	SELECT buffer, sum(bytes * cycles) AS area FROM step GROUP BY buffer
)
SELECT b.name AS buffer, b.bytes, b.peak, b.peak * 1.0 / max(b.bytes, 1) AS share, b.peak_cycle,
       f.area / (SELECT max(1, value) FROM counter WHERE name = 'cycles') AS mean
FROM buffers b JOIN filled f ON f.buffer = b.id WHERE b.peak > 0 ORDER BY b.id;
