#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Rules that every file keeps.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"
. "$TSPSIM_SRCDIR/tests/dist/files.sh"

source_files >sources
is "there are sources to look at" "$([ "$(wc -l <sources)" -gt 50 ] && echo yes)" yes

(cd "$TSPSIM_SRCDIR" && tr '\n' '\0' | xargs -0 awk 'FNR == 1 {print FILENAME, "named"}
	FNR <= 3 && /SPDX-License-Identifier: Apache-2\.0/ {print FILENAME, "licensed"}') <sources | sort | uniq |
	awk '$2 == "licensed" {has[$1]} $2 == "named" && !($1 in has) {print $1}' >offending
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

c_files | grep '\.h$' | sed 'p; y,abcdefghijklmnopqrstuvwxyz/.-,ABCDEFGHIJKLMNOPQRSTUVWXYZ___,; s/^/#ifndef TSPSIM_/' |
	paste -d '	' - - | sort >expected
in_files c_files -E '^#ifndef TSPSIM_[A-Z0-9_]+$' | awk -F: -v OFS='	' '{print $1, $3}' | sort >found
comm -23 expected found >offending
empty "header guards follow the path" offending

(cd "$TSPSIM_SRCDIR" && tr '\n' '\0' | xargs -0 grep -LPz '\n\z') <sources >offending
empty "every file ends with a line feed" offending

done_testing
