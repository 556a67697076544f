/* SPDX-License-Identifier: Apache-2.0 */
#include "callers.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unwind.h>

struct range {
    uintptr_t begin, end;
    enum owner owner;
};

#define RANGES_MAX 32

static struct range ranges[RANGES_MAX];
static atomic_size_t range_count; /* grows; those below it stay as they are */
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;

/* The program goes without a name. */
static const struct {
    const char *prefix;
    enum owner owner;
} objects[] = {
    {"librung.so", OURS},     {"rung-pictures.so", OURS}, {"libjansson.so", JANSSON},
    {"libcrypto.so", CRYPTO}, {"libc.so", LIBC},          {"libm.so", LIBC},
    {"libpthread.so", LIBC},  {"libdl.so", LIBC},         {"ld-linux", LIBC},
    {"libgcc_s.so", LIBC},
};

static enum owner owner_named(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (!*name)
        return OURS;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (!strncmp(name, objects[i].prefix, strlen(objects[i].prefix)))
            return objects[i].owner;
    return OTHERS;
}

enum owner owner_of(uintptr_t at)
{
    const size_t count = range_count;
    for (size_t i = 0; i < count; i++)
        if (at >= ranges[i].begin && at < ranges[i].end)
            return ranges[i].owner;
    return OTHERS;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    const enum owner owner = owner_named(info->dlpi_name);
    (void)size, (void)unused;
    for (size_t i = 0; owner != OTHERS && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || range_count == RANGES_MAX ||
            owner_of(begin) != OTHERS)
            continue;
        ranges[range_count] = (struct range){begin, begin + part->p_memsz, owner};
        range_count++;
    }
    return 0;
}

/* Also what is loaded later, as the module for pictures is. */
void note_objects(void)
{
    pthread_mutex_lock(&noting);
    dl_iterate_phdr(note_object, NULL);
    pthread_mutex_unlock(&noting);
}

/* ---- behind libc ------------------------------------------------------------------------- */

struct walk {
    uintptr_t caller;
    bool met; /* the frames before it are the interposer's */
    enum owner owner;
};

static bool works_for_others(enum owner owner)
{
    return owner != OURS && owner != OTHERS;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *frame, void *data)
{
    struct walk *walk = data;
    const uintptr_t at = _Unwind_GetIP(frame);
    walk->met = walk->met || at == walk->caller;
    if (!walk->met || works_for_others(owner_of(at)))
        return _URC_NO_REASON;
    walk->owner = owner_of(at);
    return _URC_END_OF_STACK;
}

enum owner owner_behind(uintptr_t caller)
{
    const enum owner owner = owner_of(caller);
    struct walk walk = {.caller = caller, .owner = OTHERS};
    if (!works_for_others(owner))
        return owner;
    _Unwind_Backtrace(step, &walk);
    return walk.owner;
}
