# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libtraces.a
libtraces_a_SOURCES = \
	traces/probe.h traces/trace.h traces/read.h traces/trace_impl.h traces/query.h traces/spans.h traces/sweep.h traces/access.h traces/draw.h \
	traces/queries.def traces/alive.h traces/alive.c traces/ascend.h traces/ascend_impl.h traces/ascend_writer.c traces/ascend_names.c \
	traces/access.c traces/batch.c traces/draw.c traces/issue_table.c traces/names.c traces/spans.c traces/sqlite.c traces/writer.c \
	traces/export.h traces/export_int.h traces/board.def traces/export.c traces/export_stage.c traces/export_perfetto.c traces/export_pipes.c \
	traces/export_msprof.h traces/export_msprof.c traces/export_msprof_files.c traces/export_board.c \
	traces/create.c traces/datadir.c traces/diff.c traces/functions.c traces/plot.c traces/query.c traces/reader.c traces/stat.c traces/sweep.c
nodist_libtraces_a_SOURCES = traces/schema.c
EXTRA_DIST += traces/schema.sql traces/close.sql traces/sweep.sql traces/ascend.sql traces/ascend_close.sql
CLEANFILES += traces/schema.c
nobase_dist_pkgdata_DATA += \
	traces/queries/banks.sql traces/queries/conflicts.sql \
	traces/queries/conflict_banks.sql traces/queries/conflict_insns.sql traces/queries/conflict_pairs.sql \
	traces/queries/conflict_layers.sql traces/queries/counters.sql traces/queries/deviations.sql \
	traces/queries/hot_banks.sql traces/queries/layers.sql traces/queries/prediction.sql traces/queries/slips.sql \
	traces/queries/stalls.sql traces/queries/unit_layers.sql traces/queries/units.sql traces/queries/violations.sql \
	traces/plots/banks.gp traces/plots/banks.sql traces/plots/conflicts.gp traces/plots/conflicts.sql \
	traces/plots/bank_bars.gp traces/plots/bank_entropy.gp traces/plots/bank_queue.gp traces/plots/bank_sweep.gp \
	traces/plots/front.gp traces/plots/gantt.gp traces/plots/occupancy.gp traces/plots/occupancy.sql traces/plots/buffers.gp \
	traces/plots/ascend/buffers.sql traces/plots/ascend/occupancy.sql \
	traces/queries/ascend/apart.sql traces/queries/ascend/buffers.sql traces/queries/ascend/counters.sql traces/queries/ascend/deadlocks.sql traces/queries/ascend/deviations.sql traces/queries/ascend/durations.sql traces/queries/ascend/flags.sql \
	traces/queries/ascend/kinds.sql traces/queries/ascend/nodes.sql traces/queries/ascend/pipes.sql traces/queries/ascend/prediction.sql traces/queries/ascend/stalls.sql \
	traces/queries/ascend/stall_insns.sql traces/queries/ascend/subcores.sql traces/queries/ascend/violations.sql traces/queries/ascend/waits.sql

# The SQL texts as C strings.
traces/schema.c: $(top_srcdir)/traces/schema.sql $(top_srcdir)/traces/close.sql $(top_srcdir)/traces/sweep.sql \
		$(top_srcdir)/traces/ascend.sql $(top_srcdir)/traces/ascend_close.sql
	$(AM_V_GEN)$(MKDIR_P) traces && for name in schema close sweep ascend ascend_close; do \
		echo "extern const char trace_$${name}_sql[];"; \
		echo "const char trace_$${name}_sql[] ="; \
		$(SED) -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/	"/' -e 's/$$/\\n"/' $(top_srcdir)/traces/$$name.sql; \
		echo "	;"; \
	done > $@-t && mv $@-t $@
