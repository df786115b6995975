-- SPDX-License-Identifier: Apache-2.0
-- What is wrong with the program?  (Pairs of instructions, the first 50.)
--
-- kind []: of finding
-- times []: found between these two
-- met []: of them really happened: accesses that overlapped in time, flags that were set
-- first [cycle]: of the first
-- subcore []: of the first
-- stream []: of the program
-- insn []: number in its stream
-- op []: instruction
-- other_stream []: of the second instruction
-- other []: its number
-- other_op []: instruction
-- space []: where
-- address []: of the first
-- bytes [B]: of the first
SELECT kind, count(*) AS times, sum(met) AS met, min(cycle) AS first, subcore, stream, number AS insn, op, other_stream,
       other_number AS other, other_op, space, address, bytes
FROM violations GROUP BY kind, stream, number, other_stream, other_number
ORDER BY min(cycle), kind, stream, number LIMIT 50;
