# SPDX-License-Identifier: Apache-2.0
#
# Conflict rate against gates, both on axes that are logarithmic but for a 0, colour by lost capacity; the front has a
# rim and numbers, whose names stand to the right.  data1, the front first: gates, conflict (%), lost (%), on the front?,
# number, name.  Numbers: tools/bank_front.c.
width = 1500
side = 620
height = 66 + side + 60
right = 470
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

spread(v) = log10(1 + v)
line = named > 30 ? 1.0 * (side - 20) / named : 20.0
letters = named > 36 ? ",8" : ",10"
from = 1.0 * (width - right + 118) / width
do for [i = 1:named] {
	stats data1 using (n = $5, g = $1, c = $2, l = $3, t = strcol(6), 1) every ::i-1::i-1 nooutput
	high = 1 - (80.0 + line * i) / height
	set label 20 + 5 * i sprintf("%.0f", n) at screen from, high right font letters
	set label 21 + 5 * i t at screen from + 8.0 / width, high font letters noenhanced
	set label 22 + 5 * i sprintf("%.0f", g) at screen from + 214.0 / width, high right font letters
	set label 23 + 5 * i sprintf("%.2f %%", c) at screen from + 278.0 / width, high right font letters
	set label 24 + 5 * i sprintf("%.2f %%", l) at screen from + 342.0 / width, high right font letters
}
high = 1 - 78.0 / height
set label 3 "front" at screen from + 8.0 / width, high font ",10" textcolor rgb "#666666"
set label 4 "gates" at screen from + 214.0 / width, high right font ",10" textcolor rgb "#666666"
set label 5 "conflict" at screen from + 278.0 / width, high right font ",10" textcolor rgb "#666666"
set label 6 "lost" at screen from + 342.0 / width, high right font ",10" textcolor rgb "#666666"

set lmargin at screen 90.0 / width
set rmargin at screen (width - right) * 1.0 / width
set tmargin at screen 1 - 66.0 / height
set bmargin at screen 60.0 / height
set border 3 lc rgb "#999999"
set tics nomirror out textcolor rgb "#222222"
set label 1 heading at screen 90.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 90.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
unset key
set xlabel "gates (NAND2 equivalents)" offset 0,0.3
set ylabel "requests in conflict, held-out streams (%)" offset 0.5,0
set xtics ()
set ytics ()
do for [v in "0 1 2 5 10 20 50 100 200 500 1000 2000 5000 10000 20000 50000"] {
	if (real(v) <= 1.1 * gates) {
		set xtics add (v spread(real(v)))
	}
}
do for [v in "0 0.1 0.2 0.5 1 2 5 10 20 50 100"] {
	if (real(v) <= 1.1 * conflict) {
		set ytics add (v spread(real(v)))
	}
}
set grid xtics ytics lc rgb "#e4e4e4" lw 1
set xrange [-0.03 * spread(gates):1.05 * spread(gates)]
set yrange [-0.02 * spread(conflict > 0 ? conflict : 1):1.05 * spread(conflict > 0 ? conflict : 1)]
set palette defined (0 "#0d4f8b", 0.35 "#4fa3a5", 0.65 "#e3c454", 1 "#b5251b")
set cbrange [0:lost > 0 ? lost : 1]
set cblabel "capacity lost (%)" offset 0.5,0
set cbtics textcolor rgb "#222222"
set colorbox user origin screen (width - right + 16.0) / width, screen 60.0 / height \
	size screen 14.0 / width, screen 1.0 * side / height
plot data1 using (spread($4 > 0 ? NaN : $1)):(spread($2)):3 with points pt 7 ps 0.9 lc palette, \
     data1 using (spread($4 > 0 ? $1 : NaN)):(spread($2)) with points pt 7 ps 1.9 lc rgb "black", \
     data1 using (spread($4 > 0 ? $1 : NaN)):(spread($2)):3 with points pt 7 ps 1.5 lc palette, \
     data1 using (spread($5 > 0 && int($5) % 2 ? $1 : NaN)):(spread($2)):(sprintf("%.0f", $5)) with labels left \
         offset 0.9,0.4 font ",9" textcolor rgb "#222222", \
     data1 using (spread($5 > 0 && int($5) % 2 == 0 ? $1 : NaN)):(spread($2)):(sprintf("%.0f", $5)) with labels right \
         offset -0.9,-0.4 font ",9" textcolor rgb "#222222"
