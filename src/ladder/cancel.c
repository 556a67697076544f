/* SPDX-License-Identifier: Apache-2.0 */
#include "ladder/cancel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

/* Models that are built at the same time; of more the last ones leave their records. */
#define NOTES      16
#define PATH_BYTES 4096

enum { FREE, CHANGING, NOTED };

/** In memory that nobody frees under a signal handler. */
static struct note {
    atomic_int state;
    uint64_t process; /**< a fork has its parent's notes, and must not heed them */
    char path[PATH_BYTES];
} notes[NOTES];

static bool changes(struct note *note, int from, int to)
{
    return atomic_compare_exchange_strong(&note->state, &from, to);
}

static void hear_of_exit(void)
{
    static atomic_flag heard = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&heard))
        (void)atexit(rung__cancel_all);
}

int rung__cancel_note(const char *path)
{
    hear_of_exit();
    for (int i = 0; i < NOTES; i++) {
        struct note *note = &notes[i];
        if (!changes(note, FREE, CHANGING))
            continue;
        note->process = rung__process_id();
        const bool fits = rung__text_format(note->path, sizeof note->path, "%s", path);
        atomic_store(&note->state, fits ? NOTED : FREE);
        return fits ? i : RUNG__CANCEL_NONE;
    }
    return RUNG__CANCEL_NONE;
}

void rung__cancel_forget(int number)
{
    /* Who cancels at this moment keeps it: the process is at its end. */
    if (number != RUNG__CANCEL_NONE)
        (void)changes(&notes[number], NOTED, FREE);
}

void rung__cancel_all(void)
{
    for (int i = 0; i < NOTES; i++)
        if (notes[i].process == rung__process_id() && changes(&notes[i], NOTED, CHANGING))
            (void)rung__file_remove(notes[i].path);
}
