# SPDX-License-Identifier: Apache-2.0
#
# Histogram of queues: shares of requests by what they found before them, on a logarithmic axis.  data1: bin, its label,
# a share (%) for each series; data2: label, mean.  Numbers: tools/bank_plot.c.
width = 1500
top = 66 + 20 * series
slanted = bins > 16
foot = slanted ? 90 : 60
height = top + 420 + foot
eval sprintf("set terminal %s size %.9g,%.9g", TERMINAL, width * SCALE, height * SCALE)
set output OUTPUT

colours = "#0072b2 #e69f00 #009e73 #cc79a7 #d55e00 #56b4e9 #444444 #8c6d31 #7b4ea3 #a0b030"
array name[series]
array mean[series]
do for [i = 1:series] {
	stats data2 using (name[i] = strcol(1), mean[i] = $2, $2) every ::i-1::i-1 nooutput
}
set lmargin at screen 90.0 / width
set rmargin at screen (width - 30.0) / width
set tmargin at screen 1 - 1.0 * top / height
set bmargin at screen 1.0 * foot / height
set border 3 lc rgb "#999999"
set label 1 heading at screen 90.0 / width, screen 1 - 20.0 / height font ",14" noenhanced
set label 2 subheading at screen 90.0 / width, screen 1 - 42.0 / height font ",10" textcolor rgb "#444444" noenhanced
set key at screen 90.0 / width, screen 1 - 54.0 / height left top Left reverse vertical maxrows series samplen 2 noenhanced
set xtics nomirror out scale 0 textcolor rgb "#222222"
set ytics nomirror out textcolor rgb "#222222"
if (slanted) {
	set xtics rotate by 30 right
}
set xlabel axis offset 0,0.2 noenhanced
set ylabel "share of requests (%)" offset 0.5,0
set logscale y
bottom = 10 ** floor(log10(0.999 * least))
set yrange [bottom:150]
set format y "%g"
set grid ytics lc rgb "#dddddd" lw 1
set xrange [-0.6:bins - 0.4]
bar = 0.84 / series
set style fill solid 1 noborder
plot for [i = 1:series] data1 using \
         ($1 - 0.42 + bar * (i - 0.5)):(bottom):($1 - 0.42 + bar * (i - 1)):($1 - 0.42 + bar * i):(bottom): \
         (column(i + 2) > 0 ? column(i + 2) : bottom) with boxxyerror lc rgb word(colours, i) \
         title sprintf("%s:  mean %.3f cycles", name[i], mean[i]), \
     data1 using 1:(bottom):xtic(2) with dots lc rgb "white" notitle
