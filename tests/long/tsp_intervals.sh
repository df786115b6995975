#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Initiation intervals of vector loops on the register-style machine: of the loops that the report has a line for, how many
# have the least interval for so many iterations at a time, of how many; and how many of these have chunks that wait for
# others.  What is above its bound is printed.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

while read -r workload wanted; do
	"$TSPSIM" sched "$workload" -m tsp --report --no-patterns >out 2>err
	grep -e ': initiation interval' -e ': in blocks' out >loops
	grep ', proved' loops >least
	is "$workload: loops at their bound, with waits" \
		"$(wc -l <least | tr -d ' ')/$(wc -l <loops | tr -d ' ') $(grep -c 'in the mean' least)" "$wanted"
	sed -n '/, proved/!s/^ */# /p' loops
done <<END
softmax:33x160 2/2 0
softmax:256x512 4/4 2
softmax:1024x1024 7/10 2
softmax:256x320 3/4 2
softmax:256x320:fp32 4/4 0
layernorm:256x320 5/5 2
layernorm:256x1024 5/5 2
layernorm:200x700 5/5 3
layernorm:512x512 10/10 3
layernorm:512x512:fp32 6/8 3
layernorm:64x1024 5/5 2
attention:1x2x128x64 3/5 0
attention:1x8x128x64 3/5 0
attention:1x2x33x32 3/3 1
flash:1x1x256x64 5/5 0
fft:64 0/0 0
fft:256:fp32 0/0 0
fft:1024 0/0 0
fft:4096 0/0 0
transpose:320x640 0/0 0
columns:640x320,100 0/0 0
vmap:relu,100000 1/1 0
vmap:relu,100000:int8 1/1 0
vmap:relu,100000:fp32 1/1 0
vmap:exp,64000 1/1 0
vmap:exp,64000:fp32 1/1 0
vmap:add,100000 1/1 0
vmap:add,100000:int8 1/1 0
vmap:add,100000:fp32 1/1 0
vmap:max,200000:int8 1/1 0
vmap:add,100000:int32 1/1 0
vmap:sub,100000 1/1 0
vmap:mul,64000 1/1 0
vmap:rsqrt,64000:fp32 1/1 0
vmap:max,100000:fp32 1/1 0
softmax:512x512 4/8 1
layernorm:128x768 5/5 2
END
done_testing
