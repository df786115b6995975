# SPDX-License-Identifier: Apache-2.0
#
# Tests print TAP; automake's driver reads it.  Fragments below add check_PROGRAMS, TESTS and sources; a CUnit program
# links $(TEST_LIBS) (or $(TAP_LIBS) and fewer libraries) and is compiled with $(TEST_CPPFLAGS).
# One that links libsim.a adds `nodist_EXTRA_<name>_SOURCES = tools/dummy.cxx`: SystemC needs the C++ linker.

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	TSPSIM_SRCDIR='$(abs_top_srcdir)'; TSPSIM_BUILDDIR='$(abs_top_builddir)'; TSPSIM_DATADIR='$(abs_top_srcdir)'; \
	TSPSIM_DATA=$${TSPSIM_DATA-'$(TSPSIM_DATA_CONFIGURED)'}; CC='$(CC)'; \
	TEST_CPPFLAGS='-I$(abs_top_srcdir) -I$(abs_top_builddir) $(GLIB_CFLAGS) $(SQLITE_CFLAGS) $(YAML_CFLAGS) $(CUNIT_CFLAGS)'; \
	export TSPSIM_SRCDIR TSPSIM_BUILDDIR TSPSIM_DATADIR TSPSIM_DATA CC TEST_CPPFLAGS;

TEST_CPPFLAGS = $(CUNIT_CFLAGS)
TAP_LIBS = libtap.a $(CUNIT_LIBS) $(GLIB_LIBS)
TEST_LIBS = libtap.a libsched.a libmodels.a libtraces.a libsim.a libisa.a \
	$(SYSTEMC_LIBS) $(SQLITE_LIBS) $(YAML_LIBS) $(JSON_LIBS) $(CADICAL_LIBS) $(CUNIT_LIBS) $(GLIB_LIBS) -lm -lpthread

check_LIBRARIES += libtap.a
libtap_a_SOURCES = tests/lib/tap.c tests/lib/tap.h
libtap_a_CPPFLAGS = $(AM_CPPFLAGS) $(TEST_CPPFLAGS)
EXTRA_DIST += tests/lib/tap.sh

# Fragments add to these: tests that take minutes to hours, and programs that measure (which make check builds, too).
LONG_TESTS =
BENCHES =
check-long: $(check_PROGRAMS) $(check_LIBRARIES)
	$(MAKE) check-TESTS TESTS='$(LONG_TESTS)'
bench: tspsim$(EXEEXT) $(BENCHES)
	@for bench in $(BENCHES); do echo "== $$bench"; \
		$(AM_TESTS_ENVIRONMENT) case $$bench in *.sh) sh $(srcdir)/$$bench;; *) ./$$bench;; esac || exit 1; done
.PHONY: check-long bench

include $(top_srcdir)/tests/tools.mk
include $(top_srcdir)/tests/sweep.mk
include $(top_srcdir)/tests/alg.mk
include $(top_srcdir)/tests/regs.mk
include $(top_srcdir)/tests/sdf.mk
include $(top_srcdir)/tests/cyclic.mk
include $(top_srcdir)/tests/solve.mk
include $(top_srcdir)/tests/methods.mk
include $(top_srcdir)/tests/exact.mk
include $(top_srcdir)/tests/bank.mk
include $(top_srcdir)/tests/sim.mk
include $(top_srcdir)/tests/graph.mk
include $(top_srcdir)/tests/isa.mk
include $(top_srcdir)/tests/bankmap.mk
include $(top_srcdir)/tests/traces.mk
include $(top_srcdir)/tests/oracle.mk
include $(top_srcdir)/tests/model.mk
include $(top_srcdir)/tests/isca.mk
include $(top_srcdir)/tests/judges.mk
include $(top_srcdir)/tests/capacity.mk
include $(top_srcdir)/tests/tsp.mk
include $(top_srcdir)/tests/effect.mk
include $(top_srcdir)/tests/fuzz.mk
include $(top_srcdir)/tests/bankeval.mk
include $(top_srcdir)/tests/bankplots.mk
include $(top_srcdir)/tests/bankoracle.mk
include $(top_srcdir)/tests/banksearch.mk
include $(top_srcdir)/tests/asctiming.mk
include $(top_srcdir)/tests/ascvec.mk
include $(top_srcdir)/tests/ascmem.mk
include $(top_srcdir)/tests/asckeys.mk
include $(top_srcdir)/tests/asccore.mk
include $(top_srcdir)/tests/ascref.mk
include $(top_srcdir)/tests/ascfaults.mk
include $(top_srcdir)/tests/asccli.mk
include $(top_srcdir)/tests/ascsched.mk
include $(top_srcdir)/tests/export.mk
include $(top_srcdir)/tests/ascvalid.mk
include $(top_srcdir)/tests/ascvkern.mk
