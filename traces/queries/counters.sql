-- SPDX-License-Identifier: Apache-2.0
-- What did the run count?
--
-- name []: of the counter
-- value []: total over the run
-- unit []: of the value
SELECT name, value, unit FROM counter ORDER BY name;
