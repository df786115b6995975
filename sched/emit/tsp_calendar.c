/* SPDX-License-Identifier: Apache-2.0
 *
 * What is taken when: queues, registers and operand ports as sorted intervals, bank and register ports as pages of
 * cycles.  An instruction holds its queue from its first to its last issue; a register range is held from the cycle in
 * which its first value is due to the last sampling of its last value, both included.
 */
#include "sched/emit/tsp.h"

enum {
	PAGE_SHIFT = 10,
	PAGE_CYCLES = 1 << PAGE_SHIFT,
	WINDOW_CYCLES = 1 << 18, /* how far behind the horizon gaps are still filled */
};

/* ---------------------------------------------------------------------------------------------- sorted intervals */

static tspe_cycles *interval_at(const tspe_busy *b, guint i)
{
	return &g_array_index(b->taken, tspe_cycles, i);
}

/* The first interval that ends after TIME. */
static guint first_after(const tspe_busy *b, int64_t time)
{
	guint low = 0, high = b->taken->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (interval_at(b, middle)->to > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int64_t tspe_busy_earliest(const tspe_busy *b, int64_t from, int64_t length, int64_t *until)
{
	guint i = first_after(b, from);

	for (; i < b->taken->len && interval_at(b, i)->from < from + length; i++)
		from = MAX(from, interval_at(b, i)->to);
	if (until)
		*until = i < b->taken->len ? interval_at(b, i)->from : INT64_MAX;
	return from;
}

static bool is_free(const tspe_busy *b, int64_t from, int64_t length)
{
	guint i = first_after(b, from);

	return i == b->taken->len || interval_at(b, i)->from >= from + length;
}

void tspe_busy_take(tspe_busy *b, int64_t from, int64_t length)
{
	guint i = first_after(b, from);
	tspe_cycles taken = {from, from + length};
	bool joins_next = i < b->taken->len && interval_at(b, i)->from == taken.to;

	if (i && interval_at(b, i - 1)->to == from) {
		interval_at(b, i - 1)->to = joins_next ? interval_at(b, i)->to : taken.to;
		if (joins_next)
			g_array_remove_index(b->taken, i);
	} else if (joins_next) {
		interval_at(b, i)->from = from;
	} else {
		g_array_insert_val(b->taken, i, taken);
	}
}

void tspe_busy_release(tspe_busy *b, int64_t from, int64_t length)
{
	guint i = first_after(b, from);
	tspe_cycles *whole = interval_at(b, i);
	tspe_cycles rest = {from + length, whole->to};

	if (whole->from == from && rest.from == rest.to) {
		g_array_remove_index(b->taken, i);
	} else if (whole->from == from) {
		whole->from = rest.from;
	} else {
		whole->to = from;
		if (rest.from < rest.to)
			g_array_insert_val(b->taken, i + 1, rest);
	}
}

static void busy_forget(tspe_busy *b, int64_t time)
{
	guint drop = first_after(b, time);

	if (drop)
		g_array_remove_range(b->taken, 0, drop);
}

static void busy_init(tspe_busy *b)
{
	b->taken = g_array_new(FALSE, FALSE, sizeof(tspe_cycles));
}

static void busy_fini(tspe_busy *b)
{
	g_array_unref(b->taken);
}

/* ----------------------------------------------------------------------------------------------------- calendars */

bool tspe_calendars_init(tspe_calendars *c, const isa_machine *machine, int64_t start, GError **error)
{
	*c = (tspe_calendars){.machine = machine, .floor = start, .horizon = start};
	c->banks = bank_calendar_new(machine, error);
	if (!c->banks)
		return false;
	bank_calendar_forget(c->banks, start);
	c->queues = isa_machine_queue_count(machine);
	c->queue = g_new(tspe_busy, c->queues);
	for (unsigned q = 0; q < c->queues; q++)
		busy_init(&c->queue[q]);
	c->registers = (unsigned)machine->vreg_count;
	c->touched = g_new0(uint8_t, c->registers + 1);
	c->reg = g_new(tspe_busy, c->registers);
	for (unsigned r = 0; r < c->registers; r++)
		busy_init(&c->reg[r]);
	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		busy_init(&c->port[p]);
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
		busy_fini(&c->queue[q]);
	for (unsigned r = 0; r < c->registers; r++)
		busy_fini(&c->reg[r]);
	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		busy_fini(&c->port[p]);
	g_free(c->queue);
	g_free(c->reg);
	g_free(c->touched);
	g_ptr_array_unref(c->pages);
}

/* Counts what page PAGE says about registers. */
static void count_page(tspe_calendars *c, const tspe_ports *page)
{
	for (unsigned i = 0; page && i < PAGE_CYCLES; i++) {
		c->live += page[i].live;
		c->most_live = MAX(c->most_live, c->live);
	}
}

int64_t tspe_most_live(tspe_calendars *c)
{
	for (guint i = 0; i < c->pages->len; i++)
		count_page(c, g_ptr_array_index(c->pages, i));
	return c->most_live;
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
		busy_forget(&c->queue[q], floor);
	for (unsigned r = 0; r < c->registers; r++)
		busy_forget(&c->reg[r], floor);
	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		busy_forget(&c->port[p], floor);
	drop = (guint)MIN(page - c->first_page, (int64_t)c->pages->len);
	for (guint i = 0; i < drop; i++)
		count_page(c, g_ptr_array_index(c->pages, i));
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

/* What is taken in CYCLE; NULL where nothing near it ever was. */
static const tspe_ports *ports_there(const tspe_calendars *c, int64_t cycle)
{
	int64_t page = (cycle >> PAGE_SHIFT) - c->first_page;

	g_assert(page >= 0);
	if ((guint)page >= c->pages->len || !g_ptr_array_index(c->pages, page))
		return NULL;
	return (const tspe_ports *)g_ptr_array_index(c->pages, page) + (cycle & (PAGE_CYCLES - 1));
}

/* Most that others may have taken already. */
typedef struct spare {
	int64_t reads, writes, weight_bytes;
} spare;

static spare beside(const tspe_calendars *c, tspe_ports use)
{
	const isa_machine *m = c->machine;

	return (spare){m->vreg_read_ports - use.reads, m->vreg_write_ports - use.writes,
	               m->mxm_weight_bytes - use.weight_bytes};
}

static bool admits(const spare *s, const tspe_ports *at)
{
	return at->reads <= s->reads && at->writes <= s->writes && at->weight_bytes <= s->weight_bytes;
}

bool tspe_ports_free(const tspe_calendars *c, int64_t cycle, tspe_ports use)
{
	return tspe_count_free(c, cycle, 1, use, 1) == 1;
}

uint32_t tspe_count_free(const tspe_calendars *c, int64_t cycle, uint32_t interval, tspe_ports use, uint32_t count)
{
	static const tspe_ports none;
	spare s = beside(c, use);
	uint32_t i = 0;

	while (i < count) {
		const tspe_ports *at = ports_there(c, cycle);
		/* The rest of the page. */
		int64_t rest = (PAGE_CYCLES - 1 - (cycle & (PAGE_CYCLES - 1))) / interval + 1;
		uint32_t end = i + (uint32_t)MIN(rest, count - i);

		cycle += (int64_t)(end - i) * interval;
		if (!at && !admits(&s, &none))
			return i;
		for (size_t step = 0; at && i < end; i++, step += interval)
			if (!admits(&s, at + step))
				return i;
		i = end;
	}
	return count;
}

void tspe_put_ports(tspe_calendars *c, int64_t cycle, tspe_ports use)
{
	tspe_ports *at = ports_at(c, cycle);

	at->reads = (uint16_t)(at->reads + use.reads);
	at->writes = (uint16_t)(at->writes + use.writes);
	at->weight_bytes += use.weight_bytes;
}

void tspe_release_ports(tspe_calendars *c, int64_t cycle, tspe_ports use)
{
	tspe_ports *at = ports_at(c, cycle);

	at->reads = (uint16_t)(at->reads - use.reads);
	at->writes = (uint16_t)(at->writes - use.writes);
	at->weight_bytes -= use.weight_bytes;
}

unsigned tspe_find_queue(const tspe_calendars *c, const uint16_t *queues, unsigned count, int64_t from, int64_t length,
                         int64_t *start, int64_t *until)
{
	unsigned best = queues[0];

	*start = INT64_MAX;
	for (unsigned i = 0; i<count && * start> from; i++) {
		int64_t next;
		int64_t at = tspe_busy_earliest(&c->queue[queues[i]], from, length, &next);

		if (at < *start) {
			*start = at;
			*until = next;
			best = queues[i];
		}
	}
	return best;
}

unsigned tspe_best_queue(const tspe_calendars *c, const uint16_t *queues, unsigned count, int64_t start, int64_t length)
{
	unsigned best = queues[0];
	int64_t latest = INT64_MIN;

	for (unsigned i = 0; i < count; i++) {
		const tspe_busy *b = &c->queue[queues[i]];
		guint next = first_after(b, start);
		int64_t before = next ? interval_at(b, next - 1)->to : INT64_MIN + 1;

		if (is_free(b, start, length) && before > latest) {
			latest = before;
			best = queues[i];
		}
	}
	return best;
}

void tspe_take_queue(tspe_calendars *c, unsigned queue, int64_t start, int64_t length)
{
	tspe_busy_take(&c->queue[queue], start, length);
}

void tspe_release_queue(tspe_calendars *c, unsigned queue, int64_t start, int64_t length)
{
	tspe_busy_release(&c->queue[queue], start, length);
}

unsigned tspe_first_taken(const tspe_calendars *c, unsigned first, unsigned count, int64_t from, int64_t to)
{
	unsigned i = 0;

	while (i < count && is_free(&c->reg[first + i], from, to - from + 1))
		i++;
	return i;
}

void tspe_take_registers(tspe_calendars *c, unsigned first, unsigned count, int64_t from, int64_t to)
{
	for (unsigned i = 0; i < count; i++)
		tspe_busy_take(&c->reg[first + i], from, to - from + 1);
}

void tspe_count_live(tspe_calendars *c, unsigned count, int64_t from, int64_t to)
{
	ports_at(c, from)->live += (int32_t)count;
	ports_at(c, to + 1)->live -= (int32_t)count;
}

void tspe_release_registers(tspe_calendars *c, unsigned first, unsigned count, int64_t from, int64_t to)
{
	for (unsigned i = 0; i < count; i++)
		tspe_busy_release(&c->reg[first + i], from, to - from + 1);
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
		if (ports >> p & 1 && !is_free(&c->port[p], from, to - from + 1))
			return false;
	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		if (ports >> p & 1)
			tspe_busy_take(&c->port[p], from, to - from + 1);
	return true;
}

void tspe_release_latches(tspe_calendars *c, unsigned place, int64_t from, int64_t to)
{
	unsigned ports = ports_named(place);

	for (unsigned p = 0; p < G_N_ELEMENTS(c->port); p++)
		if (ports >> p & 1)
			tspe_busy_release(&c->port[p], from, to - from + 1);
}
