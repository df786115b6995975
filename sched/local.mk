# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libsched.a
libsched_a_SOURCES = \
	sched/alg/problem.c sched/alg/problem.h sched/alg/calendar.c sched/alg/calendar.h \
	sched/alg/list.c sched/alg/list.h \
	sched/alg/flat.c sched/alg/flat.h sched/alg/bounds.c sched/alg/bounds.h sched/alg/check.c sched/alg/check.h \
	sched/alg/sgs.c sched/alg/sgs.h sched/alg/sgs_int.h sched/alg/sgs_parallel.c \
	sched/alg/rules.c sched/alg/rules.h sched/alg/rules.def \
	sched/alg/solve.c sched/alg/solve.h sched/alg/engines.c sched/alg/engines.h sched/alg/methods.def \
	sched/alg/solve_list.c sched/alg/solve_anneal.c sched/alg/anneal_int.h sched/alg/anneal_chain.c sched/alg/anneal_moves.c \
	sched/alg/moves.def sched/alg/solve_lags.c \
	sched/alg/read/read.c sched/alg/read/read.h sched/alg/read/words.c sched/alg/read/internal.h \
	sched/alg/read/formats.def sched/alg/read/psplib.c sched/alg/read/progen_max.c sched/alg/read/patterson.c \
	sched/alg/read/stg.c sched/alg/read/jobshop.c \
	sched/sched.h sched/ir/graph.h sched/frontend/frontend.h sched/lower/lower.h

# The exact engine, or the row that says that it is missing.
exact_sources = sched/alg/solve_exact.c sched/alg/exact_int.h sched/alg/exact_model.c sched/alg/exact_energy.c \
	sched/alg/exact_formula.h sched/alg/exact_encode.c sched/alg/exact_sum.c sched/alg/exact_explain.c sched/alg/exact_learn.h \
	sched/alg/exact_learn_int.h sched/alg/exact_learn.c sched/alg/exact_learn_new.c sched/alg/exact_conflict.c sched/alg/exact_rules.c
if HAVE_CADICAL
libsched_a_SOURCES += $(exact_sources)
else
libsched_a_SOURCES += sched/alg/exact_none.c
endif

# Loops: modulo schedules.
libsched_a_SOURCES += \
	sched/alg/cyclic.c sched/alg/cyclic.h sched/alg/cyclic_int.h sched/alg/cyclic_ratio.c sched/alg/cyclic_ratio.h \
	sched/alg/cyclic_bounds.c sched/alg/cyclic_table.c sched/alg/cyclic_list.c sched/alg/cyclic_shape.c \
	sched/alg/cyclic_check.c sched/alg/cyclic_memo.c sched/alg/cyclic_memo.h sched/alg/read_cyclic.c
cyclic_exact = sched/alg/cyclic_exact.c
if HAVE_CADICAL
libsched_a_SOURCES += $(cyclic_exact)
else
libsched_a_SOURCES += sched/alg/cyclic_exact_none.c
endif

# Dataflow.
libsched_a_SOURCES += \
	sched/alg/sdf.c sched/alg/sdf.h sched/alg/sdf_period.c sched/alg/sdf_buffers.c sched/alg/read_sdf3.c

# Register allocation by colouring.
libsched_a_SOURCES += \
	sched/alg/color.c sched/alg/color.h sched/alg/color_briggs.c sched/alg/color_heap.h sched/alg/color_search.c sched/alg/read_col.c \
	sched/alg/live.c sched/alg/live.h sched/alg/regalloc.c sched/alg/regalloc.h sched/alg/regalloc_color.c \
	sched/alg/regalloc_spill.c sched/alg/regalloc_check.c sched/alg/pack.c sched/alg/pack.h

# Static memory allocation.
libsched_a_SOURCES += \
	sched/alg/alloc.c sched/alg/alloc.h sched/alg/alloc_int.h sched/alg/alloc_greedy.c sched/alg/alloc_search.c \
	sched/alg/alloc_check.c sched/alg/alloc_refine.c sched/alg/alloc_bank.c sched/alg/alloc_bank.h \
	sched/alg/read_alloc.c

# Pipeline stages.
libsched_a_SOURCES += \
	sched/alg/partition.c sched/alg/partition_groups.c sched/alg/partition_int.h sched/alg/partition.h sched/alg/partition_check.c sched/alg/read_partition.c

# Graphs, front ends, lowering.
libsched_a_SOURCES += \
	sched/ir/graph.c sched/ir/verify.c sched/ir/print.c sched/ir/parse.c \
	sched/ir/inputs.c sched/ir/reference.c sched/ir/reference_int.h sched/ir/reference_mxm.c \
	sched/frontend/internal.h sched/frontend/frontend.c sched/frontend/gen_mxm.c sched/frontend/gen_vector.c sched/frontend/gen_flash.c \
	sched/frontend/gen_fft.c sched/frontend/gen_pick.c sched/frontend/csv.c \
	sched/lower/internal.h sched/lower/lower.c sched/lower/fuse.c sched/lower/loops.c sched/lower/deps.c \
	sched/lower/print.c

# Stream-style back end.
libsched_a_SOURCES += \
	sched/emit/isca20.c sched/emit/isca20.h sched/emit/isca20_calendar.c sched/emit/isca20_calendar.h \
	sched/emit/isca20_template.c sched/emit/isca20_bursts.c sched/emit/isca20_place.c sched/emit/isca20_insns.c \
	sched/emit/isca20_memory.c sched/emit/isca20_memory.h sched/emit/isca20_capacity.c \
	sched/emit/isca20_image.c sched/emit/isca20_chain.c sched/emit/isca20_split.c sched/emit/isca20_loop.h \
	sched/emit/isca20_vloop.c sched/emit/isca20_interval.c sched/emit/isca20_shape.c sched/emit/isca20_plan.c sched/emit/isca20_plan.h \
	sched/emit/isca20_work.c sched/emit/isca20_taps.c sched/emit/isca20_patch.c sched/emit/isca20_operand.c \
	sched/emit/isca20_contents.c sched/emit/isca20_engine.c sched/emit/isca20_pass.c sched/emit/isca20_pass.h \
	sched/emit/isca20_mxm.h \
	sched/emit/isca20_turn.c sched/emit/isca20_turn_plan.c sched/emit/isca20_turn.h \
	sched/emit/isca20_report.c sched/emit/isca20_order.c

# Front door and back ends.
libsched_a_SOURCES += \
	sched/drive.c sched/drive.h sched/search.c sched/search_moves.c sched/search.h sched/search_int.h sched/pattern/pattern.h sched/pattern/recognise.c \
	sched/pattern/library.c sched/pattern/stored.def sched/sheet.c sched/sheet.h sched/lower/model.c sched/lower/model.h \
	sched/sched.c sched/interval.c sched/capacity.c sched/capacity.h sched/emit/emit.h

# Register-style back end.
libsched_a_SOURCES += \
	sched/emit/bank_period.c sched/emit/banks.c sched/emit/banks.h sched/emit/bank_map.c sched/emit/bank_map.h \
	sched/emit/bank_expr.c \
	sched/emit/tsp.c sched/emit/tsp.h sched/emit/tsp_calendar.c sched/emit/tsp_issue.c sched/emit/tsp_kernel.c \
	sched/emit/tsp_bursts.c sched/emit/tsp_cyclic.c sched/emit/tsp_gather.c sched/emit/tsp_known.c \
	sched/emit/tsp_layout.c sched/emit/tsp_loop.c sched/emit/tsp_loop.h \
	sched/emit/tsp_memory.c sched/emit/tsp_mxm.c sched/emit/tsp_mxm.h sched/emit/tsp_order.c sched/emit/tsp_plan.c \
	sched/emit/tsp_place.c sched/emit/tsp_product.c sched/emit/tsp_report.c sched/emit/tsp_rows.c \
	sched/emit/tsp_tile.c sched/emit/tsp_turn.c sched/emit/tsp_weights.c \
	sched/emit/tsp_registers.c sched/emit/tsp_spill.c sched/emit/tsp_tight.c

# The independent checker.
libsched_a_SOURCES += \
	sched/check.c sched/check.h sched/check_place.c sched/check_unit.c sched/check_memory.c

# Ascend-style back end.
libsched_a_SOURCES += \
	sched/emit/ascend/ascend.h sched/emit/ascend/build.h sched/emit/ascend/build_int.h \
	sched/emit/ascend/build.c sched/emit/ascend/touch.c sched/emit/ascend/operands.c sched/emit/ascend/operands.h sched/emit/ascend/spans.c sched/emit/ascend/order.c sched/emit/ascend/sync.c \
	sched/emit/ascend/sync_int.h sched/emit/ascend/flags.c sched/emit/ascend/cross.c \
	sched/emit/ascend/take.c sched/emit/ascend/past.c sched/emit/ascend/emit.c sched/emit/ascend/finish.c \
	sched/emit/ascend/interval.c sched/emit/ascend/interval.h sched/emit/ascend/interval_alone.c sched/emit/ascend/interval_memory.c sched/emit/ascend/interval_graph.c \
	sched/emit/ascend/predict.h sched/emit/ascend/predict.c sched/emit/ascend/predict_memory.c \
	sched/emit/ascend/predict_int.h \
	sched/emit/ascend/predict_banks.c sched/emit/ascend/predict_calendar.c sched/emit/ascend/predict_core.c sched/emit/ascend/predict_units.c \
	sched/emit/ascend/predict_vector.c \
	sched/emit/ascend/matmul.h sched/emit/ascend/matmul_tile.c sched/emit/ascend/matmul.c \
	sched/emit/ascend/product.h sched/emit/ascend/product.c sched/emit/ascend/conv.h sched/emit/ascend/conv.c \
	sched/emit/ascend/conv_tile.c \
	sched/emit/ascend/plan.h sched/emit/ascend/plan.c sched/emit/ascend/plan_order.c sched/emit/ascend/ascend.c \
	sched/emit/ascend/vector_int.h sched/emit/ascend/vector.c sched/emit/ascend/vector_plan.c \
	sched/emit/ascend/vector_ops.c sched/emit/ascend/vector_ints.c sched/emit/ascend/vector_write.c sched/emit/ascend/vector_write.h sched/emit/ascend/vector_place.c sched/emit/ascend/vector_emit.c \
	sched/emit/ascend/vector_match.c sched/emit/ascend/vector_tiles.c sched/emit/ascend/vector_split.c \
	sched/emit/ascend/transpose.c sched/emit/ascend/gather.c \
	sched/emit/ascend/attention.h sched/emit/ascend/attention.c sched/emit/ascend/attention_cube.c \
	sched/emit/ascend/matmul_split.c sched/emit/ascend/product_tail.c sched/emit/ascend/attention_soft.c sched/emit/ascend/attention_lanes.c \
	sched/emit/ascend/flash.h sched/emit/ascend/flash.c sched/emit/ascend/flash_cube.c sched/emit/ascend/flash_soft.c \
	sched/emit/ascend/legal.c
