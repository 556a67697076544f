/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware/fingerprint.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define KEY_BYTES   96
#define VALUE_BYTES 640

static bool is_key(const char *key)
{
    size_t length = 0;
    for (; key[length]; length++)
        if (key[length] <= ' ' || key[length] == '=' || key[length] == 0x7f)
            return false;
    return length > 0 && length < KEY_BYTES;
}

/** Compares a key with that of a line. */
static int compare_keys(const char *key, const char *line)
{
    const size_t length = strcspn(line, "=");
    const int order = strncmp(key, line, length);
    return order ? order : key[length] != '\0';
}

/** Where the line of a key is, or belongs. */
static size_t find_place(const struct rung__fingerprint *fingerprint, const char *key, int *order)
{
    size_t at = 0;
    *order = -1;
    while (at < fingerprint->size) {
        *order = compare_keys(key, fingerprint->text + at);
        if (*order <= 0)
            return at;
        at += strcspn(fingerprint->text + at, "\n") + 1;
    }
    return at;
}

rung_result rung__fingerprint_add(struct rung__fingerprint *fingerprint, const char *key,
                                  const char *value)
{
    char line[KEY_BYTES + VALUE_BYTES];
    int order;
    if (!is_key(key))
        return rung__fail(RUNG_INVALID_ARGUMENT, "\"%.*s\" cannot be a key of a fingerprint",
                          KEY_BYTES, key);
    (void)rung__text_format(line, sizeof line - 1, "%s=%s", key, value);
    rung__text_clean(line);
    const size_t length = strlen(line);
    line[length] = '\n';

    const size_t at = find_place(fingerprint, key, &order);
    if (order == 0)
        return rung__fail(RUNG_ALREADY_EXISTS, "the fingerprint has a line %s already", key);
    if (fingerprint->size + length + 1 >= sizeof fingerprint->text)
        return rung__fail(RUNG_CAPACITY, "the fingerprint has no room for %s", key);
    char *place = fingerprint->text + at;
    memmove(place + length + 1, place, fingerprint->size - at + 1);
    memcpy(place, line, length + 1);
    fingerprint->size += length + 1;
    return RUNG_OK;
}

rung_result rung__fingerprint_digest_of(const char *text, char hex[2 * RUNG__SHA256_BYTES + 1])
{
    uint8_t digest[RUNG__SHA256_BYTES];
    const rung_result result = rung__sha256_of(text, strlen(text), digest);
    if (result == RUNG_OK)
        rung__text_hex(hex, digest, sizeof digest);
    return result;
}

rung_result rung__fingerprint_digest(const struct rung__fingerprint *fingerprint,
                                     char hex[2 * RUNG__SHA256_BYTES + 1])
{
    return rung__fingerprint_digest_of(fingerprint->text, hex);
}

/* ---- the device -------------------------------------------------------------------------- */

/** Appends a word; what is cut is cut the same way every time. */
static void append(char value[VALUE_BYTES], const char *separator, const char *word)
{
    const size_t length = strlen(value);
    (void)rung__text_format(value + length, VALUE_BYTES - length, "%s%s", length ? separator : "",
                            word);
}

static rung_result add_cpu(const struct rung__hardware *hardware,
                           enum rung__fingerprint_scope scope, struct rung__fingerprint *out)
{
    char value[VALUE_BYTES] = "";
    const char *name;
    for (uint32_t bit = 0; (name = rung__cpu_feature_name(bit)); bit++)
        if (hardware->cpu_features >> bit & 1)
            append(value, " ", name);
    rung_result result = rung__fingerprint_add(out, "cpu.features", value);
    if (result == RUNG_OK)
        result = rung__fingerprint_add(out, "cpu.model", hardware->cpu_model);
    if (result != RUNG_OK || scope == RUNG__FINGERPRINT_ENGINES)
        return result;
    (void)rung__text_format(value, sizeof value, "%u on %u core%s", hardware->cpus.logical,
                            hardware->cpus.physical, hardware->cpus.physical == 1 ? "" : "s");
    return rung__fingerprint_add(out, "cpu.usable", value);
}

/** Adds a line under the first free key of "KEY", "KEY#2", …: devices that are alike. */
static rung_result add_numbered(struct rung__fingerprint *out, const char *key, const char *value)
{
    char numbered[KEY_BYTES];
    int order;
    (void)rung__text_format(numbered, sizeof numbered, "%s", key);
    for (uint32_t number = 2; (void)find_place(out, numbered, &order), order == 0; number++)
        (void)rung__text_format(numbered, sizeof numbered, "%s#%u", key, number);
    return rung__fingerprint_add(out, numbered, value);
}

static rung_result add_device(const struct rung__device *device, struct rung__fingerprint *out)
{
    char key[KEY_BYTES], value[VALUE_BYTES];
    int order;
    /* Not its address: a card in another slot moves that. */
    (void)rung__text_format(key, sizeof key, "device.%04x:%04x", device->vendor, device->device);
    (void)rung__text_format(value, sizeof value, "%s %s%s%s%s",
                            device->kind == RUNG__DEVICE_GPU ? "GPU" : "NPU",
                            *device->name ? device->name : "", *device->name ? " " : "",
                            *device->driver ? device->driver : "without a driver",
                            !*device->node     ? ""
                            : device->has_node ? " with its node"
                                               : " without its node");
    rung_result result = add_numbered(out, key, value);
    if (result != RUNG_OK || !*device->version)
        return result;
    (void)rung__text_format(key, sizeof key, "driver.%s", device->driver);
    (void)find_place(out, key, &order);
    return order == 0 ? RUNG_OK : rung__fingerprint_add(out, key, device->version);
}

static rung_result add_soc(const struct rung__soc *soc, struct rung__fingerprint *out)
{
    char value[VALUE_BYTES];
    if (!*soc->machine && !*soc->compatible)
        return RUNG_OK;
    (void)rung__text_format(value, sizeof value, "%s",
                            *soc->machine ? soc->machine : soc->compatible);
    if (soc->hexagon) {
        char hexagon[RUNG__HARDWARE_NAME];
        (void)rung__text_format(hexagon, sizeof hexagon, "Hexagon V%u%s", soc->hexagon,
                                soc->has_fastrpc ? "" : " without its node");
        append(value, ", ", hexagon);
    }
    return rung__fingerprint_add(out, "soc", value);
}

static rung_result add_opencl(const struct rung__hardware *hardware, struct rung__fingerprint *out)
{
    rung_result result = RUNG_OK;
    for (uint32_t i = 0; i < hardware->opencl_count && result == RUNG_OK; i++)
        result = add_numbered(out, "opencl", hardware->opencl[i].library);
    return result;
}

rung_result rung__fingerprint_text(const struct rung__hardware *hardware,
                                   enum rung__fingerprint_scope scope,
                                   struct rung__fingerprint *out)
{
    char policy[RUNG__HARDWARE_NAME];
    out->size = 0;
    out->text[0] = '\0';
    (void)rung__text_format(policy, sizeof policy, "%d", RUNG__POLICY_VERSION);
    rung_result result = rung__fingerprint_add(out, "policy", policy);
    if (result == RUNG_OK)
        result = rung__fingerprint_add(out, "rung", RUNG_VERSION_TEXT);
    if (result == RUNG_OK)
        result = add_cpu(hardware, scope, out);
    for (uint32_t i = 0; i < hardware->device_count && result == RUNG_OK; i++)
        result = add_device(&hardware->devices[i], out);
    if (result == RUNG_OK && hardware->has_kfd)
        result = rung__fingerprint_add(out, "kfd", "present");
    if (result == RUNG_OK)
        result = add_soc(&hardware->soc, out);
    return result == RUNG_OK ? add_opencl(hardware, out) : result;
}
