/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into rung by a test: puts the file SWAP_FROM in the place of SWAP_TO, once, at the
 * moment SWAP_MOMENT: "open", when rung has looked at all files of a bundle and opens the first to
 * read it; or "rename", when the private copy gets its name.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void swap_at(const char *moment)
{
    static int done;
    if (done || strcmp(getenv("SWAP_MOMENT"), moment) != 0)
        return;
    done = 1;
    if (syscall(SYS_renameat, AT_FDCWD, getenv("SWAP_FROM"), AT_FDCWD, getenv("SWAP_TO")) != 0)
        abort();
}

/* The name under which openat is known where offsets have 64 bits. The first file in the order of a
 * bundle of this name is the first that is opened. */
int openat64(int folder, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    if (strcmp(path, "Data-2") == 0)
        swap_at("open");
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int rename(const char *from, const char *to)
{
    const int result = (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    swap_at("rename");
    return result;
}
