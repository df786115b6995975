-- SPDX-License-Identifier: Apache-2.0
--
-- The trace database, format 1.  docs/trace.md explains it; the writer runs this text on a new file.
--
-- All times are whole cycles of the reference clock in program time (frozen cycles are not counted; see slip).
-- Intervals are half-open: start <= cycle < stop.  Names are interned: a column "REFERENCES name" holds name.id.  The
-- views at the end show the same rows with names.  While a run writes there are no indexes but primary keys.

PRAGMA application_id = 1414746196; -- 0x54535054, "TSPT"
PRAGMA user_version = 1;

-- The manifest: how this trace came about.  The only table that may differ between equal runs.
CREATE TABLE run (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE name (
	id   INTEGER PRIMARY KEY,
	text TEXT NOT NULL
) STRICT;

-- Totals of the run.
CREATE TABLE counter (
	name  TEXT PRIMARY KEY,
	value INTEGER NOT NULL,
	unit  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Instruction queues of the machine.
CREATE TABLE queue (
	id   INTEGER PRIMARY KEY,
	name INTEGER NOT NULL REFERENCES name,
	unit INTEGER NOT NULL REFERENCES name,
	side INTEGER NOT NULL                 -- hemisphere: 0 west, 1 east; 0 where there are none
) STRICT;

CREATE TABLE queue_counter (
	queue  INTEGER PRIMARY KEY REFERENCES queue,
	issues INTEGER NOT NULL CHECK (issues >= 0)
) STRICT;

-- Layers, with what the schedule predicts.
CREATE TABLE epoch (
	id      INTEGER PRIMARY KEY,
	name    INTEGER NOT NULL REFERENCES name,
	start   INTEGER NOT NULL,
	stop    INTEGER NOT NULL,             -- its last result is available
	macs    INTEGER NOT NULL CHECK (macs >= 0),    -- useful multiply-accumulates
	vxm_ops INTEGER NOT NULL CHECK (vxm_ops >= 0), -- useful vector operations, lanes counted
	ceiling REAL,                         -- of MXM utilisation, by block quantisation; NULL without MXM work
	CHECK (stop >= start)
) STRICT;

-- Graph nodes and macro-operations that instructions came from.
CREATE TABLE node (
	id    INTEGER PRIMARY KEY,
	name  INTEGER NOT NULL REFERENCES name,
	epoch INTEGER REFERENCES epoch
) STRICT;

-- Tensors in memory.  A striped one has a row for each of its two parts.
CREATE TABLE tensor (
	id    INTEGER PRIMARY KEY,
	name  INTEGER NOT NULL REFERENCES name,
	epoch INTEGER REFERENCES epoch,
	base  INTEGER NOT NULL,               -- of element 0, flat byte address
	bytes INTEGER NOT NULL CHECK (bytes >= 0) -- occupied, padding included
) STRICT;

-- Instructions.  Level full: all; else those that violations, slips and conflicts name.
CREATE TABLE insn (
	id        INTEGER PRIMARY KEY,
	queue     INTEGER NOT NULL REFERENCES queue,
	op        INTEGER NOT NULL REFERENCES name,
	node      INTEGER REFERENCES node,
	cycle     INTEGER NOT NULL,           -- first issue as planned
	count0    INTEGER NOT NULL CHECK (count0 >= 1),    -- inner loop; 1 = none
	interval0 INTEGER NOT NULL CHECK (interval0 >= 0),
	count1    INTEGER NOT NULL CHECK (count1 >= 1),    -- outer loop
	interval1 INTEGER NOT NULL CHECK (interval1 >= 0),
	latency   INTEGER,                    -- predicted: result, cycles after the issue
	beats     INTEGER,                    -- predicted: bank beats or link slots of an issue
	tensor    INTEGER REFERENCES tensor   -- MEM: where its first access begins
) STRICT;

-- Levels units and full.  A maximal run of issues of one queue for one node, each at most the repeat interval of the
-- one before (or one cycle) later.  Occupied from the first issue to the last one, both included.
CREATE TABLE span (
	queue  INTEGER NOT NULL REFERENCES queue,
	node   INTEGER REFERENCES node,
	start  INTEGER NOT NULL,
	stop   INTEGER NOT NULL,
	issues INTEGER NOT NULL CHECK (issues >= 1),
	due    INTEGER,                       -- the last of its results; NULL when it has none
	work   INTEGER NOT NULL CHECK (work >= 0),  -- as issue.work
	delay  INTEGER NOT NULL CHECK (delay >= 0), -- as issue.delay
	CHECK (stop > start)
) STRICT;

-- Level full.  One row an issue; small columns first and differences instead of times, because there are many.
CREATE TABLE issue (
	cycle    INTEGER NOT NULL,
	insn     INTEGER NOT NULL REFERENCES insn,
	idx      INTEGER NOT NULL CHECK (idx >= 0),     -- number of this issue of the instruction, both loops counted
	arrival  INTEGER,                               -- last operand arrived, cycles after the issue (may be negative)
	latency  INTEGER CHECK (latency >= 0),          -- result due, cycles after the issue; NULL when there is none
	beats    INTEGER NOT NULL CHECK (beats >= 0),   -- bank beats or link slots
	requests INTEGER NOT NULL CHECK (requests >= 0),-- to banks
	delayed  INTEGER NOT NULL CHECK (delayed BETWEEN 0 AND requests), -- of them behind another request in their bank
	delay    INTEGER NOT NULL CHECK (delay >= 0),   -- cycles the access ended later than alone in the memory
	work     INTEGER NOT NULL CHECK (work >= 0)     -- useful: MACs (abc), lanes (acc), lane operations (VXM, SXM), bytes (MEM, C2C, lw)
) STRICT;

-- Level full; hashed memory.  Where an instruction's accesses go: issue idx begins at byte addr + (idx % insn.count0)
-- step0 + (idx / insn.count0) step1 and takes `segments` segments of `bytes` bytes, `pitch` bytes apart.  Segments that
-- leave the memory are dropped.
CREATE TABLE access (
	insn     INTEGER PRIMARY KEY REFERENCES insn,
	write    INTEGER NOT NULL CHECK (write IN (0, 1)),
	addr     INTEGER NOT NULL,
	step0    INTEGER NOT NULL,
	step1    INTEGER NOT NULL,
	bytes    INTEGER NOT NULL CHECK (bytes >= 0),
	segments INTEGER NOT NULL CHECK (segments >= 0),
	pitch    INTEGER                      -- NULL: each issue has its offsets
) STRICT;

-- Level full.  Accesses by index: the offset of each segment, little-endian 32-bit signed bytes from where it begins.
CREATE TABLE access_offsets (
	insn    INTEGER NOT NULL REFERENCES insn,
	idx     INTEGER NOT NULL CHECK (idx >= 0),
	offsets BLOB NOT NULL,
	PRIMARY KEY (insn, idx)
) STRICT, WITHOUT ROWID;

-- What the machine found wrong with the program.
CREATE TABLE violation (
	cycle  INTEGER NOT NULL,
	kind   INTEGER NOT NULL REFERENCES name,
	queue  INTEGER REFERENCES queue,
	insn   INTEGER REFERENCES insn,       -- where it was found
	idx    INTEGER NOT NULL CHECK (idx >= 0),
	other  INTEGER REFERENCES insn,       -- second instruction involved
	detail INTEGER NOT NULL               -- bank, address, stream, row or register, as the kind says
) STRICT;

-- Levels units and full; policy freeze.  The machine stood still for so many cycles at program time cycle.
CREATE TABLE slip (
	cycle  INTEGER NOT NULL,
	cycles INTEGER NOT NULL CHECK (cycles > 0),
	bank   INTEGER NOT NULL CHECK (bank >= 0),
	insn   INTEGER REFERENCES insn,       -- whose request waited
	idx    INTEGER NOT NULL CHECK (idx >= 0),
	other  INTEGER REFERENCES insn,       -- whose request was in the way
	met    INTEGER REFERENCES insn        -- whose requests those had met in this bank; other itself: its own only
) STRICT;

-- Levels units and full; hashed memory.  An access that ended later than alone in the memory, in program time.
CREATE TABLE conflict (
	cycle INTEGER NOT NULL,               -- presented
	insn  INTEGER REFERENCES insn,        -- that waited
	idx   INTEGER NOT NULL CHECK (idx >= 0),
	other INTEGER REFERENCES insn,        -- whose requests it waited behind
	bank  INTEGER NOT NULL CHECK (bank >= 0), -- in which it ended
	beats INTEGER NOT NULL CHECK (beats > 0), -- alone
	delay INTEGER NOT NULL CHECK (delay > 0),
	due   INTEGER NOT NULL                -- of its result
) STRICT;

-- Totals of each bank.
CREATE TABLE bank (
	id       INTEGER PRIMARY KEY,
	requests INTEGER NOT NULL CHECK (requests >= 0),
	wait     INTEGER NOT NULL CHECK (wait >= 0),    -- cycles requests waited
	slip     INTEGER NOT NULL CHECK (slip >= 0)     -- cycles the machine was frozen because of it
) STRICT;

-- Levels units and full.  Banks over time; windows in which a bank had nothing to do have no row.
CREATE TABLE bank_window (
	bank     INTEGER NOT NULL REFERENCES bank,
	start    INTEGER NOT NULL,
	stop     INTEGER NOT NULL,
	requests INTEGER NOT NULL CHECK (requests >= 0),
	wait     INTEGER NOT NULL CHECK (wait >= 0),
	CHECK (stop > start)
) STRICT;

CREATE VIEW queues AS
	SELECT q.id, n.text AS name, u.text AS unit, q.side, c.issues
	FROM queue q JOIN name n ON n.id = q.name JOIN name u ON u.id = q.unit
	LEFT JOIN queue_counter c ON c.queue = q.id;
CREATE VIEW epochs AS
	SELECT e.id, n.text AS name, e.start, e.stop, e.macs, e.vxm_ops, e.ceiling
	FROM epoch e JOIN name n ON n.id = e.name;
CREATE VIEW nodes AS
	SELECT d.id, n.text AS name, d.epoch, e.name AS epoch_name
	FROM node d JOIN name n ON n.id = d.name LEFT JOIN epochs e ON e.id = d.epoch;
CREATE VIEW tensors AS
	SELECT t.id, n.text AS name, t.epoch, e.name AS epoch_name, t.base, t.bytes
	FROM tensor t JOIN name n ON n.id = t.name LEFT JOIN epochs e ON e.id = t.epoch;
CREATE VIEW insns AS
	SELECT i.id, q.name AS queue, q.unit, o.text AS op, d.name AS node, d.epoch_name AS epoch,
	       i.cycle, i.count0, i.interval0, i.count1, i.interval1, i.latency, i.beats, t.name AS tensor
	FROM insn i JOIN queues q ON q.id = i.queue JOIN name o ON o.id = i.op LEFT JOIN nodes d ON d.id = i.node
	LEFT JOIN tensors t ON t.id = i.tensor;
CREATE VIEW spans AS
	SELECT q.name AS queue, q.unit, d.name AS node, d.epoch_name AS epoch, s.start, s.stop, s.issues, s.due,
	       s.work, s.delay
	FROM span s JOIN queues q ON q.id = s.queue LEFT JOIN nodes d ON d.id = s.node;
CREATE VIEW issues AS
	SELECT s.cycle, i.queue, i.unit, i.op, i.node, i.epoch, s.insn, s.idx, s.cycle + s.arrival AS arrival,
	       s.cycle + s.latency AS due, s.beats, s.requests, s.delayed, s.delay, s.work
	FROM issue s JOIN insns i ON i.id = s.insn;
CREATE VIEW violations AS
	SELECT v.cycle, k.text AS kind, q.name AS queue, i.op, i.node, i.epoch, v.insn, v.idx, v.other,
	       o.op AS other_op, v.detail
	FROM violation v JOIN name k ON k.id = v.kind LEFT JOIN queues q ON q.id = v.queue
	LEFT JOIN insns i ON i.id = v.insn LEFT JOIN insns o ON o.id = v.other;
CREATE VIEW slips AS
	SELECT s.cycle, s.cycles, s.bank, i.queue, i.op, i.node, i.epoch, s.insn, s.idx, s.other, o.op AS other_op,
	       s.met, i.tensor, o.tensor AS other_tensor, m.tensor AS met_tensor
	FROM slip s LEFT JOIN insns i ON i.id = s.insn LEFT JOIN insns o ON o.id = s.other
	LEFT JOIN insns m ON m.id = s.met;
CREATE VIEW conflicts AS
	SELECT c.cycle, c.bank, c.beats, c.delay, c.due, i.queue, i.op, i.node, i.epoch, i.tensor, c.insn, c.idx, c.other,
	       o.op AS other_op, o.node AS other_node, o.tensor AS other_tensor
	FROM conflict c LEFT JOIN insns i ON i.id = c.insn LEFT JOIN insns o ON o.id = c.other;
