#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is wrong on the command line or in a file ends with status 1 and a message that helps.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# noise: 4096 bytes of no meaning, the same ones each time.
noise()
{
	printf "$(awk 'BEGIN {x = 1; for (i = 0; i < 4096; i++) {x = (x * 75 + 74) % 65537; printf "\\%03o", x % 256}}')"
}

# refused NAME REGEX ARGUMENT...
refused()
{
	name=$1
	says=$2
	shift 2
	exits "$name" 1 timeout 60 "$TSPSIM" "$@"
	like "$name: says so" err "$says"
	empty "$name: nothing on stdout" out
}

refused "unknown command" "did you mean 'stat'" sta
refused "unknown option" "did you mean '--trace'" run --trce x.db
refused "an option that ends in that word" "did you mean '--trace-level'" run --level full
refused "an option that begins that word" "did you mean '--rule'" solve x.sm --rulebook y
refused "a letter, to which none is near" "unknown option '-w'; see .tspsim sched --help." sched -w vmap:relu,8
refused "a picture that has no like: each kind once" "one of: occupancy, banks, conflicts, buffers, front$" plot gantt x.db -o x.png
printf 'graph "g"\nx: fp16[4][256] = input\nw: fp16[256][8] = input\ny: fp16[4][8] = matmul x, w, batches 1, block_run 256, sum 160\noutput y\n' >sums.graph
refused "sums of a TSP on a cube" "which 'block_run 256, sum 1' says" sched sums.graph -m ascend-910b
refused "unknown machine" "tsp" -m tpsi
refused "a machine in capitals" "did you mean 'ascend-910b'" -m Ascend-910B
refused "unknown key" "sram.latency_cycles" --set sram.latency_cycle=4
refused "unknown key of one side" "sram.latency_cycles" --set hw.sram.latency_cycle=4
refused "unknown csv key" "csv.form" --set csv.from=gemm
refused "a setting without value" "KEY=VALUE" --set sram.latency_cycles
refused "a value out of range" "sram.latency_cycles" --set sram.latency_cycles=0
refused "a value that is no number" "sram.latency_cycles" --set sram.latency_cycles=four
refused "a map that needs too many banks" "mod:145" --set sram.map=mod:145
refused "unknown map" "mod" --set sram.map=mud:139
refused "unknown kernel" "ref" --kernel rfe
refused "unknown policy" "did you mean 'freeze'" --policy freese
refused "unknown level" "units" --trace x.db --trace-level unit
refused "a window without trace" "--trace" --trace-window 0:10
refused "a window that ends before it begins" "START:STOP" --trace x.db --trace-window 10:10
refused "a bad seed" "seed" --seed -1
refused "special values without values" "needs --functional" -w gemm:8x8x8 --specials
refused "a seed that is no number" "seed" --seed many
refused "a bad priority" "ALPHA,BETA,GAMMA" -w gemm:8x8x8 --priority 1,2
"$TSPSIM" -w gemm:8x8x8 --trace q.db -q
refused "unknown query" "did you mean 'banks'" stat q.db bunks
refused "unknown plot" "did you mean 'banks'" plot bank x.db -o x.png
refused "unknown list" "did you mean 'maps'" list map
refused "nothing to list" "machines, workloads, maps" list
refused "nothing to explain" "sram.map" explain sram.mpa
refused "too many words" "unexpected argument 'b.tspo'" run a.tspo b.tspo
like "both forms of the command stand there" err '^ +or: tspsim run \[-m MACHINE\] PROGRAM'
refused "a key of another kind of machine" "kind ascend, and -m tsp is of kind tsp" explain flag.latency_cycles -m tsp

refused "unknown workload" "gemm" -w gem:8x8x8
for workload in gemm gemm: gemm:8x8 gemm:8x8x8x8 gemm:0x8x8 gemm:-1x8x8 gemm:8x8x8:fp12 gemm:8x8x8:fp32 gemm:axbxc gemm:8x8x8, \
	gemm:99999999999999999999x1x1 gemm:18446744073709551616x1x1 gemm:4294967296x4294967296x4294967296 conv:1x3x8x8 \
	conv:1x3x8x8,4x9x9 conv:1x3x8x8,4x3x3,stride=0 conv:1x3x8x8,4x3x3,stripe=1 conv:1x3x8x8,4x3x3,groups=2 fft:3 fft:0 \
	softmax:0x1 softmax:4x4:int8 vmap:rleu,8 vmap:relu,0 bmm:1x1x1 transpose:4 attention:1x1x1; do
	exits "workload '$workload' is refused" 1 timeout 60 "$TSPSIM" -w "$workload"
	is "workload '$workload': in one line" "$(wc -l <err | tr -d ' ')" 1
done
refused "a layer that does not fit the SRAM" "(222|223),?[0-9.,]* ?(MB|B)|222" -w gemm:100000x100000x1
refused "the same with values that no host can hold" "does not fit into SRAM" -w gemm:1000000x1000000x1000000 --functional
refused "values that no host can hold, on a machine whose memory has no end" "this host has [0-9]+; --functional" \
	-m ascend-910b -w gemm:1000000x1000000x1000000 --functional

: >empty.csv
noise >noise.csv
printf 'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n' >header.csv
printf 'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\nC1, 8, 8, 3, x, 3, 4, 1,\n' >word.csv
printf 'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\nC1, 8, 8, 9, 9, 3, 4, 1,\n' >filter.csv
for file in empty noise header word filter; do
	exits "$file.csv is refused" 1 timeout 60 "$TSPSIM" -w $file.csv
	like "$file.csv: the message names the file" err "$file.csv"
done
like "and the line" err 'filter\.csv:2'
refused "a missing CSV file" "nosuch.csv" -w nosuch.csv
refused "a workload whose name is not UTF-8" "No such file" -w "$(printf '\377\376').csv"
refused "a machine whose name is not UTF-8" "unknown machine" -m "$(printf '\377')"
mkdir folder.csv
refused "a folder as workload" "folder.csv" -w folder.csv

: >empty.tsp
noise >noise.tspo
noise >noise.tsp
printf '@0 mem0: laod 0, 640 -> r0\n' >typo.tsp
refused "empty assembly" "nothing to run|empty" run empty.tsp
refused "noise as a program" "noise.tspo" run noise.tspo
refused "noise as assembly" "noise.tsp" run noise.tsp
refused "a typing error in assembly" "typo.tsp:1:[0-9]+:.*load" run typo.tsp
refused "a missing program" "nosuch.tspo" run nosuch.tspo

: >empty.yaml
printf 'name: x\nlaens: {value: 320, class: published, source: "x"}\n' >typo.yaml
noise >noise.yaml
refused "an empty machine file" "empty.yaml" -m ./empty.yaml
refused "a typing error in a machine file" "typo.yaml:2:[0-9]+:.*lanes" -m ./typo.yaml
refused "noise as a machine file" "noise.yaml" -m ./noise.yaml

printf 'precious\n' >mine.txt
refused "a file that is no trace is not overwritten" "mine.txt" -w gemm:8x8x8 --trace mine.txt
is "and keeps its content" "$(cat mine.txt)" precious
sql other.db 'CREATE TABLE t (a)'
refused "a database that is no trace is not overwritten" "other.db" -w gemm:8x8x8 --trace other.db
mkdir folder folder.tspo
refused "a folder as trace" "folder" -w gemm:8x8x8 --trace folder
refused "a trace in a place that does not exist" "nowhere" -w gemm:8x8x8 --trace nowhere/run.db
refused "stat of what is no trace" "mine.txt" stat mine.txt
refused "stat of nothing" "nosuch.db" stat nosuch.db
refused "stat of another database" "other.db" stat other.db
refused "plot of what is no trace" "mine.txt" plot occupancy mine.txt -o o.png
"$TSPSIM" -w gemm:8x8x8 --trace small.db -q
head -c 20000 small.db >half.db
refused "a trace whose end is missing" "half.db: .*malformed" stat half.db
refused "an empty window" "empty" -w gemm:8x8x8 --trace x.db --trace-window 1000000:1000001
is "leaves no trace" "$(ls x.db 2>&1 | grep -c 'No such file')" 1
"$TSPSIM" sched vmap:relu,8 -o v.tspo -q
exits "a window that is seen to be empty at the end" 1 "$TSPSIM" run v.tspo --no-predictions --trace x.db --trace-window 1000000:1000001
is "leaves none, either" "$(ls x.db 2>&1 | grep -c 'No such file')" 1
refused "a folder as sweep" "^tspsim: folder: Is a directory" sweep folder
refused "a folder as program" "^tspsim: folder.tspo: Is a directory" dis folder.tspo
refused "a plot without output" "-o FILE" plot occupancy small.db
refused "a plot of unknown format" "png" plot occupancy small.db -o o.gif
# A hundred thousand levels are refused as soon as the first is.
awk 'BEGIN {printf "a: "; for (i = 0; i < 100000; i++) printf "["}' >deep.yaml
exits "a deep machine file" 1 timeout 20 "$TSPSIM" -m ./deep.yaml
like "names its first fault" err 'deep\.yaml:1:1: '
done_testing
