# SPDX-License-Identifier: Apache-2.0
#
# Entropy of address bits: a strip for each source.  data1: strip, bit, entropy of the whole, mean entropy in windows;
# data2: label, accesses of a window.  Numbers: tools/bank_plot.c.
width = 1500
strip = panels > 8 ? 60 : panels > 3 ? 90 : 160
pitch = strip + 34
top = 92
height = top + pitch * panels + 52
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

array name[panels]
array window[panels]
do for [i = 1:panels] {
	stats data2 using (name[i] = strcol(1), window[i] = $2, $2) every ::i-1::i-1 nooutput
}
set multiplot
set lmargin at screen 90.0 / width
set rmargin at screen (width - 30.0) / width
set border 3 lc rgb "#999999"
set tics nomirror out textcolor rgb "#222222"
set label 1 heading at screen 90.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 90.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
set label 3 "entropy (bits)" at screen 28.0 / width, screen 0.5 * (height - top + 52) / height center rotate by 90 \
	textcolor rgb "#222222"
set key at screen (width - 30.0) / width, screen 1 - 56.0 / height right top horizontal samplen 3 width 2
set xrange [-0.7:bits - 0.3]
set yrange [0:1.08]
set ytics 0, 0.5, 1
set grid ytics lc rgb "#dddddd" lw 1
set xtics bits > 40 ? 2 : 1
set style fill solid 1 noborder
do for [i = 1:panels] {
	set tmargin at screen 1 - (top + pitch * (i - 1) + 24.0) / height
	set bmargin at screen 1 - (top + pitch * (i - 1) + 24.0 + strip) / height
	set label 4 sprintf("%s:  windows of %.0f accesses", name[i], window[i]) \
		at screen 92.0 / width, screen 1 - (top + pitch * (i - 1) + 12.0) / height font ",10" noenhanced
	set format x i < panels ? "" : "%.0f"
	if (i == panels) {
		set xlabel "bit of the block number" offset 0,0.3
	}
	set boxwidth 0.7
	plot data1 using ($1 == i - 1 ? $2 : NaN):4 with boxes lc rgb "#56a0cf" title "mean within windows", \
	     data1 using ($1 == i - 1 ? $2 : NaN):3 with points pt 7 ps 1.1 lc rgb "#d55e00" title "whole stream"
	unset label 1
	unset label 2
	unset label 3
	unset key
}
unset multiplot
