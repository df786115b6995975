noinst_LIBRARIES += libmodels.a
libmodels_a_SOURCES = \
	models/tsp/chip.h
