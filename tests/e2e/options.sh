#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Options that cannot have an effect are refused: a line for each such row of tools/options.def, with a call in which it
# has none, and what it says that it needs.  Files need not be there where that is known before they are read.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

"$TSPSIM" sched vmap:relu,8 -o p.tspo -q
printf '1\n0 0 0\n1 2 1 0\n2 0 1 1\n' >g.stg
printf '1 1\n0 5\n' >j.jsp
printf '{"maxFPGAs": 1, "maxCPUs": 0, "nodes": [{"id": 0, "supportedOnFpga": 1, "cpuLatency": 1, "fpgaLatency": 1, "size": 1}], "edges": []}' >n.json
printf '<sdf3 type="sdf"><applicationGraph name="g"><sdf name="g" type="G"><actor name="a" type="A"/></sdf></applicationGraph></sdf3>' >n.xml
printf 'outputs: [cycles]\naxes:\n  seed: [1, 2]\nbase:\n  workload: vmap:relu,8\n' >w.yaml

cat >cases <<'END'
run|trace-level|--trace FILE|run --trace-level full
run|trace-window|--trace FILE|run --trace-window 0:10
run|trace-window|--trace-level units or full|run -w vmap:relu,8 --trace x.db --trace-level summary --trace-window 0:10
run|specials|a workload|run p.tspo --specials --functional
run|specials|--functional|run -w vmap:relu,8 --specials
run|seed|a workload|run p.tspo --seed 2
run|priority|a workload|run p.tspo --priority 1,0,0
run|method|a workload|run p.tspo --method anneal
run|schedules|a workload|run p.tspo --schedules 9
run|schedules|--method anneal or exact|run -w vmap:relu,8 --method list --schedules 9
run|sched-time|a workload|run p.tspo --sched-time 9
run|sched-time|--method anneal or exact|run -w vmap:relu,8 --sched-time 9
run|time|a workload|run p.tspo --time 9
run|time|--method anneal or exact|run -w vmap:relu,8 --time 9
run|jobs|a workload|run p.tspo --jobs 2
run|jobs|--method anneal or exact|run -w vmap:relu,8 -j2
run|uniform|a workload|run p.tspo --uniform
run|uniform|--method anneal or exact|run -w vmap:relu,8 --uniform
run|no-patterns|a workload|run p.tspo --no-patterns
run|by-timestamp|a machine like ascend-910b|run -m tsp --by-timestamp
run|launch|a machine like ascend-910b|run p.tspo --launch
sched|schedules|--method anneal or exact|sched vmap:relu,8 --schedules 9
sched|sched-time|--method anneal or exact|sched vmap:relu,8 --method list --sched-time 9
sched|time|--method anneal or exact|sched vmap:relu,8 --method list --time 9
sched|jobs|--method anneal or exact|sched vmap:relu,8 --jobs 2
sched|uniform|--method anneal or exact|sched vmap:relu,8 --uniform
sched|specials|--functional|sched vmap:relu,8 --specials
asm|json|prints results|asm x.tsp -o y.tspo --json
dis|json|prints results|dis p.tspo --json
stat|conflicts|no query|stat x.db --conflicts banks
plot|json|prints results|plot banks x.db -o x.png --json
sweep|json|printed|sweep w.yaml --dry-run --json
sweep|jobs|--engine local|sweep w.yaml --engine slurm -j 2
sweep|per-task|--engine slurm|sweep w.yaml --per-task 2
sweep|sbatch|--engine slurm|sweep w.yaml --sbatch=--x
solve|conflicts|--method exact|solve j.jsp --conflicts 9
solve|conflicts|--method exact|solve j.jsp --method list --conflicts 9
solve|jobs|--method anneal or --method exact|solve j.jsp --method list -j 2
solve|processors|a task graph|solve j.jsp --processors 2
solve|rule|--method list|solve j.jsp --rule lst
solve|rule|--method list|solve j.jsp --method exact --rule lst
solve|alpha|rule s2|solve j.jsp --alpha 1
solve|beta|rule s2|solve j.jsp --method list --rule lst --beta 1
solve|gamma|rule s2|solve j.jsp --method exact --gamma 1
solve|lambda|--method anneal|solve j.jsp --method list --lambda 1
solve|uniform|--method anneal|solve j.jsp --method list --uniform
bank|json|printed|bank --pattern stride:1..4 --plot stride -o x.png --json
bank|pattern|bank eval|bank explain --pattern stride:1
bank|addresses|bank search|bank effect --map mod:139 --addresses x
bank|from|bank eval|bank search --from x.db
bank|plot|bank eval|bank explain --plot stride
bank|output|--plot|bank --pattern stride:1 -o x.png
bank|out|--plot|bank --pattern stride:1 --out x.png
bank|blocks|--addresses|bank --pattern stride:1 --blocks
bank|blocks|addresses to explain|bank explain --blocks
bank|format|--addresses|bank --pattern stride:1 --format flat
bank|only|--from|bank --pattern stride:1 --only reads
bank|phase|--addresses|bank --pattern stride:1 --phase 4
bank|k|--pattern|bank --from x.db --k 4
bank|model|bank eval|bank search --model closed
bank|ports|bank eval|bank explain --ports 2
bank|busy|bank eval|bank explain --busy 2
bank|merge|bank eval|bank explain --merge on
bank|block-bytes|bank eval|bank effect --map mod:139 --block-bytes 32
bank|banks|bank eval|bank effect --map mod:139 --banks 9
bank|rows|bank eval|bank effect --map mod:139 --rows 9
bank|rw|bank eval|bank explain --rw shared
bank|bank-groups|bank eval|bank explain --bank-groups 2
bank|rules|bank eval|bank effect --map mod:139 --rules ub
bank|groups|--pattern|bank --addresses x --groups 4
bank|footprint|--pattern|bank --addresses x --footprint 4
bank|wave|--pattern|bank --addresses x --wave 4
bank|element-bytes|--pattern|bank --from x.db --element-bytes 4
bank|seed|--pattern|bank --addresses x --seed 4
bank|priority|--model closed|bank --pattern stride:1 --priority rotating
bank|warmup|--model closed|bank --pattern stride:1 --model fifo --warmup 4
bank|cycles|--model closed|bank --pattern stride:1 --cycles 4
bank|window|bank eval|bank explain --window 4
bank|window|no --summary|bank --pattern stride:1 --summary --window 4
bank|latency|bank eval|bank explain --latency 4
bank|latency|without --summary|bank --pattern stride:1 --summary --latency 4
bank|base|bank eval|bank search --base 4
bank|base|--matrix|bank --pattern stride:1 --matrix req --base 4
bank|allow-aliasing|bank eval|bank explain --allow-aliasing
bank|summary|bank eval|bank search --summary
bank|matrix|bank eval|bank search --matrix req
bank|matrix|printed|bank --pattern stride:1 --plot stride -o x.png --matrix req
bank|details|bank eval|bank explain --details
bank|details|--plot|bank --pattern stride:1 --plot stride -o x.png --details
bank|workload|bank effect|bank --pattern stride:1 -w vmap:relu,8
bank|machine|bank effect|bank explain -m tsp
bank|set|bank effect|bank search --set sram.banks=9
bank|tie-breaks|bank effect|bank --pattern stride:1 --tie-breaks 4
bank|hold-out|bank search|bank --pattern stride:1 --hold-out stride:2
bank|max-gates|bank search|bank explain --max-gates 4
bank|steps|bank search|bank --pattern stride:1 --steps 4
bank|restarts|bank search|bank --pattern stride:1 --restarts 4
bank|restarts|--steps above 0|bank search --steps 0 --restarts 4
bank|jobs|bank search|bank --pattern stride:1 -j 2
bank|yosys|bank search|bank effect --map mod:139 --yosys
alloc|accesses|--map|alloc x.csv --accesses y --banks 4 --block 32
alloc|accesses|--banks|alloc x.csv --accesses y --map mod:4 --block 32
alloc|accesses|--block|alloc x.csv --accesses y --map mod:4 --banks 4
alloc|map|--accesses|alloc x.csv --map mod:4
alloc|banks|--accesses|alloc x.csv --banks 4
alloc|block|--accesses|alloc x.csv --block 4
alloc|refine|--accesses|alloc x.csv --refine 4
sdf|full-rate|execution time|sdf n.xml --full-rate
sdf|limit|--minimal or --full-rate|sdf n.xml --limit 5
partition|bandwidth|a profile|partition n.json --bandwidth 4
list|json|printed|list keys --markdown --json
list|machine|ops, keys|list workloads -m tsp
help|json|prints results|help --json
END

lines=0
while IFS='|' read -r command option needs words; do
	lines=$((lines + 1))
	# shellcheck disable=SC2086
	"$TSPSIM" $words >out 2>err </dev/null
	case $?$(wc -l <err | tr -d ' ')$(cat err out) in
	"11tspsim: $command: --$option has no effect here; it needs "*"$needs"*) ok "$words: --$option is refused" ;;
	*) not_ok "$words: --$option is refused" "$(cat err out | head -5)" ;;
	esac
done <cases

# Rows of the table without a line above.
sed -n 's/^OPTION("\(.*\)", "\(.*\)", .*NEED_.*/\1|\2|/p' "$TSPSIM_SRCDIR/tools/options.def" | sort -u >rows
cut -d'|' -f1,2 cases | sed 's/$/|/' | sort -u >called
is "each row that needs something has a line" "$(comm -23 rows called)" ""
is "and the lines are of rows" "$(comm -13 rows called)" ""

# What says what happens anyway is no mistake, and what has an effect is taken.
exits "the default said" 0 "$TSPSIM" run -w vmap:relu,8 --method list --policy fault-continue --no-functional -q
exits "a search in few schedules" 0 "$TSPSIM" sched vmap:relu,8 --method anneal --schedules 100 -j 1 -q
exits "processors of a task graph" 0 "$TSPSIM" solve g.stg --processors 2 --schedules 10 -j 1
exits "a key of CSV files for another workload" 1 "$TSPSIM" run -w vmap:relu,8 --set csv.form=gemm
is "has no effect" "$(cat err)" "tspsim: --set csv.form has no effect here; it needs a workload in a .csv file"
exits "nor for a program" 1 "$TSPSIM" run p.tspo --set csv.dtype=int8
is "which is said" "$(cat err)" "tspsim: --set csv.dtype has no effect here; it needs a workload in a .csv file"
exits "a search that has no room for the list's program" 1 "$TSPSIM" sched vmap:relu,8 --method anneal --schedules 49
is "is told so" "$(cat err)" \
	"tspsim: --schedules 49: the list's program alone counts 50; 50 more for each other program to try"
exits "--time is --sched-time, too" 0 "$TSPSIM" sched vmap:relu,8 --method anneal --schedules 50 --time inf -q
exits "--out is --output, too" 0 "$TSPSIM" solve j.jsp --method list --schedules 1 -q --out by-out.tsv
exits "and the other way round" 0 "$TSPSIM" solve j.jsp --method list --schedules 1 -q --output by-output.tsv
is "with the same file" "$(cksum <by-out.tsv)" "$(cksum <by-output.tsv)"
exits "another name of an option is not listed" 0 "$TSPSIM" solve --help
is "though it is taken" "$(grep -c -e '--out=' out) $(grep -c -e '--output=' out)" "0 1"
exits "a number out of range" 1 "$TSPSIM" sched vmap:relu,8 --method anneal --schedules 0
is "its range" "$(cat err)" "tspsim: sched: --schedules takes a whole number from 1, not '0'"
exits "a number that is none" 1 "$TSPSIM" sched vmap:relu,8 --seed many
is "its range, too" "$(cat err)" "tspsim: sched: --seed takes a whole number from 0, not 'many'"
done_testing
