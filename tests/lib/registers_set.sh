# SPDX-License-Identifier: Apache-2.0
#
# Few registers.  few_registers WORKLOAD COUNT...: with each number of registers, the most first, the workload runs as predicted,
# without violations, to the reference's values bit for bit; and no number is faster than the one before it.
few_registers()
{
	workload=$1
	shift
	before=0
	for count; do
		"$TSPSIM" run -m tsp -w "$workload" --functional --json --set vreg.count="$count" >out 2>err
		status=$?
		verdict="$status $(json out '$.violations') $(json out '$.mismatched_events') $(json out '$.checked')"
		cycles=$(json out '$.cycles')
		if [ "$verdict" = "0 0 0 1" ] && [ "$cycles" = "$(json out '$.predicted_cycles')" ] &&
			[ "$(json out '$.registers.used')" -le "$count" ] &&
			[ "$(json out '$.registers.most_live')" -le "$count" ] && [ "$cycles" -ge "$before" ]; then
			ok "$workload, $count registers: $cycles cycles"
		else
			not_ok "$workload, $count registers" "status, violations, mismatches, checked: $verdict" \
				"$cycles cycles, $before with more" "$(head -3 err)"
		fi
		before=$cycles
	done
}
