/* SPDX-License-Identifier: Apache-2.0
 *
 * Times are compared as cross products of rationals, never as ticks.
 */
#include "tests/unit/kernel_oracle.h"

typedef struct entry {
	sim_process_spec spec;
	unsigned domain;
	sim_time own;   /* what it asked for itself */
	sim_time woken; /* earliest wake by others, not served yet */
	bool ready;     /* runs in the cycle being served */
} entry;

typedef struct ratio {
	int64_t num, den;
} ratio;

struct oracle {
	GArray *domains; /* ratio */
	GArray *entries; /* entry */
	ratio now;
	int serving; /* domain, -1 when none */
	sim_time cycle;
};

static entry *at(const oracle *o, unsigned i)
{
	return &g_array_index(o->entries, entry, i);
}

oracle *oracle_new(void)
{
	oracle *o = g_new0(oracle, 1);

	o->domains = g_array_new(FALSE, FALSE, sizeof(ratio));
	o->entries = g_array_new(FALSE, FALSE, sizeof(entry));
	o->now = (ratio){0, 1};
	o->serving = -1;
	return o;
}

void oracle_free(oracle *o)
{
	g_array_free(o->domains, TRUE);
	g_array_free(o->entries, TRUE);
	g_free(o);
}

unsigned oracle_add_domain(oracle *o, int64_t num, int64_t den)
{
	ratio r = {num, den};

	g_array_append_val(o->domains, r);
	return o->domains->len - 1;
}

unsigned oracle_add_process(oracle *o, unsigned domain, const sim_process_spec *spec)
{
	entry e = {*spec, domain, SIM_NEVER, SIM_NEVER, false};

	g_array_append_val(o->entries, e);
	return o->entries->len - 1;
}

void oracle_wake(oracle *o, unsigned process, sim_time time)
{
	entry *e = at(o, process);

	if (o->serving == (int)e->domain && time == o->cycle)
		e->ready = true;
	else
		e->woken = MIN(e->woken, time);
}

/* The reference time of cycle CYCLE of DOMAIN. */
static ratio instant(const oracle *o, unsigned domain, sim_time cycle)
{
	ratio r = g_array_index(o->domains, ratio, domain);

	r.num *= cycle;
	return r;
}

static int compare(ratio a, ratio b)
{
	int64_t left = a.num * b.den;
	int64_t right = b.num * a.den;

	return left < right ? -1 : left > right;
}

static int before(const oracle *o, unsigned i, unsigned j)
{
	const entry *a = at(o, i);
	const entry *b = at(o, j);

	if (a->spec.phase != b->spec.phase)
		return a->spec.phase < b->spec.phase;
	if (a->spec.unit != b->spec.unit)
		return a->spec.unit < b->spec.unit;
	return i < j;
}

static void serve(oracle *o, unsigned domain, sim_time cycle)
{
	o->serving = (int)domain;
	o->cycle = cycle;
	for (unsigned i = 0; i < o->entries->len; i++)
		if (at(o, i)->domain == domain && MIN(at(o, i)->own, at(o, i)->woken) == cycle) {
			at(o, i)->ready = true;
			if (at(o, i)->woken == cycle)
				at(o, i)->woken = SIM_NEVER;
		}
	for (;;) {
		int first = -1;

		for (unsigned i = 0; i < o->entries->len; i++)
			if (at(o, i)->domain == domain && at(o, i)->ready &&
			    (first < 0 || before(o, i, (unsigned)first)))
				first = (int)i;
		if (first < 0)
			break;
		at(o, (unsigned)first)->ready = false;
		at(o, (unsigned)first)->own =
			at(o, (unsigned)first)->spec.run(at(o, (unsigned)first)->spec.state, cycle);
	}
	o->serving = -1;
}

void oracle_run(oracle *o, sim_time until)
{
	for (;;) {
		ratio first = {0, 0};
		unsigned domain = 0;
		sim_time cycle = 0;

		for (unsigned i = 0; i < o->entries->len; i++) {
			sim_time due = MIN(at(o, i)->own, at(o, i)->woken);
			ratio r;

			if (due == SIM_NEVER)
				continue;
			r = instant(o, at(o, i)->domain, due);
			if (!first.den || compare(r, first) < 0 ||
			    (compare(r, first) == 0 && at(o, i)->domain < domain)) {
				first = r;
				domain = at(o, i)->domain;
				cycle = due;
			}
		}
		if (!first.den || compare(first, (ratio){until, 1}) > 0)
			return;
		o->now = first;
		serve(o, domain, cycle);
	}
}

sim_time oracle_domain_now(const oracle *o, unsigned domain)
{
	ratio r = g_array_index(o->domains, ratio, domain);
	int64_t num = o->now.num * r.den;
	int64_t den = o->now.den * r.num;

	return num / den + (num % den != 0);
}
