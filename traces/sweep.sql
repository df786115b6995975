-- SPDX-License-Identifier: Apache-2.0
--
-- The results of a sweep, format 1.  docs/sweep.md explains it; tspsim sweep runs this text on a new file and adds view
-- points, which has a column for every axis and output.
--
-- All points and their settings are written at the beginning; outcome and result grow as points end.  What is in the
-- tables but run and wall depends on the sweep only: not on who ran which point, in which order, or how often.

PRAGMA application_id = 1414746199; -- 0x54535057, "TSPW"
PRAGMA user_version = 1;

-- The manifest: how this file came about.  May differ between equal sweeps.
CREATE TABLE run (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Machines that points are simulated on, as their files have them; what a point sets on top is in its command.
CREATE TABLE machine (
	name TEXT PRIMARY KEY,
	text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE axis (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

-- What is kept of every answer.
CREATE TABLE output (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE point (
	id      INTEGER PRIMARY KEY,          -- from 0, the last axis fastest
	command TEXT NOT NULL                 -- which answers the same again
) STRICT;

CREATE TABLE setting (
	point INTEGER NOT NULL REFERENCES point,
	axis  INTEGER NOT NULL REFERENCES axis,
	value ANY NOT NULL,                   -- numbers as numbers
	PRIMARY KEY (point, axis)
) STRICT, WITHOUT ROWID;

-- Points that have ended.
CREATE TABLE outcome (
	point   INTEGER PRIMARY KEY REFERENCES point,
	status  INTEGER NOT NULL,             -- exit status; 128 + n after signal n
	message TEXT                          -- why there is no answer; NULL when there is one
) STRICT;

CREATE TABLE result (
	point  INTEGER NOT NULL REFERENCES point,
	output INTEGER NOT NULL REFERENCES output,
	value  ANY,
	PRIMARY KEY (point, output)
) STRICT, WITHOUT ROWID;

-- How long each point took.  May differ between equal sweeps.
CREATE TABLE wall (
	point   INTEGER PRIMARY KEY REFERENCES point,
	seconds REAL NOT NULL,
	host    TEXT NOT NULL
) STRICT;

CREATE VIEW failures AS SELECT o.point, o.status, o.message, p.command
	FROM outcome o JOIN point p ON p.id = o.point WHERE o.message IS NOT NULL;
