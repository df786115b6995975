# SPDX-License-Identifier: Apache-2.0
#
# Gantt chart of a schedule: one row an operation, a thin bar for each unit it uses, from first issue to last.
row_pixels = rows > 60 ? 12 : rows > 24 ? 18 : 26
width = 1400
height = 110 + row_pixels * rows
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

set lmargin at screen 200.0 / width
set rmargin at screen (width - 120.0) / width
set tmargin at screen 1 - 50.0 / height
set bmargin at screen 50.0 / height
set xrange [0:stop]
set yrange [rows + 0.5:0.5]
set xtics nomirror out textcolor rgb "#222222"
set xlabel "cycle" offset 0,0.3
set ytics scale 0 font ",9" textcolor rgb "#222222" noenhanced
set border 3 lc rgb "#999999"
unset key
set label 1 heading at screen 200.0 / width, screen 1 - 24.0 / height font ",13" noenhanced

# Units share the row's height, each in its own colour; their names stand on the right.
share = 0.84 / units
low(row, unit) = row - 0.42 + unit * share
shade(unit) = int(word("0x3b6fb6 0xd9822b 0x4c9f50 0xb0413e 0x7d5ba6 0x8c6d46 0xc65fa8 0x6b7a86", 1 + int(unit) % 8))
middle = 0.5 * stop
plot data2 using (middle):1:(0):(stop):($1 - 0.45):($1 + 0.45):ytic(2) with boxxyerror \
         fs solid 1 noborder lc rgb "#f3f3f3", \
     data1 using (0.5 * ($1 + $2)):3:1:2:(low($3, $4)):(low($3, $4) + share):(shade($4)) with boxxyerror \
         fs solid 1 noborder lc rgb variable, \
     data3 using (stop):(0.5 + rows * (0.5 + $1) / units):2:(shade($1)) with labels left offset 1,0 font ",9" \
         textcolor rgb variable noenhanced
