/* clock.c: writes when OpenSM computes its routing.
 *
 * cc -O2 -shared -fPIC -o clock.so clock.c -ldl
 * WEFT_CLOCK=marks LD_PRELOAD=clock.so opensm ...
 *
 * OpenSM exports its functions to plugins, so dlsym finds them. The constructor puts a breakpoint
 * (int3) on the first byte of three of them. The handler writes a line, "NAME CPU-SECONDS-OF-THREAD",
 * puts the byte back, and arms the other two, so that each function is caught again in a later
 * sweep. All three are called from OpenSM's sweep thread. Between two marks OpenSM runs unchanged.
 *
 *   route    osm_ucast_mgr_process: LIDs are set, the routing begins
 *   tables   osm_ucast_mgr_set_fwd_tables: the tables are in memory, nothing is sent yet
 *   failed   osm_ucast_cache_invalidate: no engine could route
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static struct point {
	const char *name, *function;
	uint8_t *at, byte;
} points[] = {
	{"route", "osm_ucast_mgr_process"},
	{"tables", "osm_ucast_mgr_set_fwd_tables"},
	{"failed", "osm_ucast_cache_invalidate"},
};
enum { COUNT = sizeof(points) / sizeof(points[0]), INT3 = 0xCC };

static int out = -1;

static void note(const char *name)
{
	struct timespec t;
	char line[64], digits[24];
	int n = 0, k = 0;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (name[n]) {
		line[n] = name[n];
		n++;
	}
	line[n++] = ' ';
	uint64_t us = (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
	do
		digits[k++] = (char)('0' + us % 10);
	while ((us /= 10) || k < 7);
	while (k) {
		if (k == 6)
			line[n++] = '.';
		line[n++] = digits[--k];
	}
	line[n++] = '\n';
	if (write(out, line, (size_t)n) < 0)
		return;
}

static void trapped(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	uint8_t *at = (uint8_t *)c->uc_mcontext.gregs[REG_RIP] - 1;
	int hit = 0;

	(void)signal;
	(void)info;
	while (hit < COUNT && points[hit].at != at)
		hit++;
	if (hit == COUNT)
		abort();
	note(points[hit].name);
	for (int i = 0; i < COUNT; i++)
		if (points[i].at)
			*points[i].at = i == hit ? points[i].byte : INT3;
	c->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)at;
}

__attribute__((constructor)) static void arm(void)
{
	const char *file = getenv("WEFT_CLOCK");
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct sigaction action;

	if (!file || !dlsym(RTLD_DEFAULT, points[0].function))
		return;
	out = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (out < 0)
		return;
	memset(&action, 0, sizeof action);
	action.sa_sigaction = trapped;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < COUNT; i++) {
		uint8_t *f = dlsym(RTLD_DEFAULT, points[i].function);
		uintptr_t start = (uintptr_t)f & ~(page - 1);

		if (!f || mprotect((void *)start, page, PROT_READ | PROT_WRITE | PROT_EXEC))
			continue;
		points[i].byte = *f;
		points[i].at = f;
		*f = INT3;
	}
}
