# SPDX-License-Identifier: Apache-2.0
#
# exact_there: was the program built with the solver that --method exact needs?

exact_there()
{
	printf '1 0\n0 0\n' >one.rcp
	"$TSPSIM" solve one.rcp --method exact -q >/dev/null 2>one.err || ! grep -q 'not built into this program' one.err
}
