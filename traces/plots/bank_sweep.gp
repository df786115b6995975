# SPDX-License-Identifier: Apache-2.0
#
# Conflict rate against stride or pitch: a strip for each map.  data1: strip, x, conflict (%), slowdown; data2: strip,
# label, mean, worst, x of the worst; data3: x and its label.  Numbers: tools/bank_plot.c.
width = 1500
strip = panels > 10 ? 50 : panels > 6 ? 64 : 84
pitch = strip + 30
top = 62
height = top + pitch * panels + 52
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

array name[panels]
array mean[panels]
array worst[panels]
array place[panels]
do for [i = 1:panels] {
	stats data2 using (name[i] = strcol(2), mean[i] = $3, worst[i] = $4, place[i] = $5, $1) every ::i-1::i-1 nooutput
}
stats data1 using 2 name "X" nooutput

set multiplot
set lmargin at screen 90.0 / width
set rmargin at screen (width - 30.0) / width
set border 3 lc rgb "#999999"
set tics nomirror out textcolor rgb "#222222"
unset key
set label 1 heading at screen 90.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 90.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
set label 3 "requests in conflict (%)" at screen 22.0 / width, screen 0.5 * (height - top + 52) / height center rotate by 90 \
	textcolor rgb "#222222"
set yrange [0:104]
set ytics 0, 50, 100
set grid ytics lc rgb "#dddddd" lw 1
if (geometric) {
	set logscale x 2
	set xrange [X_min / 1.3:X_max * 1.3]
	set xtics ()
} else {
	edge = X_max > X_min ? 0.008 * (X_max - X_min) : 1
	set xrange [X_min - edge:X_max + edge]
	set xtics autofreq
	if (X_max - X_min <= 20) {
		set xtics 1
	}
}
do for [i = 1:panels] {
	set tmargin at screen 1 - (top + pitch * (i - 1) + 24.0) / height
	set bmargin at screen 1 - (top + pitch * (i - 1) + 24.0 + strip) / height
	set label 4 sprintf("%s:  mean %.2f %%, worst %.2f %%%s", name[i], mean[i], worst[i], \
		worst[i] > 0 ? sprintf(" (%s %.0f)", word, place[i]) : "") \
		at screen 92.0 / width, screen 1 - (top + pitch * (i - 1) + 13.0) / height font ",10" noenhanced
	last = i == panels
	set format x last ? "%.0f" : ""
	if (last) {
		set xlabel axis offset 0,0.3
	}
	strips = 'data1 using ($1 == i - 1 ? $2 : NaN):3 with impulses lw (values <= 400 ? 2 : 1) lc rgb "#0072b2", ' \
		. 'data1 using ($1 == i - 1 && values <= 128 ? $2 : NaN):3 with points pt 7 ps 0.6 lc rgb "#0072b2"'
	if (geometric && last) {
		strips = strips . ', data3 using 1:(0):xtic(2) with dots lc rgb "white"'
	}
	eval "plot " . strips
	unset label 1
	unset label 2
	unset label 3
}
unset multiplot
