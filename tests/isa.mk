# SPDX-License-Identifier: Apache-2.0
ISA_TEST_LIBS = libtap.a libisa.a $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

ISA_TESTS = \
	tests/isa/test_encode \
	tests/isa/test_bankmap \
	tests/isa/test_num \
	tests/isa/test_lower \
	tests/isa/test_container \
	tests/isa/test_asm \
	tests/isa/test_machine \
	tests/isa/test_asc_machine \
	tests/isa/test_asc_asm \
	tests/isa/test_asc_check \
	tests/isa/test_asc_tables
check_PROGRAMS += $(ISA_TESTS)
TESTS += $(ISA_TESTS)

tests_isa_test_encode_SOURCES = tests/isa/test_encode.c tests/isa/support.h
tests_isa_test_encode_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_encode_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_bankmap_SOURCES = tests/isa/test_bankmap.c tests/isa/support.h
tests_isa_test_bankmap_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_bankmap_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_num_SOURCES = tests/isa/test_num.c tests/isa/support.h
tests_isa_test_num_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_num_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_lower_SOURCES = tests/isa/test_lower.c tests/isa/support.h
tests_isa_test_lower_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_lower_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_container_SOURCES = tests/isa/test_container.c tests/isa/support.h tests/isa/sample.h
tests_isa_test_container_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_container_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_asm_SOURCES = tests/isa/test_asm.c tests/isa/support.h tests/isa/sample.h
tests_isa_test_asm_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_asm_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_machine_SOURCES = tests/isa/test_machine.c tests/isa/support.h
tests_isa_test_machine_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_machine_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_asc_machine_SOURCES = tests/isa/test_asc_machine.c
tests_isa_test_asc_machine_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_asc_machine_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_asc_asm_SOURCES = tests/isa/test_asc_asm.c
tests_isa_test_asc_asm_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_asc_asm_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_asc_check_SOURCES = tests/isa/test_asc_check.c
tests_isa_test_asc_check_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_asc_check_LDADD = $(ISA_TEST_LIBS)
tests_isa_test_asc_tables_SOURCES = tests/isa/test_asc_tables.c
tests_isa_test_asc_tables_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_isa_test_asc_tables_LDADD = $(ISA_TEST_LIBS)
