/* SPDX-License-Identifier: Apache-2.0
 *
 * Dataflow graphs: figures worked out by hand, and random graphs against a self-timed run that only counts tokens.
 */
#include <string.h>

#include "isa/rng.h"
#include "sched/alg/sdf.h"
#include "tests/lib/tap.h"

static const sdf_effort effort = {.distributions = 100};

/* a -2-> -3-> b: 3 firings of a make 6 tokens, 2 of b take them. */
static sdf_graph *pair(uint64_t initial)
{
	sdf_graph *g = sdf_graph_new("pair");

	sdf_add_actor(g, "a", 5);
	sdf_add_actor(g, "b", 7);
	sdf_add_channel(g, "ab", 0, 2, 1, 3, initial);
	return g;
}

static void rates_two_to_three_repeat_three_and_two_times(void)
{
	sdf_graph *g = pair(0);
	uint32_t channel;
	g_autofree uint64_t *q = sdf_repetition(g, &channel, NULL);

	CU_ASSERT_EQUAL(q[0], 3);
	CU_ASSERT_EQUAL(q[1], 2);
	sdf_graph_free(g);
}

static void parts_that_nothing_joins_repeat_as_seldom_as_they_can(void)
{
	sdf_graph *g = pair(0);
	uint32_t channel;
	g_autofree uint64_t *q = NULL;

	sdf_add_actor(g, "c", 1);
	sdf_add_actor(g, "d", 1);
	sdf_add_channel(g, "cd", 2, 4, 3, 2, 0);
	q = sdf_repetition(g, &channel, NULL);
	CU_ASSERT_EQUAL(q[0], 3);
	CU_ASSERT_EQUAL(q[1], 2);
	CU_ASSERT_EQUAL(q[2], 1);
	CU_ASSERT_EQUAL(q[3], 2);
	sdf_graph_free(g);
}

/* ab asks for 3 : 2, the second channel for 1 : 1. */
static void rates_that_contradict_each_other_name_the_channel(void)
{
	sdf_graph *g = pair(0);
	uint32_t channel = 0;

	sdf_add_channel(g, "also", 0, 1, 1, 1, 0);
	CU_ASSERT_PTR_NULL(sdf_repetition(g, &channel, NULL));
	CU_ASSERT_EQUAL(channel, 1);
	sdf_graph_free(g);
}

/* 2^20 to 1, three times in a row: 2^60 firings of the first. */
static void too_many_firings_are_refused(void)
{
	sdf_graph *g = sdf_graph_new("deep");
	GError *error = NULL;
	uint32_t channel;

	for (unsigned i = 0; i < 4; i++)
		sdf_add_actor(g, "x", 1);
	for (uint32_t i = 0; i < 3; i++)
		sdf_add_channel(g, "c", i, 1, i + 1, 1 << 20, 0);
	CU_ASSERT_PTR_NULL(sdf_repetition(g, &channel, &error));
	CU_ASSERT_EQUAL(channel, UINT32_MAX);
	CU_ASSERT_TRUE(g_error_matches(error, TSP_ERROR, TSP_ERROR_UNSUPPORTED));
	g_clear_error(&error);
	sdf_graph_free(g);
}

/* A ring in which each waits for the other. */
static void a_ring_without_tokens_deadlocks(void)
{
	sdf_graph *g = pair(0);
	uint64_t q[] = {3, 2};
	GArray *blocked;

	sdf_add_channel(g, "ba", 1, 3, 0, 2, 1);
	CU_ASSERT_FALSE(sdf_is_live(g, q, NULL, &blocked));
	CU_ASSERT_EQUAL(blocked->len, 2);
	CU_ASSERT_EQUAL(g_array_index(blocked, uint32_t, 0), 1);
	CU_ASSERT_EQUAL(g_array_index(blocked, uint32_t, 1), 0);
	g_array_free(blocked, TRUE);
	sdf_channel_at(g, 1)->initial = 4; /* two firings of a, one of b, and so on */
	CU_ASSERT_TRUE(sdf_is_live(g, q, NULL, NULL));
	sdf_graph_free(g);
}

/* By hand, with 4 tokens in the ring: a0, a1 at 0; b0 at 5 (4 tokens, takes 3); a2 at 12
 * (3 came back, takes 2, one left); b1 at 17 (1 + 2); a3, a4 at 24 (1 + 3): the pattern of a0, a1 again, 24 later. */
static void a_ring_of_four_tokens_takes_24(void)
{
	sdf_graph *g = pair(0);
	uint64_t q[] = {3, 2};
	sdf_ratio period;

	sdf_add_channel(g, "ba", 1, 3, 0, 2, 4);
	period = sdf_period(g, q, NULL, NULL);
	CU_ASSERT_EQUAL(period.time, 24);
	CU_ASSERT_EQUAL(period.iterations, 1);
	sdf_graph_free(g);
}

/* Without a cycle nothing bounds the rate; a self edge of one token makes three firings of 5 take 15, two of 7 14. */
static void self_edges_bound_the_rate(void)
{
	sdf_graph *g = pair(0);
	uint64_t q[] = {3, 2};
	GArray *cycle;
	sdf_ratio period = sdf_period(g, q, NULL, &cycle);

	CU_ASSERT_EQUAL(period.time, 0);
	CU_ASSERT_EQUAL(cycle->len, 0);
	g_array_free(cycle, TRUE);
	sdf_add_channel(g, "aa", 0, 1, 0, 1, 1);
	sdf_add_channel(g, "bb", 1, 1, 1, 1, 1);
	period = sdf_period(g, q, NULL, &cycle);
	CU_ASSERT_EQUAL(period.time, 15);
	CU_ASSERT_EQUAL(cycle->len, 3);
	CU_ASSERT_EQUAL(g_array_index(cycle, uint32_t, 0), 1);
	g_array_free(cycle, TRUE);
	sdf_graph_free(g);
}

/* Two tokens in a ring of 3 and 4: two iterations in 7. */
static void a_period_may_be_a_fraction(void)
{
	sdf_graph *g = sdf_graph_new("ring");
	uint64_t q[] = {1, 1};
	sdf_ratio period;

	sdf_add_actor(g, "a", 3);
	sdf_add_actor(g, "b", 4);
	sdf_add_channel(g, "ab", 0, 1, 1, 1, 2);
	sdf_add_channel(g, "ba", 1, 1, 0, 1, 0);
	period = sdf_period(g, q, NULL, NULL);
	CU_ASSERT_EQUAL(period.time, 7);
	CU_ASSERT_EQUAL(period.iterations, 2);
	sdf_graph_free(g);
}

/* p + c - gcd + d mod gcd while that is above d. */
static void bounds_of_single_channels_follow_the_formula(void)
{
	static const struct {
		uint64_t produce, consume, initial, bound;
	} rows[] = {{2, 3, 0, 4}, {2, 3, 4, 4},     {2, 3, 9, 9},   {4, 6, 3, 9},
	            {7, 7, 0, 7}, {1, 594, 0, 594}, {8, 12, 13, 17}};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		sdf_graph *g = sdf_graph_new("one");
		uint32_t channel;
		g_autofree uint64_t *q = NULL;
		uint64_t room;

		sdf_add_actor(g, "a", 1);
		sdf_add_actor(g, "b", 1);
		sdf_add_channel(g, "ab", 0, rows[i].produce, 1, rows[i].consume, rows[i].initial);
		CU_ASSERT_EQUAL(sdf_buffer_bound(g, 0), rows[i].bound);
		q = sdf_repetition(g, &channel, NULL);
		room = rows[i].bound;
		CU_ASSERT_TRUE(sdf_is_live(g, q, &room, NULL));
		room--;
		CU_ASSERT_FALSE(sdf_is_live(g, q, &room, NULL) && rows[i].initial < rows[i].bound);
		sdf_graph_free(g);
	}
}

/* Both actors alone: with room 4, a0 a1 b0 a2 b1 in turn; the full rate of 15 (three firings of a) lets b take 14, so a
 * may not wait: while b0 runs (it gives room back at its end), a goes on. */
static void full_rate_takes_more_room_than_life(void)
{
	sdf_graph *g = pair(0);
	uint64_t q[] = {3, 2};
	sdf_ratio period;
	sdf_buffers live, fast;

	sdf_add_channel(g, "aa", 0, 1, 0, 1, 1);
	sdf_add_channel(g, "bb", 1, 1, 1, 1, 1);
	period = sdf_period(g, q, NULL, NULL);
	CU_ASSERT_TRUE(sdf_size_buffers(g, q, NULL, &effort, &live));
	CU_ASSERT_EQUAL(live.total, 4);
	CU_ASSERT_TRUE(live.proved);
	CU_ASSERT_TRUE(sdf_size_buffers(g, q, &period, &effort, &fast));
	CU_ASSERT_TRUE(fast.proved);
	/* Every room below it is slower, and the one found is not. */
	for (uint64_t room = 4; room <= fast.total; room++) {
		uint64_t capacity[] = {room, 1, 1};
		sdf_ratio with = sdf_period(g, q, capacity, NULL);

		CU_ASSERT_EQUAL(with.time == 15 && with.iterations == 1, room == fast.total);
	}
	g_free(live.capacity);
	g_free(fast.capacity);
	sdf_graph_free(g);
}

static void a_period_out_of_reach_is_no_question_of_room(void)
{
	sdf_graph *g = pair(0);
	uint64_t q[] = {3, 2};
	sdf_ratio period = {14, 1};
	sdf_buffers out;

	sdf_add_channel(g, "aa", 0, 1, 0, 1, 1);
	CU_ASSERT_FALSE(sdf_size_buffers(g, q, &period, &effort, &out));
	CU_ASSERT_PTR_NULL(out.capacity);
	sdf_graph_free(g);
}

/* A run in which every actor fires as soon as it can, moment after moment: the time in which actor 0 begins its firing
 * number COUNT. */
typedef struct ending {
	int64_t time;
	uint32_t actor;
} ending;

static void begin_all(const sdf_graph *g, uint64_t *tokens, uint64_t *fired, int64_t now, GArray *ends, int64_t *starts,
                      uint64_t count)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t a = 0; a < g->actors->len; a++) {
			bool may = true;
			ending e = {now + sdf_actor_at(g, a)->time[0], a};

			for (uint32_t i = 0; i < g->channels->len; i++)
				may = may &&
				      (sdf_channel_at(g, i)->to != a || tokens[i] >= sdf_channel_at(g, i)->consume[0]);
			if (!may)
				continue;
			for (uint32_t i = 0; i < g->channels->len; i++)
				if (sdf_channel_at(g, i)->to == a)
					tokens[i] -= sdf_channel_at(g, i)->consume[0];
			if (a == 0 && fired[0] < count)
				starts[fired[0]] = now;
			fired[a]++;
			g_array_append_val(ends, e);
			moved = true;
		}
	}
}

static void run_self_timed(const sdf_graph *g, int64_t *starts, uint64_t count)
{
	g_autofree uint64_t *tokens = g_new(uint64_t, g->channels->len);
	g_autofree uint64_t *fired = g_new0(uint64_t, g->actors->len);
	GArray *ends = g_array_new(FALSE, FALSE, sizeof(ending));
	int64_t now = 0;

	for (uint32_t i = 0; i < g->channels->len; i++)
		tokens[i] = sdf_channel_at(g, i)->initial;
	while (fired[0] < count) {
		int64_t next = INT64_MAX;

		begin_all(g, tokens, fired, now, ends, starts, count);
		for (guint i = 0; i < ends->len; i++)
			next = MIN(next, g_array_index(ends, ending, i).time);
		now = next;
		for (guint i = 0; i < ends->len;) {
			ending e = g_array_index(ends, ending, i);

			if (e.time != now) {
				i++;
				continue;
			}
			for (uint32_t k = 0; k < g->channels->len; k++)
				if (sdf_channel_at(g, k)->from == e.actor)
					tokens[k] += sdf_channel_at(g, k)->produce[0];
			g_array_remove_index_fast(ends, i);
		}
	}
	g_array_free(ends, TRUE);
}

/* A ring of 2 to 4 actors with given numbers of firings, sometimes with a chord, and tokens at random. */
static sdf_graph *random_ring(rng *r)
{
	sdf_graph *g = sdf_graph_new("random");
	uint32_t actors = 2 + (uint32_t)(rng_next(r) % 3);
	uint64_t q[4];

	for (uint32_t i = 0; i < actors; i++) {
		q[i] = 1 + rng_next(r) % 4;
		sdf_add_actor(g, "x", (int64_t)(1 + rng_next(r) % 9));
	}
	for (uint32_t i = 0; i < actors + 1; i++) {
		uint32_t from = i % actors, to = i < actors ? (i + 1) % actors : (uint32_t)(rng_next(r) % actors);

		sdf_add_channel(g, "c", from, q[to], to, q[from], rng_next(r) % (2 * q[from] * q[to]));
	}
	return g;
}

/* A run repeats itself after as many iterations as tokens of whole iterations lie on a cycle that binds, or a common
 * multiple of such numbers: no channel holds two iterations' tokens, no cycle has more than four channels, and 840 is a
 * multiple of every number up to 8. */
static void random_graphs_run_at_their_period(void)
{
	rng r;
	unsigned live = 0;

	rng_seed(&r, 11, 0);
	for (unsigned round = 0; round < 400; round++) {
		sdf_graph *g = random_ring(&r);
		uint32_t channel;
		g_autofree uint64_t *q = sdf_repetition(g, &channel, NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(q);
		if (sdf_is_live(g, q, NULL, NULL)) {
			sdf_ratio period = sdf_period(g, q, NULL, NULL);
			uint64_t rest = 200 * q[0], more = 840 * (uint64_t)period.iterations * q[0];
			g_autofree int64_t *starts = g_new(int64_t, rest + more + 1);

			run_self_timed(g, starts, rest + more + 1);
			CU_ASSERT_EQUAL(starts[rest + more] - starts[rest], 840 * period.time);
			live++;
		}
		sdf_graph_free(g);
	}
	CU_ASSERT_TRUE(live > 100);
}

static const char example[] =
	"<sdf3 type='csdf'><applicationGraph name='g'><csdf name='two' type='t'>\n"
	"<actor name='a' type='a'><port type='out' name='p' rate='3,1'/>"
	"<port type='in' name='i' rate='1'/><port type='out' name='o' rate='1'/></actor>\n"
	"<actor name='b' type='b'><port type='in' name='p' rate='2'/></actor>\n"
	"<channel name='ab' srcActor='a' srcPort='p' dstActor='b' dstPort='p' initialTokens='1'/>\n"
	"<channel name='aa' srcActor='a' srcPort='o' dstActor='a' dstPort='i' initialTokens='1'/>\n"
	"</csdf><csdfProperties><actorProperties actor='a'><processor type='x'><executionTime time='9'/></processor>"
	"<processor type='y' default='true'><executionTime time='1,4'/></processor></actorProperties>\n"
	"<actorProperties actor='b'><processor type='x' default='true'><executionTime time='2'/></processor>"
	"</actorProperties></csdfProperties></applicationGraph></sdf3>\n";

/* A turn of a makes 4 tokens in two firings of 1 and 4: 5 a turn; b fires twice. */
static void phases_are_read_and_gone_through_in_turn(void)
{
	GError *error = NULL;
	sdf_graph *g = sdf_read_sdf3(example, strlen(example), "x.xml", &error);
	uint32_t channel;
	g_autofree uint64_t *q = NULL;
	sdf_ratio period;

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_STRING_EQUAL(g->name, "two");
	CU_ASSERT_EQUAL(sdf_actor_at(g, 0)->phases, 2);
	CU_ASSERT_EQUAL(sdf_actor_at(g, 0)->time[0], 1);
	CU_ASSERT_EQUAL(sdf_actor_at(g, 0)->time[1], 4);
	CU_ASSERT_EQUAL(sdf_actor_at(g, 1)->time[0], 2);
	CU_ASSERT_EQUAL(sdf_channel_at(g, 0)->initial, 1);
	q = sdf_repetition(g, &channel, NULL);
	CU_ASSERT_EQUAL(q[0], 2);
	CU_ASSERT_EQUAL(q[1], 2);
	period = sdf_period(g, q, NULL, NULL);
	CU_ASSERT_EQUAL(period.time, 5);
	/* One token is there: 3 make 4, of which b takes 2 and 2; 1 makes 1.  Room 4 will do, 3 leave no place for 3
	 * beside the one. */
	CU_ASSERT_EQUAL(sdf_buffer_bound(g, 0), 4);
	sdf_graph_free(g);
}

/* The same with prefixes, and with all rates 1: then only the times say that there are two phases, 1 + 4. */
static void prefixes_are_skipped_and_times_make_phases(void)
{
	static const char prefixed[] =
		"<s:sdf3 xmlns:s='urn:s'><s:applicationGraph name='g'><s:csdf name='one' type='t'>\n"
		"<s:actor name='a' type='a'><s:port type='in' name='i' rate='1'/><s:port type='out' name='o' rate='1'/>"
		"</s:actor><s:channel name='aa' srcActor='a' srcPort='o' dstActor='a' dstPort='i' initialTokens='1'/>\n"
		"</s:csdf><s:csdfProperties><s:actorProperties actor='a'><s:processor type='y' default='true'>"
		"<s:executionTime time='1,4'/></s:processor></s:actorProperties></s:csdfProperties>"
		"</s:applicationGraph></s:sdf3>\n";
	GError *error = NULL;
	sdf_graph *g = sdf_read_sdf3(prefixed, strlen(prefixed), "x.xml", &error);
	uint32_t channel;
	g_autofree uint64_t *q = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_EQUAL(sdf_actor_at(g, 0)->phases, 2);
	CU_ASSERT_EQUAL(sdf_channel_at(g, 0)->produce[1], 1);
	CU_ASSERT_EQUAL(sdf_channel_at(g, 0)->consume[1], 1);
	q = sdf_repetition(g, &channel, NULL);
	CU_ASSERT_EQUAL(q[0], 2);
	CU_ASSERT_EQUAL(sdf_period(g, q, NULL, NULL).time, 5);
	sdf_graph_free(g);
}

/* Public graphs name two default processors of an actor: the first of them counts. */
static void of_several_default_processors_the_first_counts(void)
{
	static const char text[] =
		"<x><sdf><actor name='a'/></sdf><actorProperties actor='a'><processor type='p'><executionTime "
		"time='1'/>"
		"</processor><processor type='q' default='true'><executionTime time='7'/></processor>"
		"<processor type='r' default='true'><executionTime time='2'/></processor></actorProperties></x>";
	GError *error = NULL;
	sdf_graph *g = sdf_read_sdf3(text, strlen(text), "x.xml", &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_EQUAL(sdf_actor_at(g, 0)->time[0], 7);
	sdf_graph_free(g);
}

/* Phase 0 of a takes what b makes, phase 1 makes what b takes.  Only the turn of phases closes the ring: phase 1 begins
 * with phase 0 and takes 1, then b takes 5, so 6 a turn; without it nothing would bound the rate. */
static void a_phase_begins_no_earlier_than_the_one_before(void)
{
	static const char text[] =
		"<sdf3><applicationGraph name='g'><csdf name='order' type='t'>\n"
		"<actor name='a' type='a'><port type='in' name='i' rate='1,0'/><port type='out' name='o' "
		"rate='0,1'/></actor>"
		"<actor name='b' type='b'><port type='in' name='i' rate='1'/><port type='out' name='o' "
		"rate='1'/></actor>"
		"<channel name='ab' srcActor='a' srcPort='o' dstActor='b' dstPort='i'/>\n"
		"<channel name='ba' srcActor='b' srcPort='o' dstActor='a' dstPort='i' initialTokens='1'/>\n"
		"</csdf><csdfProperties><actorProperties actor='a'><processor type='y' default='true'>"
		"<executionTime time='3,1'/></processor></actorProperties><actorProperties actor='b'>"
		"<processor type='y' default='true'><executionTime time='5'/></processor></actorProperties>"
		"</csdfProperties></applicationGraph></sdf3>\n";
	sdf_graph *g = sdf_read_sdf3(text, strlen(text), "x.xml", NULL);
	uint32_t channel;
	g_autofree uint64_t *q = NULL;
	GArray *cycle;

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	q = sdf_repetition(g, &channel, NULL);
	CU_ASSERT_EQUAL(q[0], 2);
	CU_ASSERT_EQUAL(sdf_period(g, q, NULL, &cycle).time, 6);
	CU_ASSERT_EQUAL(cycle->len, 2);
	CU_ASSERT_EQUAL(g_array_index(cycle, uint32_t, 0) + g_array_index(cycle, uint32_t, 1), 1);
	g_array_free(cycle, TRUE);
	sdf_graph_free(g);
}

/* Nothing but room for ab would make a wait for b. */
static void where_only_room_bounds_the_rate_none_is_enough(void)
{
	sdf_graph *g = pair(0);
	uint32_t channel;
	g_autofree uint64_t *q = sdf_repetition(g, &channel, NULL);
	sdf_ratio period = sdf_period(g, q, NULL, NULL);
	sdf_buffers out;

	CU_ASSERT_EQUAL(period.time, 0);
	CU_ASSERT_FALSE(sdf_size_buffers(g, q, &period, &effort, &out));
	CU_ASSERT_PTR_NULL(out.capacity);
	sdf_graph_free(g);
}

static void what_is_no_graph_is_refused_with_its_place(void)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "x.xml:1:1: not the XML of a graph: Document was empty or contained only whitespace"},
		{"<sdf3/>", "x.xml:1:8: expected <sdf> or <csdf>, found neither"},
		{"<sadf/>", "x.xml:1:7: <sadf>: scenario-aware graphs are not modelled; expected <sdf> or <csdf>"},
		{"<sdf name='g'></sdf>", "x.xml:1:21: expected at least one <actor>"},
		{"<sdf>\n<actor/></sdf>", "x.xml:2:9: expected attribute name of <actor>"},
		{"<sdf><actor name='a'/><actor name='a'/></sdf>", "x.xml:1:39: actor 'a' is there twice"},
		{"<sdf><actor name='a'><port name='p' type='up' rate='1'/></actor></sdf>",
	         "x.xml:1:56: type of port 'p': expected in or out, found 'up'"},
		{"<sdf><actor name='a'><port name='p' type='in' rate='x'/></actor></sdf>",
	         "x.xml:1:56: rate 'x': expected whole numbers below 2^32, at most 65536 of them, with commas"},
		{"<sdf><actor name='alpha'/><channel name='c' srcActor='alhpa' srcPort='p' dstActor='alpha' "
	         "dstPort='p'/>"
	         "</sdf>",
	         "x.xml:1:103: expected the name of an actor, found 'alhpa'; nearest is 'alpha'"},
		{"<sdf><actor name='a'/><channel name='c' srcActor='a' srcPort='p' dstActor='a' dstPort='p'/></sdf>",
	         "x.xml:1:91: actor 'a' has no out port 'p'"},
		{"<sdf><actor name='a' type='A' name='b'/></sdf>",
	         "x.xml:1:40: attribute name of <actor> is there twice"},
		{"<sdf><actor name='a'><port name='p' type='in' rate='1'/><port name='p' type='in' "
	         "rate='2'/></actor></sdf>",
	         "x.xml:1:91: port 'p' is there twice in this actor"},
		{"<x><sdf><actor name='a'/></sdf><actorProperties actor='a'><processor><executionTime "
	         "time='1'/><executionTime time='2'/></processor></actorProperties></x>",
	         "x.xml:1:119: time of actor 'a' on this processor is there twice"},
		{"<x><sdf><actor name='a'/></sdf><actorProperties actor='a'></actorProperties><actorProperties "
	         "actor='a'></actorProperties></x>",
	         "x.xml:1:104: properties of actor 'a' are there twice"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		GError *error = NULL;

		CU_ASSERT_PTR_NULL(sdf_read_sdf3(rows[i].text, strlen(rows[i].text), "x.xml", &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error);
		CU_ASSERT_STRING_EQUAL(error->message, rows[i].message);
		if (strcmp(error->message, rows[i].message) != 0)
			printf("# %s\n", error->message);
		g_clear_error(&error);
	}
}

int main(void)
{
	static const tap_case cases[] = {
		{"rates_two_to_three_repeat_three_and_two_times", rates_two_to_three_repeat_three_and_two_times},
		{"parts_that_nothing_joins_repeat_as_seldom_as_they_can",
	         parts_that_nothing_joins_repeat_as_seldom_as_they_can},
		{"rates_that_contradict_each_other_name_the_channel",
	         rates_that_contradict_each_other_name_the_channel},
		{"too_many_firings_are_refused", too_many_firings_are_refused},
		{"a_ring_without_tokens_deadlocks", a_ring_without_tokens_deadlocks},
		{"a_ring_of_four_tokens_takes_24", a_ring_of_four_tokens_takes_24},
		{"self_edges_bound_the_rate", self_edges_bound_the_rate},
		{"a_period_may_be_a_fraction", a_period_may_be_a_fraction},
		{"bounds_of_single_channels_follow_the_formula", bounds_of_single_channels_follow_the_formula},
		{"full_rate_takes_more_room_than_life", full_rate_takes_more_room_than_life},
		{"a_period_out_of_reach_is_no_question_of_room", a_period_out_of_reach_is_no_question_of_room},
		{"random_graphs_run_at_their_period", random_graphs_run_at_their_period},
		{"phases_are_read_and_gone_through_in_turn", phases_are_read_and_gone_through_in_turn},
		{"prefixes_are_skipped_and_times_make_phases", prefixes_are_skipped_and_times_make_phases},
		{"of_several_default_processors_the_first_counts", of_several_default_processors_the_first_counts},
		{"a_phase_begins_no_earlier_than_the_one_before", a_phase_begins_no_earlier_than_the_one_before},
		{"where_only_room_bounds_the_rate_none_is_enough", where_only_room_bounds_the_rate_none_is_enough},
		{"what_is_no_graph_is_refused_with_its_place", what_is_no_graph_is_refused_with_its_place},
	};

	return tap_run("sdf", cases, G_N_ELEMENTS(cases));
}
