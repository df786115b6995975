# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libtraces.a
libtraces_a_SOURCES = \
	traces/probe.h
