/* SPDX-License-Identifier: Apache-2.0 */
#include "session/instance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "hardware/cpus.h"
#include "kernel/cpu_flags.h"
#include "ladder/engine_store.h"
#include "ladder/policy.h"
#include "provider/external.h"
#include "runtime/helper.h"
#include "runtime/ort/ort.h"
#include "session/structure.h"

#define KNOWN_FLAGS                                                                                \
    (RUNG_INSTANCE_ALLOW_UNSIGNED | RUNG_INSTANCE_NO_ENVIRONMENT | RUNG_INSTANCE_NO_CHILDREN)

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

/** A folder of the user's own: XDG/rung, else ~/BELOW_HOME/rung; NULL without either. */
static rung_result name_folder(const char *xdg, const char *home, const char *below_home,
                               char **out)
{
    if (xdg)
        *out = rung__text_new("%s/rung", xdg);
    else if (home)
        *out = rung__text_new("%s/%s/rung", home, below_home);
    else
        return RUNG_OK;
    return *out ? RUNG_OK : rung__fail(RUNG_NO_MEMORY, "no memory for an instance");
}

static rung_result name_folders(struct rung_instance *instance)
{
    const struct rung__environment *environment = &instance->environment;
    rung_result result =
        name_folder(environment->xdg_cache_home, environment->home, ".cache", &instance->cache);
    if (result == RUNG_OK)
        result = name_folder(environment->xdg_state_home, environment->home, ".local/state",
                             &instance->state);
    return result;
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

static rung_result choose_instructions(struct rung_instance *instance)
{
    const struct rung__cpu_level *level;
    rung_result result = rung__cpu_level_find(instance->environment.cpu_flags, &level);
    instance->cpu_flags = level->flags;
    return result;
}

/** What the application says, else what the user says. */
static rung_result choose_policy(struct rung_instance *instance, rung_probe_policy wanted)
{
    const char *variable = instance->environment.probe;
    uint32_t value = (uint32_t)wanted;
    if (value > RUNG_PROBE_ALL)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_options.probe is %u; at most %u",
                          value, (uint32_t)RUNG_PROBE_ALL);
    if (!value && variable && !rung__name_value(&rung__policy_names, variable, &value))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "RUNG_PROBE is \"%s\"; it can be off, first or all", variable);
    instance->probe = (rung_probe_policy)value;
    return RUNG_OK;
}

/** The application's own, or else the one beside us, where it is. It is looked for once: an
 * instance does all that it does with it, or all without. */
static rung_result find_helper(struct rung_instance *instance, const char *path)
{
    if (path && rung__path_kind(path) != RUNG__PATH_FILE)
        return RUNG_OK;
    instance->helper = path ? rung__text_new("%s", path) : rung__helper_find();
    return path && !instance->helper ? rung__fail(RUNG_NO_MEMORY, "no memory for an instance")
                                     : RUNG_OK;
}

/** An application's own lists and helper; without a helper of its own, the one beside us.
 */
static rung_result keep_paths(struct rung_instance *instance, const rung_instance_options *options)
{
    rung_result result = RUNG_OK;
    if (options->runtime_path)
        instance->runtime_path = rung__text_new("%s", options->runtime_path);
    if (options->trust_path)
        instance->trust_path = rung__text_new("%s", options->trust_path);
    if (!(options->flags & RUNG_INSTANCE_NO_CHILDREN))
        result = find_helper(instance, options->helper_path);
    if ((options->runtime_path && !instance->runtime_path) ||
        (options->trust_path && !instance->trust_path))
        return rung__fail(RUNG_NO_MEMORY, "no memory for an instance");
    return result;
}

/** Without a file the rungs are those of this version. */
static rung_result read_ladder(struct rung_instance *instance, const char *option)
{
    const char *path = option ? option : instance->environment.ladder;
    if (path)
        return rung__table_read(path, &instance->table);
    rung__table_default(&instance->table);
    return RUNG_OK;
}

/** What the application says, else the environment, else the default. */
static void limit_engines(struct rung_instance *instance, uint64_t wanted)
{
    const char *text = instance->environment.engine_cache_bytes;
    char *end = NULL;
    instance->engine_bytes = wanted ? wanted : RUNG__ENGINE_BYTES_DEFAULT;
    if (wanted || !text)
        return;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && errno == 0)
        instance->engine_bytes = number;
    else
        rung__log_write(
            &instance->log, RUNG_LOG_WARNING,
            "RUNG_ENGINE_CACHE_BYTES is \"%s\", which is no number of bytes; engines may "
            "take %llu",
            text, (unsigned long long)instance->engine_bytes);
}

rung_result rung_instance_create(const rung_instance_options *caller_options, rung_instance **out)
{
    rung_instance_options options;
    if (!out)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_instance_create: out is NULL");
    *out = NULL;
    rung_result result =
        rung__structure_read(&options, sizeof options, caller_options, "rung_instance_options");
    if (result == RUNG_OK)
        result = rung__structure_check_flags(options.flags, KNOWN_FLAGS, "rung_instance_options");
    if (result != RUNG_OK)
        return result;

    struct rung_instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return rung__fail(RUNG_NO_MEMORY, "no memory for an instance");
    instance->flags = options.flags;
    instance->log = (struct rung__log){options.log, options.log_user,
                                       options.log_level ? options.log_level : RUNG_LOG_WARNING};
    rung__mutex_init(&instance->mutex);
    rung__mutex_init(&instance->background_mutex);
    rung__engine_builder_init(&instance->builder);
    result = rung__environment_read(&instance->environment,
                                    options.flags & RUNG_INSTANCE_NO_ENVIRONMENT);
    if (result == RUNG_OK)
        result = choose_instructions(instance);
    if (result == RUNG_OK)
        result = choose_policy(instance, options.probe);
    if (result == RUNG_OK)
        limit_engines(instance, options.engine_cache_bytes);
    if (result == RUNG_OK)
        result = keep_paths(instance, &options);
    if (result == RUNG_OK)
        result = name_folders(instance);
    if (result == RUNG_OK)
        result = build_trust(instance, options.trust_path);
    if (result == RUNG_OK)
        result = read_ladder(instance, options.ladder_path);
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
    rung__background_finish(&instance->background);
    rung__engine_builder_finish(&instance->builder);
    rung__ort_unlisten(&instance->log);
    rung__instance_runtimes_finish(&instance->runtimes);
    rung__trust_finish(&instance->trust);
    rung__table_finish(&instance->table);
    rung__external_destroy(instance->externals);
    rung__environment_finish(&instance->environment);
    rung__mutex_finish(&instance->mutex);
    rung__mutex_finish(&instance->background_mutex);
    free(instance->runtime_path);
    free(instance->trust_path);
    free(instance->library);
    free(instance->cache);
    free(instance->state);
    free(instance->helper);
    free(instance);
}

uint32_t rung_default_threads(void)
{
    struct rung__cpus cpus;
    rung__cpus_read("", &cpus);
    return rung__cpus_default_threads(&cpus);
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
