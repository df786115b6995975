#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# exact_set.sh NAME DIR [OPTION...]: runs `tspsim solve --method exact` with the OPTIONs over a public set and prints how many
# answers are proved, how many contradict what is known, and processor time.  NAME is j30, j60, j90, j120, patterson, sm_j10,
# sm_j30, ubo10, ubo50 (maximum lags), ft, la, abz, orb (job shops), or all.  TSPSIM_DATA is where the sets lie.  Instances are
# taken in sorted order, each EXACT_EVERY-th one (default: all).  Results are lines of a table in DIR, named by set and
# options; what is there already is not run again.
#
# EXACT_CPU=S ends each instance after S seconds of processor time of all its threads, as an interrupt would, for machines
# that are busy while the limit of --time runs.  Needs /proc.
set -u
LC_ALL=C
export LC_ALL
name=$1 dir=$2
shift 2
every=${EXACT_EVERY:-1}
mkdir -p "$dir" || exit 1

# Lines "instance lower upper" of set $1; a lower bound "unsat" where there is no schedule.
instances()
{
	case $1 in
	j*) awk -F, -v set="$1" 'NR > 1 && $1 == set {print "rcpsp/" set ".sm/" $2, $4, $5}' "$TSPSIM_DATA/rcpsp/best_known.csv" ;;
	*)
		case $1 in
		patterson) path=rcpsp/patterson.rcp ;;
		sm_*) path=rcpsp-max/$1 ;;
		ubo*) path=rcpsp-max/testset_$1 ;;
		*) path=jobshop/$1 ;;
		esac
		[ -f "$TSPSIM_DATA/$path/optimum/optimum.csv" ] || return 0
		awk -F, -v path="$path" 'NR > 1 {sub(/\r/, ""); split($2, b, /\.\./); print path "/" $1, b[1], (b[2] == "" ? b[1] : b[2])}' \
			"$TSPSIM_DATA/$path/optimum/optimum.csv"
		;;
	esac | while read -r file rest; do
		[ -f "$TSPSIM_DATA/$file" ] && echo "$file $rest"
	done | sort | awk -v every="$every" 'NR % every == 1 || every == 1'
}

# values KEY...: of the JSON in ./out of the last run, between tabs.
values()
{
	awk -v keys="$*" '
		/^  "/ {key = $1; gsub(/[":]/, "", key); sub(/^[^:]*: /, ""); gsub(/^"|"?,?$/, ""); value[key] = $0}
		END {n = split(keys, k, " "); for (i = 1; i <= n; i++) printf "%s%s", value[k[i]], i < n ? "\t" : "\n"}' "$dir/out.json"
}

# used PID: its processor time in hundredths of a second; nothing when it has ended.
used()
{
	{ read -r stat </proc/"$1"/stat; } 2>/dev/null || return 0
	# The name, which may hold blanks, ends with the last bracket; then utime and stime are the 12th and 13th.
	set -- ${stat##*)}
	echo $((${12} + ${13}))
}

# limited COMMAND...: ends it by a signal when its processor time is over.
limited()
{
	"$@" &
	child=$!
	trap 'kill "$child" 2>/dev/null; exit 130' INT TERM HUP
	while [ -n "${EXACT_CPU-}" ] && time=$(used "$child") && [ -n "$time" ] && kill -0 "$child" 2>/dev/null; do
		if [ "$time" -ge $((EXACT_CPU * 100)) ]; then
			kill -TERM "$child"
			break
		fi
		sleep 0.3
	done
	wait "$child"
}

# run SET OPTION...
run()
{
	set_name=$1
	shift
	table=$dir/$(printf '%s' "exact $set_name $* every $every${EXACT_CPU:+ cpu $EXACT_CPU}" | tr -c 'A-Za-z0-9.\n-' _).tsv
	touch "$table"
	instances "$set_name" | while read -r file lower upper; do
		grep -q "^$file	" "$table" && continue
		# The second line of times is that of the children.
		(
			limited "$TSPSIM" solve "$TSPSIM_DATA/$file" --method exact "$@" --json >"$dir/out.json"
			# 130: interrupted, with the best so far.
			case $? in 0 | 130) ;; *) echo '  "valid": false' >"$dir/out.json" ;; esac
			times >"$dir/times"
		) || exit
		cpu=$(awk 'NR == 2 {gsub(/s/, ""); split($1, u, "m"); split($2, k, "m"); print u[1] * 60 + u[2] + k[1] * 60 + k[2]}' "$dir/times")
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$file" "$lower" "$upper" "$(values status makespan lower_bound conflicts seconds)" \
			"$cpu" "$(values valid)" >>"$table"
	done
	awk -F'\t' -v what="$set_name $*" -v limit="${EXACT_CPU:-0}" '
		{
			n++
			proof = ($4 == "optimal" || $4 == "infeasible") && (limit == 0 || $9 <= limit)
			proved += proof
			closed += $2 == "unsat" || $2 == $3
			known_proved += proof && ($2 == "unsat" || $2 == $3)
			infeasible += $4 == "infeasible"
			better += $4 != "infeasible" && $2 != "unsat" && ($6 > $2 + 0 || ($5 != "null" && $5 < $3 + 0))
			cpu += $9
			if (proof && $9 > most) most = $9
			# A run that failed.
			if ($4 == "") wrong++
			else if ($4 == "infeasible") wrong += $2 != "unsat"
			else wrong += ($2 == "unsat" ? $5 != "null" : ($5 != "null" && ($5 < $2 + 0 || $10 != "true")) || $6 > $3 + 0) ||
				($4 == "optimal" && $2 != "unsat" && ($5 > $3 + 0 || $5 < $2 + 0))
		}
		END {if (n) printf "%-32s n %4d  proved %4d (%.1f %%)  of %d known %d  infeasible %d  new bounds %d  wrong %d  " \
			"cpu s mean %.3f, longest proof %.1f\n", what, n, proved, 100 * proved / n, closed, known_proved, infeasible,
			better, wrong + 0, cpu / n, most}' "$table"
}

if [ "$name" != all ]; then
	run "$name" "$@"
	exit
fi
for s in j30 j60 patterson sm_j10 sm_j30 ubo10 ubo50 ft la; do
	run "$s" --time 60 "$@"
done
