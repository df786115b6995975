noinst_LIBRARIES += libisa.a
libisa_a_SOURCES = \
	isa/error.c isa/error.h \
	isa/isa.h isa/machine.h isa/program.h isa/bankmap.h isa/num.h \
	isa/ops.def isa/formats.def isa/timing.def isa/violations.def isa/machine_keys.def
