/* SPDX-License-Identifier: Apache-2.0
 *
 * The SystemC kernel: SystemC owns time.  One sc_module, below it one SC_METHOD for each clock domain, which wakes once
 * in each instant in which its domain has work.  SystemC runs methods of one instant in no useful order, so whichever
 * comes first serves all domains of that instant in ours, and the others find nothing left.
 *
 * SystemC time: a reference cycle lasts the nearest whole number of time resolutions to 1/reference_hz that is a
 * multiple of ticks_per_cycle, at least one each, so that instants of all domains are exact; at 1 ps and 1 GHz it is
 * 1,000.
 *
 * A user's own SystemC modules may be constructed beside ours before the first run.  One simulation context exists per
 * process and cannot be made anew: a second kernel is refused.  No exception leaves this file.
 */
#include "config.h"

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <systemc>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sim/kernel_impl.h"

/* libsystemc wants one; the process belongs to a C main(). */
int sc_main(int, char **)
{
	return 0;
}

namespace
{

bool lived; /* has a kernel been constructed in this process? */

class clockwork : public sc_core::sc_module
{
      public:
	clockwork(const sc_core::sc_module_name &module_name, sim_kernel *owner)
	    : sc_core::sc_module(module_name), kernel(owner)
	{
	}

	/* Knows all domains: makes their methods, and decides how long a tick is. */
	bool prepare(GError **error);
	void run(int64_t until_ticks);

      private:
	void activate();
	void arm();

	sim_kernel *kernel;
	std::vector<std::unique_ptr<sc_core::sc_event>> due;
	std::vector<int64_t> armed; /* per domain: the instant its event is notified for, at or before now when none */
	sc_dt::uint64 resolutions = 1; /* a tick lasts */
	int64_t limit = -1;
};

bool clockwork::prepare(GError **error)
{
	/* In time resolutions; the reference period need not be a whole number of them. */
	double period = 1.0 / (double)kernel->options.reference_hz / sc_core::sc_get_time_resolution().to_seconds();
	double whole = std::round(period / (double)kernel->ticks_per_cycle);

	resolutions = whole < 1.0 ? 1 : (sc_dt::uint64)whole;
	if (whole > (double)INT64_C(0x100000000)) {
		g_set_error(error, SIM_ERROR, SIM_ERROR_RANGE,
		            "a reference clock of %" G_GUINT64_FORMAT " Hz is too slow here",
		            kernel->options.reference_hz);
		return false;
	}
	for (unsigned i = 0; i < kernel->domains->len; i++) {
		sim_domain *domain = sim_i_domain(kernel, i);
		sc_core::sc_spawn_options options;
		int64_t last = (int64_t)((sc_dt::uint64)(SIM_NEVER - 1) / resolutions) / domain->ticks;

		domain->last = MIN(domain->last, last);
		due.push_back(std::make_unique<sc_core::sc_event>());
		armed.push_back(-1);
		options.spawn_method();
		options.dont_initialize();
		options.set_sensitivity(due.back().get());
		sc_core::sc_spawn([this] { activate(); }, sc_core::sc_gen_unique_name("domain"), &options);
	}
	return true;
}

/* Notifies the event of every domain with work at or before the limit. */
void clockwork::arm()
{
	sc_dt::uint64 now = sc_core::sc_time_stamp().value();

	for (unsigned i = 0; i < due.size(); i++) {
		const sim_domain *domain = sim_i_domain(kernel, i);
		sim_time cycle = sim_wheel_next(&domain->wheel);
		int64_t instant;

		if (cycle == SIM_NEVER)
			continue;
		instant = cycle * domain->ticks;
		if (instant > limit || (armed[i] > kernel->served && armed[i] <= instant))
			continue;
		if ((sc_dt::uint64)instant * resolutions < now)
			throw std::runtime_error(
				"other modules took SystemC's time beyond that of a wake between two runs");
		armed[i] = instant;
		due[i]->notify(sc_core::sc_time::from_value((sc_dt::uint64)instant * resolutions - now));
	}
}

void clockwork::activate()
{
	int64_t instant = sim_i_next(kernel);

	/* Not so for a domain served by another's method, and for a notification whose work was taken back. */
	if (instant == SIM_NEVER || (sc_dt::uint64)instant * resolutions != sc_core::sc_time_stamp().value())
		return;
	if (sim_i_serve(kernel, instant))
		arm();
	else
		sc_core::sc_pause();
}

void clockwork::run(int64_t until_ticks)
{
	limit = until_ticks;
	arm();
	if (!sc_core::sc_pending_activity())
		return;
	if (limit == SIM_NEVER) {
		sc_core::sc_start();
	} else {
		sc_dt::uint64 now = sc_core::sc_time_stamp().value();
		/* sc_start() leaves out what is due exactly at its end, hence one resolution more. */
		sc_dt::uint64 end = (sc_dt::uint64)limit >= UINT64_MAX / resolutions
		                            ? UINT64_MAX
		                            : (sc_dt::uint64)limit * resolutions + 1;

		if (end > now)
			sc_core::sc_start(sc_core::sc_time::from_value(end - now), sc_core::SC_EXIT_ON_STARVATION);
	}
}

/* Calls WORK; what it throws becomes an error. */
template <typename Work> bool guarded(GError **error, Work work)
{
	try {
		return work();
	} catch (const std::exception &e) {
		g_set_error(error, SIM_ERROR, SIM_ERROR_SYSTEMC, "SystemC: %s", e.what());
	} catch (...) {
		g_set_error(error, SIM_ERROR, SIM_ERROR_SYSTEMC, "SystemC: unknown exception");
	}
	return false;
}

} // namespace

extern "C" {

static bool systemc_open(sim_kernel *kernel, GError **error)
{
	if (lived) {
		g_set_error(error, SIM_ERROR, SIM_ERROR_KERNEL,
		            "a SystemC kernel has already lived in this process, which has room for one; expected "
		            "kernel ref");
		return false;
	}
	lived = true;
	return guarded(error, [&] {
		/* Standard output belongs to the tools. */
		g_setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", FALSE);
		kernel->implementation = new clockwork("tspsim", kernel);
		return true;
	});
}

static void systemc_close(sim_kernel *kernel)
{
	guarded(nullptr, [&] {
		delete static_cast<clockwork *>(kernel->implementation);
		kernel->implementation = nullptr;
		return true;
	});
}

static bool systemc_start(sim_kernel *kernel, GError **error)
{
	return guarded(error, [&] { return static_cast<clockwork *>(kernel->implementation)->prepare(error); });
}

static bool systemc_run(sim_kernel *kernel, int64_t limit, GError **error)
{
	return guarded(error, [&] {
		static_cast<clockwork *>(kernel->implementation)->run(limit);
		return true;
	});
}

const sim_kernel_ops sim_kernel_systemc_ops = {
	"systemc", systemc_open, systemc_close, systemc_start, systemc_run,
};
}
