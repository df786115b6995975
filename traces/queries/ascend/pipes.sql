-- SPDX-License-Identifier: Apache-2.0
-- When was each pipe to work, and when did it?
--
-- pipe []: core, sub-core and pipe
-- instructions []: executed, flags and barriers among them
-- start [cycle]: of the first
-- stop [cycle]: when the last was done
-- busy [cycles]: from start to done of what is neither flag nor barrier
-- share [fraction]: of the run
-- pred_start [cycle]: predicted, of the instructions compared
-- pred_stop [cycle]: predicted
-- pred_busy [cycles]: predicted
-- sim_busy [cycles]: of the same instructions as simulated
-- compared []: executed for the first time, with predicted times
-- differ []: of them that started or ended at another cycle
SELECT name AS pipe, instructions, start, stop, busy,
       busy * 1.0 / (SELECT max(1, value) FROM counter WHERE name = 'cycles') AS share,
       predicted_start AS pred_start, predicted_stop AS pred_stop, predicted_busy AS pred_busy,
       compared_busy AS sim_busy, compared, differ
FROM pipes WHERE instructions > 0 ORDER BY id;
