#include "tests/validation/valid.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv)
{
	const char *set = argc > 2 ? argv[2] : NULL;
	static const valid_gemm gemm[] = {
		{8192,8192,8192,128,64,256,2048,1536,8,4,24,2,true,true,true,false,1,true},
		{8192,8192,8192,128,64,256,1024,1536,8,4,24,2,true,true,true,false,2,true},
		{1536,1536,1536,128,64,256,384,256,4,4,24,2,true,false,false,true,1,false},
		{3072,3072,3072,128,64,256,768,512,4,4,24,2,true,false,false,true,1,false},
		{6144,6144,6144,128,64,256,1536,1024,4,4,24,2,true,false,false,true,1,false},
		{7680,7680,7680,128,64,256,1920,1280,4,4,24,2,true,false,false,true,1,false},
		{4096,4096,5120,64,256,64,1024,1024,1,1,20,2,false,false,false,true,1,false},
		{4096,4096,5120,128,64,256,1024,1024,1,1,20,4,false,false,false,true,1,false},
		{4096,4096,5120,128,64,256,1024,1024,4,4,20,2,false,false,false,true,1,false},
		{128,1024,30720,128,64,256,128,1280,1,1,24,4,false,false,false,true,1,false},
		{128,1024,30720,128,64,256,128,1280,4,4,24,2,false,false,false,true,1,false},
		{128,64,30720,128,64,256,128,1536,1,1,20,2,false,false,false,true,1,false},
		{128,64,30720,128,64,256,128,1536,1,1,20,2,false,false,true,true,1,false},
	};
	static const valid_copies copies[] = {
		{false, VALID_ONCE, 12288, 12288, 1, 64},
		{false, VALID_ONCE, 12288, 12288, 64, 64},
		{false, VALID_ONCE, 12288, 12288, 64, 1024},
		{false, VALID_ONCE, 12288, 12287, 64, 1024},
		{false, VALID_WHOLE_4, 12288, 12288, 64, 1024},
		{false, VALID_QUARTERS_4, 12288, 12288, 64, 1024},
		{false, VALID_SAME, 6144, 512, 128, 64},
		{false, VALID_STAGGERED, 6144, 512, 128, 64},
		{true, VALID_ONCE, 12288, 12288, 64, 64},
		{true, VALID_ONCE, 12288, 12288, 64, 256},
		{true, VALID_ONCE, 12288, 12287, 64, 256},
		{true, VALID_WHOLE_4, 12288, 12288, 64, 1024},
		{true, VALID_QUARTERS_4, 12288, 12288, 64, 1024},
		{true, VALID_SAME, 6144, 512, 256, 64},
		{true, VALID_STAGGERED, 6144, 512, 256, 64},
	};
	static const valid_add adds[] = {{1,4096,false,false,false},{48,4096,false,false,false},{48,16384,false,false,false},{48,16384,true,false,false},{48,16384,true,true,false},{48,16256,true,true,true}};
	for (int i = 1; i < 2 && i < argc; i++) {
		char what = argv[1][0]; unsigned n = (unsigned)atoi(argv[1] + 1);
		clock_t t0 = clock();
		asc_program *p = what == 'g' ? valid_gemm_program(&gemm[n]) : what == 'c' ? valid_copies_program(&copies[n]) : what == 'f' ? valid_attention_program(&(valid_attention){n, 256}) : what == 'a' ? valid_add_program(&adds[n]) : valid_nd2nz_program(&(valid_nd2nz){n});
		valid_result r = valid_run("ascend-910b", set, p);
		printf("%s task %.2f core %.2f mte2 %.2f mte3 %.2f mte1 %.2f cube %.2f vec %.2f fix %.2f hits %.3f viol", argv[1], r.metric[0], r.metric[1], r.metric[2], r.metric[3], r.metric[4], r.metric[5], r.metric[6], r.metric[7], r.metric[8]);
		for (unsigned k = 0; k < ASC_FINDINGS; k++) if (r.by_kind[k]) printf(" %s:%lu", asc_violation_name(k), (unsigned long)r.by_kind[k]);
		printf(" insns %lu  %.1fs\n", (unsigned long)r.instructions, (double)(clock() - t0) / CLOCKS_PER_SEC);
	}
	return 0;
}
