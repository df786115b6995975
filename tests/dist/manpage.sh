#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The manual page has a section for every command with exactly the options that its --help lists.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

page=$TSPSIM_SRCDIR/docs/man/tspsim.1

# Options of a command's section, "run --trace", sorted; the common ones under "common".
sed -n 's/\\-/-/g; p' "$page" | awk '
	/^\.SH COMMON OPTIONS/ {command = "common"; next}
	/^\.SS tspsim / {command = $3; next}
	/^\.SH / {command = ""; next}
	command != "" && previous ~ /^\.TP/ {
		line = $0
		while (match(line, /--[a-z][a-z-]*/)) {
			print command, substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
		}
	}
	{previous = $0}' | sort >documented

# Options by --help; every command also takes the common ones.
"$TSPSIM" list commands | awk '{print $1}' >commands
common=$(sed -n 's/^common //p' documented)
while read -r command; do
	"$TSPSIM" "$command" --help | sed -n -E 's/^  (-., |    )(--[a-z][a-z-]*).*/\2/p' >options
	for option in $common; do
		grep -qx -e "$option" options || echo "$command $option"
	done >>missing
	for option in $common; do
		grep -vx -e "$option" options >rest
		mv rest options
	done
	sed "s/^/$command /" options
done <commands | sort >offered
printf '%s\n' "$common" | sed 's/^/common /' | sort >>offered
sort -o offered offered

is "there are commands" "$([ "$(wc -l <commands)" -ge 10 ] && echo yes)" yes
empty "every command takes the common options" missing
diff documented offered >differences
empty "options in the manual page (<) and in --help (>) are the same" differences

while read -r command; do
	grep -q "^\\.SS tspsim $command\$" "$page" || echo "$command"
done <commands >offending
empty "every command has a section" offending

is "the page names the program's version" \
	"$(sed -n 's/^\.TH TSPSIM 1 "" "tspsim \(.*\)" .*/\1/p' "$page")" "$("$TSPSIM" --version | sed -n '1s/tspsim //p')"

if command -v man >/dev/null && man --version >/dev/null 2>&1; then
	man --warnings -E UTF-8 -l -Tutf8 -Z "$page" >/dev/null 2>warnings
	empty "the page formats without warnings" warnings
else
	skip "the page formats without warnings" "no man(1) here"
fi
done_testing
