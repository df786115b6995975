#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Files that cannot be written: a folder of the name, a folder that is not there, and no room, for which a limit of file
# sizes stands.  Each time one line that names the file, exit status 1, and nothing half written.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

"$TSPSIM" run -w softmax:8x64 -m ascend-910b --trace a.db -q
"$TSPSIM" run -w gemm:64x64x64 --trace t.db -q
"$TSPSIM" sched gemm:64x64x64 -o p.tspo -q
"$TSPSIM" dis p.tspo -o p.tsp
awk 'BEGIN {print "id,lower,upper,size"; for (i = 0; i < 200; i++) print "b" i "," i "," i + 3 ",10"}' >a.csv
awk 'BEGIN {print 200; print 0, 0, 0; for (i = 1; i <= 200; i++) print i, 1, 1, i - 1; print 201, 0, 1, 200}' >g.stg
printf 'outputs: [cycles]\naxes:\n  seed: [1, 2]\nbase:\n  workload: vmap:relu,8\n' >w.yaml
mkdir folder
: >before

# Options that name the file come last, the file is the last word.
cat >calls <<'END'
run -w gemm:64x64x64 -q --trace out.db
run -m ascend-910b -w softmax:8x64 -q --trace out.db
sched gemm:64x64x64 -o out.tspo
sched -m ascend-910b softmax:64x512 -o out.tspo
asm p.tsp -o out.tspo
dis p.tspo -o out.tsp
export t.db -f perfetto -o out.json
export a.db -f msprof -o out
alloc a.csv --moves 0 --nodes 0 -o out.csv
solve g.stg --method list --schedules 1 -o out.tsv
bank --pattern stride:1..256 --plot stride -o out.tsv
sweep w.yaml -j 1 -o out.db
END
while read -r words; do
	name=${words##* }
	: >err
	: >after
	ls >before
	# shellcheck disable=SC2086
	(ulimit -f 1; exec "$TSPSIM" $words) >/dev/null 2>err
	is "$words: no room: one line" "$? $(wc -l <err | tr -d ' ') $(grep -c "^tspsim: $name[:/]" err)" "1 1 1"
	ls >after
	is "and nothing stays" "$(diff before after)" ""
	# shellcheck disable=SC2086
	"$TSPSIM" ${words% *} nowhere/"$name" >/dev/null 2>err
	status=$?
	case $words in
	*msprof*)
		is "which makes folders" "$status $(find nowhere -name '*.??????' | wc -l | tr -d ' ')" "0 0"
		rm -r nowhere
		continue
		;;
	esac
	is "no folder: one line" "$status $(wc -l <err | tr -d ' ') $(grep -c "nowhere.*: No such file" err)" "1 1 1"
	# shellcheck disable=SC2086
	"$TSPSIM" ${words% *} folder >/dev/null 2>err
	status=$?
	case $words in
	*plot*) continue ;;
	esac
	is "a folder: one line" "$status $(wc -l <err | tr -d ' ') $(grep -c 'folder: Is a directory' err)" "1 1 1"
	is "with nothing in it" "$(ls folder)" ""
done <calls
done_testing
