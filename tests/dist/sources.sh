#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Rules that every file keeps.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/dist/files.sh"

source_files >sources
is "there are sources to look at" "$([ "$(wc -l <sources)" -gt 50 ] && echo yes)" yes

while read -r file; do
	head -3 "$TSPSIM_SRCDIR/$file" | grep -q 'SPDX-License-Identifier: Apache-2\.0' || echo "$file"
done <sources >offending
empty "every source names its licence at its head" offending

# Words are put together here so that this file passes.
in_files text_files -wE "TO""DO|FIX""ME|XX""X|HA""CK" >offending
empty "nothing is left for later" offending

in_files text_files -P '[^\x00-\x7f]' >offending
empty "files are ASCII" offending

in_files source_files -E '[ 	]+$' >offending
empty "no line ends in blanks" offending

in_files text_files -E '(^|[^a-zA-Z0-9._$}])/(wo''rk|ro''ot|ho''me)/' >offending
empty "no file names a path of one host" offending

in_files c_files -E 'SC_C?THREAD *\(' >offending
for file in $(in_files c_files -l 'sc_spawn' | cut -d: -f1 | sort -u); do
	grep -q 'spawn_method()' "$TSPSIM_SRCDIR/$file" || echo "$file: sc_spawn without spawn_method()"
done >>offending
empty "there are no SystemC threads: LeakSanitizer cannot see past them" offending

in_files c_files -E '(^|[^a-zA-Z0-9_>.])(time|clock|gettimeofday|clock_gettime|s?rand|random|drand48|g_random_[a-z_]*|g_get_real_time)\(' |
	grep -E '^(isa|bank|sim|models|sched|traces)/' >offending
empty "no result depends on the host's clock or random numbers" offending

c_files | grep '\.h$' | while read -r file; do
	guard=TSPSIM_$(echo "$file" | tr 'a-z/.-' 'A-Z___')
	grep -q "^#ifndef $guard\$" "$TSPSIM_SRCDIR/$file" || echo "$file: expected $guard"
done >offending
empty "header guards follow the path" offending

while read -r file; do
	[ -z "$(tail -c 1 "$TSPSIM_SRCDIR/$file")" ] || echo "$file"
done <sources >offending
empty "every file ends with a line feed" offending

done_testing
