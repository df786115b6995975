# SPDX-License-Identifier: Apache-2.0
#
# Evaluation of bank maps on streams of accesses.
noinst_LIBRARIES += libbank.a
libbank_a_SOURCES = \
	bank/stream.c bank/stream.h bank/model.h bank/model_int.h bank/model.c \
	bank/model_lockstep.c bank/model_fifo.c bank/model_closed.c bank/model_rules.c \
	bank/model_merge.c bank/model_delays.c bank/model_window.c \
	bank/metrics.c bank/metrics.h bank/reason.c \
	bank/divide.h bank/pattern.c bank/pattern.h bank/pattern_conv.c bank/pattern_int.h bank/pattern_matrix.c \
	bank/pattern_walk.c bank/patterns.def \
	bank/reader.c bank/reader.h bank/reader_int.h bank/reader_lines.c \
	bank/search.h bank/search.c bank/search_family.c bank/search_score.c bank/search_spectrum.h bank/search_spectrum.c \
	bank/search_linear.h bank/search_linear.c bank/search_anneal.c
