/* SPDX-License-Identifier: Apache-2.0 */
#include "base/service.h"

#include <windows.h>

#include "base/text.h"

/* The Multimedia Class Scheduler Service. Its library is not on every edition of the system. */
typedef HANDLE(WINAPI *set_characteristics)(LPCWSTR task, LPDWORD index);
typedef BOOL(WINAPI *revert_characteristics)(HANDLE handle);

static FARPROC find(const char *name)
{
    const HMODULE library = LoadLibraryExW(L"avrt.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    return library ? GetProcAddress(library, name) : NULL;
}

void rung__service_claim(struct rung__service *service)
{
    *service = (struct rung__service){.before = 0};
    const set_characteristics set =
        (set_characteristics)(void *)find("AvSetMmThreadCharacteristicsW");
    DWORD index = 0;
    service->handle = set ? set(L"Capture", &index) : NULL;
    service->changed = service->handle;
    (void)rung__text_format(service->got, sizeof service->got, "%s",
                            service->changed ? "MMCSS Capture" : "no class of MMCSS");
}

void rung__service_give_back(struct rung__service *service)
{
    const revert_characteristics revert =
        (revert_characteristics)(void *)find("AvRevertMmThreadCharacteristics");
    if (service->changed && revert)
        (void)revert(service->handle);
}
