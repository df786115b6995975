/* SPDX-License-Identifier: Apache-2.0
 *
 * A small program for tsp that has something of everything a container can hold.
 */
#ifndef TSPSIM_TESTS_ISA_SAMPLE_H
#define TSPSIM_TESTS_ISA_SAMPLE_H

static const char sample_text[] =
	".machine tsp\n"
	".workload \"sample \\\"quoted\\\" \\n\"\n"
	".predicted_cycles 123456789012\n"
	".epoch \"first\" start=0 end=50 macs=12345678901234 vxm_ops=7 ceiling=0.64 graph=3\n"
	".image 0x1000 35\n"
	"\t.hex 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
	"\t.hex fdfeff\n"
	".image 0x2000 1048576\n"
	".epoch \"second\" start=50 end=90 macs=0 vxm_ops=0 ceiling=-1 graph=0\n"
	".map 0: 0-319\n"
	".map 1: 319-300 none*3 7*2 0-294\n"
	".tensor \"a\" type=fp16 shape=4x320 base=0x1000 bytes=2560 epoch=1 output layout=0/2*1280+0%2*640+1*2+byte*1\n"
	".tensor \"scalar\" type=int32 base=0x0 bytes=16 epoch=0\n"
	".buffer \"skewed\" \"skew:144,5\" base=0x4000 bytes=4096 epoch=1\n"
	".node \"one\" epoch=0\n"
	".node \"two\" epoch=1\n"
	"i0: @5 mem0: load r12 addr=0x1000 len=640 x4 every 2 step 640 x3 every 20 step -2560 rot.dst=-1/8\n"
	"\t.source 0 resident\n"
	"\t.predict arrival=-/-/- result=4 beats=1\n"
	".node 0\n"
	"i1: @70 vxm3: add r3, r12, imm type=fp16 dtype=fp32 lanes=320 imm=-0.333333343\n"
	"\t.source 0 from=i0+3 step=1/-4 seg=2/40 segments=40\n"
	"\t.source 0 instance=99 segments=7\n"
	"\t.source 1 from=i3\n"
	"\t.predict arrival=-12/0/- result=3 beats=0\n"
	"@60 sxm.permute0: permute r5, r6 map=1 type=int8\n"
	"\t.predict arrival=-/-/- result=- beats=0\n"
	".node 1\n"
	"i3: @80 mxm2.a: abc act.4 addr=0x7 mode=add type=int8 lanes=320\n"
	"\t.source 2 resident from=i1 step=0/9\n"
	"\t.predict arrival=-/-/-7 result=13 beats=0\n"
	"@90 mem1: stores r7 addr=0xfffffff0 seg=16 pitch=-134217728 count=20 buffer=1\n"
	"\t.predict arrival=0/-/- result=2147483647 beats=3\n"
	".node \"unused\" epoch=0\n";

#endif
