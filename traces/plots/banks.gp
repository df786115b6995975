# SPDX-License-Identifier: Apache-2.0
#
# Banks: totals above, over time below.  Numbers: banks.sql.
width = 1500
upper = 300
lower = timed ? 420 : 0
height = 66 + upper + lower + (timed ? 118 : 52)
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

set multiplot
set lmargin at screen 100.0 / width
set rmargin at screen (width - 110.0) / width
set border 3 lc rgb "#999999"
set label 1 heading at screen 100.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 100.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
set key at screen (width - 110.0) / width, screen 1 - 16.0 / height right top horizontal samplen 3 width 1 noautotitle
set tics nomirror out textcolor rgb "#222222"

set tmargin at screen 1 - 66.0 / height
set bmargin at screen 1 - (66.0 + upper) / height
set xrange [-0.8:banks - 0.2]
set yrange [0:most * 1.18]
set xlabel "bank" offset 0,0.3
set ylabel "requests" offset 0.5,0
short(x) = x < 1e4 ? "%.0f" : x < 1e6 ? "%.0s%c" : "%.1s%c"
set format y short(most)
set ytics step
set boxwidth 0.8
if (waits) {
	set y2range [0:longest * 1.18]
	set y2label "cycles waited" offset -0.5,0
	set y2tics waitstep nomirror out textcolor rgb "#222222"
	set format y2 short(longest)
	set border 11
}
totals = 'data1 using 1:2 with boxes fs solid 1 noborder lc rgb "#0072b2" title "requests", ' \
	. 'mean with lines dt 2 lw 1.5 lc rgb "#222222" title "mean"'
if (waits) {
	totals = totals . ', data1 using 1:3 axes x1y2 with points pt 7 ps 0.7 lc rgb "#d55e00" title "cycles waited"'
}
eval "plot " . totals
unset label 1
unset label 2

if (timed) {
	unset key
	unset y2tics
	unset y2label
	unset format
	set ytics autofreq
	set border 3
	set tmargin at screen 1 - (66.0 + upper + 66) / height
	set bmargin at screen 52.0 / height
	set xrange [start:stop]
	set yrange [-0.5:banks - 0.5]
	set xtics ()
	set xlabel "cycle"
	set ylabel "bank"
	set palette defined (0 "#eef4f9", 0.35 "#74add1", 0.6 "#fee090", 0.8 "#f46d43", 1 "#a50026")
	set cbrange [0:peak]
	set cblabel "requests a cycle" offset 0.5,0
	set colorbox user origin screen (width - 98.0) / width, screen 52.0 / height \
		size screen 14.0 / width, screen 1.0 * lower / height
	plot data2 using (0.5 * ($2 + $3)):1:2:3:($1 - 0.5):($1 + 0.5):4 with boxxyerror fs solid 1 noborder lc palette, \
	     data3 using 1:(-0.5):xtic(2) with dots lc rgb "white"
}
unset multiplot
