/* SPDX-License-Identifier: Apache-2.0
 *
 * Signal handling: only async-signal-safe calls in the handler (sim_kernel_stop is declared to be one).
 */
#include "tools/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "tools/tool.h"

static volatile sig_atomic_t happened;
static volatile sig_atomic_t deferred;
static sim_kernel *volatile watched;
static const char *volatile partial;

/* Says so, takes away what is half written, and ends. */
static _Noreturn void end_process(void)
{
	/* The progress line, if there is one, is not written over. */
	static const char text[] = "\ntspsim: interrupted\n";
	size_t skip = isatty(STDERR_FILENO) ? 0 : 1;
	const char *path = partial;

	if (path)
		unlink(path);
	/* Whether it could be said or not. */
	if (write(STDERR_FILENO, text + skip, sizeof text - 1 - skip) < 0)
		_exit(TOOL_INTERRUPTED);
	_exit(TOOL_INTERRUPTED);
}

static void handle(int number)
{
	sim_kernel *kernel = watched;

	(void)number;
	if (happened || !(kernel || deferred))
		end_process();
	happened = 1;
	if (kernel)
		sim_kernel_stop(kernel);
}

void interrupt_install(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};

	struct sigaction inherited;

	sigemptyset(&action.sa_mask);
	/* A shell without job control starts background commands with SIGINT ignored, and means it. */
	if (sigaction(SIGINT, NULL, &inherited) != 0 || inherited.sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A reader of our output that goes away is an error of print(), not a death without a closed trace; so is a
	 * limit of file sizes. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
}

void interrupt_watch(sim_kernel *kernel)
{
	watched = kernel;
}

void interrupt_removes(const char *path)
{
	partial = path;
}

void interrupt_defer(bool defer)
{
	deferred = defer;
}

void interrupt_resume(void)
{
	deferred = false;
	if (happened)
		end_process();
}

bool interrupt_happened(void)
{
	return happened;
}

const char *interrupt_ending(bool capped)
{
	return happened ? "; interrupted" : capped ? "; ended by the time limit" : "";
}
