# SPDX-License-Identifier: Apache-2.0
#
# interrupted COMMAND...: SIGINT after a while; its output in out, its exit status in $status.  Where a busy host had not even
# begun by then, later.

interrupted()
{
	for seconds in 0.3 1 4; do
		status=0
		# A shell without job control lets commands ignore SIGINT.
		env --default-signal=INT timeout --preserve-status -s INT $seconds "$@" >out 2>err || status=$?
		[ ! -s out ] || break
	done
}
