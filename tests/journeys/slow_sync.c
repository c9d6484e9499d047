/* A disk that takes its time: whoever waits for it waits as many milliseconds longer as stand in the file that SLOW_SYNC
   names. Preloaded into PostgreSQL; the file is read at each call, so a test can change its mind. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void take_time(void) {
    const char *name = getenv("SLOW_SYNC");
    char text[16] = {0};
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    long milliseconds = read(file, text, sizeof text - 1) > 0 ? atol(text) : 0;
    close(file);
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) == -1) {
    }
}

int fsync(int file) {
    take_time();
    return syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    take_time();
    return syscall(SYS_fdatasync, file);
}
