noinst_LIBRARIES += libsim.a
libsim_a_SOURCES = \
	sim/kernel.h
