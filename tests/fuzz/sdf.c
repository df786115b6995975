/* SPDX-License-Identifier: Apache-2.0
 *
 * Dataflow graphs in XML: what is read can be balanced or not, is live or not, and a live one has a period and room.
 */
#include "sched/alg/sdf.h"

#include "tests/fuzz/fuzz.h"

void fuzz_sdf(const uint8_t *data, size_t size)
{
	g_autofree uint64_t *q = NULL;
	GError *error = NULL;
	sdf_graph *g = sdf_read_sdf3((const char *)data, size, "x.xml", &error);
	uint64_t firings = 0;
	uint32_t channel;
	sdf_buffers out;

	if (!fuzz_judge(g != NULL, &error))
		return;
	q = sdf_repetition(g, &channel, NULL);
	for (uint32_t i = 0; q && i < g->actors->len; i++)
		firings += q[i] * sdf_actor_at(g, i)->phases;
	if (q && firings < 1000 && sdf_is_live(g, q, NULL, NULL)) {
		FUZZ_EXPECT(sdf_size_buffers(g, q, NULL, &(sdf_effort){.distributions = 10}, &out));
		FUZZ_EXPECT(sdf_is_live(g, q, out.capacity, NULL));
		g_free(out.capacity);
	}
	sdf_graph_free(g);
}
