#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A sweep run as an array job of Slurm ends with the same results as one run by processes of this host: undisturbed, with tasks
# cut short, with the caller killed, and after Ctrl-C.  Starts a cluster of one node on ports of its own, as root and without
# systemd, and stops it at the end.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

for program in slurmctld slurmd sbatch squeue scancel sinfo; do
	command -v $program >/dev/null || skip_all "no $program here (Debian: slurmctld, slurmd, slurm-client)"
done
[ "$(id -u)" -eq 0 ] || skip_all "slurmd is started as root"

mkdir state spool
port=$((20000 + $$ % 10000))
node=$(hostname -s)
cat >slurm.conf <<END
ClusterName=tspsim
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=10000,sched_interval=1,batch_sched_delay=0
MaxArraySize=26
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
END
SLURM_CONF=$scratch/slurm.conf
export SLURM_CONF
stop_cluster()
{
	for daemon in slurmd slurmctld; do
		[ ! -f "$scratch/$daemon.pid" ] || kill "$(cat "$scratch/$daemon.pid")" 2>/dev/null
	done
	# They write to the scratch directory until they have ended.
	for daemon in slurmd slurmctld; do
		while [ -f "$scratch/$daemon.pid" ] && kill -0 "$(cat "$scratch/$daemon.pid")" 2>/dev/null; do
			sleep 0.2
		done
	done
}
trap 'stop_cluster; cd /; rm -rf "$scratch"' EXIT
slurmctld >/dev/null 2>&1 && slurmd >/dev/null 2>&1
tries=0
while [ "$(sinfo -h -o %T 2>/dev/null)" != idle ]; do
	tries=$((tries + 1))
	[ $tries -lt 60 ] || skip_all "Slurm does not start here: $(tail -1 slurmctld.log) $(tail -1 slurmd.log)"
	sleep 0.5
done

cat >sweep.yaml <<END
name: two hundred
base: {machine: tsp}
axes:
  sram.map: [mod:139, 'skew:144,5']
  sram.latency_cycles: {from: 1, to: 20}
  workload: ['gemm:8x8x8', 'vmap:relu,640', 'transpose:16x16', 'softmax:2x8', 'gemm:1x1']
outputs: [cycles, predicted_cycles, utilisation.sram, violations]
END
# A fifth of the points fails.
exits "on this host" 2 "$TSPSIM" sweep sweep.yaml -o local.db
is "200 points" "$(sql local.db 'SELECT count(*), count(message) FROM outcome')" "200|40"

# same NAME FILE
same()
{
	exits "$1: the results are those of this host" 0 "$TSPSIM" diff local.db "$2"
	is "$1: the folder is gone" "$(ls -d "$2.slurm" 2>/dev/null)" ""
}

exits "an array job" 2 "$TSPSIM" sweep sweep.yaml --engine slurm -o slurm.db --sbatch=--nice=1
same "an array job" slurm.db
exits "a second call has nothing to do" 2 "$TSPSIM" sweep sweep.yaml --engine slurm -o slurm.db --json
is "a second call runs no point" "$(json out '$.ended_before')" 200

# 26 tasks at most: 200 points in tasks of one would be 200.
exits "MaxArraySize is kept" 2 "$TSPSIM" sweep sweep.yaml --engine slurm -o small.db --per-task 1
same "MaxArraySize" small.db

exits "what other processes have done is taken over" 2 "$TSPSIM" sweep sweep.yaml -o half.db --points 3:90,150
exits "the rest as a job" 2 "$TSPSIM" sweep sweep.yaml --engine slurm -o half.db
same "half and half" half.db

# started FILE: the job runs and some results have arrived.
started()
{
	while [ "$(sqlite3 "$1" 'SELECT count(*) FROM outcome' 2>/dev/null || echo 0)" -lt 8 ]; do
		sleep 0.2
	done
}

"$TSPSIM" sweep sweep.yaml --engine slurm -o killed.db >/dev/null 2>&1 &
pid=$!
started killed.db
kill -KILL $pid
wait $pid 2>/dev/null
is "a killed caller leaves its job" "$(squeue -h | wc -l | awk '{print ($1 > 0)}')" 1
exits "the same call waits for that job" 2 "$TSPSIM" sweep sweep.yaml --engine slurm -o killed.db
same "a killed caller" killed.db

env --default-signal=INT "$TSPSIM" sweep sweep.yaml --engine slurm -o int.db >out 2>err &
pid=$!
started int.db
kill -INT $pid
wait $pid
is "Ctrl-C ends with status 130" $? 130
is "Ctrl-C ends the job" "$(squeue -h | wc -l)" 0
is "Ctrl-C keeps results" "$(sql int.db 'SELECT count(*) BETWEEN 8 AND 199 FROM outcome')" 1
exits "the same call goes on" 2 "$TSPSIM" sweep sweep.yaml --engine slurm -o int.db
same "Ctrl-C" int.db

"$TSPSIM" sweep sweep.yaml --engine slurm -o cut.db >out 2>err &
pid=$!
started cut.db
scancel "$(cat cut.db.slurm/job.txt)"
wait $pid
is "a cancelled job is an error" $? 1
like "that says how to go on" err '^tspsim: [0-9]+ points have no outcome, since tasks ended early \(logs: cut\.db\.slurm/task-\*\.log\)'
exits "the same call runs the rest" 2 "$TSPSIM" sweep sweep.yaml --engine slurm -o cut.db
same "a cancelled job" cut.db

sed 's/cycles, pred/cycels, pred/' sweep.yaml >typo.yaml
exits "a wrong output ends the sweep before anything is submitted" 1 "$TSPSIM" sweep typo.yaml --engine slurm
is "it says where" "$(cat err)" "tspsim: typo.yaml:7:11: the answer has no 'cycels'; did you mean 'cycles'?"
is "and leaves nothing behind" "$(ls -d typo.db* 2>/dev/null)" ""

exits "an option that sbatch does not know is an error" 1 "$TSPSIM" sweep sweep.yaml --engine slurm -o bad.db --sbatch=--nonsense
like "in sbatch's words" err '^tspsim: sbatch: .*nonsense'
done_testing
