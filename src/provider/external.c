/* SPDX-License-Identifier: Apache-2.0 */
#include "provider/external.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"

struct rung__external_call rung__external_begin(const struct rung__external *external,
                                                const char *function)
{
    return (struct rung__external_call){external, function, rung__error_count()};
}

static bool may_give(rung_result result, uint32_t also)
{
    const uint32_t may =
        RUNG__MAY(RUNG_BACKEND) | RUNG__MAY(RUNG_DEVICE_LOST) | RUNG__MAY(RUNG_NO_MEMORY) | also;
    return result < 0 && result > -32 && may & RUNG__MAY(result);
}

rung_result rung__external_end(const struct rung__external_call *call, rung_result result,
                               uint32_t also)
{
    if (result == RUNG_OK)
        return RUNG_OK;
    const bool told = rung__error_count() != call->errors;
    if (!may_give(result, also))
        return rung__fail(RUNG_BACKEND, "%s: %s answered %s (%d), which it may not%s%s",
                          call->external->name, call->function, rung_result_name(result), result,
                          told ? ": " : "", told ? rung_last_error() : "");
    if (told)
        return rung__fail(result, "%s: %s", call->external->name, rung_last_error());
    return rung__fail(result, "%s: %s failed and gave no reason: %s", call->external->name,
                      call->function, rung_result_text(result));
}

rung_result rung__external_unmade(rung_result result)
{
    return result == RUNG_DEVICE_LOST ? rung__fail(RUNG_BACKEND, "%s", rung_last_error()) : result;
}

struct rung__external *rung__external_new(const rung_provider *theirs)
{
    struct rung__external *external = calloc(1, sizeof *external);
    if (!external)
        return NULL;
    external->theirs = *theirs;
    external->name = rung__text_new("%s", theirs->name);
    external->text = rung__text_new("%s", theirs->text);
    external->provider = (struct rung__provider){
        .struct_size = sizeof external->provider,
        .version = 1,
        .name = external->name,
        /* A file names the providers of this library that it was made for. A graph of ONNX is for
         * everyone who reads it, and what one from outside makes of it is compared. */
        .compatibility = UINT64_MAX,
        .find_device = theirs->enumerate_devices ? rung__external_find_device : NULL,
        .create_model = rung__external_create_model,
        .destroy_model = rung__external_destroy_model,
        .query_model = rung__external_query_model,
        .create_context = rung__external_create_context,
        .destroy_context = rung__external_destroy_context,
        .run = rung__external_run,
        .cancel = theirs->cancel ? rung__external_cancel : NULL,
        .memory_stats = rung__external_memory_stats,
        .single_threaded = theirs->flags & RUNG_PROVIDER_ONE_THREAD,
    };
    if (external->name && external->text)
        return external;
    rung__external_destroy(external);
    return NULL;
}

void rung__external_destroy(struct rung__external *external)
{
    while (external) {
        struct rung__external *next = external->next;
        free(external->name);
        free(external->text);
        free(external);
        external = next;
    }
}
