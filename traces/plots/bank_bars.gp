# SPDX-License-Identifier: Apache-2.0
#
# Maps side by side: conflict rate above, slowdown below.  data1: place, series, conflict (%), slowdown; data2: place,
# name; data3: label of the series, mean conflict.  Numbers: tools/bank_plot.c.
width = 1500
top = 62 + 20 * series
each = 250
slanted = places > 6
foot = slanted ? 110 : 56
height = top + 2 * each + 34 + foot
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

colours = "#0072b2 #e69f00 #009e73 #cc79a7 #d55e00 #56b4e9 #444444 #8c6d31 #7b4ea3 #a0b030"
array name[series]
array mean[series]
do for [i = 1:series] {
	stats data3 using (name[i] = strcol(1), mean[i] = $2, $2) every ::i-1::i-1 nooutput
}
set multiplot
set lmargin at screen 90.0 / width
set rmargin at screen (width - 30.0) / width
set border 3 lc rgb "#999999"
set label 1 heading at screen 90.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 90.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
set key at screen 90.0 / width, screen 1 - 52.0 / height left top Left reverse vertical maxrows series samplen 2 noenhanced
set ytics nomirror out textcolor rgb "#222222"
set xtics nomirror out scale 0 noenhanced textcolor rgb "#222222"
set grid ytics lc rgb "#dddddd" lw 1
set xrange [-0.5:places - 0.5]
set style fill solid 1 noborder
bar = 0.84 / series
left(i) = -0.42 + bar * (i - 1)
numbered = bars <= 48
set tmargin at screen 1 - 1.0 * top / height
set bmargin at screen 1 - 1.0 * (top + each) / height
set yrange [0:most > 0 ? 1.12 * most : 1]
set ylabel "requests in conflict (%)" offset 0.5,0
set format x ""
plot for [i = 1:series] data1 using ($2 == i - 1 ? $1 + left(i) + 0.5 * bar : NaN):3: \
         ($1 + left(i)):($1 + left(i) + bar):(0):3 with boxxyerror lc rgb word(colours, i) \
         title sprintf("%s:  mean %.2f %%", name[i], mean[i]), \
     data1 using ($1 + left($2 + 1) + 0.5 * bar):3:(numbered ? sprintf("%.1f", $3) : "") with labels center offset 0,0.5 \
         font ",8" textcolor rgb "#444444" notitle
unset label 1
unset label 2
unset key
set tmargin at screen 1 - (top + each + 34.0) / height
set bmargin at screen 1 - (top + 2 * each + 34.0) / height
set yrange [0:1.12 * slowest]
set ylabel "slowdown (cycles / ideal cycles)" offset 0.5,0
set format x "%s"
if (slanted) {
	set xtics rotate by 30 right
}
set arrow 1 from -0.5, 1 to places - 0.5, 1 nohead dt 2 lc rgb "#666666"
plot for [i = 1:series] data1 using ($2 == i - 1 ? $1 + left(i) + 0.5 * bar : NaN):4: \
         ($1 + left(i)):($1 + left(i) + bar):(0):4 with boxxyerror lc rgb word(colours, i) notitle, \
     data1 using ($1 + left($2 + 1) + 0.5 * bar):4:(numbered ? sprintf("%.2f", $4) : "") with labels center offset 0,0.5 \
         font ",8" textcolor rgb "#444444" notitle, \
     data2 using 1:(0):xtic(2) with dots lc rgb "white" notitle
unset multiplot
