-- SPDX-License-Identifier: Apache-2.0
-- Who waited for whom when nothing could go on?
--
-- line []: of the diagnosis
-- diagnosis []: who waits for what, and who could help
SELECT line, text AS diagnosis FROM deadlock ORDER BY line;
