-- SPDX-License-Identifier: Apache-2.0
-- Which flags, counters and barriers cost most, and who set them?  (The first 30.)
--
-- pipe []: that waited
-- cause []: flag (also: units of L0C), cross, barrier
-- stream []: of the waiting instruction
-- insn []: its number
-- node []: it came from
-- times []: it waited
-- cycles [cycles]: waited
-- longest [cycles]: of one time
-- setter_pipe []: where the set was queued
-- setter []: number of the set in its stream
-- setter_node []: it came from
-- late [cycles]: of the waits, from the set's issue to its effect: the rest, the setter had not come so far
SELECT pipe, cause, stream, number AS insn, node, count(*) AS times, sum(cycles) AS cycles, max(cycles) AS longest,
       setter_pipe, setter_number AS setter, setter_node,
       sum(CASE WHEN effect IS NOT NULL THEN min(cycles, effect - issued) END) AS late
FROM waits WHERE cycles > 0
GROUP BY pipe, cause, stream, number, setter_pipe, setter_stream, setter_number
ORDER BY sum(cycles) DESC, min(start), pipe, stream, number LIMIT 30;
