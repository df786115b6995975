/* SPDX-License-Identifier: Apache-2.0
 *
 * The common front of the kernels: names, domains, processes, events, and serving one instant.
 *
 * Order inside an instant: domains by creation, then (phase, unit, sequence) by rank in a ready set.  What a process
 * asks for itself is replaced by what it next returns; the earliest wake by others is kept apart until it is served, so
 * that a wake made in the cycle in which its target runs has the same effect whichever of the two came first.
 */
#include "config.h"
#include "sim/kernel_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

G_DEFINE_QUARK(tspsim - sim - error - quark, sim_error)

/* Ticks of one cycle of any domain, at most: leaves 2^31 cycles of the slowest domain. */
#define TICKS_MAX (INT64_C(1) << 32)

static const sim_kernel_ops *const kernels[] = {
#ifdef HAVE_SYSTEMC
	&sim_kernel_systemc_ops,
#endif
	&sim_kernel_ref_ops,
};

const char *const *sim_kernel_names(void)
{
	static const char *const names[] = {
#ifdef HAVE_SYSTEMC
		"systemc",
#endif
		"ref",
		NULL,
	};

	return names;
}

/* Records the first broken rule; the run ends after the callback that broke it. */
static void fail(sim_kernel *kernel, enum sim_error_code code, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void fail(sim_kernel *kernel, enum sim_error_code code, const char *format, ...)
{
	va_list arguments;

	if (kernel->failure)
		return;
	va_start(arguments, format);
	kernel->failure = g_error_new_valist(SIM_ERROR, (gint)code, format, arguments);
	va_end(arguments);
}

static void process_free(gpointer data)
{
	sim_process *process = data;

	g_free(process->name);
	g_free(process);
}

static void domain_free(gpointer data)
{
	sim_domain *domain = data;

	sim_wheel_fini(&domain->wheel);
	sim_ready_fini(&domain->ready);
	g_ptr_array_free(domain->processes, TRUE);
	g_free(domain->order);
	g_free(domain->shuffled);
	g_free(domain->name);
	g_free(domain);
}

static void event_free(gpointer data)
{
	sim_event *event = data;

	g_ptr_array_free(event->subscribers, TRUE);
	g_free(event->name);
	g_free(event);
}

static sim_domain *domain_add(sim_kernel *kernel, const char *name, uint32_t num, uint32_t den)
{
	sim_domain *domain = g_new0(sim_domain, 1);

	domain->kernel = kernel;
	domain->index = kernel->domains->len;
	domain->num = num;
	domain->den = den;
	domain->name = g_strdup(name);
	domain->processes = g_ptr_array_new_with_free_func(process_free);
	g_ptr_array_add(kernel->domains, domain);
	return domain;
}

static const sim_kernel_ops *kernel_find(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++)
		if (strcmp(kernels[i]->name, name) == 0)
			return kernels[i];
	return NULL;
}

sim_kernel *sim_kernel_new(const char *name, const sim_kernel_options *options, GError **error)
{
	const sim_kernel_ops *ops = kernel_find(name);
	sim_kernel *kernel;

	if (!ops) {
		g_autofree char *known = g_strjoinv(", ", (char **)sim_kernel_names());

		g_set_error(error, SIM_ERROR, SIM_ERROR_KERNEL, "no kernel \"%s\" here; expected one of: %s", name,
		            known);
		return NULL;
	}
	kernel = g_new0(sim_kernel, 1);
	kernel->ops = ops;
	if (options)
		kernel->options = *options;
	if (!kernel->options.reference_hz)
		kernel->options.reference_hz = 1000000000;
	kernel->served = -1;
	kernel->ticks_per_cycle = 1;
	kernel->domains = g_ptr_array_new_with_free_func(domain_free);
	kernel->events = g_ptr_array_new_with_free_func(event_free);
	domain_add(kernel, "reference", 1, 1);
	if (ops->open && !ops->open(kernel, error))
		g_clear_pointer(&kernel, sim_kernel_free);
	return kernel;
}

void sim_kernel_free(sim_kernel *kernel)
{
	if (!kernel)
		return;
	if (kernel->ops->close)
		kernel->ops->close(kernel);
	g_ptr_array_free(kernel->events, TRUE);
	g_ptr_array_free(kernel->domains, TRUE);
	g_clear_error(&kernel->failure);
	g_free(kernel);
}

sim_domain *sim_kernel_reference_domain(sim_kernel *kernel)
{
	return sim_i_domain(kernel, 0);
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Would every domain's cycle, and NUM/DEN besides, be a sensible whole number of 1/TICKS reference cycles? */
static bool ticks_fit(const sim_kernel *kernel, uint32_t num, uint32_t den, int64_t ticks)
{
	if (ticks > TICKS_MAX || ticks / den > TICKS_MAX / num)
		return false;
	for (unsigned i = 0; i < kernel->domains->len; i++) {
		const sim_domain *domain = sim_i_domain(kernel, i);

		if (ticks / domain->den > TICKS_MAX / domain->num)
			return false;
	}
	return true;
}

sim_domain *sim_kernel_add_domain(sim_kernel *kernel, const char *name, uint32_t num, uint32_t den, GError **error)
{
	uint32_t divisor;
	int64_t ticks;

	if (!num || !den) {
		g_set_error(error, SIM_ERROR, SIM_ERROR_RANGE,
		            "clock domain \"%s\": a cycle of %" G_GUINT32_FORMAT "/%" G_GUINT32_FORMAT
		            " reference cycles; both must be above 0",
		            name, num, den);
		return NULL;
	}
	if (kernel->started) {
		g_set_error(error, SIM_ERROR, SIM_ERROR_RULE, "clock domain \"%s\" added after the first run", name);
		return NULL;
	}
	divisor = (uint32_t)gcd(num, den);
	num /= divisor;
	den /= divisor;
	/* Below 2^64: the left factor is at most TICKS_MAX, the right one below 2^32. */
	ticks = kernel->ticks_per_cycle / gcd(kernel->ticks_per_cycle, den);
	if (ticks > TICKS_MAX / den || !ticks_fit(kernel, num, den, ticks * den)) {
		g_set_error(error, SIM_ERROR, SIM_ERROR_RANGE,
		            "clock domain \"%s\": %" G_GUINT32_FORMAT "/%" G_GUINT32_FORMAT
		            " together with the other domains needs a finer time than 64 bits hold",
		            name, num, den);
		return NULL;
	}
	kernel->ticks_per_cycle = ticks * den;
	return domain_add(kernel, name, num, den);
}

sim_process *sim_kernel_add_process(sim_kernel *kernel, sim_domain *domain, const sim_process_spec *spec)
{
	sim_process *process;

	g_return_val_if_fail(!kernel->started, NULL);
	g_return_val_if_fail(domain->kernel == kernel, NULL);
	g_return_val_if_fail(spec->phase < SIM_PHASE_COUNT, NULL);
	process = g_new0(sim_process, 1);
	process->item.due = SIM_NEVER;
	process->woken = SIM_NEVER;
	process->run = spec->run;
	process->state = spec->state;
	process->domain = domain;
	process->phase = spec->phase;
	process->unit = spec->unit;
	process->sequence = kernel->process_count++;
	process->name = g_strdup(spec->name);
	g_ptr_array_add(domain->processes, process);
	return process;
}

static int process_compare(const void *a, const void *b)
{
	const sim_process *p = *(sim_process *const *)a;
	const sim_process *q = *(sim_process *const *)b;

	if (p->phase != q->phase)
		return p->phase < q->phase ? -1 : 1;
	if (p->unit != q->unit)
		return p->unit < q->unit ? -1 : 1;
	return p->sequence < q->sequence ? -1 : 1;
}

/* Ranks the domain's processes and files the wakes asked for before the first run. */
static void domain_start(sim_domain *domain)
{
	uint32_t count = domain->processes->len;
	uint32_t rank = 0;

	domain->ticks = domain->kernel->ticks_per_cycle / domain->den * domain->num;
	domain->last = (SIM_NEVER - 1) / domain->ticks;
	domain->order = g_new(sim_process *, count);
	domain->shuffled = g_new(uint32_t, count);
	if (count) {
		memcpy(domain->order, domain->processes->pdata, count * sizeof *domain->order);
		qsort(domain->order, count, sizeof *domain->order, process_compare);
	}
	for (unsigned phase = 0; phase <= SIM_PHASE_COUNT; phase++) {
		while (rank < count && domain->order[rank]->phase < phase)
			rank++;
		domain->phase_first[phase] = rank;
	}
	sim_wheel_init(&domain->wheel, count);
	sim_ready_init(&domain->ready, count);
	for (rank = 0; rank < count; rank++)
		domain->order[rank]->item.rank = rank;
}

static bool kernel_start(sim_kernel *kernel, GError **error)
{
	kernel->started = true;
	for (unsigned i = 0; i < kernel->domains->len; i++)
		domain_start(sim_i_domain(kernel, i));
	if (kernel->ops->start && !kernel->ops->start(kernel, error))
		return false;
	for (unsigned i = 0; i < kernel->domains->len; i++) {
		sim_domain *domain = sim_i_domain(kernel, i);

		for (uint32_t rank = 0; rank < domain->processes->len; rank++) {
			sim_process *process = domain->order[rank];

			if (process->woken > domain->last && process->woken != SIM_NEVER) {
				g_set_error(error, SIM_ERROR, SIM_ERROR_RANGE,
				            "%s: woken beyond the last cycle of its domain", process->name);
				return false;
			}
			if (process->woken != SIM_NEVER)
				sim_wheel_put(&domain->wheel, &process->item, process->woken);
		}
	}
	return true;
}

/* May PROCESS be woken at TIME, its domain's cycles, now?  Records the broken rule when not. */
static bool wake_is_legal(sim_process *process, sim_time time)
{
	sim_domain *domain = process->domain;
	sim_kernel *kernel = domain->kernel;
	const sim_domain *serving = kernel->serving;
	int64_t instant;

	if (time < 0) {
		fail(kernel, SIM_ERROR_RULE, "%s: woken at cycle %" PRId64 ", before time begins", process->name, time);
		return false;
	}
	if (!kernel->started)
		return true;
	if (time > domain->last) {
		fail(kernel, SIM_ERROR_RANGE,
		     "%s: woken at cycle %" PRId64 "; the last cycle of its clock domain is %" PRId64, process->name,
		     time, domain->last);
		return false;
	}
	instant = time * domain->ticks;
	if (serving == domain && time == domain->wheel.now && process->phase > domain->running->phase)
		return true;
	if (instant > kernel->now || (!serving && instant == kernel->now && instant > kernel->served) ||
	    (serving && instant == kernel->now && domain->index > serving->index))
		return true;
	if (serving && domain == serving && time == domain->wheel.now)
		fail(kernel, SIM_ERROR_RULE,
		     "%s: woken by %s in the present cycle %" PRId64 ", but its phase is not later", process->name,
		     serving->running->name, time);
	else
		fail(kernel, SIM_ERROR_RULE, "%s: woken at cycle %" PRId64 ", which has passed", process->name, time);
	return false;
}

void sim_process_wake(sim_process *process, sim_time time)
{
	sim_domain *domain = process->domain;
	sim_kernel *kernel = domain->kernel;

	/* Later than the present cycle of the domain being served needs no further check. */
	if ((kernel->serving != domain || time <= domain->wheel.now || time > domain->last) &&
	    (time == SIM_NEVER || !wake_is_legal(process, time)))
		return;
	if (kernel->serving == domain && time == domain->wheel.now) {
		if (process->item.due == SIM_WHEEL_TAKEN)
			return;
		if (process->item.due != SIM_NEVER)
			sim_wheel_remove(&domain->wheel, &process->item);
		process->item.due = SIM_WHEEL_TAKEN;
		sim_ready_add(&domain->ready, process->item.rank);
		return;
	}
	if (time < process->woken)
		process->woken = time;
	if (kernel->started && time < process->item.due) {
		if (process->item.due != SIM_NEVER)
			sim_wheel_remove(&domain->wheel, &process->item);
		sim_wheel_put(&domain->wheel, &process->item, time);
	}
}

sim_event *sim_kernel_add_event(sim_kernel *kernel, const char *name)
{
	sim_event *event = g_new0(sim_event, 1);

	event->name = g_strdup(name);
	event->kernel = kernel;
	event->subscribers = g_ptr_array_new();
	g_ptr_array_add(kernel->events, event);
	return event;
}

void sim_event_subscribe(sim_event *event, sim_process *process)
{
	g_ptr_array_add(event->subscribers, process);
}

/* The first cycle of DOMAIN that begins at or after the present instant. */
static sim_time domain_now(const sim_domain *domain)
{
	const sim_kernel *kernel = domain->kernel;

	if (!kernel->started)
		return 0;
	return kernel->now / domain->ticks + (kernel->now % domain->ticks != 0);
}

void sim_event_notify(sim_event *event, sim_time delay)
{
	if (delay < 0) {
		fail(event->kernel, SIM_ERROR_RULE, "event %s: notified with the delay %" PRId64, event->name, delay);
		return;
	}
	for (unsigned i = 0; i < event->subscribers->len; i++) {
		sim_process *process = g_ptr_array_index(event->subscribers, i);
		sim_time now = domain_now(process->domain);

		if (delay < SIM_NEVER - now)
			sim_process_wake(process, now + delay);
	}
}

/* Runs the process of RANK at CYCLE and files what it asks for.  Returns false when a rule was broken. */
static inline bool process_run(sim_domain *domain, uint32_t rank, sim_time cycle)
{
	sim_process *process = domain->order[rank];
	sim_time next;

	domain->running = process;
	next = process->run(process->state, cycle);
	if (G_UNLIKELY(next <= cycle || (next > domain->last && next != SIM_NEVER) || domain->kernel->failure)) {
		if (next <= cycle)
			fail(domain->kernel, SIM_ERROR_RULE,
			     "%s: ran at cycle %" PRId64 " and asked to run next at %" PRId64 ", which is not later",
			     process->name, cycle, next);
		else
			fail(domain->kernel, SIM_ERROR_RANGE,
			     "%s: asked to run at cycle %" PRId64 "; the last cycle of its clock domain is %" PRId64,
			     process->name, next, domain->last);
		return false;
	}
	if (process->woken < next)
		next = process->woken;
	if (next != SIM_NEVER)
		sim_wheel_put(&domain->wheel, &process->item, next);
	else
		process->item.due = SIM_NEVER;
	return true;
}

/* One step of splitmix64. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Runs what is ready phase by phase, each in an order that depends on seed, domain, cycle and phase only. */
static bool serve_shuffled(sim_domain *domain, sim_time cycle, uint64_t *activations)
{
	int64_t rank = sim_ready_pop(&domain->ready);

	while (rank >= 0) {
		enum sim_phase phase = domain->order[rank]->phase;
		uint64_t random = domain->kernel->options.shuffle_seed ^
		                  (uint64_t)cycle * UINT64_C(0xd1342543de82ef95) ^ (uint64_t)domain->index << 32 ^
		                  (uint64_t)phase << 48;
		uint32_t count = 0;

		/* Nothing joins a phase once its first process runs, so the phase is complete. */
		for (; rank >= 0 && rank < domain->phase_first[phase + 1]; rank = sim_ready_pop(&domain->ready))
			domain->shuffled[count++] = (uint32_t)rank;
		if (rank >= 0)
			sim_ready_add(&domain->ready, (uint32_t)rank);
		for (uint32_t left = count; left > 0; left--) {
			uint32_t pick = (uint32_t)(random_next(&random) % left);
			uint32_t chosen = domain->shuffled[pick];

			domain->shuffled[pick] = domain->shuffled[left - 1];
			++*activations;
			if (!process_run(domain, chosen, cycle))
				return false;
		}
		rank = sim_ready_pop(&domain->ready);
	}
	return true;
}

static bool serve_ordered(sim_domain *domain, sim_time cycle, uint64_t *activations)
{
	int64_t rank;

	while ((rank = sim_ready_pop(&domain->ready)) >= 0) {
		++*activations;
		if (!process_run(domain, (uint32_t)rank, cycle))
			return false;
	}
	return true;
}

/* Serves one cycle of one domain. */
static bool domain_serve(sim_kernel *kernel, sim_domain *domain, sim_time cycle)
{
	sim_wheel_item *item = sim_wheel_take(&domain->wheel, cycle);
	uint64_t activations = 0;
	bool fine;

	while (item) {
		sim_process *process = (sim_process *)item;

		item = item->next;
		process->item.due = SIM_WHEEL_TAKEN;
		if (process->woken <= cycle)
			process->woken = SIM_NEVER;
		sim_ready_add(&domain->ready, process->item.rank);
	}
	kernel->serving = domain;
	if (kernel->options.shuffle_seed)
		fine = serve_shuffled(domain, cycle, &activations);
	else
		fine = serve_ordered(domain, cycle, &activations);
	kernel->serving = NULL;
	domain->running = NULL;
	kernel->activations += activations;
	kernel->active_cycles++;
	return fine;
}

int64_t sim_i_next(const sim_kernel *kernel)
{
	int64_t first = SIM_NEVER;

	for (unsigned i = 0; i < kernel->domains->len; i++) {
		const sim_domain *domain = sim_i_domain(kernel, i);
		sim_time cycle = sim_wheel_next(&domain->wheel);

		if (cycle != SIM_NEVER)
			first = MIN(first, cycle * domain->ticks);
	}
	return first;
}

bool sim_i_serve(sim_kernel *kernel, int64_t instant)
{
	kernel->now = instant;
	kernel->served = instant;
	for (unsigned i = 0; i < kernel->domains->len; i++) {
		sim_domain *domain = sim_i_domain(kernel, i);
		sim_time cycle = sim_wheel_next(&domain->wheel);

		if (cycle != SIM_NEVER && cycle * domain->ticks == instant && !domain_serve(kernel, domain, cycle))
			return false;
	}
	return !g_atomic_int_get(&kernel->stop);
}

bool sim_kernel_run(sim_kernel *kernel, sim_time until, GError **error)
{
	int64_t limit = until > SIM_NEVER / kernel->ticks_per_cycle ? SIM_NEVER : until * kernel->ticks_per_cycle;
	bool fine = true;

	g_return_val_if_fail(!kernel->entered, false);
	if (!kernel->started && !kernel->failure && !kernel_start(kernel, &kernel->failure))
		g_assert(kernel->failure);
	if (!kernel->failure && !g_atomic_int_get(&kernel->stop)) {
		kernel->entered = true;
		fine = kernel->ops->run(kernel, limit, &kernel->failure);
		kernel->entered = false;
	}
	if (kernel->failure) {
		if (error)
			*error = g_error_copy(kernel->failure);
		return false;
	}
	/* A stop asked for between runs ends the next one at once, so that an interrupt is not lost. */
	if (!g_atomic_int_compare_and_exchange(&kernel->stop, 1, 0) && !sim_kernel_is_idle(kernel))
		kernel->now = MAX(kernel->now, limit);
	return fine;
}

void sim_kernel_stop(sim_kernel *kernel)
{
	g_atomic_int_set(&kernel->stop, 1);
}

bool sim_kernel_is_idle(const sim_kernel *kernel)
{
	if (kernel->started)
		return sim_i_next(kernel) == SIM_NEVER;
	for (unsigned i = 0; i < kernel->domains->len; i++) {
		const GPtrArray *processes = sim_i_domain(kernel, i)->processes;

		for (unsigned j = 0; j < processes->len; j++)
			if (((sim_process *)g_ptr_array_index(processes, j))->woken != SIM_NEVER)
				return false;
	}
	return true;
}

sim_time sim_kernel_now(const sim_kernel *kernel)
{
	return kernel->now / kernel->ticks_per_cycle;
}

uint64_t sim_kernel_activations(const sim_kernel *kernel)
{
	return kernel->activations;
}

uint64_t sim_kernel_active_cycles(const sim_kernel *kernel)
{
	return kernel->active_cycles;
}
