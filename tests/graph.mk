# SPDX-License-Identifier: Apache-2.0
GRAPH_TESTS = tests/unit/test_graph tests/unit/test_graph_text tests/unit/test_reference tests/unit/test_reference_ops \
	tests/unit/test_frontend tests/unit/test_frontend_csv tests/unit/test_lower tests/unit/test_lower_agree
check_PROGRAMS += $(GRAPH_TESTS)
TESTS += $(GRAPH_TESTS)
EXTRA_DIST += tests/data/layers.csv
GRAPH_LIBS = libtap.a libsched.a libisa.a $(CADICAL_LIBS) $(YAML_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm

tests_unit_test_graph_SOURCES = tests/unit/test_graph.c
tests_unit_test_graph_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_graph_LDADD = $(GRAPH_LIBS)

tests_unit_test_graph_text_SOURCES = tests/unit/test_graph_text.c
tests_unit_test_graph_text_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_graph_text_LDADD = $(GRAPH_LIBS)

tests_unit_test_reference_SOURCES = tests/unit/test_reference.c
tests_unit_test_reference_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_reference_LDADD = $(GRAPH_LIBS)

tests_unit_test_reference_ops_SOURCES = tests/unit/test_reference_ops.c
tests_unit_test_reference_ops_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_reference_ops_LDADD = $(GRAPH_LIBS)

tests_unit_test_frontend_SOURCES = tests/unit/test_frontend.c
tests_unit_test_frontend_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_frontend_LDADD = $(GRAPH_LIBS)

tests_unit_test_frontend_csv_SOURCES = tests/unit/test_frontend_csv.c
tests_unit_test_frontend_csv_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_frontend_csv_LDADD = $(GRAPH_LIBS)

tests_unit_test_lower_SOURCES = tests/unit/test_lower.c
tests_unit_test_lower_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_lower_LDADD = $(GRAPH_LIBS)

tests_unit_test_lower_agree_SOURCES = tests/unit/test_lower_agree.c tests/unit/low_run.c tests/unit/low_run.h
tests_unit_test_lower_agree_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
tests_unit_test_lower_agree_LDADD = $(GRAPH_LIBS)
