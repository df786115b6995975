-- SPDX-License-Identifier: Apache-2.0
-- How far is the run from what was predicted?
--
-- predicted [cycles]: length of the run by the schedule
-- simulated [cycles]: length of the run
-- off [fraction]: simulated over predicted, less one
-- compared [instructions]: executed for the first time by their sub-core, with predicted times
-- differ [instructions]: of them that started or ended at another cycle
WITH c AS (
	SELECT max(CASE name WHEN 'predicted_cycles' THEN value END) AS predicted,
	       max(CASE name WHEN 'cycles' THEN value END) AS simulated,
	       max(CASE name WHEN 'compared_events' THEN value END) AS compared,
	       max(CASE name WHEN 'mismatched_events' THEN value END) AS differ
	FROM counter
)
SELECT predicted, simulated, CASE WHEN predicted > 0 THEN simulated * 1.0 / predicted - 1 END AS off, compared, differ
FROM c WHERE simulated IS NOT NULL;
