# SPDX-License-Identifier: Apache-2.0
#
# What counts as a file of the repository, for the tests beside this one.  No git: they also run from a tarball.

# c_files: C and C++ sources and headers, relative to the source tree (tables are not among them).
c_files()
{
	(cd "$TSPSIM_SRCDIR" && find isa bank sim models sched traces tools tests \( -name '*.[ch]' -o -name '*.cc' \) -type f | sort)
}

# source_files: everything that people write and machines read; the fuzzers' corpora are data.
source_files()
{
	(cd "$TSPSIM_SRCDIR" && {
		find isa bank sim models sched traces tools tests docs -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.def' \
			-o -name '*.mk' -o -name '*.sh' -o -name '*.sql' -o -name '*.gp' -o -name '*.yaml' -o -name '*.tsp' -o -name '*.1' \) |
			grep -v '^tests/fuzz/corpus/'
		for file in configure.ac Makefile.am bootstrap .ci/run; do
			[ ! -f "$file" ] || echo "$file"
		done
	} | sort)
}

# text_files: those and the prose.
text_files()
{
	source_files
	(cd "$TSPSIM_SRCDIR" && find docs README.md HACKING.md NEWS -name '*.md' -o -name NEWS | sort)
}

# in_files LIST-COMMAND GREP-ARGUMENT...: matching lines of those files, "file:line:text".
in_files()
{
	list=$1
	shift
	(cd "$TSPSIM_SRCDIR" && "$list" | tr '\n' '\0' | xargs -0 grep -Hn "$@" --)
}
