-- SPDX-License-Identifier: Apache-2.0
-- What was counted over the whole run?
--
-- name []: counter
-- value []: total
-- unit []: of it
SELECT name, value, unit FROM counter ORDER BY name;
