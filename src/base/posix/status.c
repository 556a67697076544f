/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include <unistd.h>

#if defined(__APPLE__)
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)((uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec);
}

struct rung__file_stamp rung__status_stamp(const struct stat *status)
{
    return (struct rung__file_stamp){
        .device = (uint64_t)status->st_dev,
        .inode = (uint64_t)status->st_ino,
        .size = (uint64_t)status->st_size,
        .modified_ns = nanoseconds(status->st_mtim),
        .changed_ns = nanoseconds(status->st_ctim),
    };
}

const char *rung__status_kind(const struct stat *status)
{
    const mode_t mode = status->st_mode;
    return S_ISREG(mode)    ? "a regular file"
           : S_ISDIR(mode)  ? "a folder"
           : S_ISLNK(mode)  ? "a symbolic link"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
                            : "something else";
}

bool rung__status_is_foreign(const struct stat *status)
{
    return status->st_uid != geteuid() && status->st_uid != 0;
}

bool rung__status_is_writable(const struct stat *status)
{
    return status->st_mode & (S_IWGRP | S_IWOTH);
}

bool rung__status_lets_replace(const struct stat *folder)
{
    return rung__status_is_foreign(folder) ||
           (rung__status_is_writable(folder) && !(folder->st_mode & S_ISVTX));
}
