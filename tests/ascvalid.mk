# SPDX-License-Identifier: Apache-2.0
#
# Fixed programs of Ascend-style chips against published times: small ones in every make check, all of them by
# `make validate-ascend`, which holds docs/validation-ascend.md against what the models say.
check_PROGRAMS += tests/validation/validate
tests_validation_validate_SOURCES = tests/validation/validate.c tests/validation/valid.c tests/validation/valid.h \
	tests/validation/copies.c tests/validation/vector.c tests/validation/gemm.c tests/validation/attention.c \
	tests/validation/runs.def
nodist_EXTRA_tests_validation_validate_SOURCES = tools/dummy.cxx
tests_validation_validate_LDADD = libmodels.a libsim.a libisa.a $(SYSTEMC_LIBS) $(YAML_LIBS) $(GLIB_LIBS) -lm -lpthread

valid_tests = tests/validation/quick.sh tests/validation/whole.sh
TESTS += tests/validation/quick.sh
LONG_TESTS += tests/validation/whole.sh
EXTRA_DIST += $(valid_tests)
$(valid_tests:.sh=.log): tests/validation/validate$(EXEEXT)

validate-ascend: tests/validation/validate$(EXEEXT)
	$(MAKE) check-TESTS TESTS=tests/validation/whole.sh
.PHONY: validate-ascend
