/*
 * Gives programs the umad_recv that a kernel gives them for messages longer than their buffer: the error ENOSPC with the header of the message
 * and its length, and the whole message to the next call. A read over FUSE has data or an error, not both.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 100000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *waiting; /* a message that was too long for the last call */
static int waiting_size, waiting_agent;

int umad_recv(int port, void *umad, int *length, int timeout)
{
	int (*real)(int, void *, int *, int) = dlsym(RTLD_NEXT, "umad_recv");
	size_t (*header)(void) = dlsym(RTLD_NEXT, "umad_size");
	char *message;
	int size = LONGEST, agent;

	pthread_mutex_lock(&lock);
	message = waiting;
	size = message ? waiting_size : size;
	agent = waiting_agent;
	waiting = NULL;
	pthread_mutex_unlock(&lock);
	if (!message) {
		message = calloc(1, header() + LONGEST);
		agent = real(port, message, &size, timeout);
		if (agent < 0) {
			memcpy(umad, message, header());
			free(message);
			return agent;
		}
	}
	if (size <= *length) {
		memcpy(umad, message, header() + size);
		*length = size;
		free(message);
		return agent;
	}
	memcpy(umad, message, header() + *length);
	*length = size;
	pthread_mutex_lock(&lock);
	waiting = message;
	waiting_size = size;
	waiting_agent = agent;
	pthread_mutex_unlock(&lock);
	errno = ENOSPC;
	return -ENOSPC;
}
