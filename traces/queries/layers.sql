-- SPDX-License-Identifier: Apache-2.0
-- How long did each layer take, and how well was the MXM used?
--
-- layer []: name
-- predicted [cycles]: from the layer's start to its last result, by the schedule
-- simulated [cycles]: from its first issue to its last result; none at level summary unless the run is one layer
-- macs [MACs]: useful multiply-accumulates
-- utilisation [fraction]: macs / (peak x simulated cycles); peak from counter mxm_peak
-- ceiling [fraction]: the best that whole blocks allow
WITH timed AS (
	SELECT d.epoch AS epoch, max(s.due) - min(s.start) AS cycles
	FROM span s JOIN node d ON d.id = s.node GROUP BY d.epoch
), whole AS (
	SELECT value AS cycles FROM counter WHERE name = 'cycles' AND (SELECT count(*) FROM epoch) = 1
)
SELECT e.name AS layer,
       e.stop - e.start AS predicted,
       coalesce(t.cycles, (SELECT cycles FROM whole)) AS simulated,
       e.macs AS macs,
       CASE WHEN e.macs > 0 THEN
              e.macs * 1.0 / ((SELECT value FROM counter WHERE name = 'mxm_peak')
                              * coalesce(t.cycles, (SELECT cycles FROM whole))) END AS utilisation,
       e.ceiling AS ceiling
FROM epochs e LEFT JOIN timed t ON t.epoch = e.id
ORDER BY e.id;
