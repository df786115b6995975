-- SPDX-License-Identifier: Apache-2.0
--
-- Indexes of an Ascend-style machine's trace, made when the run is over.
CREATE INDEX span_by_pipe ON span (pipe, start, stop);
CREATE INDEX execution_by_pipe ON execution (pipe, start);
CREATE INDEX wait_by_pipe ON wait (pipe, start);
CREATE INDEX violation_by_kind ON violation (kind, cycle);
