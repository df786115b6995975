# SPDX-License-Identifier: Apache-2.0
#
# For tests of tspsim alloc: the answer's values, and the instances of the public sets.

# value KEY: of a JSON answer on standard input.
value()
{
	sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p"
}

# instances FOLDER: the CSV files below it, in order; none without benchmark inputs.
instances()
{
	[ -n "${TSPSIM_DATA-}" ] || return 0
	for file in "$TSPSIM_DATA/$1"/*.csv; do
		[ -r "$file" ] && head -1 "$file" | grep -q '^id,' && echo "$file"
	done
}
