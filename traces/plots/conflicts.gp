# SPDX-License-Identifier: Apache-2.0
#
# Tensors against tensors: cycles that the row lost to the column.  Numbers: conflicts.sql.
cell = tensors > 12 ? 44 : tensors > 6 ? 60 : 90
left = 220
top = 96
foot = 120
side = 1.0 * cell * tensors
width = left + side + 150 < 900 ? 900 : left + side + 150
height = top + side + foot
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

set lmargin at screen 1.0 * left / width
set rmargin at screen (left + side) / width
set tmargin at screen 1 - 1.0 * top / height
set bmargin at screen 1.0 * foot / height
set label 1 heading at screen 30.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 30.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
set label 3 "waited" at screen 30.0 / width, screen 1 - (top + 0.5 * side) / height center rotate by 90 textcolor rgb "#222222"
set label 4 "behind requests of" at screen (left + 0.5 * side) / width, screen 1 - (top - 20.0) / height center \
	textcolor rgb "#222222"
unset key
set border 15 lc rgb "#999999"
set xrange [-0.5:tensors - 0.5]
set yrange [tensors - 0.5:-0.5]
set xtics scale 0 rotate by 30 right noenhanced textcolor rgb "#222222"
set ytics scale 0 noenhanced textcolor rgb "#222222"
set palette defined (0 "#eef4f9", 0.35 "#74add1", 0.6 "#fee090", 0.8 "#f46d43", 1 "#a50026")
set cbrange [0:peak]
set cblabel unit offset 0.5,0
set cbtics textcolor rgb "#222222"
set format cb peak < 1e4 ? "%.0f" : "%.0s%c"
set colorbox user origin screen (left + side + 24) / width, screen 1.0 * foot / height size screen 14.0 / width, screen side / height
short(x) = x < 1e4 ? sprintf("%.0f", x) : gprintf(x < 1e6 ? "%.0s%c" : "%.1s%c", x)
plot data1 using 1:2:($1 - 0.48):($1 + 0.48):($2 - 0.48):($2 + 0.48):3 with boxxyerror fs solid 1 noborder lc palette, \
     data1 using 1:2:(short($3)):($3 > 0.85 * peak ? 0xffffff : 0x222222) with labels font (cell < 60 ? ",8" : ",10") \
         textcolor rgb variable, \
     data2 using (-1):1:ytic(2) with dots lc rgb "white", \
     data2 using 1:(-1):xtic(2) with dots lc rgb "white"
