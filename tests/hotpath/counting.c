/* SPDX-License-Identifier: Apache-2.0 */
#include "counting.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../interpose/callers.h"

#define MEMORY      COUNTED_MEMORY
#define LOCKS       COUNTED_LOCKS
#define FILES       COUNTED_FILES
#define ENVIRONMENT COUNTED_ENVIRONMENT
#define THREADS     COUNTED_THREADS

#define CALLS(X)                                                                                   \
    X(MEMORY, malloc)                                                                              \
    X(MEMORY, calloc)                                                                              \
    X(MEMORY, realloc)                                                                             \
    X(MEMORY, reallocarray)                                                                        \
    X(MEMORY, free)                                                                                \
    X(MEMORY, aligned_alloc)                                                                       \
    X(MEMORY, posix_memalign)                                                                      \
    X(MEMORY, memalign)                                                                            \
    X(MEMORY, valloc)                                                                              \
    X(MEMORY, pvalloc)                                                                             \
    X(MEMORY, mmap)                                                                                \
    X(MEMORY, mmap64)                                                                              \
    X(MEMORY, mremap)                                                                              \
    X(MEMORY, munmap)                                                                              \
    X(MEMORY, mprotect)                                                                            \
    X(MEMORY, madvise)                                                                             \
    X(MEMORY, brk)                                                                                 \
    X(MEMORY, sbrk)                                                                                \
    X(LOCKS, pthread_mutex_lock)                                                                   \
    X(LOCKS, pthread_mutex_trylock)                                                                \
    X(LOCKS, pthread_mutex_timedlock)                                                              \
    X(LOCKS, pthread_mutex_clocklock)                                                              \
    X(LOCKS, pthread_mutex_unlock)                                                                 \
    X(LOCKS, pthread_cond_wait)                                                                    \
    X(LOCKS, pthread_cond_timedwait)                                                               \
    X(LOCKS, pthread_cond_clockwait)                                                               \
    X(LOCKS, pthread_cond_signal)                                                                  \
    X(LOCKS, pthread_cond_broadcast)                                                               \
    X(LOCKS, pthread_rwlock_rdlock)                                                                \
    X(LOCKS, pthread_rwlock_wrlock)                                                                \
    X(LOCKS, pthread_rwlock_tryrdlock)                                                             \
    X(LOCKS, pthread_rwlock_trywrlock)                                                             \
    X(LOCKS, pthread_rwlock_timedrdlock)                                                           \
    X(LOCKS, pthread_rwlock_timedwrlock)                                                           \
    X(LOCKS, pthread_rwlock_unlock)                                                                \
    X(LOCKS, pthread_spin_lock)                                                                    \
    X(LOCKS, pthread_spin_trylock)                                                                 \
    X(LOCKS, pthread_spin_unlock)                                                                  \
    X(LOCKS, pthread_barrier_wait)                                                                 \
    X(LOCKS, pthread_once)                                                                         \
    X(LOCKS, sem_wait)                                                                             \
    X(LOCKS, sem_trywait)                                                                          \
    X(LOCKS, sem_timedwait)                                                                        \
    X(LOCKS, sem_clockwait)                                                                        \
    X(LOCKS, sem_post)                                                                             \
    X(LOCKS, mtx_lock)                                                                             \
    X(LOCKS, mtx_trylock)                                                                          \
    X(LOCKS, mtx_timedlock)                                                                        \
    X(LOCKS, mtx_unlock)                                                                           \
    X(LOCKS, cnd_wait)                                                                             \
    X(LOCKS, cnd_timedwait)                                                                        \
    X(LOCKS, cnd_signal)                                                                           \
    X(LOCKS, cnd_broadcast)                                                                        \
    X(LOCKS, call_once)                                                                            \
    X(LOCKS, flockfile)                                                                            \
    X(LOCKS, flock)                                                                                \
    X(FILES, open)                                                                                 \
    X(FILES, open64)                                                                               \
    X(FILES, openat)                                                                               \
    X(FILES, openat64)                                                                             \
    X(FILES, creat)                                                                                \
    X(FILES, creat64)                                                                              \
    X(FILES, fopen)                                                                                \
    X(FILES, fopen64)                                                                              \
    X(FILES, freopen)                                                                              \
    X(FILES, freopen64)                                                                            \
    X(FILES, fdopen)                                                                               \
    X(FILES, opendir)                                                                              \
    X(FILES, mkstemp)                                                                              \
    X(FILES, mkstemp64)                                                                            \
    X(FILES, memfd_create)                                                                         \
    X(FILES, dlopen)                                                                               \
    X(ENVIRONMENT, getenv)                                                                         \
    X(ENVIRONMENT, secure_getenv)                                                                  \
    X(ENVIRONMENT, setenv)                                                                         \
    X(ENVIRONMENT, unsetenv)                                                                       \
    X(ENVIRONMENT, putenv)                                                                         \
    X(THREADS, pthread_create)                                                                     \
    X(THREADS, thrd_create)

enum call {
#define NUMBER(kind, name) CALL_##name,
    CALLS(NUMBER) CALL_COUNT
};

static const struct {
    enum counted_kind kind;
    const char *name;
} calls[] = {
#define ROW(kind, name) {kind, #name},
    CALLS(ROW)};

/* ---- what is counted --------------------------------------------------------------------- */

#define PLACES_MAX 8u

static atomic_bool counting, counting_here;
static atomic_uint counts[CALL_COUNT][2]; /* of others, and ours */
static _Atomic(const void *) places[PLACES_MAX];
static atomic_uint place_count; /* also of those that found no room */

/* Finding out who calls may itself call. It lies where no access allocates. */
static _Thread_local bool noting_call __attribute__((tls_model("initial-exec")));
static _Thread_local bool is_here __attribute__((tls_model("initial-exec")));

static void note(enum call call, const void *caller)
{
    if (noting_call || (counting_here && !is_here))
        return;
    noting_call = true;
    const bool ours = owner_behind((uintptr_t)caller) == OURS;
    atomic_fetch_add(&counts[call][ours], 1);
    if (ours) {
        const unsigned place = atomic_fetch_add(&place_count, 1);
        if (place < PLACES_MAX)
            atomic_store(&places[place], caller);
    }
    noting_call = false;
}

void counting_begin(void)
{
    note_objects();
    memset(counts, 0, sizeof counts);
    place_count = 0;
    counting = true;
}

void counting_begin_here(void)
{
    is_here = true;
    counting_here = true;
    counting_begin();
}

void counting_end(void)
{
    counting = false;
    counting_here = is_here = false;
}

unsigned counted(enum counted_kind kind, bool ours)
{
    unsigned sum = 0;
    for (size_t i = 0; i < CALL_COUNT; i++)
        sum += calls[i].kind == kind ? counts[i][ours] : 0;
    return sum;
}

void counting_print(bool ours)
{
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (counts[i][ours])
            printf("    %-28s %u\n", calls[i].name, counts[i][ours]);
    for (size_t i = 0; ours && i < place_count && i < PLACES_MAX; i++) {
        Dl_info info;
        if (dladdr(places[i], &info))
            printf("    from %s+%#tx\n", info.dli_fname,
                   (const char *)places[i] - (const char *)info.dli_fbase);
    }
}

/* ---- standing in ------------------------------------------------------------------------- */

/*
 * All of these functions take at most six integers and pointers and return one or nothing. Linux
 * passes those in registers on every processor that Rung is built for, so that one shape fits all.
 */
#define WORDS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f

typedef uintptr_t any_function(WORDS);

/* The allocator behind malloc: what looks the others up allocates. */
any_function __libc_malloc, __libc_calloc, __libc_realloc, __libc_free;

static any_function *real_of(enum call call)
{
    static _Atomic(any_function *) found[CALL_COUNT] = {
        [CALL_malloc] = __libc_malloc,
        [CALL_calloc] = __libc_calloc,
        [CALL_realloc] = __libc_realloc,
        [CALL_free] = __libc_free,
    };
    any_function *real = atomic_load(&found[call]);
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, calls[call].name);
        memcpy(&real, &symbol, sizeof real);
        atomic_store(&found[call], real);
    }
    return real;
}

/* Under a name of their own, so that no header's declaration is contradicted. */
#define STAND_IN(kind, name)                                                                       \
    any_function counted_##name __asm__(#name);                                                    \
    uintptr_t counted_##name(WORDS)                                                                \
    {                                                                                              \
        if (atomic_load_explicit(&counting, memory_order_relaxed))                                 \
            note(CALL_##name, __builtin_return_address(0));                                        \
        return real_of(CALL_##name)(a, b, c, d, e, f);                                             \
    }

CALLS(STAND_IN)
