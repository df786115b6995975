-- SPDX-License-Identifier: Apache-2.0
--
-- The trace database of an Ascend-style machine, format 1: manifest key `kind` is `ascend`.  docs/trace.md explains it;
-- the writer runs this text on a new file.
--
-- All times are whole cycles of the core clock, from the beginning of the run.  Intervals are half-open: start <= cycle <
-- stop.  Names are interned: a column "REFERENCES name" holds name.id.  The views at the end show the same rows with
-- names.  Indexes are made when the run is over.

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

-- Sub-cores that the program's blocks run on, by core, then number in its core.
CREATE TABLE subcore (
	id   INTEGER PRIMARY KEY,
	core INTEGER NOT NULL CHECK (core >= 0),
	sub  INTEGER NOT NULL CHECK (sub >= 0),  -- coupled and cube sub-core 0, vector sub-cores behind
	kind INTEGER NOT NULL REFERENCES name    -- coupled, cube, vector
) STRICT;

-- What each sub-core counted; docs/trace.md lists the names.  Zeros have no row.
CREATE TABLE subcore_counter (
	subcore INTEGER NOT NULL REFERENCES subcore,
	name    INTEGER NOT NULL REFERENCES name,
	value   INTEGER NOT NULL,
	PRIMARY KEY (subcore, name)
) STRICT, WITHOUT ROWID;

-- The hardware's counters, by the number of the event (docs/ascend-counters.md).  Zeros are counted zeros; what the
-- sub-core does not have, and what the machine does not count, has no row.
CREATE TABLE pmu (
	subcore INTEGER NOT NULL REFERENCES subcore,
	event   INTEGER NOT NULL,
	value   INTEGER NOT NULL CHECK (value >= 0),
	PRIMARY KEY (subcore, event)
) STRICT, WITHOUT ROWID;

-- Pipes of sub-cores; id = 8 * subcore + pipe.
CREATE TABLE pipe (
	id      INTEGER PRIMARY KEY,
	subcore INTEGER NOT NULL REFERENCES subcore,
	name    INTEGER NOT NULL REFERENCES name -- S, V, M, MTE1, MTE2, MTE3, FIX
) STRICT;

-- Totals of each pipe.  A pipe is busy from an instruction's start until it is done, flags and barriers not counted;
-- predicted the same, of the first execution of what has predicted times in each block.
CREATE TABLE pipe_counter (
	pipe            INTEGER PRIMARY KEY REFERENCES pipe,
	instructions    INTEGER NOT NULL CHECK (instructions >= 0), -- flags and barriers among them
	busy            INTEGER NOT NULL CHECK (busy >= 0),
	start           INTEGER,                  -- of the first; NULL when there was none
	stop            INTEGER,                  -- when the last was done
	compared        INTEGER NOT NULL CHECK (compared >= 0),     -- executions with predicted times
	differ          INTEGER NOT NULL CHECK (differ BETWEEN 0 AND compared), -- of them started or ended at another cycle
	predicted_busy  INTEGER NOT NULL CHECK (predicted_busy >= 0),
	compared_busy   INTEGER NOT NULL CHECK (compared_busy >= 0),-- simulated, of the executions compared
	predicted_start INTEGER,                  -- of those compared; NULL when there are none
	predicted_stop  INTEGER
) STRICT;

-- Cycles each pipe stood still, by cause; zeros have no row.
CREATE TABLE pipe_stall (
	pipe   INTEGER NOT NULL REFERENCES pipe,
	cause  INTEGER NOT NULL REFERENCES name, -- flag, cross, barrier, queue-full, bank-group, bank, resource, mte, outstanding, line
	cycles INTEGER NOT NULL CHECK (cycles > 0),
	PRIMARY KEY (pipe, cause)
) STRICT, WITHOUT ROWID;

-- Graph nodes and macro-operations that instructions came from.
CREATE TABLE node (
	id   INTEGER PRIMARY KEY,
	name INTEGER NOT NULL REFERENCES name
) STRICT;

-- Tensors in global memory.
CREATE TABLE tensor (
	id     INTEGER PRIMARY KEY,
	name   INTEGER NOT NULL REFERENCES name,
	base   INTEGER NOT NULL,
	bytes  INTEGER NOT NULL CHECK (bytes >= 0),
	output INTEGER NOT NULL CHECK (output IN (0, 1))
) STRICT;

-- Streams of the program: which sub-cores run the code.  NULL: all of them.
CREATE TABLE stream (
	id    INTEGER PRIMARY KEY,
	kind  INTEGER NOT NULL REFERENCES name,
	sub   INTEGER,                        -- number among the vector sub-cores of a core
	block INTEGER
) STRICT;

-- Instructions.  Level full: all; else those that waits and violations name.
CREATE TABLE insn (
	id     INTEGER PRIMARY KEY,
	stream INTEGER NOT NULL REFERENCES stream,
	number INTEGER NOT NULL CHECK (number >= 0), -- in its stream
	op     INTEGER NOT NULL REFERENCES name,
	node   INTEGER REFERENCES node,
	start  INTEGER,                       -- predicted, of its first execution; NULL when unknown
	stop   INTEGER,
	text   TEXT NOT NULL                  -- mnemonic and fields, as disassembled
) STRICT;

-- Levels units and full.  A pipe busy for one node without a pause: executions of which each starts before those before
-- it are done.  Work of another node that overlaps begins its span when that is done, so that the spans of a pipe make up
-- what pipe_counter.busy says.  The scalar unit's pushes into other queues count there and are in no span.
CREATE TABLE span (
	pipe       INTEGER NOT NULL REFERENCES pipe,
	node       INTEGER REFERENCES node,
	start      INTEGER NOT NULL,
	stop       INTEGER NOT NULL,
	executions INTEGER NOT NULL CHECK (executions >= 1),
	bytes      INTEGER NOT NULL CHECK (bytes >= 0), -- moved
	work       INTEGER NOT NULL CHECK (work >= 0),  -- MACs (M), lanes (V)
	stall      INTEGER NOT NULL CHECK (stall >= 0), -- cycles before and within, whatever the cause
	CHECK (stop >= start)
) STRICT;

-- Level full.  One row an instruction executed; differences instead of times, because there are many.
CREATE TABLE execution (
	id     INTEGER PRIMARY KEY,
	pipe   INTEGER NOT NULL REFERENCES pipe,
	insn   INTEGER NOT NULL REFERENCES insn,
	block  INTEGER NOT NULL CHECK (block >= 0),
	start  INTEGER NOT NULL,              -- first cycle on its pipe
	queued INTEGER NOT NULL CHECK (queued >= 0), -- cycles before, pushed into its queue
	free   INTEGER NOT NULL CHECK (free >= 0),   -- cycles after start in which its pipe can start the next
	done   INTEGER NOT NULL CHECK (done >= 0),   -- cycles after start, all reads and writes complete
	bytes  INTEGER NOT NULL CHECK (bytes >= 0),
	work   INTEGER NOT NULL CHECK (work >= 0)
) STRICT;

-- Level full.  Cycles an execution stood still, before its start and within.
CREATE TABLE stall (
	execution INTEGER NOT NULL REFERENCES execution,
	cause     INTEGER NOT NULL REFERENCES name,
	cycles    INTEGER NOT NULL CHECK (cycles > 0),
	PRIMARY KEY (execution, cause)
) STRICT, WITHOUT ROWID;

-- Flags, counters, barriers, units of L0C: a pipe that waited.  Level full: every wait_flag and wait_cross, also those
-- that did not have to wait (start = stop); units: those that cost cycles.
CREATE TABLE wait (
	pipe        INTEGER NOT NULL REFERENCES pipe,
	insn        INTEGER NOT NULL REFERENCES insn,
	cause       INTEGER NOT NULL REFERENCES name, -- flag, cross, barrier
	start       INTEGER NOT NULL,         -- could have gone on but for this
	stop        INTEGER NOT NULL,         -- went on
	setter      INTEGER REFERENCES insn,  -- the set it took; NULL: barriers, units of L0C, and by timestamp where none had come
	setter_pipe INTEGER REFERENCES pipe,
	issued      INTEGER,                  -- the set began on its pipe
	effect      INTEGER,                  -- it took effect, arrived
	CHECK (stop >= start)
) STRICT;

-- Local buffers of sub-cores, and how many of their bytes were alive: from the write to the last read before the next
-- write, in blocks of 32 bytes.
CREATE TABLE buffer (
	id         INTEGER PRIMARY KEY,
	subcore    INTEGER NOT NULL REFERENCES subcore,
	space      INTEGER NOT NULL REFERENCES name, -- l1, l0a, l0b, l0c, ub, bt, fb
	bytes      INTEGER NOT NULL CHECK (bytes >= 0),  -- usable
	peak       INTEGER,                   -- most bytes alive at once; NULL at level summary
	peak_cycle INTEGER,                   -- first cycle with so many
	width      INTEGER                    -- of the windows in buffer_level; 1: exact
) STRICT;

-- Levels units and full.  Bytes alive from CYCLE until the next row of the buffer.  Where buffer.width is above 1, the
-- most in windows of so many cycles.
CREATE TABLE buffer_level (
	buffer INTEGER NOT NULL REFERENCES buffer,
	cycle  INTEGER NOT NULL,
	bytes  INTEGER NOT NULL CHECK (bytes >= 0),
	PRIMARY KEY (buffer, cycle)
) STRICT, WITHOUT ROWID;

-- What the machine found wrong with the program.
CREATE TABLE violation (
	cycle   INTEGER NOT NULL,
	kind    INTEGER NOT NULL REFERENCES name,
	subcore INTEGER NOT NULL REFERENCES subcore,
	insn    INTEGER REFERENCES insn,
	other   INTEGER REFERENCES insn,      -- second instruction involved
	space   INTEGER REFERENCES name,      -- NULL: no place in memory
	address INTEGER,
	bytes   INTEGER,
	met     INTEGER NOT NULL CHECK (met IN (0, 1)) -- race: the accesses overlapped in time; double set: the flag was set
) STRICT;

-- Who waits for what, and who could help, when nothing can go on: a line a row.
CREATE TABLE deadlock (
	line INTEGER PRIMARY KEY,
	text TEXT NOT NULL
) STRICT;

CREATE VIEW subcores AS
	SELECT s.id, s.core, s.sub, k.text AS kind,
	       printf('%d.%s', s.core, CASE k.text WHEN 'vector' THEN printf('v%d', s.sub - 1) WHEN 'cube' THEN 'c' ELSE 'a' END) AS name
	FROM subcore s JOIN name k ON k.id = s.kind;
CREATE VIEW subcore_counters AS
	SELECT s.name AS subcore, s.core, s.sub, n.text AS name, c.value
	FROM subcore_counter c JOIN subcores s ON s.id = c.subcore JOIN name n ON n.id = c.name;
CREATE VIEW pipes AS
	SELECT p.id, s.name || '.' || n.text AS name, n.text AS pipe, s.core, s.sub, s.kind, p.subcore,
	       c.instructions, c.busy, c.start, c.stop, c.compared, c.differ, c.predicted_busy, c.compared_busy,
	       c.predicted_start, c.predicted_stop
	FROM pipe p JOIN subcores s ON s.id = p.subcore JOIN name n ON n.id = p.name LEFT JOIN pipe_counter c ON c.pipe = p.id;
CREATE VIEW pipe_stalls AS
	SELECT p.name AS pipe, s.pipe AS id, n.text AS cause, s.cycles
	FROM pipe_stall s JOIN pipes p ON p.id = s.pipe JOIN name n ON n.id = s.cause;
CREATE VIEW nodes AS
	SELECT d.id, n.text AS name FROM node d JOIN name n ON n.id = d.name;
CREATE VIEW tensors AS
	SELECT t.id, n.text AS name, t.base, t.bytes, t.output FROM tensor t JOIN name n ON n.id = t.name;
CREATE VIEW insns AS
	SELECT i.id, i.stream, i.number, o.text AS op, d.name AS node, i.start, i.stop
	FROM insn i JOIN name o ON o.id = i.op LEFT JOIN nodes d ON d.id = i.node;
CREATE VIEW spans AS
	SELECT p.name AS pipe, d.name AS node, s.start, s.stop, s.executions, s.bytes, s.work, s.stall
	FROM span s JOIN pipes p ON p.id = s.pipe LEFT JOIN nodes d ON d.id = s.node;
CREATE VIEW executions AS
	SELECT e.id, p.name AS pipe, i.op, i.node, i.stream, i.number, e.insn, e.block, e.start - e.queued AS queued, e.start,
	       e.start + e.free AS free, e.start + e.done AS done, e.bytes, e.work
	FROM execution e JOIN pipes p ON p.id = e.pipe JOIN insns i ON i.id = e.insn;
CREATE VIEW stalls AS
	SELECT e.id, e.pipe, e.op, e.node, e.stream, e.number, e.start, n.text AS cause, s.cycles
	FROM stall s JOIN executions e ON e.id = s.execution JOIN name n ON n.id = s.cause;
CREATE VIEW waits AS
	SELECT p.name AS pipe, n.text AS cause, i.stream, i.number, i.node, w.start, w.stop, w.stop - w.start AS cycles,
	       q.name AS setter_pipe, o.op AS setter_op, o.stream AS setter_stream, o.number AS setter_number,
	       o.node AS setter_node, w.issued, w.effect
	FROM wait w JOIN pipes p ON p.id = w.pipe JOIN name n ON n.id = w.cause JOIN insns i ON i.id = w.insn
	LEFT JOIN pipes q ON q.id = w.setter_pipe LEFT JOIN insns o ON o.id = w.setter;
CREATE VIEW buffers AS
	SELECT b.id, s.name || '.' || n.text AS name, n.text AS space, s.core, s.sub, s.kind, b.bytes, b.peak, b.peak_cycle, b.width
	FROM buffer b JOIN subcores s ON s.id = b.subcore JOIN name n ON n.id = b.space;
CREATE VIEW violations AS
	SELECT v.cycle, k.text AS kind, s.name AS subcore, i.stream, i.number, i.op, i.node, o.stream AS other_stream,
	       o.number AS other_number, o.op AS other_op, o.node AS other_node, m.text AS space, v.address, v.bytes, v.met
	FROM violation v JOIN name k ON k.id = v.kind JOIN subcores s ON s.id = v.subcore LEFT JOIN insns i ON i.id = v.insn
	LEFT JOIN insns o ON o.id = v.other LEFT JOIN name m ON m.id = v.space;
