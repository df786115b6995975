# SPDX-License-Identifier: Apache-2.0
#
# Fuzzing entry points.  `make check` replays their corpora; `make fuzz` in a tree configured with clang, --enable-fuzzing
# and --enable-asan runs each for FUZZ_SECONDS, from copies of the corpora in fuzz/, where finds stay.
FUZZ_TARGETS = addresses alloc ascend_assembler ascend_container assembler bankmap color container csv cyclic graph machine_file partition pattern sdf solve sweep words workload
FUZZ_SECONDS = 60

check_LIBRARIES += libfuzz.a
libfuzz_a_SOURCES = \
	tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/fuzz/targets.def \
	tests/fuzz/addresses.c tests/fuzz/alloc.c tests/fuzz/ascend_assembler.c tests/fuzz/ascend_container.c tests/fuzz/assembler.c tests/fuzz/bankmap.c tests/fuzz/color.c tests/fuzz/container.c tests/fuzz/csv.c tests/fuzz/cyclic.c tests/fuzz/graph.c \
	tests/fuzz/machine_file.c tests/fuzz/partition.c tests/fuzz/pattern.c tests/fuzz/sdf.c tests/fuzz/solve.c tests/fuzz/sweep.c tests/fuzz/words.c tests/fuzz/workload.c
FUZZ_LIBS = libfuzz.a libtools.a libbank.a libsched.a libmodels.a libtraces.a libsim.a libisa.a \
	$(SYSTEMC_LIBS) $(SQLITE_LIBS) $(ZLIB_LIBS) $(YAML_LIBS) $(JSON_LIBS) $(CADICAL_LIBS) $(GLIB_LIBS) -lm -lpthread

check_PROGRAMS += tests/fuzz/replay
TESTS += tests/fuzz/replay
tests_fuzz_replay_SOURCES = tests/fuzz/replay.c
nodist_EXTRA_tests_fuzz_replay_SOURCES = tools/dummy.cxx
tests_fuzz_replay_LDADD = $(FUZZ_LIBS)
EXTRA_DIST += tests/fuzz/driver.c tests/fuzz/tokens.dict \
	tests/fuzz/corpus/addresses/bad \
	tests/fuzz/corpus/addresses/comment-zero \
	tests/fuzz/corpus/addresses/cpu \
	tests/fuzz/corpus/addresses/dram \
	tests/fuzz/corpus/addresses/flat \
	tests/fuzz/corpus/addresses/groups \
	tests/fuzz/corpus/addresses/joined \
	tests/fuzz/corpus/addresses/load-store \
	tests/fuzz/corpus/addresses/stl \
	tests/fuzz/corpus/alloc/accesses \
	tests/fuzz/corpus/alloc/columns \
	tests/fuzz/corpus/alloc/pairs \
	tests/fuzz/corpus/alloc/small \
	tests/fuzz/corpus/ascend_assembler/add \
	tests/fuzz/corpus/ascend_assembler/loop \
	tests/fuzz/corpus/ascend_assembler/sample \
	tests/fuzz/corpus/ascend_container/add \
	tests/fuzz/corpus/ascend_container/sample \
	tests/fuzz/corpus/assembler/everything \
	tests/fuzz/corpus/assembler/gemm \
	tests/fuzz/corpus/assembler/vmap \
	tests/fuzz/corpus/bankmap/amd \
	tests/fuzz/corpus/bankmap/bitrev \
	tests/fuzz/corpus/bankmap/bsg \
	tests/fuzz/corpus/bankmap/bsp \
	tests/fuzz/corpus/bankmap/crt \
	tests/fuzz/corpus/bankmap/direct \
	tests/fuzz/corpus/bankmap/expr \
	tests/fuzz/corpus/bankmap/expr-skew \
	tests/fuzz/corpus/bankmap/gf2 \
	tests/fuzz/corpus/bankmap/huge \
	tests/fuzz/corpus/bankmap/hybrid \
	tests/fuzz/corpus/bankmap/ideal \
	tests/fuzz/corpus/bankmap/identity \
	tests/fuzz/corpus/bankmap/ipolymod \
	tests/fuzz/corpus/bankmap/mersenne \
	tests/fuzz/corpus/bankmap/mod \
	tests/fuzz/corpus/bankmap/mult \
	tests/fuzz/corpus/bankmap/pae \
	tests/fuzz/corpus/bankmap/pdisp \
	tests/fuzz/corpus/bankmap/poly \
	tests/fuzz/corpus/bankmap/prime \
	tests/fuzz/corpus/bankmap/random \
	tests/fuzz/corpus/bankmap/skew \
	tests/fuzz/corpus/bankmap/swizzle \
	tests/fuzz/corpus/bankmap/table \
	tests/fuzz/corpus/bankmap/table-rows \
	tests/fuzz/corpus/bankmap/table-zeros \
	tests/fuzz/corpus/bankmap/xorfold \
	tests/fuzz/corpus/bankmap/xormod \
	tests/fuzz/corpus/color/ring \
	tests/fuzz/corpus/container/everything \
	tests/fuzz/corpus/container/gemm \
	tests/fuzz/corpus/container/vmap \
	tests/fuzz/corpus/csv/bad \
	tests/fuzz/corpus/csv/conv \
	tests/fuzz/corpus/csv/gemm \
	tests/fuzz/corpus/csv/scale-sim \
	tests/fuzz/corpus/cyclic/dot \
	tests/fuzz/corpus/cyclic/units \
	tests/fuzz/corpus/graph/all \
	tests/fuzz/corpus/graph/inf \
	tests/fuzz/corpus/machine_file/anchors \
	tests/fuzz/corpus/machine_file/bin \
	tests/fuzz/corpus/machine_file/short \
	tests/fuzz/corpus/machine_file/tsp \
	tests/fuzz/corpus/partition/profile.txt \
	tests/fuzz/corpus/partition/two.json \
	tests/fuzz/corpus/pattern/bitrev \
	tests/fuzz/corpus/pattern/conv \
	tests/fuzz/corpus/pattern/diag \
	tests/fuzz/corpus/pattern/embedding \
	tests/fuzz/corpus/pattern/fft \
	tests/fuzz/corpus/pattern/im2col \
	tests/fuzz/corpus/pattern/kv \
	tests/fuzz/corpus/pattern/pitch \
	tests/fuzz/corpus/pattern/range \
	tests/fuzz/corpus/pattern/streams \
	tests/fuzz/corpus/pattern/stride \
	tests/fuzz/corpus/pattern/tile \
	tests/fuzz/corpus/pattern/tr \
	tests/fuzz/corpus/sdf/ring.xml \
	tests/fuzz/corpus/solve/cycle \
	tests/fuzz/corpus/solve/jobshop \
	tests/fuzz/corpus/solve/lags \
	tests/fuzz/corpus/solve/long \
	tests/fuzz/corpus/solve/modes \
	tests/fuzz/corpus/solve/patterson \
	tests/fuzz/corpus/solve/recognised \
	tests/fuzz/corpus/solve/stg \
	tests/fuzz/corpus/sweep/excludes \
	tests/fuzz/corpus/sweep/large \
	tests/fuzz/corpus/sweep/maps \
	tests/fuzz/corpus/sweep/zips \
	tests/fuzz/corpus/words/ones \
	tests/fuzz/corpus/words/opcodes \
	tests/fuzz/corpus/words/opcodes-streams \
	tests/fuzz/corpus/words/zeros \
	tests/fuzz/corpus/workload/attention \
	tests/fuzz/corpus/workload/flash \
	tests/fuzz/corpus/workload/split \
	tests/fuzz/corpus/workload/bmm \
	tests/fuzz/corpus/workload/conv \
	tests/fuzz/corpus/workload/fft \
	tests/fuzz/corpus/workload/gemm \
	tests/fuzz/corpus/workload/huge \
	tests/fuzz/corpus/workload/layernorm \
	tests/fuzz/corpus/workload/overflow \
	tests/fuzz/corpus/workload/softmax \
	tests/fuzz/corpus/workload/transpose \
	tests/fuzz/corpus/workload/vmap

if !FUZZING
FUZZ_REFUSAL = echo 'configure with CC=clang CXX=clang++ --enable-fuzzing --enable-asan'; exit 1;
endif
fuzz: libfuzz.a libtools.a libbank.a libsched.a libmodels.a libtraces.a libsim.a libisa.a
	@$(FUZZ_REFUSAL) mkdir -p fuzz; status=0; for target in $(FUZZ_TARGETS); do \
		echo "== $$target"; mkdir -p fuzz/$$target; \
		$(COMPILE) -DFUZZ_TARGET=fuzz_$$target -c $(srcdir)/tests/fuzz/driver.c -o fuzz/driver.o && \
		$(CXX) $(TSP_SAN) -fsanitize=fuzzer $(CXXFLAGS) $(LDFLAGS) fuzz/driver.o $(FUZZ_LIBS) $(LIBS) -o fuzz/fuzz-$$target && \
		fuzz/fuzz-$$target -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 -verbosity=0 \
			-print_final_stats=1 -dict=$(srcdir)/tests/fuzz/tokens.dict -artifact_prefix=fuzz/$$target- \
			fuzz/$$target $(srcdir)/tests/fuzz/corpus/$$target || status=1; \
	done; exit $$status
.PHONY: fuzz
