/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into the command line, this makes one call fail as a system in trouble would: the
 * RUNG_FAULT_AT-th call of RUNG_FAULT_CALL, with the errno RUNG_FAULT_ERRNO. Only calls from the
 * program and from librung count, and allocations of the libraries that work for them ("memory",
 * of jansson too; "memory_crypto", those of libcrypto). RUNG_FAULT_STANDING=CALL:ERRNO lets every
 * call of one kind fail, for a system that has it not.
 *
 * At the end RUNG_FAULT_REPORT receives how often each was called, whether the fault came, and what
 * was not given back: descriptors, and memory of all but libcrypto, which keeps a store of its own.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../interpose/callers.h"

#define CALLS(X)                                                                                   \
    X(memory)                                                                                      \
    X(memory_crypto)                                                                               \
    X(close)                                                                                       \
    X(dlopen)                                                                                      \
    X(fchmod)                                                                                      \
    X(fcntl64)                                                                                     \
    X(fdopendir)                                                                                   \
    X(fopen64)                                                                                     \
    X(fread)                                                                                       \
    X(fstat64)                                                                                     \
    X(fstatat64)                                                                                   \
    X(fsync)                                                                                       \
    X(ftruncate64)                                                                                 \
    X(fts64_open)                                                                                  \
    X(fts64_read)                                                                                  \
    X(getentropy)                                                                                  \
    X(glob64)                                                                                      \
    X(linkat)                                                                                      \
    X(lstat64)                                                                                     \
    X(memfd_create)                                                                                \
    X(mkdir)                                                                                       \
    X(mkstemp64)                                                                                   \
    X(mmap64)                                                                                      \
    X(open64)                                                                                      \
    X(open_memstream)                                                                              \
    X(openat64)                                                                                    \
    X(opendir)                                                                                     \
    X(pread64)                                                                                     \
    X(pwrite64)                                                                                    \
    X(read)                                                                                        \
    X(readdir64)                                                                                   \
    X(readlink)                                                                                    \
    X(realpath)                                                                                    \
    X(rename)                                                                                      \
    X(renameat)                                                                                    \
    X(renameat2)                                                                                   \
    X(rmdir)                                                                                       \
    X(sched_getaffinity)                                                                           \
    X(setenv)                                                                                      \
    X(stat64)                                                                                      \
    X(unlink)                                                                                      \
    X(unlinkat)                                                                                    \
    X(utimensat)                                                                                   \
    X(write)

enum call {
#define CALL_NUMBER(name) CALL_##name,
    CALLS(CALL_NUMBER)
#undef CALL_NUMBER
        CALL_COUNT
};

static const char *const call_names[] = {
#define CALL_NAME(name) #name,
    CALLS(CALL_NAME)
#undef CALL_NAME
};

/* ---- the fault --------------------------------------------------------------------------- */

static struct {
    int call, error, standing, standing_error;
    unsigned at;
} plan = {.call = -1, .standing = -1};

static atomic_uint counts[CALL_COUNT];
static const void *failed_at;

static int call_named(const char *name, size_t length)
{
    for (int i = 0; i < CALL_COUNT; i++)
        if (strlen(call_names[i]) == length && !strncmp(call_names[i], name, length))
            return i;
    return -1;
}

/* Counts a call of ours; true when it is to fail, with errno set. */
static bool is_to_fail(enum call call, const void *caller)
{
    const unsigned number = atomic_fetch_add(&counts[call], 1) + 1;
    if ((int)call == plan.standing) {
        errno = plan.standing_error;
        return true;
    }
    if ((int)call != plan.call || number != plan.at)
        return false;
    failed_at = caller;
    errno = plan.error;
    return true;
}

#define CALLER        __builtin_return_address(0)
#define FAILS(name)   (owner_of((uintptr_t)CALLER) == OURS && is_to_fail(CALL_##name, CALLER))
#define REAL(name)    ((__typeof__(&name))real_of(CALL_##name))
#define TRACKED(name) (owner_of((uintptr_t)CALLER) == OURS)

typedef void any_function(void);

static any_function *real_of(enum call call)
{
    static _Atomic(any_function *) found[CALL_COUNT];
    any_function *real = atomic_load(&found[call]);
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, call_names[call]);
        memcpy(&real, &symbol, sizeof real);
        atomic_store(&found[call], real);
    }
    return real;
}

/* ---- what is not given back -------------------------------------------------------------- */

#define SLOTS (1u << 18)
#define GONE  ((void *)1)

static void *live[SLOTS]; /* open addressing; a slot of one that went is GONE */
static atomic_flag live_lock = ATOMIC_FLAG_INIT;
static unsigned live_count;

static atomic_bool open_descriptors[1024];

static unsigned slot_of(const void *pointer)
{
    return (unsigned)(((uintptr_t)pointer >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 46) % SLOTS;
}

static void lock_live(void)
{
    while (atomic_flag_test_and_set_explicit(&live_lock, memory_order_acquire))
        sched_yield();
}

static void unlock_live(void)
{
    atomic_flag_clear_explicit(&live_lock, memory_order_release);
}

static void *track(void *pointer, bool ours)
{
    if (!pointer || !ours)
        return pointer;
    lock_live();
    unsigned slot = slot_of(pointer);
    while (live[slot] && live[slot] != GONE)
        slot = (slot + 1) % SLOTS;
    live[slot] = pointer;
    live_count++;
    unlock_live();
    return pointer;
}

/* True when it was tracked. */
static bool untrack(const void *pointer)
{
    bool was = false;
    if (!pointer || !live_count)
        return false;
    lock_live();
    for (unsigned slot = slot_of(pointer); live[slot] && !was; slot = (slot + 1) % SLOTS)
        if (live[slot] == pointer) {
            live[slot] = GONE;
            live_count--;
            was = true;
        }
    unlock_live();
    return was;
}

static int track_descriptor(int descriptor, bool ours)
{
    if (ours && descriptor >= 0 && descriptor < 1024)
        open_descriptors[descriptor] = true;
    return descriptor;
}

/* ---- memory ------------------------------------------------------------------------------ */

/* The allocator behind malloc: dlsym itself allocates, so that it cannot be asked for it. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *pointer);

static bool is_tracked(enum owner owner)
{
    return owner == OURS || owner == JANSSON;
}

static bool memory_fails(enum owner owner, const void *caller)
{
    return (is_tracked(owner) || owner == CRYPTO) &&
           is_to_fail(owner == CRYPTO ? CALL_memory_crypto : CALL_memory, caller);
}

void *malloc(size_t size)
{
    const enum owner owner = owner_of((uintptr_t)CALLER);
    return memory_fails(owner, CALLER) ? NULL : track(__libc_malloc(size), is_tracked(owner));
}

void *calloc(size_t count, size_t size)
{
    const enum owner owner = owner_of((uintptr_t)CALLER);
    return memory_fails(owner, CALLER) ? NULL
                                       : track(__libc_calloc(count, size), is_tracked(owner));
}

void *realloc(void *pointer, size_t size)
{
    const enum owner owner = owner_of((uintptr_t)CALLER);
    if (memory_fails(owner, CALLER))
        return NULL;
    const bool was = untrack(pointer);
    void *moved = __libc_realloc(pointer, size);
    if (moved)
        return track(moved, was || is_tracked(owner));
    track(pointer, was && size);
    return NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    const enum owner owner = owner_of((uintptr_t)CALLER);
    return memory_fails(owner, CALLER) ? NULL
                                       : track(__libc_memalign(alignment, size), is_tracked(owner));
}

char *strdup(const char *text)
{
    const enum owner owner = owner_of((uintptr_t)CALLER);
    const size_t size = strlen(text) + 1;
    if (memory_fails(owner, CALLER))
        return NULL;
    char *copy = __libc_malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return track(copy, is_tracked(owner));
}

void free(void *pointer)
{
    untrack(pointer);
    __libc_free(pointer);
}

/* ---- files ------------------------------------------------------------------------------- */

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return FAILS(open64) ? -1 : track_descriptor(REAL(open64)(path, flags, mode), TRACKED(open64));
}

int openat64(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return FAILS(openat64)
               ? -1
               : track_descriptor(REAL(openat64)(folder, path, flags, mode), TRACKED(openat64));
}

int mkstemp64(char *path)
{
    return FAILS(mkstemp64) ? -1 : track_descriptor(REAL(mkstemp64)(path), TRACKED(mkstemp64));
}

int memfd_create(const char *name, unsigned flags)
{
    return FAILS(memfd_create)
               ? -1
               : track_descriptor(REAL(memfd_create)(name, flags), TRACKED(memfd_create));
}

int fcntl64(int descriptor, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *); /* an int comes in the same register */
    va_end(list);
    if (FAILS(fcntl64))
        return -1;
    const int result = REAL(fcntl64)(descriptor, command, argument);
    const bool duplicates = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
    return duplicates ? track_descriptor(result, TRACKED(fcntl64)) : result;
}

/* A close that fails has closed all the same. */
int close(int descriptor)
{
    const bool fails = FAILS(close);
    const int error = errno;
    if (descriptor >= 0 && descriptor < 1024)
        open_descriptors[descriptor] = false;
    const int result = REAL(close)(descriptor);
    if (!fails)
        return result;
    errno = error;
    return -1;
}

ssize_t read(int descriptor, void *to, size_t size)
{
    return FAILS(read) ? -1 : REAL(read)(descriptor, to, size);
}

ssize_t pread64(int descriptor, void *to, size_t size, off64_t offset)
{
    return FAILS(pread64) ? -1 : REAL(pread64)(descriptor, to, size, offset);
}

ssize_t write(int descriptor, const void *from, size_t size)
{
    return FAILS(write) ? -1 : REAL(write)(descriptor, from, size);
}

ssize_t pwrite64(int descriptor, const void *from, size_t size, off64_t offset)
{
    return FAILS(pwrite64) ? -1 : REAL(pwrite64)(descriptor, from, size, offset);
}

int fsync(int descriptor)
{
    return FAILS(fsync) ? -1 : REAL(fsync)(descriptor);
}

int ftruncate64(int descriptor, off64_t size)
{
    return FAILS(ftruncate64) ? -1 : REAL(ftruncate64)(descriptor, size);
}

int fchmod(int descriptor, mode_t mode)
{
    return FAILS(fchmod) ? -1 : REAL(fchmod)(descriptor, mode);
}

void *mmap64(void *at, size_t size, int protection, int flags, int descriptor, off64_t offset)
{
    return FAILS(mmap64) ? MAP_FAILED
                         : REAL(mmap64)(at, size, protection, flags, descriptor, offset);
}

int fstat64(int descriptor, struct stat64 *status)
{
    return FAILS(fstat64) ? -1 : REAL(fstat64)(descriptor, status);
}

int fstatat64(int folder, const char *path, struct stat64 *status, int flags)
{
    return FAILS(fstatat64) ? -1 : REAL(fstatat64)(folder, path, status, flags);
}

int stat64(const char *path, struct stat64 *status)
{
    return FAILS(stat64) ? -1 : REAL(stat64)(path, status);
}

int lstat64(const char *path, struct stat64 *status)
{
    return FAILS(lstat64) ? -1 : REAL(lstat64)(path, status);
}

/* ---- names ------------------------------------------------------------------------------- */

int mkdir(const char *path, mode_t mode)
{
    return FAILS(mkdir) ? -1 : REAL(mkdir)(path, mode);
}

int rename(const char *from, const char *to)
{
    return FAILS(rename) ? -1 : REAL(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return FAILS(renameat) ? -1 : REAL(renameat)(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    return FAILS(renameat2) ? -1 : REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    return FAILS(linkat) ? -1 : REAL(linkat)(from_folder, from, to_folder, to, flags);
}

int rmdir(const char *path)
{
    return FAILS(rmdir) ? -1 : REAL(rmdir)(path);
}

int unlink(const char *path)
{
    return FAILS(unlink) ? -1 : REAL(unlink)(path);
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
    return FAILS(utimensat) ? -1 : REAL(utimensat)(folder, path, times, flags);
}

int unlinkat(int folder, const char *path, int flags)
{
    return FAILS(unlinkat) ? -1 : REAL(unlinkat)(folder, path, flags);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
    return FAILS(readlink) ? -1 : REAL(readlink)(path, to, size);
}

char *realpath(const char *path, char *resolved)
{
    const bool ours = TRACKED(realpath);
    if (FAILS(realpath))
        return NULL;
    char *found = REAL(realpath)(path, resolved);
    return resolved ? found : track(found, ours);
}

DIR *opendir(const char *path)
{
    return FAILS(opendir) ? NULL : REAL(opendir)(path);
}

/* The descriptor is the stream's from here on, and closed with it. */
DIR *fdopendir(int descriptor)
{
    if (FAILS(fdopendir))
        return NULL;
    if (descriptor >= 0 && descriptor < 1024)
        open_descriptors[descriptor] = false;
    return REAL(fdopendir)(descriptor);
}

struct dirent64 *readdir64(DIR *stream)
{
    return FAILS(readdir64) ? NULL : REAL(readdir64)(stream);
}

FTS64 *fts64_open(char *const *paths, int options,
                  int (*compare)(const FTSENT64 **, const FTSENT64 **))
{
    return FAILS(fts64_open) ? NULL : REAL(fts64_open)(paths, options, compare);
}

FTSENT64 *fts64_read(FTS64 *stream)
{
    return FAILS(fts64_read) ? NULL : REAL(fts64_read)(stream);
}

/* Its memory is libc's own, as are its folders. */
int glob64(const char *pattern, int flags, int (*failed)(const char *path, int error),
           glob64_t *found)
{
    return FAILS(glob64) ? GLOB_NOSPACE : REAL(glob64)(pattern, flags, failed, found);
}

/* ---- what is left ------------------------------------------------------------------------ */

FILE *fopen64(const char *path, const char *mode)
{
    return FAILS(fopen64) ? NULL : REAL(fopen64)(path, mode);
}

FILE *open_memstream(char **data, size_t *size)
{
    return FAILS(open_memstream) ? NULL : REAL(open_memstream)(data, size);
}

size_t fread(void *to, size_t size, size_t count, FILE *stream)
{
    return FAILS(fread) ? 0 : REAL(fread)(to, size, count, stream);
}

int getentropy(void *to, size_t size)
{
    return FAILS(getentropy) ? -1 : REAL(getentropy)(to, size);
}

int setenv(const char *name, const char *value, int overwrite)
{
    return FAILS(setenv) ? -1 : REAL(setenv)(name, value, overwrite);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    return FAILS(sched_getaffinity) ? -1 : REAL(sched_getaffinity)(process, size, set);
}

void *dlopen(const char *path, int flags)
{
    if (FAILS(dlopen))
        return NULL;
    void *library = REAL(dlopen)(path, flags);
    if (library)
        note_objects();
    return library;
}

/* ---- begin and end ----------------------------------------------------------------------- */

static int number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text ? (int)strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *call = getenv("RUNG_FAULT_CALL"), *standing = getenv("RUNG_FAULT_STANDING");
    const char *colon = standing ? strchr(standing, ':') : NULL;
    note_objects();
    unsetenv("LD_PRELOAD"); /* of its children, which are no part of this test */
    plan.at = (unsigned)number_in("RUNG_FAULT_AT");
    plan.error = number_in("RUNG_FAULT_ERRNO");
    if (call)
        plan.call = call_named(call, strlen(call));
    if (colon) {
        plan.standing = call_named(standing, (size_t)(colon - standing));
        plan.standing_error = (int)strtol(colon + 1, NULL, 10);
    }
}

static void write_report(FILE *to)
{
    unsigned descriptors = 0;
    Dl_info info;
    for (size_t i = 0; i < 1024; i++)
        descriptors += open_descriptors[i];
    fprintf(to, "descriptors %u\nmemory_kept %u\n", descriptors, live_count);
    if (failed_at && dladdr(failed_at, &info))
        fprintf(to, "failed %s+%#tx\n", info.dli_fname,
                (const char *)failed_at - (const char *)info.dli_fbase);
    for (int i = 0; i < CALL_COUNT; i++)
        if (counts[i])
            fprintf(to, "call %s %u\n", call_names[i], counts[i]);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("RUNG_FAULT_REPORT");
    FILE *to = path ? fopen(path, "we") : NULL;
    if (!to)
        return;
    write_report(to);
    fclose(to);
}
