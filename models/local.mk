# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libmodels.a
libmodels_a_SOURCES = \
	models/tsp/chip.h
