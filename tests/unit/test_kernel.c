/* SPDX-License-Identifier: Apache-2.0
 *
 * Both kernels, by the log of activations each scenario leaves: "domain-cycle process" separated by spaces.  Every
 * scenario runs in a child process, because SystemC allows one kernel each, and on every kernel compiled in; its log is
 * compared with one derived by hand or by tests/unit/kernel_oracle.c.
 */
#include "tests/lib/tap.h"
#include "tests/unit/kernel_oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ACTORS = 64 };

typedef struct world {
	sim_kernel *kernel;
	const sim_kernel_options *options; /* of the scenario's kernel, or NULL */
	GString *log;
	sim_process *process[ACTORS];
	sim_event *event;
	sim_domain *domain;
	GError *error;
} world;

/* A process: runs at the given times in turn, logs itself, and wakes another on its first run. */
typedef struct actor {
	world *w;
	const char *name;
	const sim_time *times; /* ended by SIM_NEVER: what successive runs return */
	int wake;              /* process to wake on each run, -1 for none */
	sim_time wake_delay;
	sim_time notify; /* delay of an event notification, -1 for none */
	bool stop;
} actor;

static const sim_time never[] = {SIM_NEVER};

static sim_time act(void *state, sim_time now)
{
	actor *self = state;

	g_string_append_printf(self->w->log, "%" PRId64 "%s ", now, self->name);
	if (self->wake >= 0)
		sim_process_wake(self->w->process[self->wake], now + self->wake_delay);
	if (self->notify >= 0)
		sim_event_notify(self->w->event, self->notify);
	if (self->stop)
		sim_kernel_stop(self->w->kernel);
	return *self->times == SIM_NEVER ? SIM_NEVER : *self->times++;
}

/* An actor that does nothing but log. */
static actor quiet(world *w, const char *name, const sim_time *times)
{
	return (actor){.w = w, .name = name, .times = times, .wake = -1, .notify = -1};
}

static sim_process *add(world *w, sim_domain *domain, enum sim_phase phase, uint32_t unit, actor *a)
{
	sim_process_spec spec = {a->name, phase, unit, act, a};

	return sim_kernel_add_process(w->kernel, domain ? domain : sim_kernel_reference_domain(w->kernel), &spec);
}

static void run(world *w, sim_time until)
{
	if (!sim_kernel_run(w->kernel, until, &w->error)) {
		g_string_append_printf(w->log, "error: %s", w->error->message);
		g_clear_error(&w->error);
	}
}

typedef void (*scenario)(world *w);

/* The log of PLAY on kernel NAME, made by a child; g_free. */
static char *play(const char *name, scenario scene, const sim_kernel_options *options)
{
	int pipes[2];
	pid_t child;
	int status = -1;
	GString *log = g_string_new(NULL);
	char buffer[4096];
	ssize_t got;

	fflush(stdout);
	if (pipe(pipes) || (child = fork()) < 0)
		return g_string_free(log, FALSE);
	if (child == 0) {
		world w = {.log = log, .options = options};
		size_t done = 0;

		close(pipes[0]);
		w.kernel = sim_kernel_new(name, options, &w.error);
		if (w.kernel)
			scene(&w);
		else
			g_string_append(log, w.error->message);
		sim_kernel_free(w.kernel);
		while (done < log->len) {
			ssize_t put = write(pipes[1], log->str + done, log->len - done);

			if (put <= 0)
				_exit(9);
			done += (size_t)put;
		}
		g_string_free(log, TRUE);
		g_clear_error(&w.error);
		exit(0);
	}
	close(pipes[1]);
	while ((got = read(pipes[0], buffer, sizeof buffer)) > 0)
		g_string_append_len(log, buffer, got);
	close(pipes[0]);
	waitpid(child, &status, 0);
	if (status)
		g_string_append_printf(log, "(child ended with %d)", status);
	return g_string_free(log, FALSE);
}

/* Does SCENE leave the log EXPECTED on every kernel? */
static void expect(scenario scene, const char *expected)
{
	for (const char *const *name = sim_kernel_names(); *name; name++) {
		g_autofree char *log = play(*name, scene, NULL);

		if (strcmp(log, expected) != 0)
			tap_note("%s: %s\n  expected: %s", *name, log, expected);
		CU_ASSERT_STRING_EQUAL(log, expected);
	}
}

/* Registered out of order; all at cycle 0.  Phase first, then unit, then registration. */
static void order_scene(world *w)
{
	actor a = quiet(w, "a", never);
	actor b = quiet(w, "b", never);
	actor c = quiet(w, "c", never);
	actor d = quiet(w, "d", never);
	actor e = quiet(w, "e", never);

	w->process[0] = add(w, NULL, SIM_PHASE_AUDIT, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_ISSUE, 9, &b);
	w->process[2] = add(w, NULL, SIM_PHASE_RESOLVE, 5, &c);
	w->process[3] = add(w, NULL, SIM_PHASE_ISSUE, 2, &d);
	w->process[4] = add(w, NULL, SIM_PHASE_ISSUE, 9, &e);
	for (int i = 4; i >= 0; i--)
		sim_process_wake(w->process[i], 0);
	run(w, SIM_NEVER);
}

static void processes_of_a_cycle_run_by_phase_then_unit_then_registration(void)
{
	expect(order_scene, "0d 0b 0e 0c 0a ");
}

static void times_scene(world *w)
{
	static const sim_time at_a[] = {1, 5, 1023, 1024, 5000, 1000000, SIM_NEVER};
	static const sim_time at_b[] = {3, 4, 1025, 3000, 5000, SIM_NEVER};
	actor a = quiet(w, "a", at_a);
	actor b = quiet(w, "b", at_b);

	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_ISSUE, 1, &b);
	sim_process_wake(w->process[0], 0);
	sim_process_wake(w->process[1], 2);
	run(w, SIM_NEVER);
	g_string_append_printf(w->log, "now %" PRId64 " activations %" PRIu64 " cycles %" PRIu64 " idle %d",
	                       sim_kernel_now(w->kernel), sim_kernel_activations(w->kernel),
	                       sim_kernel_active_cycles(w->kernel), sim_kernel_is_idle(w->kernel));
}

/* 13 callbacks; cycle 5000 has two of them, so 12 cycles are active. */
static void a_process_runs_when_it_asked_to_and_idle_cycles_cost_nothing(void)
{
	expect(times_scene, "0a 1a 2b 3b 4b 5a 1023a 1024a 1025b 3000b 5000a 5000b 1000000a "
	                    "now 1000000 activations 13 cycles 12 idle 1");
}

static void late_phase_scene(world *w)
{
	static const sim_time at_a[] = {4, SIM_NEVER};
	static const sim_time at_r[] = {9, SIM_NEVER};
	actor a = quiet(w, "a", at_a);
	actor r = quiet(w, "r", at_r);
	actor z = quiet(w, "z", never);

	/* a wakes r in its own cycle, r wakes z in the same one; r's own request for 9 stands after cycle 4's wake. */
	a.wake = 1;
	r.wake = 2;
	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 7, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_RESOLVE, 3, &r);
	w->process[2] = add(w, NULL, SIM_PHASE_AUDIT, 0, &z);
	sim_process_wake(w->process[0], 0);
	run(w, SIM_NEVER);
}

/* r asks for 9 in cycle 0, is woken at 4 instead and then sleeps: a request of its own is replaced by the next one. */
static void a_wake_for_a_later_phase_joins_the_running_cycle(void)
{
	expect(late_phase_scene, "0a 0r 0z 4a 4r 4z ");
}

static void earlier_wins_scene(world *w)
{
	static const sim_time at_b[] = {20, SIM_NEVER};
	actor a = quiet(w, "a", never);
	actor b = quiet(w, "b", at_b);

	a.wake = 1;
	a.wake_delay = 6;
	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_ISSUE, 1, &b);
	sim_process_wake(w->process[1], 0);
	sim_process_wake(w->process[0], 1);
	sim_process_wake(w->process[0], 5); /* later than what is asked already */
	run(w, SIM_NEVER);
}

/* b asked for 20; a at 1 wakes it at 7. */
static void of_two_requests_the_earlier_counts(void)
{
	expect(earlier_wins_scene, "0b 1a 7b ");
}

static void kept_wake_scene(world *w)
{
	static const sim_time at_b[] = {2, SIM_NEVER};
	actor a = quiet(w, "a", never);
	actor b = quiet(w, "b", at_b);
	actor c = quiet(w, "c", never);
	actor d = quiet(w, "d", never);

	/* In cycle 2, a (before b) wakes b at 5, c (after b) wakes d at 6, which sleeps; b itself asks for nothing
	 * more. */
	a.wake = 1;
	a.wake_delay = 3;
	c.wake = 3;
	c.wake_delay = 4;
	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_ISSUE, 1, &b);
	w->process[2] = add(w, NULL, SIM_PHASE_ISSUE, 2, &c);
	w->process[3] = add(w, NULL, SIM_PHASE_ISSUE, 0, &d);
	sim_process_wake(w->process[1], 0);
	sim_process_wake(w->process[0], 2);
	sim_process_wake(w->process[2], 2);
	run(w, SIM_NEVER);
}

static void a_wake_made_just_before_its_target_runs_is_not_lost(void)
{
	expect(kept_wake_scene, "0b 2a 2b 2c 5b 6d ");
}

static void domains_scene(world *w)
{
	static const sim_time at_ref[] = {1, 2, 3, 4, 5, 6, SIM_NEVER};
	static const sim_time at_slow[] = {1, 2, 3, 4, SIM_NEVER};
	static const sim_time at_fast[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, SIM_NEVER};
	actor r = quiet(w, "r", at_ref);
	actor s = quiet(w, "s", at_slow);
	actor f = quiet(w, "f", at_fast);
	sim_domain *slow = sim_kernel_add_domain(w->kernel, "slow", 6, 4, &w->error);
	sim_domain *fast = sim_kernel_add_domain(w->kernel, "fast", 2, 3, &w->error);

	/* Unit 9 and the last phase: the domain counts before phase and unit. */
	w->process[0] = add(w, NULL, SIM_PHASE_AUDIT, 9, &r);
	w->process[1] = add(w, slow, SIM_PHASE_ISSUE, 0, &s);
	w->process[2] = add(w, fast, SIM_PHASE_ISSUE, 0, &f);
	for (int i = 0; i < 3; i++)
		sim_process_wake(w->process[i], 0);
	run(w, 5);
	g_string_append_printf(w->log, "now %" PRId64 " | ", sim_kernel_now(w->kernel));
	run(w, SIM_NEVER);
}

/* slow cycle k at 3k/2: 0 1.5 3 4.5 6; fast cycle k at 2k/3: 0 .67 1.33 2 2.67 3.33 4 4.67 5.33 6.  At 0 and 6 all
 * three meet; at 3 r and s; at 2 and 4 r and f. */
static void domains_with_ratios_3_2_and_2_3_interleave_exactly(void)
{
	expect(domains_scene, "0r 0s 0f 1f 1r 2f 1s 2r 3f 4f 3r 2s 5f 4r 6f 3s 7f 5r now 5 | 8f 6r 4s 9f ");
}

static void event_scene(world *w)
{
	actor a = quiet(w, "a", never);
	actor b = quiet(w, "b", never);
	actor c = quiet(w, "c", never);
	sim_domain *slow = sim_kernel_add_domain(w->kernel, "slow", 3, 2, &w->error);

	w->event = sim_kernel_add_event(w->kernel, "done");
	a.notify = 2;
	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_ISSUE, 1, &b);
	w->process[2] = add(w, slow, SIM_PHASE_ISSUE, 0, &c);
	sim_event_subscribe(w->event, w->process[1]);
	sim_event_subscribe(w->event, w->process[2]);
	sim_process_wake(w->process[0], 4);
	run(w, SIM_NEVER);
}

/* Notified at 4 with 2 cycles: b at 6.  The slow clock's first cycle at or after 4 is number 3 (4.5), so c runs in its
 * cycle 5, at 7.5. */
static void an_event_wakes_each_subscriber_after_the_delay_in_its_own_cycles(void)
{
	expect(event_scene, "4a 6b 5c ");
}

static void event_zero_scene(world *w)
{
	actor a = quiet(w, "a", never);
	actor b = quiet(w, "b", never);

	w->event = sim_kernel_add_event(w->kernel, "now");
	a.notify = 0;
	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_RESOLVE, 0, &b);
	sim_event_subscribe(w->event, w->process[1]);
	sim_process_wake(w->process[0], 3);
	run(w, SIM_NEVER);
}

static void an_event_with_no_delay_reaches_a_later_phase(void)
{
	expect(event_zero_scene, "3a 3b ");
}

static void stop_scene(world *w)
{
	static const sim_time at[] = {1, 2, 3, SIM_NEVER};
	actor a = quiet(w, "a", at);
	actor b = quiet(w, "b", at);
	actor c = quiet(w, "c", never);

	c.stop = true;
	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_AUDIT, 0, &b);
	w->process[2] = add(w, NULL, SIM_PHASE_RESOLVE, 0, &c);
	sim_process_wake(w->process[0], 0);
	sim_process_wake(w->process[1], 0);
	sim_process_wake(w->process[2], 1);
	run(w, SIM_NEVER);
	g_string_append_printf(w->log, "stopped at %" PRId64 " ", sim_kernel_now(w->kernel));
	sim_kernel_stop(w->kernel);
	run(w, SIM_NEVER);
	g_string_append(w->log, "nothing ");
	run(w, SIM_NEVER);
}

/* The cycle is finished (1b comes after the stop); a stop between runs ends the next run before it begins. */
static void stop_ends_the_run_after_the_present_cycle(void)
{
	expect(stop_scene, "0a 0b 1a 1c 1b stopped at 1 nothing 2a 2b 3a 3b ");
}

static void until_scene(world *w)
{
	static const sim_time at[] = {10, 20, 30, SIM_NEVER};
	actor a = quiet(w, "a", at);
	actor b = quiet(w, "b", never);

	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_ISSUE, 1, &b);
	sim_process_wake(w->process[0], 0);
	run(w, 19);
	g_string_append_printf(w->log, "now %" PRId64 " idle %d ", sim_kernel_now(w->kernel),
	                       sim_kernel_is_idle(w->kernel));
	sim_process_wake(w->process[1], 19);
	run(w, 20);
	g_string_append_printf(w->log, "now %" PRId64 " ", sim_kernel_now(w->kernel));
	run(w, 1000);
	g_string_append_printf(w->log, "now %" PRId64 " ", sim_kernel_now(w->kernel));
	sim_process_wake(w->process[1], 31);
	run(w, 1000);
}

/* A run that ends at its limit is at the limit; one that runs dry is where the last callback was. */
static void run_until_stops_before_what_is_beyond_and_goes_on_from_there(void)
{
	expect(until_scene, "0a 10a now 19 idle 0 19b 20a now 20 30a now 30 31b ");
}

static void not_later_scene(world *w)
{
	static const sim_time at[] = {5, 5, SIM_NEVER};
	actor a = quiet(w, "mem3", at);

	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	sim_process_wake(w->process[0], 0);
	run(w, SIM_NEVER);
	g_string_append(w->log, "; ");
	run(w, SIM_NEVER);
}

/* The message names process and times, and the kernel stays unusable. */
static void a_process_that_asks_for_the_present_cycle_ends_the_run_with_an_error(void)
{
	expect(not_later_scene,
	       "0mem3 5mem3 error: mem3: ran at cycle 5 and asked to run next at 5, which is not later; "
	       "error: mem3: ran at cycle 5 and asked to run next at 5, which is not later");
}

static void same_phase_scene(world *w)
{
	actor a = quiet(w, "a", never);
	actor b = quiet(w, "b", never);

	a.wake = 1;
	w->process[0] = add(w, NULL, SIM_PHASE_RESOLVE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_RESOLVE, 1, &b);
	sim_process_wake(w->process[0], 3);
	run(w, SIM_NEVER);
}

static void a_wake_in_the_same_phase_is_an_error(void)
{
	expect(same_phase_scene, "3a error: b: woken by a in the present cycle 3, but its phase is not later");
}

static void past_scene(world *w)
{
	actor a = quiet(w, "a", never);

	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	sim_process_wake(w->process[0], 8);
	run(w, SIM_NEVER);
	sim_process_wake(w->process[0], 8);
	run(w, SIM_NEVER);
}

static void a_wake_for_a_time_that_has_passed_is_an_error(void)
{
	expect(past_scene, "8a error: a: woken at cycle 8, which has passed");
}

static void earlier_domain_scene(world *w)
{
	actor a = quiet(w, "a", never);
	actor b = quiet(w, "b", never);
	sim_domain *other = sim_kernel_add_domain(w->kernel, "other", 2, 1, &w->error);

	a.wake = 1; /* its cycle 3 is at 6, as is cycle 6 of b, whose turn has passed */
	a.wake_delay = 3;
	w->process[0] = add(w, other, SIM_PHASE_ISSUE, 0, &a);
	w->process[1] = add(w, NULL, SIM_PHASE_AUDIT, 0, &b);
	sim_process_wake(w->process[0], 3);
	run(w, SIM_NEVER);
}

static void a_wake_at_the_same_instant_in_an_earlier_domain_is_an_error(void)
{
	expect(earlier_domain_scene, "3a error: b: woken at cycle 6, which has passed");
}

static void later_domain_scene(world *w)
{
	actor a = quiet(w, "a", never);
	actor b = quiet(w, "b", never);
	sim_domain *other = sim_kernel_add_domain(w->kernel, "other", 2, 1, &w->error);

	a.wake = 1; /* cycle 3 of b is at 6, a's own present */
	a.wake_delay = -3;
	w->process[0] = add(w, NULL, SIM_PHASE_AUDIT, 0, &a);
	w->process[1] = add(w, other, SIM_PHASE_ISSUE, 0, &b);
	sim_process_wake(w->process[0], 6);
	run(w, SIM_NEVER);
}

static void a_wake_at_the_same_instant_in_a_later_domain_runs(void)
{
	expect(later_domain_scene, "6a 3b ");
}

static void bad_domain_scene(world *w)
{
	static const struct {
		uint32_t num, den;
	} ratios[] = {{0, 1}, {1, 0}, {4294967291U, 1}, {1, 4294967291U}, {1, 4294967279U}};

	for (size_t i = 0; i < G_N_ELEMENTS(ratios); i++) {
		sim_domain *d = sim_kernel_add_domain(w->kernel, "d", ratios[i].num, ratios[i].den, &w->error);

		g_string_append(w->log, d ? "fine; " : w->error->message);
		g_string_append(w->log, d ? "" : "; ");
		g_clear_error(&w->error);
	}
}

/* 4294967291 x 4294967291 ticks in one cycle would leave no cycle in 63 bits. */
static void clock_ratios_that_64_bits_do_not_hold_are_refused(void)
{
	expect(bad_domain_scene,
	       "clock domain \"d\": a cycle of 0/1 reference cycles; both must be above 0; "
	       "clock domain \"d\": a cycle of 1/0 reference cycles; both must be above 0; "
	       "fine; "
	       "clock domain \"d\": 1/4294967291 together with the other domains needs a finer time than 64 bits hold; "
	       "clock domain \"d\": 1/4294967279 together with the other domains needs a finer time than 64 bits "
	       "hold; ");
}

static void far_scene(world *w)
{
	static const sim_time at[] = {1000000000000000, SIM_NEVER - 1, SIM_NEVER};
	actor a = quiet(w, "a", at);

	sim_kernel_add_domain(w->kernel, "half", 1, 2, &w->error);
	w->process[0] = add(w, NULL, SIM_PHASE_ISSUE, 0, &a);
	sim_process_wake(w->process[0], 0);
	run(w, SIM_NEVER);
	/* How far time reaches depends on SystemC's resolution. */
	g_string_truncate(w->log, (gsize)(strstr(w->log->str, "; the last") - w->log->str));
}

static void a_time_beyond_what_the_kernel_can_represent_is_an_error(void)
{
	expect(far_scene, "0a 1000000000000000a error: a: asked to run at cycle 9223372036854775806");
}

static void unknown_kernel_is_an_error_that_lists_the_known_ones(void)
{
	g_autoptr(GError) error = NULL;

	CU_ASSERT_PTR_NULL(sim_kernel_new("sistemc", NULL, &error));
	CU_ASSERT_TRUE(g_error_matches(error, SIM_ERROR, SIM_ERROR_KERNEL));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "no kernel \"sistemc\" here; expected one of: "));
	CU_ASSERT_PTR_NOT_NULL(strstr(error->message, "ref"));
}

static void second_kernel_scene(world *w)
{
	sim_kernel *second = sim_kernel_new("systemc", NULL, &w->error);

	g_string_append(w->log, second ? "made" : w->error->message);
	sim_kernel_free(second);
}

static void a_second_systemc_kernel_in_one_process_is_refused(void)
{
	if (strcmp(sim_kernel_names()[0], "systemc") != 0) {
		tap_skip("no SystemC in this build");
	} else {
		g_autofree char *log = play("systemc", second_kernel_scene, NULL);

		CU_ASSERT_STRING_EQUAL(log,
		                       "a SystemC kernel has already lived in this process, which has room for one; "
		                       "expected kernel ref");
	}
}

static void many_scene(world *w)
{
	static const sim_time at[] = {1, 2, SIM_NEVER};
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	actor a[16];

	for (unsigned i = 0; i < 16; i++) {
		a[i] = quiet(w, names[i % 8], at);
		w->process[i] = add(w, NULL, i < 8 ? SIM_PHASE_ISSUE : SIM_PHASE_AUDIT, i, &a[i]);
		sim_process_wake(w->process[i], 0);
	}
	run(w, SIM_NEVER);
}

/* Sorts the 8 entries (each "Nx ") of a phase; the log then is that of the unshuffled run when the sets are equal. */
static char *sorted_by_phase(const char *log)
{
	g_auto(GStrv) entries = g_strsplit(log, " ", -1);
	GString *out = g_string_new(NULL);

	for (guint i = 0; i + 8 <= g_strv_length(entries); i += 8) {
		for (int pass = 0; pass < 8; pass++)
			for (guint j = i; j + 1 < i + 8; j++)
				if (strcmp(entries[j], entries[j + 1]) > 0) {
					char *swap = entries[j];

					entries[j] = entries[j + 1];
					entries[j + 1] = swap;
				}
		for (guint j = i; j < i + 8; j++)
			g_string_append_printf(out, "%s ", entries[j]);
	}
	return g_string_free(out, FALSE);
}

static void shuffling_permutes_each_phase_and_nothing_else(void)
{
	for (const char *const *name = sim_kernel_names(); *name; name++) {
		g_autofree char *plain = play(*name, many_scene, NULL);
		g_autofree char *first = play(*name, many_scene, &(sim_kernel_options){.shuffle_seed = 1});
		g_autofree char *again = play(*name, many_scene, &(sim_kernel_options){.shuffle_seed = 1});
		g_autofree char *second = play(*name, many_scene, &(sim_kernel_options){.shuffle_seed = 2});
		g_autofree char *first_sorted = sorted_by_phase(first);
		g_autofree char *second_sorted = sorted_by_phase(second);

		CU_ASSERT_STRING_EQUAL(first, again);
		CU_ASSERT_STRING_NOT_EQUAL(first, plain);
		CU_ASSERT_STRING_NOT_EQUAL(first, second);
		CU_ASSERT_STRING_EQUAL(first_sorted, plain);
		CU_ASSERT_STRING_EQUAL(second_sorted, plain);
		/* Cycles differ in their order, too: not one permutation for all. */
		CU_ASSERT_NOT_EQUAL(first[1] == first[3 * 16 + 1] && first[4] == first[3 * 16 + 4] &&
		                            first[7] == first[3 * 16 + 7] && first[10] == first[3 * 16 + 10],
		                    1);
	}
}

/* A random world: 40 processes in three domains that wake each other.  Decisions depend on a process's own history, so
 * that any correct kernel makes the same ones. */
enum { RANDOM_ACTORS = 40, RANDOM_UNTIL = 60000 };
typedef struct random_world {
	GString *log;
	oracle *o; /* runs on the oracle when not NULL, else on */
	sim_kernel *kernel;
	sim_process *process[RANDOM_ACTORS];
	sim_domain *domain[3];
	struct random_actor {
		struct random_world *w;
		uint64_t random;
		unsigned number, domain;
		enum sim_phase phase;
	} actor[RANDOM_ACTORS];
} random_world;

static const struct {
	uint32_t num, den;
} random_clock[3] = {{1, 1}, {3, 2}, {5, 7}};

static unsigned draw(struct random_actor *a, unsigned below)
{
	a->random = a->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)((a->random >> 33) % below);
}

static void random_wake(random_world *w, const struct random_actor *target, sim_time time)
{
	if (w->o)
		oracle_wake(w->o, target->number, time);
	else
		sim_process_wake(w->process[target->number], time);
}

static sim_time random_act(void *state, sim_time now)
{
	struct random_actor *a = state;
	random_world *w = a->w;
	struct random_actor *target = &w->actor[draw(a, RANDOM_ACTORS)];
	/* Reference time of now, as k/14: all clocks are multiples of 1/14. */
	int64_t fourteenths = now * 14 * random_clock[a->domain].num / random_clock[a->domain].den;
	int64_t length = 14 * random_clock[target->domain].num / random_clock[target->domain].den;
	sim_time target_now = (fourteenths + length - 1) / length;

	g_string_append_printf(w->log, "%" PRId64 ":%u ", now, a->number);
	if (target->domain == a->domain && target->phase > a->phase && draw(a, 2))
		random_wake(w, target, now);
	else if (draw(a, 3) == 0)
		random_wake(w, target, target_now + 1 + (sim_time)draw(a, draw(a, 10) ? 20 : 5000));
	return draw(a, 8) ? now + 1 + (sim_time)draw(a, draw(a, 20) ? 60 : 4000) : SIM_NEVER;
}

static void random_build(random_world *w)
{
	for (unsigned i = 0; i < 3; i++) {
		if (w->o)
			oracle_add_domain(w->o, random_clock[i].num, random_clock[i].den);
		else
			w->domain[i] = i ? sim_kernel_add_domain(w->kernel, "d", random_clock[i].num,
			                                         random_clock[i].den, NULL)
			                 : sim_kernel_reference_domain(w->kernel);
	}
	for (unsigned i = 0; i < RANDOM_ACTORS; i++) {
		struct random_actor *a = &w->actor[i];
		sim_process_spec spec = {"r", SIM_PHASE_ISSUE, 0, random_act, a};

		*a = (struct random_actor){.w = w, .random = i, .number = i};
		a->domain = draw(a, 3);
		a->phase = (enum sim_phase)draw(a, SIM_PHASE_COUNT);
		spec.phase = a->phase;
		spec.unit = draw(a, 10);
		if (w->o)
			oracle_add_process(w->o, a->domain, &spec);
		else
			w->process[i] = sim_kernel_add_process(w->kernel, w->domain[a->domain], &spec);
		random_wake(w, a, (sim_time)draw(a, 3000));
	}
}

static void random_scene(world *w)
{
	random_world r = {.log = w->log, .kernel = w->kernel};

	random_build(&r);
	/* In pieces, to cross the limits of runs. */
	for (sim_time until = 500; until <= RANDOM_UNTIL; until += 500)
		run(w, until);
}

static void a_random_world_runs_as_the_oracle_says(void)
{
	random_world r = {.log = g_string_new(NULL), .o = oracle_new()};

	random_build(&r);
	oracle_run(r.o, RANDOM_UNTIL);
	tap_note("%" G_GSIZE_FORMAT " bytes of log", r.log->len);
	CU_ASSERT_TRUE(r.log->len > 80000);
	for (const char *const *name = sim_kernel_names(); *name; name++) {
		g_autofree char *log = play(*name, random_scene, NULL);

		CU_ASSERT_TRUE(strcmp(log, r.log->str) == 0);
	}
	oracle_free(r.o);
	g_string_free(r.log, TRUE);
}

static void shuffled_random_worlds_agree_between_kernels(void)
{
	g_autofree char *reference = play("ref", random_scene, &(sim_kernel_options){.shuffle_seed = 5});

	for (const char *const *name = sim_kernel_names(); *name; name++) {
		g_autofree char *log =
			play(*name, random_scene, &(sim_kernel_options){.shuffle_seed = 5, .reference_hz = 900000000});

		CU_ASSERT_TRUE(strlen(log) > 80000 && strcmp(log, reference) == 0);
	}
}

int main(void)
{
	static const tap_case cases[] = {
#define CASE(f) {#f, f}
		CASE(processes_of_a_cycle_run_by_phase_then_unit_then_registration),
		CASE(a_process_runs_when_it_asked_to_and_idle_cycles_cost_nothing),
		CASE(a_wake_for_a_later_phase_joins_the_running_cycle),
		CASE(of_two_requests_the_earlier_counts),
		CASE(a_wake_made_just_before_its_target_runs_is_not_lost),
		CASE(domains_with_ratios_3_2_and_2_3_interleave_exactly),
		CASE(an_event_wakes_each_subscriber_after_the_delay_in_its_own_cycles),
		CASE(an_event_with_no_delay_reaches_a_later_phase),
		CASE(stop_ends_the_run_after_the_present_cycle),
		CASE(run_until_stops_before_what_is_beyond_and_goes_on_from_there),
		CASE(a_process_that_asks_for_the_present_cycle_ends_the_run_with_an_error),
		CASE(a_wake_in_the_same_phase_is_an_error),
		CASE(a_wake_for_a_time_that_has_passed_is_an_error),
		CASE(a_wake_at_the_same_instant_in_an_earlier_domain_is_an_error),
		CASE(a_wake_at_the_same_instant_in_a_later_domain_runs),
		CASE(clock_ratios_that_64_bits_do_not_hold_are_refused),
		CASE(a_time_beyond_what_the_kernel_can_represent_is_an_error),
		CASE(unknown_kernel_is_an_error_that_lists_the_known_ones),
		CASE(a_second_systemc_kernel_in_one_process_is_refused),
		CASE(shuffling_permutes_each_phase_and_nothing_else),
		CASE(a_random_world_runs_as_the_oracle_says),
		CASE(shuffled_random_worlds_agree_between_kernels),
#undef CASE
	};

	return tap_run("kernel", cases, G_N_ELEMENTS(cases));
}
