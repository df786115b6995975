-- SPDX-License-Identifier: Apache-2.0
-- What did the machine find wrong with the program, and where first?
--
-- kind []: of violation
-- count []: how often
-- first [cycle]: of the first one
-- queue []: that found it
-- op []: instruction that found it
-- node []: graph node it came from
WITH ranked AS (
	SELECT v.*, count(*) OVER kind AS number,
	       row_number() OVER (PARTITION BY v.kind ORDER BY v.cycle, v.queue, v.insn, v.idx, v.detail) AS place
	FROM violations v WINDOW kind AS (PARTITION BY v.kind)
)
SELECT kind AS kind, number AS count, cycle AS first, queue AS queue, op AS op, node AS node
FROM ranked WHERE place = 1 ORDER BY number DESC, kind;
