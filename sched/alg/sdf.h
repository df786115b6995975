/* SPDX-License-Identifier: Apache-2.0
 *
 * Synchronous dataflow: actors that consume and produce fixed numbers of tokens a firing, over channels of tokens.
 * Cyclo-static graphs are meant as well: an actor then has several phases, which it goes through in turn; a synchronous
 * one has a single phase.
 *
 * Firings of an actor begin in order and may overlap, unless a channel from the actor to itself forbids it.  Tokens of
 * a channel are consumed in the order of the firings that produce them.  A firing consumes when it begins and produces
 * when it ends.
 *
 * Source: Lee and Messerschmitt 1987 (balance equations), Bilsen et al. 1996 (cyclo-static), Stuijk et al. 2006 (space
 * of buffer sizes).  Scenario-aware graphs are not meant.
 */
#ifndef TSPSIM_SCHED_ALG_SDF_H
#define TSPSIM_SCHED_ALG_SDF_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/error.h"

typedef struct sdf_actor {
	char *name;
	uint32_t phases;
	int64_t *time; /* [phases] of a firing, whole units; below 0: not known */
} sdf_actor;

typedef struct sdf_channel {
	char *name;
	uint32_t from, to;
	uint64_t *produce; /* [phases of from] tokens a firing */
	uint64_t *consume; /* [phases of to] */
	uint64_t initial;  /* tokens at the start */
} sdf_channel;

typedef struct sdf_graph {
	char *name;
	GArray *actors;   /* sdf_actor */
	GArray *channels; /* sdf_channel */
} sdf_graph;

sdf_graph *sdf_graph_new(const char *name);
void sdf_graph_free(sdf_graph *g);
/* An actor of one phase, and channels between such actors, for programs that build graphs. */
uint32_t sdf_add_actor(sdf_graph *g, const char *name, int64_t time);
uint32_t sdf_add_channel(sdf_graph *g, const char *name, uint32_t from, uint64_t produce, uint32_t to, uint64_t consume,
                         uint64_t initial);
static inline sdf_actor *sdf_actor_at(const sdf_graph *g, uint32_t i)
{
	return &g_array_index(g->actors, sdf_actor, i);
}
static inline sdf_channel *sdf_channel_at(const sdf_graph *g, uint32_t i)
{
	return &g_array_index(g->channels, sdf_channel, i);
}

/* XML as the SDF3 tools write it, types sdf and csdf; errors carry file:line:column. */
sdf_graph *sdf_read_sdf3(const char *text, gsize length, const char *file, GError **error);

/* Firings above this are not expanded: the graph is refused (UNSUPPORTED). */
enum { SDF_FIRINGS_MAX = 1 << 22 };

/* Firings of each actor in one iteration (whole turns through its phases, as few as possible; each connected part
 * counts for itself), g_free.  NULL and *CHANNEL, whose balance cannot be kept, when the graph is inconsistent; NULL,
 * CHANNEL at UINT32_MAX and ERROR when there are too many. */
uint64_t *sdf_repetition(const sdf_graph *g, uint32_t *channel, GError **error);

/* Can every actor make the firings of one iteration?  CAPACITY: tokens a channel has room for, of the firing that is
 * going on as well; NULL, or UINT64_MAX for one channel: without limit.  When not, *BLOCKED (may be NULL, else set to a
 * new array of uint32_t) holds the channels that keep actors from firing, for want of tokens or (SDF_NO_ROOM) room. */
bool sdf_is_live(const sdf_graph *g, const uint64_t *repetition, const uint64_t *capacity, GArray **blocked);
#define SDF_NO_ROOM 0x80000000u

typedef struct sdf_ratio {
	int64_t time, iterations; /* lowest terms; 0/1: no cycle bounds the rate */
} sdf_ratio;
/* The exact time of one iteration in the long run when every actor fires as soon as it can: the largest ratio of time
 * to iterations over all cycles of firings.  The graph must be live under CAPACITY (as above), every time known. *CYCLE
 * (may be NULL): the channels of a cycle that binds, in order, with SDF_NO_ROOM where it is their room that binds; a
 * new array of uint32_t, empty when no cycle does. */
sdf_ratio sdf_period(const sdf_graph *g, const uint64_t *repetition, const uint64_t *capacity, GArray **cycle);

/* The least room channel I needs by itself, whatever the others do; channels from an actor to itself take what they
 * hold. */
uint64_t sdf_buffer_bound(const sdf_graph *g, uint32_t i);
typedef struct sdf_buffers {
	uint64_t *capacity; /* [channels], g_free */
	uint64_t total;     /* over channels between two actors */
	bool proved;        /* no distribution of less in total will do; false when the effort struck */
	uint64_t tried;     /* distributions */
} sdf_buffers;
typedef struct sdf_effort {
	uint64_t distributions;    /* to look at; then what is missing grows at once */
	bool (*stop)(void *state); /* NULL, or asked before each: true ends the search without an answer */
	void *stop_state;
} sdf_effort;
/* The least total room of channels between two actors with which the graph stays live (PERIOD NULL) or keeps to PERIOD.
 * OUT has no capacity when it was stopped.  False: no room helps (the graph is not live, or slower than PERIOD by
 * itself, or nothing bounds its rate but room would), and then OUT is empty. */
bool sdf_size_buffers(const sdf_graph *g, const uint64_t *repetition, const sdf_ratio *period, const sdf_effort *effort,
                      sdf_buffers *out);

#endif
