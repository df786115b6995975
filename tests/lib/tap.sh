# SPDX-License-Identifier: Apache-2.0
#
# TAP for shell tests; source it first:  . "$TSPSIM_SRCDIR/tests/lib/tap.sh"
#
# Every test gets a fresh scratch directory ($scratch, also the working directory), removed at the end; the C locale; and the
# program under test as $TSPSIM.  Cases are reported by ok, not_ok, is, like, succeeds, exits; done_testing prints the plan.

set -u
LC_ALL=C
NO_COLOR=1
export LC_ALL NO_COLOR
: "${TSPSIM_SRCDIR:?run by make check, or set TSPSIM_SRCDIR and TSPSIM_BUILDDIR}"
: "${TSPSIM_BUILDDIR:?run by make check, or set TSPSIM_SRCDIR and TSPSIM_BUILDDIR}"
TSPSIM=${TSPSIM-$TSPSIM_BUILDDIR/tspsim}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tspsim-test.XXXXXX") || exit 99
trap 'cd /; chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch" || exit 99

tap_count=0
tap_failed=0

# ok NAME: the case holds.
ok()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

# not_ok NAME [LINE...]: it does not; further lines become comments.
not_ok()
{
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	shift
	for tap_line in "$@"; do
		printf '%s\n' "$tap_line" | sed 's/^/#   /'
	done
}

# skip NAME REASON
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: this file cannot run here.
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# is NAME GOT EXPECTED
is()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got:      $2" "expected: $3"
	fi
}

# like NAME FILE REGEX: does a line of FILE match (extended)?
like()
{
	if grep -Eq -e "$3" "$2"; then
		ok "$1"
	else
		not_ok "$1" "no line matches $3 in:" "$(head -20 "$2")"
	fi
}

# empty NAME FILE: FILE has no bytes; offending lines are shown.
empty()
{
	if [ -s "$2" ]; then
		not_ok "$1" "$(head -20 "$2")"
	else
		ok "$1"
	fi
}

# exits NAME STATUS COMMAND...: runs COMMAND, output in ./out and ./err.
exits()
{
	tap_name=$1
	tap_want=$2
	shift 2
	"$@" >out 2>err </dev/null
	tap_got=$?
	if [ "$tap_got" -eq "$tap_want" ]; then
		ok "$tap_name"
	else
		not_ok "$tap_name" "exit status $tap_got, expected $tap_want: $*" "$(head -10 err)"
	fi
}

# json FILE PATH: a value of a JSON file by SQLite's path ('$.cycles'); booleans are 1 and 0, null is empty.
json()
{
	sqlite3 :memory: "SELECT json_extract(CAST(readfile('$1') AS TEXT), '$2')" 2>/dev/null
}

# sql FILE QUERY: rows of a database.
sql()
{
	sqlite3 -batch "$1" "$2"
}

# done_testing: the plan, and the exit status.
done_testing()
{
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
