# SPDX-License-Identifier: Apache-2.0
#
# Occupancy: one row a queue (or group), cycles to the right, unit by colour, share by shade.  Numbers: occupancy.sql.
row_pixels = rows > 80 ? 9 : rows > 40 ? 13 : rows > 16 ? 17 : 24
top = 74 + (layers > 1 ? 16 : 0)
height = top + 52 + row_pixels * rows
width = 1500
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

set lmargin at screen 118.0 / width
set rmargin at screen (width - 62.0) / width
set tmargin at screen 1 - 1.0 * top / height
set bmargin at screen 52.0 / height
set xrange [start:stop]
set yrange [rows + 0.5:0.5]
set xtics format "%'.0f" nomirror out font ",9"
set decimalsign locale "C"
set xtics format (stop < 1e4 ? "%g" : "%.1s%c")
set xlabel "cycle" offset 0,0.4
set ytics () scale 0
set border 3 lc rgb "#888888"
unset key
set label 1 heading at screen 118.0 / width, screen 1 - 22.0 / height font ",14" noenhanced
set label 2 subheading at screen 118.0 / width, screen 1 - 44.0 / height font ",10" tc rgb "#444444" noenhanced

# Layers' bounds, and their names while there is room.
set style textbox opaque noborder
set for [i = 1:0] label 3

plot data1 using (0.5 * ($1 + $2)):3:1:2:($3 - 0.42):($3 + 0.42):4 with boxxyerror fs solid 1 noborder lc rgb variable, \
     data2 using (start):1:ytic(2) with points pt -1, \
     data2 using (stop):1:3 with labels left offset 0.4,0 font ",8" tc rgb "#666666" noenhanced, \
     data3 using (start):1:(0):(0) with points pt -1, \
     data4 using (layers > 1 ? $1 : NaN):(0.5):(0):(rows) with vectors nohead lc rgb "#666666" dt 3 lw 1, \
     data4 using (layers > 1 && layers <= 16 ? $1 : NaN):(0.5):3 with labels left offset 0,0.7 font ",8" tc rgb "#444444" noenhanced
