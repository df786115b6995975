/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the front end: what the workload text, the CSV reader and the generators share.
 *
 * A frontend_spec is a cursor over a workload text.  Generators read their arguments through it, so that every refusal
 * names the column it is about; shapes that come from a CSV row skip it and call the graph builders at the end of this
 * file.
 */
#ifndef TSPSIM_SCHED_FRONTEND_INTERNAL_H
#define TSPSIM_SCHED_FRONTEND_INTERNAL_H

#include "sched/frontend/frontend.h"

typedef struct frontend_spec {
	const char *text; /* the whole workload text */
	const char *at;   /* next character */
	GError **error;
} frontend_spec;

/* Sets the error "workload 'TEXT', column N: ..." for position WHERE; always false. */
bool frontend_i_fail(const frontend_spec *s, const char *where, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Reads a positive number, called WHAT in the refusal. */
bool frontend_i_size(frontend_spec *s, const char *what, uint64_t *value);
/* Reads COUNT sizes separated by 'x'; NAMES has a letter for each. */
bool frontend_i_sizes(frontend_spec *s, const char *names, unsigned count, uint64_t *values);
/* Reads the character WANTED. */
bool frontend_i_expect(frontend_spec *s, char wanted, const char *what);
/* Reads a word of letters, digits and '_'; g_free. */
char *frontend_i_word(frontend_spec *s);
/* Reads the rest: nothing (fp16), or ":TYPE" with TYPE in the mask LEGAL (bit n: enum isa_type n). */
bool frontend_i_type(frontend_spec *s, unsigned legal, enum isa_type *type);
/* Does the product of the COUNT numbers stay below 2^60?  If not, an error. */
bool frontend_i_fits(const frontend_spec *s, const uint64_t *values, unsigned count);

/* A row of the generator table: reads the arguments at S and builds the graph, NULL with the error set on refusal. */
typedef graph *(*generate_function)(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_gemm(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_bmm(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_conv(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_attention(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_flash(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_softmax(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_layernorm(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_transpose(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_fft(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_embedding(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_kvcache(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_columns(frontend_spec *s, const frontend_target *target);
graph *frontend_i_generate_vmap(frontend_spec *s, const frontend_target *target);

/* Graph builders; shapes are the caller's to check.  SPLIT: blocks of K where the machine leaves them free. */
graph *frontend_i_build_matmul(const char *name, const frontend_target *target, enum isa_type type, uint64_t batches,
                               uint64_t m, uint64_t n, uint64_t k, uint64_t split);

typedef struct conv_shape {
	uint64_t images, groups;
	uint64_t c, h, w; /* channels of all groups */
	uint64_t n, r, s; /* filters of all groups */
	uint64_t stride_h, stride_w, pad;
	bool ceil_form; /* output positions may begin beyond the last whole filter position (scale-sim dialect) */
} conv_shape;
graph *frontend_i_build_conv(const char *name, const frontend_target *target, enum isa_type type,
                             const conv_shape *shape);

/* SCALE-Sim CSV TEXT (changed while reading), called FILE in refusals; appends graphs. */
bool frontend_i_read_csv(char *text, const char *file, const frontend_target *target, const frontend_options *options,
                         GPtrArray *graphs, GError **error);

#endif
