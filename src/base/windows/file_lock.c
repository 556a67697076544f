/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <windows.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/wait.h"
#include "base/wide.h"

static HANDLE open_lock(const char *path)
{
    const DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    wchar_t *wide = rung__wide_new(path);
    if (!wide)
        return INVALID_HANDLE_VALUE;
    HANDLE handle = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, sharing, NULL, OPEN_ALWAYS,
                                FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OVERLAPPED, NULL);
    DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return handle;
}

/* Waits for a lock that was asked for; one that did not come in time is taken back. */
static bool wait_for(HANDLE handle, OVERLAPPED *request, uint64_t deadline)
{
    DWORD unused;
    if (WaitForSingleObject(request->hEvent, rung__wait_milliseconds(deadline)) != WAIT_OBJECT_0)
        (void)CancelIoEx(handle, request);
    return GetOverlappedResult(handle, request, &unused, TRUE);
}

rung_result rung__file_lock_take(struct rung__file_lock *lock, const char *path, uint64_t deadline)
{
    const DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | (deadline ? 0 : LOCKFILE_FAIL_IMMEDIATELY);
    OVERLAPPED request = {0};
    rung_result result = RUNG_OK;
    *lock = (struct rung__file_lock){0};
    HANDLE handle = open_lock(path);
    if (handle == INVALID_HANDLE_VALUE)
        return rung__fail_last(RUNG_IO, "cannot open the lock %s", path);
    lock->handle = (intptr_t)handle;
    request.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (!request.hEvent) {
        result = rung__fail_last(RUNG_IO, "cannot lock %s", path);
        goto done;
    }

    if (LockFileEx(handle, flags, 0, 1, 0, &request))
        goto done;
    if (GetLastError() == ERROR_LOCK_VIOLATION)
        result = rung__fail(RUNG_BUSY, "%s is locked by another process or thread", path);
    else if (GetLastError() != ERROR_IO_PENDING)
        result = rung__fail_last(RUNG_IO, "cannot lock %s", path);
    else if (!wait_for(handle, &request, deadline))
        result =
            deadline
                ? rung__fail(RUNG_TIMEOUT, "%s stayed locked by another process or thread", path)
                : rung__fail(RUNG_BUSY, "%s is locked by another process or thread", path);

done:
    if (request.hEvent)
        CloseHandle(request.hEvent);
    if (result)
        rung__file_lock_release(lock);
    return result;
}

void rung__file_lock_release(struct rung__file_lock *lock)
{
    OVERLAPPED where = {0};
    if (!lock->handle)
        return;
    /* Closing lets go as well, but only some time later. */
    (void)UnlockFileEx((HANDLE)lock->handle, 0, 1, 0, &where);
    CloseHandle((HANDLE)lock->handle);
    lock->handle = 0;
}
