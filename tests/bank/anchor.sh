#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Public memory traces under low-order and XOR-folded bank choice: mean of the fullest bank in windows of B successive
# reads, and the share of the most used of B banks, against figures that were computed apart from this program
# ($TSPSIM_DATA/traces/bank_anchor_derived.csv).  Blocks are cache lines of 64 bytes; the fold is XOR of all digits of
# log2 B bits, so a matrix over GF(2).  The fullest bank of a window is a group's cycles in lockstep.
. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
anchor=${TSPSIM_DATA-}/traces/bank_anchor_derived.csv
[ -n "${TSPSIM_DATA-}" ] && [ -f "$anchor" ] || skip_all "no benchmark inputs; see --with-data"

# fold BITS: rows of the matrix that XORs digits of so many bits.
fold()
{
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) {
			mask = ""
			for (nibble = 15; nibble >= 0; nibble--) {
				v = 0
				for (bit = 3; bit >= 0; bit--)
					v = 2 * v + ((4 * nibble + bit) % n == i)
				mask = mask sprintf("%x", v)
			}
			printf "%s0x%s", i ? "," : "gf2:", mask
		}
	}'
}

# evaluate FILE BANKS MAP: "mean of the fullest bank" and "share" of a file of reads.
evaluate()
{
	"$TSPSIM" bank --addresses "$1" --block-bytes 64 -k "$2" --banks "$2" --rows 1000000 --map "$3" --allow-aliasing \
		--json >json 2>err || return 1
	awk '/"cycles":/ {c = $2 + 0} /"groups":/ {g = $2 + 0} /"max_over_mean":/ {m = $2 + 0}
		END {printf "%.3f %.3f\n", c / g, m}' json
}

tr -d '\r' <"$anchor" | sed 1d >rows
while IFS=, read -r trace reads banks window mod xorfold random share_mod share_xor; do
	file=$TSPSIM_DATA/traces/ramulator/$trace.gz
	[ -f "$file" ] || continue
	gzip -dc "$file" | awk '{print $2}' >reads
	is "$trace: reads" "$(awk 'END {print NR}' reads)" "$reads"
	head -n $((reads / window * window)) reads >whole
	bits=$(awk -v b="$banks" 'BEGIN {while (b > 1) {b /= 2; n++} print n}')
	for row in "identity $mod $share_mod" "$(fold "$bits") $xorfold $share_xor"; do
		set -- $row
		is "$trace, $banks banks, ${1%%:*}: fullest bank of a window" "$(evaluate whole "$banks" "$1" | cut -d' ' -f1)" "$(printf '%.3f' "$2")"
		is "$trace, $banks banks, ${1%%:*}: share of the most used bank" "$(evaluate reads "$banks" "$1" | cut -d' ' -f2)" "$(printf '%.3f' "$3")"
	done
	# Random choice has no exact answer: both sides are samples of about 1,000 windows with a standard deviation near 0.7.
	got=$(evaluate whole "$banks" random:1 | cut -d' ' -f1)
	is "$trace, $banks banks: random choice, $got is near $random" "$(awk -v a="$got" -v b="$random" 'BEGIN {d = a - b; print (d < 0.1 && d > -0.1)}')" 1
done <rows
done_testing
