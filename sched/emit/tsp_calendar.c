/* SPDX-License-Identifier: Apache-2.0
 *
 * What is taken when: queues and registers as trees of change points (sched/alg/calendar.h), banks and ports as pages
 * of cycles.  An instruction holds its queue from its first to its last issue; a register range is held from the cycle
 * in which its first value is due to the last sampling of its last value, both included.
 */
#include "sched/emit/tsp.h"

enum {
	PAGE_SHIFT = 10,
	PAGE_CYCLES = 1 << PAGE_SHIFT,
	WINDOW_CYCLES = 1 << 18, /* how far behind the horizon gaps are still filled */
};

bool tspe_calendars_init(tspe_calendars *c, const isa_machine *machine, int64_t start, GError **error)
{
	*c = (tspe_calendars){.machine = machine, .floor = start, .horizon = start};
	c->banks = bank_calendar_new(machine, error);
	if (!c->banks)
		return false;
	bank_calendar_forget(c->banks, start);
	c->queues = isa_machine_queue_count(machine);
	c->queue = g_new(alg_calendar *, c->queues);
	for (unsigned q = 0; q < c->queues; q++)
		c->queue[q] = alg_calendar_new(1);
	c->registers = (unsigned)machine->vreg_count;
	c->reg = g_new(alg_calendar *, c->registers);
	for (unsigned r = 0; r < c->registers; r++)
		c->reg[r] = alg_calendar_new(1);
	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		c->port[p] = alg_calendar_new(1);
	c->pages = g_ptr_array_new_with_free_func(g_free);
	c->first_page = start >> PAGE_SHIFT;
	return true;
}

void tspe_calendars_fini(tspe_calendars *c)
{
	if (!c->banks)
		return;
	bank_calendar_free(c->banks);
	for (unsigned q = 0; q < c->queues; q++)
		alg_calendar_free(c->queue[q]);
	for (unsigned r = 0; r < c->registers; r++)
		alg_calendar_free(c->reg[r]);
	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		alg_calendar_free(c->port[p]);
	g_free(c->queue);
	g_free(c->reg);
	g_ptr_array_unref(c->pages);
}

void tspe_calendars_advance(tspe_calendars *c)
{
	int64_t floor = c->horizon - WINDOW_CYCLES;
	int64_t page = floor >> PAGE_SHIFT;
	guint drop;

	if (floor < c->floor + WINDOW_CYCLES / 4)
		return;
	c->floor = floor;
	bank_calendar_forget(c->banks, floor);
	for (unsigned q = 0; q < c->queues; q++)
		alg_calendar_forget(c->queue[q], floor);
	for (unsigned r = 0; r < c->registers; r++)
		alg_calendar_forget(c->reg[r], floor);
	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		alg_calendar_forget(c->port[p], floor);
	drop = (guint)MIN(page - c->first_page, (int64_t)c->pages->len);
	if (drop)
		g_ptr_array_remove_range(c->pages, 0, drop);
	c->first_page = page;
}

static tspe_ports *ports_at(tspe_calendars *c, int64_t cycle)
{
	int64_t page = (cycle >> PAGE_SHIFT) - c->first_page;
	gpointer *slot;

	g_assert(page >= 0);
	if ((guint)page >= c->pages->len)
		g_ptr_array_set_size(c->pages, (gint)page + 1);
	slot = &g_ptr_array_index(c->pages, page);
	if (!*slot)
		*slot = g_new0(tspe_ports, PAGE_CYCLES);
	return (tspe_ports *)*slot + (cycle & (PAGE_CYCLES - 1));
}

bool tspe_take_ports(tspe_calendars *c, int64_t cycle, tspe_ports use)
{
	tspe_ports *at = ports_at(c, cycle);

	if (at->reads + use.reads > c->machine->vreg_read_ports ||
	    at->writes + use.writes > c->machine->vreg_write_ports)
		return false;
	if ((int64_t)at->weight_bytes + use.weight_bytes > c->machine->mxm_weight_bytes)
		return false;
	at->reads = (uint16_t)(at->reads + use.reads);
	at->writes = (uint16_t)(at->writes + use.writes);
	at->weight_bytes += use.weight_bytes;
	return true;
}

void tspe_release_ports(tspe_calendars *c, int64_t cycle, tspe_ports use)
{
	tspe_ports *at = ports_at(c, cycle);

	at->reads = (uint16_t)(at->reads - use.reads);
	at->writes = (uint16_t)(at->writes - use.writes);
	at->weight_bytes -= use.weight_bytes;
}

unsigned tspe_find_queue(const tspe_calendars *c, const uint16_t *queues, unsigned count, int64_t from, int64_t length,
                         int64_t *start)
{
	unsigned best = queues[0];

	*start = INT64_MAX;
	for (unsigned i = 0; i<count && * start> from; i++) {
		int64_t at = alg_calendar_earliest(c->queue[queues[i]], from, length, 1);

		if (at < *start) {
			*start = at;
			best = queues[i];
		}
	}
	return best;
}

void tspe_take_queue(tspe_calendars *c, unsigned queue, int64_t start, int64_t length)
{
	alg_calendar_reserve(c->queue[queue], start, length, 1);
}

void tspe_release_queue(tspe_calendars *c, unsigned queue, int64_t start, int64_t length)
{
	alg_calendar_release(c->queue[queue], start, length, 1);
}

/* The first of COUNT registers from FIRST on that is taken in the window, or COUNT. */
static unsigned first_taken(const tspe_calendars *c, unsigned first, unsigned count, int64_t from, int64_t to)
{
	unsigned i = 0;

	while (i < count && alg_calendar_fits(c->reg[first + i], from, to - from + 1, 1))
		i++;
	return i;
}

int tspe_take_registers(tspe_calendars *c, unsigned count, int64_t from, int64_t to)
{
	unsigned begin = c->next_register;

	if (count > c->registers)
		return -1;
	for (int round = 0; round < 2; round++, begin = 0)
		for (unsigned r = begin; r + count <= c->registers;) {
			unsigned taken = first_taken(c, r, count, from, to);

			if (taken < count) {
				r += taken + 1;
				continue;
			}
			for (unsigned i = 0; i < count; i++)
				alg_calendar_reserve(c->reg[r + i], from, to - from + 1, 1);
			c->next_register = r + count;
			return (int)r;
		}
	return -1;
}

void tspe_release_registers(tspe_calendars *c, unsigned first, unsigned count, int64_t from, int64_t to)
{
	for (unsigned i = 0; i < count; i++)
		alg_calendar_release(c->reg[first + i], from, to - from + 1, 1);
}

/* Ports that PLACE names, one bit each: activation ports, then weight ports. */
static unsigned ports_named(unsigned place)
{
	unsigned index = isa_place_index(place);

	if (isa_place_kind(place) == ISA_PLACE_KIND_ACT)
		return index;
	return isa_place_kind(place) == ISA_PLACE_KIND_WT ? 1u << (TSPE_PLANES_MAX + index) : 0;
}

bool tspe_take_latches(tspe_calendars *c, unsigned place, int64_t from, int64_t to)
{
	unsigned ports = ports_named(place);

	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		if (ports >> p & 1 && !alg_calendar_fits(c->port[p], from, to - from + 1, 1))
			return false;
	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		if (ports >> p & 1)
			alg_calendar_reserve(c->port[p], from, to - from + 1, 1);
	return true;
}

void tspe_release_latches(tspe_calendars *c, unsigned place, int64_t from, int64_t to)
{
	unsigned ports = ports_named(place);

	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		if (ports >> p & 1)
			alg_calendar_release(c->port[p], from, to - from + 1, 1);
}
