-- SPDX-License-Identifier: Apache-2.0
-- Which instructions lost most cycles to banks, buffers and memory?  (The first 30; waits for flags are in waits.)
--
-- cause []: bank-group, bank, resource, mte, outstanding, line, queue-full
-- stream []: of the program
-- insn []: number in its stream
-- op []: instruction
-- node []: it came from
-- executions []: that lost cycles
-- cycles [cycles]: lost, of all sub-cores
-- first [cycle]: start of the first of them
SELECT cause, stream, number AS insn, op, node, count(*) AS executions, sum(cycles) AS cycles, min(start) AS first
FROM stalls WHERE cause NOT IN ('flag', 'cross', 'barrier')
GROUP BY cause, stream, number ORDER BY sum(cycles) DESC, min(start), stream, number LIMIT 30;
