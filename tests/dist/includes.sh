#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Who may include whom: the table of docs/design.md, as grep.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/dist/files.sh"

in_files c_files '^ *# *include' >includes

# folder_includes FOLDER ALLOWED-REGEX: project includes of FOLDER's files must match.
folder_includes()
{
	grep "^$1/" includes | grep '"' | grep -Ev "include \"($2|config\\.h)" >offending
	empty "$1/ includes only what design.md allows" offending
}

folder_includes isa 'isa/'
folder_includes bank 'isa/|bank/'
folder_includes sim 'sim/|traces/probe\.h'
folder_includes models 'isa/|sim/|models/|traces/probe\.h'
folder_includes sched 'isa/|sched/'
folder_includes traces 'isa/|traces/'
folder_includes tools 'isa/|bank/|sim/|models/|sched/|traces/|tools/'
folder_includes tests 'isa/|bank/|sim/|models/|sched/|traces/|tools/|tests/'

grep 'sqlite3\.h' includes | grep -Ev '^(traces|tests)/' >offending
empty "sqlite3.h is included in traces/ and tests/ only" offending

grep -E 'include *<(systemc|tlm|sysc)' includes | grep -v '^sim/kernel_systemc\.cc:' >offending
empty "SystemC is included in sim/kernel_systemc.cc only" offending

grep 'CUnit' includes | grep -v '^tests/' >offending
empty "CUnit is included in tests/ only" offending

c_files | grep '\.cc$' | grep -vx 'sim/kernel_systemc\.cc' >offending
empty "there is one C++ file" offending

# A header that is private to its folder says so in its name.
grep -E '"[a-z]+/([a-z]+/)*[a-z_]*_(int|impl)\.h"' includes |
	sed -E 's,^([a-z]+)/[^:]*:[0-9]+:.*"([a-z]+)/.*,\1 \2 &,' | awk '$1 != $2 && $1 != "tests" {$1 = $2 = ""; print}' >offending
empty "headers named _int.h and _impl.h stay inside their folder" offending

done_testing
