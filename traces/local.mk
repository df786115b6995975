noinst_LIBRARIES += libtraces.a
libtraces_a_SOURCES = \
	traces/probe.h
