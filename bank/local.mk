# SPDX-License-Identifier: Apache-2.0
#
# Evaluation of bank maps on streams of accesses.
noinst_LIBRARIES += libbank.a
libbank_a_SOURCES = \
	bank/stream.c bank/stream.h bank/model.h \
	bank/pattern.h \
	bank/reader.h
