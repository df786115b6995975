-- SPDX-License-Identifier: Apache-2.0
-- What did each sub-core count?
--
-- subcore []: core and sub-core
-- cycles [cycles]: until it was done
-- instructions []: executed
-- macs []: multiply-accumulates
-- lane_ops []: lanes of vector instructions
-- gm_read [B]: from global memory
-- gm_written [B]: to global memory
-- l2_hits []: requests
-- l2_misses []: requests
-- queue_full [cycles]: the scalar unit stood before a full queue
SELECT subcore,
       sum(CASE name WHEN 'cycles' THEN value ELSE 0 END) AS cycles,
       sum(CASE name WHEN 'instructions' THEN value ELSE 0 END) AS instructions,
       sum(CASE name WHEN 'macs' THEN value ELSE 0 END) AS macs,
       sum(CASE name WHEN 'lane_ops' THEN value ELSE 0 END) AS lane_ops,
       sum(CASE WHEN name LIKE 'bytes.gm.%' THEN value ELSE 0 END) AS gm_read,
       sum(CASE WHEN name LIKE 'bytes.%.gm' THEN value ELSE 0 END) AS gm_written,
       sum(CASE name WHEN 'l2_hits' THEN value ELSE 0 END) AS l2_hits,
       sum(CASE name WHEN 'l2_misses' THEN value ELSE 0 END) AS l2_misses,
       sum(CASE WHEN name LIKE 'queue\_full.%' ESCAPE '\' THEN value ELSE 0 END) AS queue_full
FROM subcore_counters GROUP BY core, sub HAVING sum(CASE name WHEN 'instructions' THEN value ELSE 0 END) > 0
ORDER BY core, sub;
