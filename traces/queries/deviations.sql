-- SPDX-License-Identifier: Apache-2.0
-- Which instructions came out otherwise than the schedule predicted?
--
-- op []: instruction
-- issues []: that have a prediction
-- late []: issues whose result came at another time
-- latest [cycles]: greatest simulated - predicted
-- earliest [cycles]: least simulated - predicted
-- beats []: issues that took another number of bank beats or link slots
SELECT o.text AS op, count(*) AS issues,
       sum(s.latency IS NOT i.latency) AS late,
       max(s.latency - i.latency) AS latest, min(s.latency - i.latency) AS earliest,
       sum(i.beats IS NOT NULL AND s.beats <> i.beats) AS beats
FROM issue s JOIN insn i ON i.id = s.insn JOIN name o ON o.id = i.op
WHERE i.latency IS NOT NULL GROUP BY o.text ORDER BY sum(s.latency IS NOT i.latency) DESC, o.text;
