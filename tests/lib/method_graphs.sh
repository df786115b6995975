# SPDX-License-Identifier: Apache-2.0
#
# method_graph NAME MACHINE: graph text of a small network, in the blocks that the machine's matrix unit adds up.
#
#   mlp         product, bias, relu, product
#   residual    a value, normalised, multiplied, added to itself
#   conv-block  convolution, scale, shift, relu
#   branches    two products, a transpose and a vector operation that do not depend on each other, and a sum of two
method_graph()
{
	case $2 in
	ascend*) blocks='batches 1, block_run 256, sum 1' narrow='batches 1, block_run 128, sum 1'
		taps='block_chan 16, sum 1' ;;
	tsp-isca20*) blocks='batches 1, block_run 256, sum 160' narrow='batches 1, block_run 128, sum 160'
		taps='block_taps 4, block_chan 64, sum 160' ;;
	*) blocks='batches 1, block_run 256, sum 160' narrow='batches 1, block_run 128, sum 160'
		taps='block_rows 1, block_run 192, sum 160' ;;
	esac
	echo "graph \"$1\""
	case $1 in
	mlp)
		cat <<-END
			x: fp16[128][256] = input
			w1: fp16[256][128] = input
			b1: fp16[1][128] = input
			w2: fp16[128][64] = input
			h: fp16[128][128] = matmul x, w1, $blocks
			s: fp16[128][128] = add h, b1
			a: fp16[128][128] = relu s
			y: fp16[128][64] = matmul a, w2, $narrow
			output y
		END
		;;
	residual)
		cat <<-END
			x: fp16[128][256] = input
			w: fp16[256][256] = input
			g: fp16[1][256] = input
			n: fp16[128][256] = mul x, g
			p: fp16[128][256] = matmul n, w, $blocks
			r: fp16[128][256] = relu p
			y: fp16[128][256] = add r, x
			output y
		END
		;;
	conv-block)
		cat <<-END
			x: fp16[196][64] = input
			w: fp16[576][64] = input
			m: fp16[1][64] = input
			c: fp16[1][64] = input
			v: fp16[196][64] = conv x, w, images 1, groups 1, h 14, w 14, c 64, n 64, r 3, s 3, stride_h 1, stride_w 1, pad 1, oh 14, ow 14, $taps
			s: fp16[196][64] = mul v, m
			t: fp16[196][64] = add s, c
			y: fp16[196][64] = relu t
			output y
		END
		;;
	branches)
		cat <<-END
			a: fp16[64][256] = input
			b: fp16[256][128] = input
			c: fp16[96][128] = input
			d: fp16[128][128] = input
			e: fp16[128][96] = input
			f: fp16[200][128] = input
			p: fp16[64][128] = matmul a, b, $blocks
			q: fp16[96][128] = matmul c, d, $narrow
			t: fp16[96][128] = transpose e
			v: fp16[200][128] = exp f
			m: fp16[96][128] = add q, t
			r: fp16[64][128] = relu p
			output v
			output m
			output r
		END
		;;
	esac
}
