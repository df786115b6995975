# SPDX-License-Identifier: Apache-2.0
#
# Conflict rate against gates, colour by lost capacity; the front has a rim and numbers, whose names stand to the right.
# data1, the front first: gates, conflict (%), lost (%), on the front?, number, name.  Numbers: tools/bank_front.c.
width = 1500
height = 66 + 560 + 60
right = 560
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

set lmargin at screen 90.0 / width
set rmargin at screen (width - right) / width
set tmargin at screen 1 - 66.0 / height
set bmargin at screen 60.0 / height
set border 3 lc rgb "#999999"
set tics nomirror out textcolor rgb "#222222"
set label 1 heading at screen 90.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 90.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
unset key
set xlabel "gates (NAND2 equivalents)" offset 0,0.3
set ylabel "requests in conflict, held-out streams (%)" offset 0.5,0
set grid lc rgb "#e4e4e4" lw 1
set xrange [-0.03 * gates:1.05 * gates]
set yrange [0:conflict > 0 ? 1.06 * conflict : 1]
set palette defined (0 "#0d4f8b", 0.35 "#4fa3a5", 0.65 "#e3c454", 1 "#b5251b")
set cbrange [0:lost > 0 ? lost : 1]
set cblabel "capacity lost (%)" offset 0.5,0
set colorbox user origin screen (width - right + 22.0) / width, screen 60.0 / height size screen 14.0 / width, screen 560.0 / height
set label 3 "front:  map, gates, conflicts, capacity lost" at screen (width - right + 120.0) / width, screen 1 - 76.0 / height \
	font ",10" textcolor rgb "#444444"
line = 22.0
names = "%2.0f  %s"
do for [i = 1:named] {
	stats data1 using (n = $5, g = $1, c = $2, l = $3, t = strcol(6), $1) every ::i-1::i-1 nooutput
	set label 10 + 2 * i sprintf("%.0f", n) at screen (width - right + 136.0) / width, screen 1 - (78.0 + line * i) / height \
		right font ",10"
	set label 11 + 2 * i sprintf("%s,  %.0f,  %.2f %%,  %.2f %%", t, g, c, l) \
		at screen (width - right + 144.0) / width, screen 1 - (78.0 + line * i) / height font ",10" noenhanced
}
plot data1 using ($4 ? NaN : $1):2:3 with points pt 7 ps 0.8 lc palette, \
     data1 using ($4 ? $1 : NaN):2 with points pt 7 ps 1.9 lc rgb "black", \
     data1 using ($4 ? $1 : NaN):2:3 with points pt 7 ps 1.5 lc palette, \
     data1 using ($5 > 0 ? $1 : NaN):2:(sprintf("%.0f", $5)) with labels left offset 0.9,0.5 font ",9" textcolor rgb "#222222"
