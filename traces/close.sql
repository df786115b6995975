-- SPDX-License-Identifier: Apache-2.0
--
-- Indexes, made when the run is over: kept up while writing, they would halve the speed.
CREATE INDEX span_by_queue ON span (queue, start, stop);
CREATE INDEX issue_by_cycle ON issue (cycle);
CREATE INDEX violation_by_kind ON violation (kind, cycle);
