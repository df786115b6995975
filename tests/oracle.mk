# SPDX-License-Identifier: Apache-2.0
#
# The oracle (tests/lib/oracle.h) and what is judged with it: timing tests, differential tests, mutants.
check_LIBRARIES += liboracle.a
liboracle_a_SOURCES = \
	tests/lib/oracle.h tests/lib/oracle_int.h tests/lib/oracle.c tests/lib/oracle_banks.c tests/lib/oracle_direct.c \
	tests/lib/oracle_mem.c tests/lib/oracle_mxm.c tests/lib/oracle_place.c tests/lib/oracle_queue.c \
	tests/lib/oracle_sxm.c tests/lib/oracle_vxm.c
