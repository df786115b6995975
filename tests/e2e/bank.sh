#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The command `tspsim bank`: keys of its JSON, files, refusals, explanations.

. "$TSPSIM_SRCDIR/tests/lib/tap.sh"

# 144 banks, mod 139: group 0 is lanes 0 and 139 in bank 0; group 1 is free of conflicts.  fifo: 4 requests, 1 delayed by
# 1, in cycles 0 and 1; p99 of 4 is the largest.
printf '# two groups\n0 139\n1 2\n' >two
exits "a file of groups of blocks is evaluated" 0 \
	"$TSPSIM" bank --addresses two --blocks --map mod:139 --model fifo --json
for pair in requests:4 delayed:1 request_conflict:0.25 group_conflict:0.5 excess:0 mean_delay:0.25 p99_delay:1 \
	max_delay:1 slowdown:1 cycles:2; do
	is "its ${pair%:*} is at the top of the object" "$(json out "\$.${pair%:*}")" "${pair#*:}"
done
is "it says which pair met first" "$(json out '$.first_conflict.reason')" \
	"lanes 0 and 1 of group 0: blocks 0 and 139 in bank 0, different rows 0 and 1; stride 139: gcd(139,139) = 139, so 1 bank"
cp out file.json
"$TSPSIM" bank eval --addresses - --blocks --map mod:139 --model fifo --json <two >pipe.json
is "standard input gives the same" "$(sed '/"pattern"/d' pipe.json)" "$(sed '/"pattern"/d' file.json)"

# A number a line, regrouped by -k: lockstep, all four in bank 0: 4 cycles.
printf '%s\n' 0 139 278 417 >column
"$TSPSIM" bank --addresses column --blocks --map mod:139 -k 4 --json >out
is "a file with a number a line is regrouped" "$(json out '$.cycles') $(json out '$.ideal_cycles')" "4 1"
"$TSPSIM" bank --addresses column --block-bytes 139 --map mod:139 -k 4 --json >out
is "numbers are byte addresses unless --blocks is given" "$(json out '$.cycles')" 1

# 32 lanes at a stride of 2 blocks on 32 banks are 2 beats and 16 delayed as one group, none as phases of 16.
awk 'BEGIN {for (i = 0; i < 32; i++) printf "%d ", 2 * i}' >warp
"$TSPSIM" bank --addresses warp --blocks --map mod:32 --banks 32 --json >out
is "a group is presented at once" "$(json out '$.cycles') $(json out '$.delayed')" "2 16"
"$TSPSIM" bank --addresses warp --blocks --map mod:32 --banks 32 --phase 16 --json >out
is "or in phases" "$(json out '$.cycles') $(json out '$.delayed')" "2 0"
echo "R 0 139 W 278 417 556" >mixed
"$TSPSIM" bank --addresses mixed --blocks --only writes --json >out
is "writes can be taken alone" "$(json out '$.requests') $(json out '$.reads') $(json out '$.cycles')" "3 0 3"

exits "two maps, two models and two sizes are eight results" 0 \
	"$TSPSIM" bank --pattern s16 --map mod:144 --map mod:139 --model lockstep,fifo -k 16,64 --json
is "they are in an array" "$(json out '$.results[#-1].k') $(sql :memory: "SELECT json_array_length(CAST(readfile('out') AS TEXT), '\$.results')")" "64 8"

exits "a map that is not injective is refused" 1 "$TSPSIM" bank --pattern s1 --map prime:139,144
like "the refusal names the way out" err '--allow-aliasing'
exits "and evaluated for analysis" 0 "$TSPSIM" bank --pattern s1 --map prime:139,144 --allow-aliasing
exits "a map that does not exist is refused" 1 "$TSPSIM" bank --pattern s1 --map moddy:139 --allow-aliasing
exits "nothing to evaluate is refused" 1 "$TSPSIM" bank --map mod:139
exits "an unknown verb is refused" 1 "$TSPSIM" bank evil
like "with the nearest" err "did you mean 'eval'"
exits "an unknown model is refused" 1 "$TSPSIM" bank --pattern s1 --model lockstop
like "with the nearest" err "did you mean 'lockstep'"
exits "k is a number" 1 "$TSPSIM" bank --pattern s1 -k 16,
exits "a file that is not there is refused" 1 "$TSPSIM" bank --addresses nowhere
exits "more banks than block numbers can name are refused" 1 "$TSPSIM" bank --pattern s1 --banks 65536 --map mod:144

exits "the table is for people" 0 "$TSPSIM" bank --pattern s16 --map mod:144 -k 16
like "rates have their denominators" out 'req%: requests delayed / requests\.  grp%: groups above their ideal beats / groups'
like "delays have their unit" out 'delay of a request in cycles'
like "the three rates differ" out '^s16 +mod:144 +lockstep +16 +43\.8 +100\.0 +50\.0 +0\.438 +1 +1 +2\.000'
like "the textbook's formula stands beside the measured time" out 'T_base \(1 \+ c \(q - 1\)\)'

# Mean over strides 1 .. 16 of mod 16, k = 16: conflict 1 - D/16 with D = 16/gcd(s, 16): strides 2 6 10 14 give 1/2, 4 and
# 12 3/4, 8 7/8, 16 15/16: (4 x 0.5 + 2 x 0.75 + 0.875 + 0.9375)/16 = 5.3125/16.
"$TSPSIM" bank --pattern stride:1..16 --map mod:16 --banks 16 -k 16 --summary --json >out
is "a summary is a mean over sources" "$(json out '$.summaries[0].request_conflict') $(json out '$.summaries[0].sources')" \
	"0.33203125 16"
is "and names the worst" "$(json out '$.summaries[0].worst')" stride:16

# Unified buffer: eight writes at a block stride of 512 B are one bank group: 8 beats; read and write of one bank: 2.
echo "W $(awk 'BEGIN {for (i = 0; i < 8; i++) printf "%d ", 130560 + 512 * i}')" >ub
"$TSPSIM" bank --addresses ub --rules ub --json >out
is "eight writes of one bank group take eight beats" "$(json out '$.cycles') $(json out '$.writes_delayed')" "8 7"
echo "R 0x10020 W 0x10e20" >ub
"$TSPSIM" bank --addresses ub --rules ub --json >out
is "a read and a write of one bank take two" "$(json out '$.cycles')" 2
echo "R 0x10020 W 0x10000" >ub
"$TSPSIM" bank --addresses ub --rules ub --json >out
is "a read and a write of two banks take one" "$(json out '$.cycles')" 1

# 1,000,000 = 320 x 3125; 3125 = 22 x 139 + 67 = 21 x 144 + 101.
exits "addresses are explained" 0 "$TSPSIM" bank explain 1000000 0xF4247 --map mod:139 --map mod:144
is "with block, bank and row under each map" "$(cat out)" \
	"address 1000000 (0xf4240): block 3125 byte 0, mod:139: bank 67 row 22
address 1000000 (0xf4240): block 3125 byte 0, mod:144: bank 101 row 21
address 1000007 (0xf4247): block 3125 byte 7, mod:139: bank 67 row 22
address 1000007 (0xf4247): block 3125 byte 7, mod:144: bank 101 row 21"
exits "as JSON" 0 "$TSPSIM" bank explain --blocks 695000 --map mod:139 --json
is "a block beyond the capacity does not fit" "$(json out '$[0].row') $(json out '$[0].fits')" "5000 0"
exits "what is no address is refused" 1 "$TSPSIM" bank explain 12x --map mod:139

exits "without addresses maps are explained" 0 "$TSPSIM" bank explain --map mod:139
like "in blocks of the memory that was asked for" out '^words lost: 25000 of 720000 \(3\.47 %\), 8000000 bytes$'
like "one bank is one bank" out '^weak stride: 139, 64 terms meet 1 bank \(gcd\(139,139\) = 139, so 1 bank\)$'
exits "several side by side, those that share words among them" 0 \
	"$TSPSIM" bank explain --map xorfold:7 --map prime:139,144
like "with losses and gates" out '^xorfold:7 +128 +80000 +25\.60 +0 +- +7 +18 measured +129 on 1$'
like "and the pair that meets first" out '^prime:139,144 +139 +25000 +8\.00 +25000 +0,139 +- +[0-9]+ derived +139 on 1$'
"$TSPSIM" bank explain --map mod:143 --map mod:144 --banks 150 --json >out
is "as JSON" "$(json out '$[0].banks_used') $(json out '$[1].lost_words')" "143 30000"

# Stride 16, k = 16: mod 144 has 9 banks, 7 of 16 requests wait and groups take 2 cycles; mod 139 has 16 banks.  Stride 144:
# one bank of 144, 15 of 16 wait.
"$TSPSIM" bank --pattern s16 --pattern s144 --map mod:144 --map mod:139 -k 16 --matrix req >out
is "a matrix has maps side by side" "$(sed -n '2,$p' out)" "pattern  model      k  mod:144  mod:139
s16      lockstep  16     43.8      0.0
s144     lockstep  16     93.8      0.0
req: requests delayed / requests, in %"
"$TSPSIM" bank --pattern s16 --map mod:144 --map mod:139 -k 16,4 --matrix slow >out
is "of any figure, for each k" "$(sed -n '3,4p' out)" "s16      lockstep  16     2.00     1.00
s16      lockstep   4     1.00     1.00"
"$TSPSIM" bank --pattern 's16..144:128' --map mod:144 --map mod:139 -k 16 --summary --matrix req >out
is "or of means over a range" "$(sed -n 3p out)" "s16..144:128  lockstep  16     68.8      0.0"
exits "a figure that does not exist is refused" 1 "$TSPSIM" bank --pattern s1 --matrix slaw
like "with the nearest" err "did you mean 'slow'"
exits "so is the mean of one that has none" 1 "$TSPSIM" bank --pattern s1 --summary --matrix p99
exits "a range may begin at 0" 0 "$TSPSIM" bank --pattern 'pitch:320,0..4:2' --map mod:139

"$TSPSIM" bank --pattern random --pattern streams:16 --map poly:0x83 --model lockstep,fifo,closed --details --json >a
"$TSPSIM" bank --pattern random --pattern streams:16 --map poly:0x83 --model lockstep,fifo,closed --details --json >b
exits "two runs give the same bytes" 0 cmp a b
"$TSPSIM" bank --pattern random --map poly:0x83 --seed 2 --json >b
is "another seed gives other accesses" "$([ "$(json a '$.results[0].delayed')" != "$(json b '$.delayed')" ] && echo yes)" yes

for option in ports busy banks bank-groups wave phase window element-bytes rows block-bytes groups footprint; do
	exits "--$option 0 is refused" 1 "$TSPSIM" bank --pattern s16 -k 16 --$option 0
	like "--$option 0: the error" err "bank: --$option takes a whole number from 1( to [0-9]+)?, not '0'"
done
done_testing
