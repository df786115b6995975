# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += tspsim
noinst_LIBRARIES += libtools.a
# Everything but main(), so that tests can link it.
libtools_a_SOURCES = \
	tools/tool.c tools/tool.h tools/options.c tools/options.h tools/options.def tools/json.c tools/json.h \
	tools/interrupt.c tools/interrupt.h tools/progress.c tools/progress.h \
	tools/setup.c tools/setup_check.c tools/setup.h tools/compare.c tools/compare.h tools/verify.c tools/verify.h \
	tools/findings.c tools/findings.h tools/usage.c tools/usage.h \
	tools/simulate.c tools/simulate.h tools/record.c tools/record.h tools/reference.c tools/reference_maps.c tools/reference_ascend.c tools/reference.h \
	tools/styles.c tools/keys.c tools/keys.h tools/styles.h tools/requests.h tools/tsp.h tools/tsp_run.c tools/tsp_programs.c \
	tools/asc.h tools/asc_setup.c tools/asc_run.c tools/asc_programs.c tools/asc_simulate.c tools/asc_simulate.h tools/asc_tally.c tools/asc_tally.h \
	tools/asc_verify.c tools/asc_verify.h tools/asc_record.c tools/asc_record.h \
	tools/asc_report.c tools/asc_report.h tools/asc_report_json.c tools/asc_assumed.c \
	tools/report_lines.c tools/report_lines.h tools/report.c tools/report_json.c tools/assumed.c tools/report.h \
	tools/bank_effect.c tools/bank_effect.h \
	tools/commands.c tools/cmd.def \
	tools/bank.h tools/bank_eval.c tools/bank_report.c tools/bank_json.c tools/bank_explain.c tools/bank_table.c tools/bank_matrix.c \
	tools/bank_trace.c tools/bank_trace.h tools/bank_plot.c tools/bank_plot.h tools/bank_front.c \
	tools/bank_search.c tools/bank_search.h tools/bank_search_report.c tools/bank_search_json.c tools/bank_yosys.c \
	tools/bank_rules.def tools/bank_verbs.def tools/bank_mixes.def tools/cmd_bank.c \
	tools/method.c tools/method.h tools/method_gantt.c \
	tools/cmd_run.c tools/cmd_sched.c tools/cmd_sdf.c tools/cmd_partition.c tools/cmd_color.c tools/cmd_alloc.c tools/cmd_cyclic.c tools/cmd_asm.c tools/cmd_dis.c \
	tools/cmd_stat.c tools/cmd_diff.c tools/cmd_plot.c tools/cmd_export.c \
	tools/cmd_sweep.c tools/sweep.h tools/sweep_yaml.c tools/sweep_keys.c tools/sweep_points.c tools/sweep_check.c \
	tools/sweep_engine.h tools/sweep_local.c tools/sweep_slurm.c \
	tools/cmd_solve.c \
	tools/cmd_explain.c tools/explain_words.c tools/explain_words.h tools/words.def tools/cmd_list.c tools/cmd_help.c tools/cmd_version.c
tspsim_SOURCES = tools/tspsim.c
# SystemC needs the C++ linker; automake picks it by a C++ source, which need not exist.
nodist_EXTRA_tspsim_SOURCES = tools/dummy.cxx
tspsim_LDADD = libtools.a libbank.a libsched.a libmodels.a libtraces.a libsim.a libisa.a \
	$(SYSTEMC_LIBS) $(SQLITE_LIBS) $(YAML_LIBS) $(JSON_LIBS) $(CADICAL_LIBS) $(ZLIB_LIBS) $(GLIB_LIBS) -lm -lpthread
