/* SPDX-License-Identifier: Apache-2.0 */
#include "session/instance.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "session/structure.h"

#define KNOWN_FLAGS (RUNG_INSTANCE_ALLOW_UNSIGNED | RUNG_INSTANCE_NO_ENVIRONMENT)

const char *rung_version(void)
{
    return RUNG_VERSION_TEXT;
}

rung_result rung__text_give(const char *text, rung_span to, size_t *needed)
{
    size_t size = strlen(text) + 1;
    if (needed)
        *needed = size;
    if (to.size < size)
        return rung__fail(RUNG_CAPACITY, "the text needs %zu bytes, the span has %zu", size,
                          to.size);
    memcpy(to.data, text, size);
    return RUNG_OK;
}

/** The user's own folder of trusted keys: $XDG_CONFIG_HOME/rung/trust, else ~/.config/rung/trust.
 */
static rung_result trust_user_folder(struct rung_instance *instance)
{
    const struct rung__environment *environment = &instance->environment;
    char *folder = NULL;
    if (environment->xdg_config_home)
        folder = rung__text_new("%s/rung/trust", environment->xdg_config_home);
    else if (environment->home)
        folder = rung__text_new("%s/.config/rung/trust", environment->home);
    else
        return RUNG_OK;
    if (!folder)
        return rung__fail(RUNG_NO_MEMORY, "no memory for the list of trusted keys");
    rung_result result = rung__trust_add(&instance->trust, folder, &instance->log);
    free(folder);
    return result;
}

/** The user's own cache folder: $XDG_CACHE_HOME/rung, else ~/.cache/rung. */
static rung_result name_cache(struct rung_instance *instance)
{
    const struct rung__environment *environment = &instance->environment;
    if (environment->xdg_cache_home)
        instance->cache = rung__text_new("%s/rung", environment->xdg_cache_home);
    else if (environment->home)
        instance->cache = rung__text_new("%s/.cache/rung", environment->home);
    else
        return RUNG_OK;
    return instance->cache ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for an instance");
}

static rung_result build_trust(struct rung_instance *instance, const char *option)
{
    rung_result result = RUNG_OK;
    if (option)
        result = rung__trust_add_list(&instance->trust, option, &instance->log);
    if (result == RUNG_OK && instance->environment.trust_path)
        result = rung__trust_add_list(&instance->trust, instance->environment.trust_path,
                                      &instance->log);
    return result == RUNG_OK ? trust_user_folder(instance) : result;
}

rung_result rung_instance_create(const rung_instance_options *caller_options, rung_instance **out)
{
    rung_instance_options options;
    if (!out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_create: out is NULL");
    *out = NULL;
    rung_result result =
        rung__structure_read(&options, sizeof options, caller_options, "rung_instance_options");
    if (result != RUNG_OK)
        return result;
    if (options.flags & ~(uint32_t)KNOWN_FLAGS)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_options.flags: unknown bits %#x",
                          options.flags & ~(uint32_t)KNOWN_FLAGS);

    struct rung_instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return rung__fail(RUNG_NO_MEMORY, "no memory for an instance");
    instance->flags = options.flags;
    instance->log = (struct rung__log){options.log, options.log_user,
                                       options.log_level ? options.log_level : RUNG_LOG_WARNING};
    rung__mutex_init(&instance->mutex);
    result = rung__environment_read(&instance->environment,
                                    options.flags & RUNG_INSTANCE_NO_ENVIRONMENT);
    if (result == RUNG_OK && options.runtime_path) {
        instance->runtime_path = rung__text_new("%s", options.runtime_path);
        if (!instance->runtime_path)
            result = rung__fail(RUNG_NO_MEMORY, "no memory for an instance");
    }
    if (result == RUNG_OK)
        result = name_cache(instance);
    if (result == RUNG_OK)
        result = build_trust(instance, options.trust_path);
    if (result == RUNG_OK)
        result = rung__ort_listen(&instance->log);
    if (result != RUNG_OK) {
        rung_instance_destroy(instance);
        return result;
    }
    *out = instance;
    return RUNG_OK;
}

void rung_instance_destroy(rung_instance *instance)
{
    if (!instance)
        return;
    rung__ort_unlisten(&instance->log);
    for (size_t i = 0; instance->outcomes && i < instance->candidates.count; i++)
        free(instance->outcomes[i].reason);
    free(instance->outcomes);
    rung__runtime_candidates_finish(&instance->candidates);
    rung__trust_finish(&instance->trust);
    rung__environment_finish(&instance->environment);
    rung__mutex_finish(&instance->mutex);
    free(instance->runtime_path);
    free(instance->cache);
    free(instance);
}

/** Tries the candidates in order until one loads. Missing ones are no news. */
static rung_result try_candidates(struct rung_instance *instance)
{
    const struct rung__runtime_places places = {
        .only = instance->environment.runtime,
        .option = instance->runtime_path,
        .environment = instance->environment.runtime_path,
    };
    rung_result result = rung__runtime_search(&places, &instance->candidates);
    if (result != RUNG_OK)
        return result;
    instance->outcomes = calloc(instance->candidates.count + 1, sizeof *instance->outcomes);
    if (!instance->outcomes)
        return rung__fail(RUNG_NO_MEMORY, "no memory to look for a runtime");

    for (size_t i = 0; i < instance->candidates.count && !instance->ort; i++) {
        struct rung__runtime_outcome *outcome = &instance->outcomes[i];
        outcome->tried = true;
        outcome->result = rung__ort_open(instance->candidates.items[i].path, &instance->ort);
        if (outcome->result == RUNG_OK)
            break;
        outcome->reason = rung__text_new("%s", rung_last_error());
    }
    /* Where none loads the error says it all. */
    for (size_t i = 0; instance->ort && i < instance->candidates.count; i++)
        if (instance->outcomes[i].reason && instance->outcomes[i].result != RUNG_NOT_FOUND)
            rung__log_write(&instance->log, RUNG_LOG_WARNING, "runtime passed over: %s",
                            instance->outcomes[i].reason);
    return RUNG_OK;
}

/** The reason that says most: of the first candidate that is there but does not load. */
static const char *first_reason(const struct rung_instance *instance)
{
    for (size_t i = 0; i < instance->candidates.count; i++)
        if (instance->outcomes[i].reason && instance->outcomes[i].result != RUNG_NOT_FOUND)
            return instance->outcomes[i].reason;
    return instance->environment.runtime ? "the file that RUNG_RUNTIME names is missing"
                                         : "none is installed";
}

rung_result rung__instance_load_runtime(struct rung_instance *instance,
                                        const struct rung__ort **out)
{
    rung_result result = RUNG_OK;
    rung__mutex_lock(&instance->mutex);
    if (!instance->searched) {
        result = try_candidates(instance);
        instance->searched = result == RUNG_OK;
    }
    if (result == RUNG_OK && !instance->ort)
        result =
            rung__fail(RUNG_UNSUPPORTED,
                       "no ONNX Runtime could be loaded: %s. Run scripts/fetch-runtimes, or name "
                       "one with RUNG_RUNTIME_PATH; rung explain lists what was tried",
                       first_reason(instance));
    *out = instance->ort;
    rung__mutex_unlock(&instance->mutex);
    return result;
}

#define VARIABLE_ROW(field, name, text) {name, text},
static const rung_environment_variable variables[] = {RUNG__ENVIRONMENT(VARIABLE_ROW)};
#undef VARIABLE_ROW

rung_result rung_environment_variable_get(uint32_t index, rung_environment_variable *out)
{
    if (!out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_environment_variable_get: out is NULL");
    if (index >= sizeof variables / sizeof *variables)
        return rung__fail(RUNG_NOT_FOUND, "there are %zu environment variables",
                          sizeof variables / sizeof *variables);
    *out = variables[index];
    return RUNG_OK;
}
