# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libsim.a
libsim_a_SOURCES = \
	sim/kernel.h sim/kernel_impl.h sim/kernel.c sim/kernel_ref.c \
	sim/wheel.h sim/wheel.c
if HAVE_SYSTEMC
libsim_a_SOURCES += sim/kernel_systemc.cc
libsim_a_CXXFLAGS = $(AM_CXXFLAGS) $(SYSTEMC_CFLAGS)
libsim_a_CPPFLAGS = $(AM_CPPFLAGS)
endif
