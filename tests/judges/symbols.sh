#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Two judges (and the oracle, a third): what they call, as the linker sees it. tests/dist/includes.sh is about what they include.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

defined()
{
	for library; do
		${NM-nm} -g "$TSPSIM_BUILDDIR/$library.a" 2>nm.err | awk '$2 ~ /^[TDBRVWC]$/ {print $3}'
	done | sort -u
}

# wanted LIBRARY [MEMBERS]: "member symbol" a line, of members that match.
wanted()
{
	${NM-nm} -A -u "$TSPSIM_BUILDDIR/$1.a" 2>nm.err | sed -E 's,^.*[:(]([a-zA-Z0-9_-]+)\.o\)?:.*[ 	]([^ 	]+)$,\1 \2,' |
		grep -E "^(${2-.*}) " | sort -u
}

# from DEFINITIONS: of the lines on stdin those whose symbol is defined there.
from()
{
	awk 'NR == FNR {known[$1] = 1; next} $2 in known' "$1" -
}

defined libsched >sched
defined libmodels libsim libtraces >simulation
defined libisa >isa
[ "$(wc -l <sched)" -gt 20 ] && [ "$(wc -l <simulation)" -gt 20 ] || skip_all "nm does not understand these libraries"

wanted libsched | from simulation >offending
empty "the scheduler calls nothing of models, kernel and traces" offending
wanted libmodels | from sched >offending
empty "the models call nothing of the scheduler" offending
wanted libsched | grep -v '^check' | grep ' bankmap_' >offending
empty "only the checker looks at the models' bank maps, predictions come from the scheduler's own" offending
wanted liboracle 'oracle[a-z_]*' | grep -E ' (bankmap_|num_exp|num_tanh|num_rsqrt)' >offending
wanted liboracle 'oracle[a-z_]*' | from sched >>offending
wanted liboracle 'oracle[a-z_]*' | from simulation >>offending
empty "the oracle calls neither of them, nor their bank maps" offending

# Of the contract both use the machine's values, the instruction tables and the number formats; nothing that knows about time besides
# the tables' own delays.
{
	wanted libsched | grep -v '^check' | from isa | awk '{print $2, "sched"}' | sort -u
	wanted libmodels | from isa | awk '{print $2, "models"}' | sort -u
} | sort | awk '$1 == last {print $1} {last = $1}' >shared
grep -vE '^(isa_machine_(queue|queue_count|queue_find|skew|timing|sram_bytes)|isa_ops|isa_type_[a-z_]*|isa_insn_make|isa_unit_name|num_[a-z0-9_]*|asc_(op|op_by_name|field_by_name|flag_pair|kind_name|kind_has_pipe|kind_has_space|ordered|pipe_name|space_name|space_bytes|type_bytes|type_name|insn_make|machine_has_kind|get|alignment|program_stream)|tsp_error_quark|tsp_nearest)$' \
	shared >offending
empty "what both call of isa/ are values, tables and number formats" offending
done_testing
