# SPDX-License-Identifier: Apache-2.0
#
# Occupancy: one row a queue (or group), cycles to the right, unit by colour, share by shade.  Numbers: occupancy.sql.
row_pixels = rows > 80 ? 9 : rows > 40 ? 13 : rows > 16 ? 17 : 24
top = 66 + (layers > 1 ? 18 : 0)
height = top + 52 + row_pixels * rows
share_font = row_pixels < 12 ? ",6" : ",8"
row_font = row_pixels < 12 ? ",7" : row_pixels < 16 ? ",8" : ",10"
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

set label 3 "occupied" at screen (width - 57.0) / width, screen 1 - (top - 8.0) / height font ",8" \
	textcolor rgb "#666666"

# The colours of what rows are, from the right, where rows alone do not tell.
if (exists("legend")) {
	do for [i = words(legend) / 2:1:-1] {
		set label 10 + i "{/=16 \U+25A0} {/=10 " . word(legend, 2 * i - 1) . "}" \
			at screen (width - 62.0 - 74.0 * (words(legend) / 2 - i + 1)) / width, screen 1 - 20.0 / height left \
			textcolor rgb int(word(legend, 2 * i))
	}
}

# Tracks, boxes, row labels left and right, lines between units, layers' bounds and names.
middle = 0.5 * (start + stop)
plot data2 using (middle):1:(start):(stop):($1 - 0.40):($1 + 0.40) with boxxyerror \
         fs solid 1 noborder lc rgb "#f3f3f3", \
     data1 using (0.5 * ($1 + $2)):3:1:2:($3 - 0.40):($3 + 0.40):4 with boxxyerror \
         fs solid 1 noborder lc rgb variable, \
     data2 using (start):1:ytic(2) with dots lc rgb "white", \
     data2 using (stop):1:3 with labels left offset 0.5,0 font share_font textcolor rgb "#444444" noenhanced, \
     data3 using (start):($2 + 0.5):(stop - start):(0) with vectors nohead lc rgb "#cccccc" lw 1, \
     data4 using 1:(0.5):(0):(layers > 1 ? rows : 0) with vectors nohead lc rgb "#888888" dt 2 lw 1, \
     data5 using 1:(0.5):(layers > 1 ? stringcolumn(2) : "") with labels left offset 0,0.6 font ",9" \
         textcolor rgb "#444444" noenhanced, \
     data6 using 1:(rows + 0.5):xtic(2) with dots lc rgb "white"
