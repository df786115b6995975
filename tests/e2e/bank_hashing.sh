#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# docs/bank-hashing.md shows commands and what they print; here they are run, and print just that.  Run with
# TSPSIM_UPDATE=1 the page is written anew with what they print; read the text around it again then.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

page=$TSPSIM_SRCDIR/docs/bank-hashing.md
mkdir bin work
ln -s "$TSPSIM" bin/tspsim
PATH=$scratch/bin:$PATH

# Runs COMMAND, compares with the lines of the page, and copies what it prints to the new page.
show()
{
	# Whole runs under five maps and ten ties each: make check has one of them, make check-long all.
	case ${TSPSIM_WHOLE-}${TSPSIM_UPDATE-}$command in
	*gemm:*) ;;
	'tspsim bank effect'*)
		cat shown >>new.md
		skip "$(printf '%s' "$command" | tr -s '\\\n ' ' ')" "in make check-long"
		command=
		return
		;;
	esac
	(cd work && sh -c "$command") >got 2>&1 </dev/null
	cat got >>new.md
	name=$(printf '%s' "$command" | tr -s '\\\n ' ' ')
	if cmp -s got shown; then
		ok "$name"
	else
		not_ok "$name" "$(diff shown got | head -20)"
	fi
	command=
}

# A block marked console holds commands, after "$ ", each followed by its output; a command goes on after a backslash.
console=
command=
continued=
: >new.md
while IFS= read -r line; do
	case $console$continued$line in
	'```console')
		console=y
		printf '%s\n' "$line" >>new.md
		;;
	'y```' | y'$ '*)
		[ -z "$command" ] || show
		printf '%s\n' "$line" >>new.md
		: >shown
		command=${line#'$ '}
		case $line in
		'```') console='' command='' ;;
		*\\) continued=+ ;;
		esac
		;;
	y+*)
		printf '%s\n' "$line" >>new.md
		command="$command
$line"
		case $line in
		*\\) ;;
		*) continued='' ;;
		esac
		;;
	y*) printf '%s\n' "$line" >>shown ;;
	*) printf '%s\n' "$line" >>new.md ;;
	esac
done <"$page"
is "every block has an end" "$console" ''
is "there are commands" "$([ "$tap_count" -ge 20 ] && echo yes)" yes

# A number in the text with a decimal point, or of four digits and more, stands in some command or output: figures that
# changed are not left behind in sentences.
awk '
	/^```/ {code = !code; next}
	FNR == NR {if (code) all = all " " $0; next}
	!code {
		text = $0
		gsub(/`[^`]*`/, "", text)
		while (match(text, /[0-9]+(,[0-9][0-9][0-9])*(\.[0-9]+)?/)) {
			number = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			gsub(/,/, "", number)
			if ((number ~ /\./ || length(number) >= 4) && !index(all, number))
				print "line " FNR ": " number
		}
	}' new.md new.md >stray
empty "figures in the text are those of commands and outputs" stray

if [ "${TSPSIM_UPDATE-}" = 1 ] && ! cmp -s new.md "$page"; then
	cp new.md "$page"
	echo "# $page was written anew"
fi
done_testing
