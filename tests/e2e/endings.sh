#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs that are cut short leave a database that opens, is sound, and says that it is incomplete.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# Long enough to be hit in the middle.
long=gemm:15000x1600x1600

# started FILE PID: waits until the run has committed rows, or is over.
started()
{
	while kill -0 "$2" 2>/dev/null; do
		[ "$(sqlite3 "$1" 'SELECT count(*) FROM (SELECT 1 FROM issue LIMIT 1)' 2>/dev/null)" = 1 ] && return
		sleep 0.1
	done
}

# sound NAME FILE STATUS
sound()
{
	is "$1: the database is sound" "$(sql "$2" 'PRAGMA integrity_check')" ok
	exits "$1: stat reads it" 0 "$TSPSIM" stat "$2" --json
	like "$1: it says $3" out "$3"
}

for kernel in $("$TSPSIM" list kernels | awk '{print $1}'); do
	rm -f cut.db
	# The shell ignores SIGINT in background commands.
	env --default-signal=INT "$TSPSIM" -w $long --kernel "$kernel" --trace cut.db --json >run.json 2>err &
	pid=$!
	started cut.db $pid
	kill -INT $pid
	wait $pid
	is "$kernel: SIGINT ends with status 130" $? 130
	is "$kernel: the report says so" "$(json run.json '$.interrupted')" 1
	is "$kernel: the manifest says so" "$(sql cut.db "SELECT value FROM run WHERE key = 'status'")" interrupted
	sound "$kernel: SIGINT" cut.db interrupted
done

"$TSPSIM" -w $long --trace killed.db -q &
pid=$!
started killed.db $pid
kill -KILL $pid
wait $pid 2>/dev/null
sound "SIGKILL" killed.db incomplete

# Wherever it is hit, while the trace is opened, filled or closed, the manifest says how it ended.
left=0
tenths=1
while [ $tenths -lt 100 ]; do
	rm -f cut.db cut.db-journal
	"$TSPSIM" -w gemm:15000x800x800 --trace cut.db -q 2>err &
	pid=$!
	sleep $((tenths / 10)).$((tenths % 10))
	# Until one goes to its end.
	kill -TERM $pid 2>/dev/null || tenths=100
	wait $pid
	[ -s cut.db ] && [ "$(sql cut.db "SELECT value FROM run WHERE key = 'status'")" = running ] && left=$((left + 1))
	tenths=$((tenths + 3))
done
is "interrupted runs leave no trace open" $left 0

# A limit on file size stands for a full disk: writes fail, the signal is ignored.
(
	trap '' XFSZ
	ulimit -f 2000
	exec "$TSPSIM" -w gemm:2000x1600x1600 --trace full.db >out 2>err
)
is "a full disk ends with status 1" $? 1
like "the message names the file" err 'full\.db'
sound "a full disk" full.db incomplete

"$TSPSIM" -w gemm:40x330x340 --set hw.sram.latency_cycles=5 --policy fault-stop --trace stopped.db -q
is "fault-stop ends with status 2" $? 2
sound "fault-stop" stopped.db incomplete

# A device, a pipe and what a link leads to are written to, not put away.
ln -s /dev/full disk
printf 'old' >file
ln -s file link
for machine in tsp ascend-910b; do
	exits "$machine: a program for a full disk" 1 "$TSPSIM" sched gemm:8x8x8 -m $machine -o disk
	like "$machine: says so" err '^tspsim: disk: No space left on device$'
	is "$machine: the link stays" "$(readlink disk)" /dev/full
	exits "$machine: a program through a link" 0 "$TSPSIM" sched gemm:8x8x8 -m $machine -o link -q
	is "$machine: which stays, too" "$(readlink link)" file
	exits "$machine: the file is the program" 0 "$TSPSIM" dis file -o listing
	exits "$machine: a listing for a full disk" 1 "$TSPSIM" dis file -o disk
	rm -f pipe
	mkfifo pipe
	timeout 60 cat pipe >from_pipe &
	exits "$machine: a listing through a pipe" 0 timeout 60 "$TSPSIM" dis file -o pipe
	wait $!
	is "$machine: all of it" "$(cksum <from_pipe)" "$(cksum <listing)"
	exits "$machine: into a folder" 1 "$TSPSIM" dis file -o .
	like "$machine: is refused by name" err '^tspsim: [a-z]+: --output \.: Is a directory$'
done
is "no temporary files are left" "$(ls -A | grep -c '\.......$')" 0

"$TSPSIM" -w gemm:40x330x340 >/dev/full 2>err
is "a full output ends with status 1" $? 1
like "and says so" err 'standard output'
done_testing
