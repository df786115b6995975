-- SPDX-License-Identifier: Apache-2.0
-- Does the simulation agree with the schedule?
--
-- quantity []: run: from first issue to last result; then each layer, to its last result
-- predicted [cycles]: by the schedule
-- simulated [cycles]: by the models; layers need level units
-- difference [cycles]: simulated - predicted
WITH line (place, quantity, predicted, simulated) AS (
	SELECT -1, 'run', (SELECT value FROM counter WHERE name = 'predicted_cycles'),
	       (SELECT value FROM counter WHERE name = 'cycles')
	UNION ALL
	SELECT e.id, e.name, e.stop, (SELECT max(s.due) FROM span s JOIN node d ON d.id = s.node WHERE d.epoch = e.id)
	FROM epochs e WHERE EXISTS (SELECT 1 FROM span)
)
SELECT quantity AS quantity, predicted AS predicted, simulated AS simulated, simulated - predicted AS difference
FROM line ORDER BY place;
