#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# An installed program finds its files beside it, also when the whole tree was moved after it was built.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

mkdir -p moved/bin moved/share/tspsim/isa/machines moved/share/tspsim/traces
cp "$TSPSIM" moved/bin/tspsim
cp -R "$TSPSIM_SRCDIR/traces/queries" "$TSPSIM_SRCDIR/traces/plots" moved/share/tspsim/traces
# A machine and an answer that are nowhere else.
sed 's/^name: tsp$/name: moved/; s/^title: .*/title: "beside the program"/' "$TSPSIM_SRCDIR/isa/machines/tsp.yaml" \
	>moved/share/tspsim/isa/machines/moved.yaml
sed 's/^-- Does the simulation agree.*/-- Is this the file beside the program?/' "$TSPSIM_SRCDIR/traces/queries/prediction.sql" \
	>moved/share/tspsim/traces/queries/prediction.sql
unset TSPSIM_DATADIR TSPSIM_MACHINES
exits "machines are listed" 0 moved/bin/tspsim list machines
like "those beside the program" out '^moved  *beside the program'
exits "one of them runs" 0 moved/bin/tspsim -m moved -w gemm:8x8x8 --trace run.db
exits "queries are answered" 0 moved/bin/tspsim stat run.db prediction
like "by the files beside the program" out '^Is this the file beside the program'
ln -s moved/bin/tspsim link
exits "by a symbolic link, too" 0 ./link -m moved -w gemm:8x8x8
mkdir other
TSPSIM_DATADIR=$scratch/other moved/bin/tspsim -m moved -w gemm:8x8x8 >out 2>err
is "TSPSIM_DATADIR goes before" $? 1
done_testing
