/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"

/* flock has no time limit of its own, and a signal to end it would be the host's. A lock is thus
 * asked for again after pauses that grow between these, in ns. */
#define FIRST_PAUSE 1000000u
#define LAST_PAUSE  50000000u

static rung_result open_lock(const char *path, struct rung__file_lock *lock)
{
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    struct stat status;
    int descriptor = rung__descriptor_open(AT_FDCWD, path, flags, S_IRUSR | S_IWUSR);
    if (descriptor < 0)
        return rung__fail_errno(RUNG_IO, errno, "cannot open the lock %s", path);
    lock->handle = descriptor;
    if (fstat(descriptor, &status))
        return rung__fail_errno(RUNG_IO, errno, "cannot open the lock %s", path);
    if (!S_ISREG(status.st_mode))
        return rung__fail(RUNG_IO, "cannot lock %s: it is not a regular file", path);
    return RUNG_OK;
}

/* The lock of a file that was removed while we waited keeps nobody out. */
static bool still_has_name(const struct rung__file_lock *lock, const char *path)
{
    struct stat held, named;
    return !fstat((int)lock->handle, &held) && !lstat(path, &named) &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

static void pause_until(uint64_t now, uint64_t pause, uint64_t deadline)
{
    if (pause > deadline - now)
        pause = deadline - now;
    struct timespec time = {.tv_nsec = (long)pause};
    nanosleep(&time, NULL);
}

static rung_result wait_for(const struct rung__file_lock *lock, const char *path, uint64_t deadline)
{
    uint64_t pause = FIRST_PAUSE;
    /* Without a limit the system's own wait will do. */
    const int operation = deadline == RUNG__CLOCK_NEVER ? LOCK_EX : LOCK_EX | LOCK_NB;
    while (flock((int)lock->handle, operation)) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return rung__fail_errno(RUNG_IO, errno, "cannot lock %s", path);
        if (!deadline)
            return rung__fail(RUNG_BUSY, "%s is locked by another process or thread", path);
        uint64_t now = rung__clock_now();
        if (now >= deadline)
            return rung__fail(RUNG_TIMEOUT, "%s stayed locked by another process or thread", path);
        pause_until(now, pause, deadline);
        if (pause < LAST_PAUSE)
            pause += pause / 2;
    }
    return RUNG_OK;
}

rung_result rung__file_lock_take(struct rung__file_lock *lock, const char *path, uint64_t deadline)
{
    rung_result result;
    *lock = (struct rung__file_lock){0};
    do {
        rung__file_lock_release(lock);
        result = open_lock(path, lock);
        if (!result)
            result = wait_for(lock, path, deadline);
        if (result)
            goto fail;
    } while (!still_has_name(lock, path));
    return RUNG_OK;

fail:
    rung__file_lock_release(lock);
    return result;
}

void rung__file_lock_release(struct rung__file_lock *lock)
{
    /* Closing alone would leave it to a child that was forked and has not started its program yet.
     */
    if (lock->handle > 0)
        (void)flock((int)lock->handle, LOCK_UN);
    (void)rung__descriptor_close(&lock->handle);
}
