/* SPDX-License-Identifier: Apache-2.0 */
/* Providers from outside are registered: the rules of their tables, and their rungs. */
#include "session/providers.h"

#include <string.h>

#include <rung/provider.h>

#include "artifact/names.h"
#include "base/error.h"
#include "ladder/table.h"
#include "provider/external.h"
#include "session/instance.h"
#include "session/structure.h"

static const struct rung__option no_options[] = {{0}};

void rung__instance_close_providers(struct rung_instance *instance)
{
    atomic_store(&instance->providers_closed, true);
}

static rung_result check_texts(const rung_provider *provider)
{
    if (!provider->name || !rung__rung_id_is_valid(provider->name))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_provider.name is %s%.40s%s; it is 1 to %u of a-z, 0-9 and -, not "
                          "beginning with -",
                          provider->name ? "\"" : "", provider->name ? provider->name : "NULL",
                          provider->name ? "\"" : "", RUNG__RUNG_ID_BYTES - 1);
    if (!provider->text || !rung__rung_text_is_valid(provider->text))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_provider.text of %s is no line of 1 to %u bytes of UTF-8",
                          provider->name, RUNG__RUNG_TEXT_MOST);
    return RUNG_OK;
}

static rung_result check_numbers(const rung_provider *provider)
{
    const uint32_t unknown = provider->flags & ~(uint32_t)RUNG_PROVIDER_ONE_THREAD;
    const uint32_t precision = (uint32_t)provider->precision;
    if (unknown)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_provider.flags of %s: unknown bits %#x",
                          provider->name, unknown);
    if (provider->forms & ~(uint32_t)RUNG__FORMS_ANY)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_provider.forms of %s: unknown bits %#x",
                          provider->name, provider->forms & ~(uint32_t)RUNG__FORMS_ANY);
    if (precision && !rung__name_text(&rung__form_names, precision))
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_provider.precision of %s is %u, which is no rung_form",
                          provider->name, precision);
    return RUNG_OK;
}

/** What a provider cannot do without. */
static rung_result check_functions(const rung_provider *provider)
{
    const struct {
        const char *name;
        bool is_there;
    } functions[] = {
        {"query_model", provider->query_model != NULL},
        {"create_model", provider->create_model != NULL},
        {"destroy_model", provider->destroy_model != NULL},
        {"create_context", provider->create_context != NULL},
        {"destroy_context", provider->destroy_context != NULL},
        {"submit", provider->submit != NULL},
        {"collect", provider->collect != NULL},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!functions[i].is_there)
            return rung__fail(RUNG_INVALID_ARGUMENT,
                              "rung_provider.%s of %s is NULL, and a provider cannot do without it",
                              functions[i].name, provider->name);
    return RUNG_OK;
}

/** Also the rungs that a ladder file took out: their names mean something to a user. */
static rung_result check_name_is_free(const struct rung_instance *instance, const char *name)
{
    if (rung__table_find(&instance->table, name) || rung__rung_named(name) ||
        strcmp(name, rung__provider_ort.name) == 0)
        return rung__fail(RUNG_ALREADY_EXISTS,
                          "rung_provider.name: there is a rung or a provider \"%s\" already", name);
    return RUNG_OK;
}

/** The first floor that serves unasked; every table has one. */
static const char *find_floor(const struct rung__table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->rungs[i].floor && table->rungs[i].automatic)
            return table->rungs[i].id;
    return NULL;
}

static rung_result add(struct rung_instance *instance, const rung_provider *provider)
{
    struct rung__external *external = rung__external_new(provider);
    if (!external)
        return rung__fail(RUNG_NO_MEMORY, "no memory for a provider");
    const rung_result result = rung__table_add(
        &instance->table, &(struct rung__rung){
                              .id = external->name,
                              .text = external->text,
                              .provider = &external->provider,
                              .platforms = RUNG__PLATFORM_ANY,
                              .forms = provider->forms ? provider->forms : RUNG__FORMS_ANY,
                              .precision = provider->precision ? (uint32_t)provider->precision
                                                               : (uint32_t)RUNG_FORM_F32,
                              .fallback = find_floor(&instance->table),
                              .session = no_options,
                              .options = no_options,
                          });
    if (result != RUNG_OK) {
        rung__external_destroy(external);
        return result;
    }
    external->next = instance->externals;
    instance->externals = external;
    return RUNG_OK;
}

rung_result rung_instance_register_provider(rung_instance *instance, const rung_provider *theirs)
{
    rung_provider provider;
    if (!instance || !theirs)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_instance_register_provider: an argument is NULL");
    rung_result result = rung__structure_read(&provider, sizeof provider, theirs, "rung_provider");
    if (result == RUNG_OK)
        result = check_texts(&provider);
    if (result == RUNG_OK)
        result = check_numbers(&provider);
    if (result == RUNG_OK)
        result = check_functions(&provider);
    if (result == RUNG_OK)
        result = check_name_is_free(instance, provider.name);
    if (result == RUNG_OK && atomic_load(&instance->providers_closed))
        result = rung__fail(RUNG_STATE,
                            "%s cannot be registered any more: a model was opened or probed; "
                            "providers are registered when the instance is made",
                            provider.name);
    return result == RUNG_OK ? add(instance, &provider) : result;
}

rung_result rung_provider_fail(rung_result result, const char *reason)
{
    return rung__fail(result, "%.700s", reason ? reason : "");
}
