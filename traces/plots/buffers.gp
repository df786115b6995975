# SPDX-License-Identifier: Apache-2.0
#
# Buffers: one row each, cycles to the right, the share in use as the height in the row.  Numbers: ascend/buffers.sql.
row_pixels = rows > 80 ? 16 : rows > 40 ? 22 : rows > 16 ? 32 : 48
top = 66
height = top + 52 + row_pixels * rows
row_font = row_pixels < 20 ? ",8" : ",10"
width = 1500
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

set lmargin at screen 128.0 / width
set rmargin at screen (width - 62.0) / width
set tmargin at screen 1 - 1.0 * top / height
set bmargin at screen 52.0 / height
set xrange [start:stop]
set yrange [rows + 0.5:0.5]
set xtics nomirror out textcolor rgb "#222222"
set xlabel "cycle" offset 0,0.3
set ytics scale 0 font row_font textcolor rgb "#222222"
set border 3 lc rgb "#999999"
unset key
set label 1 heading at screen 128.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 128.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
set label 3 "peak" at screen (width - 57.0) / width, screen 1 - (top - 8.0) / height font ",8" textcolor rgb "#666666"

# Tracks, areas, row labels left and right, lines between cores.
middle = 0.5 * (start + stop)
plot data2 using (middle):1:(start):(stop):($1 - 0.42):($1 + 0.42) with boxxyerror \
         fs solid 1 noborder lc rgb "#f3f3f3", \
     data1 using (0.5 * ($1 + $2)):3:1:2:($3 + 0.42 - 0.84 * $4):($3 + 0.42):5 with boxxyerror \
         fs solid 1 noborder lc rgb variable, \
     data2 using (start):1:ytic(2) with dots lc rgb "white", \
     data2 using (stop):1:3 with labels left offset 0.5,0 font ",8" textcolor rgb "#444444" noenhanced, \
     data3 using (start):($2 + 0.5):(stop - start):(0) with vectors nohead lc rgb "#cccccc" lw 1, \
     data4 using 1:(rows + 0.5):xtic(2) with dots lc rgb "white"
