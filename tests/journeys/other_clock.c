/* A machine whose clock is wrong: the wall clock of the process is CLOCK_AHEAD_MS milliseconds ahead, or behind when that is
   negative. Preloaded into a process. The steady clock is left as it is, as it is on such a machine. */
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void move(struct timespec *at) {
    const char *text = getenv("CLOCK_AHEAD_MS");
    long ahead = text ? atol(text) : 0;
    at->tv_sec += ahead / 1000;
    at->tv_nsec += ahead % 1000 * 1000000;
    if (at->tv_nsec >= 1000000000) at->tv_sec += 1, at->tv_nsec -= 1000000000;
    if (at->tv_nsec < 0) at->tv_sec -= 1, at->tv_nsec += 1000000000;
}

int clock_gettime(clockid_t which, struct timespec *at) {
    int done = syscall(SYS_clock_gettime, which, at);
    if (done == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) move(at);
    return done;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL) at->tv_sec = now.tv_sec, at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL) *at = now.tv_sec;
    return now.tv_sec;
}
