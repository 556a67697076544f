/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/artifact.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "artifact/bundle.h"
#include "artifact/digests.h"
#include "artifact/header.h"
#include "base/error.h"
#include "base/text.h"

/* The one buffer that a shared file is read through. */
#define COPY_BYTES 262144u

/* File systems keep times to a tick of the kernel at best, and to two seconds at worst (FAT). */
#define FRESH_NS INT64_C(2000000000)

/* ---- opening ----------------------------------------------------------------------------- */

static bool is_fresh(const struct rung__file_stamp *stamp)
{
    struct timespec now;
    if (!timespec_get(&now, TIME_UTC))
        return true;
    const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    const int64_t last =
        stamp->modified_ns > stamp->changed_ns ? stamp->modified_ns : stamp->changed_ns;
    return last > now_ns - FRESH_NS;
}

static rung_result refuse_stranger(const char *why)
{
    return rung__fail(RUNG_IO, "it is no Rung model: %s", why);
}

/* Reads `head`, which has room for RUNG__HEAD_BYTES_MAX, and finds out where things lie. */
static rung_result read_head(const struct rung__file *file, struct rung__bytes *head, uint8_t *room,
                             struct rung__layout *layout)
{
    const uint64_t bytes = file->stamp.size;
    const size_t head_bytes = bytes < RUNG__HEAD_BYTES_MAX ? (size_t)bytes : RUNG__HEAD_BYTES_MAX;
    if (bytes < RUNG__HEADER_BYTES)
        return refuse_stranger("it is smaller than a header");
    rung_result result = rung__file_read(file, 0, room, head_bytes);
    if (result != RUNG_OK)
        return result;
    *head = (struct rung__bytes){room, head_bytes};
    if (!rung__header_has_magic(*head))
        return refuse_stranger("it does not begin with RUNG");
    return rung__layout_read(*head, bytes, layout);
}

/** The digest that section 8 has, 32 zeros without one. */
static rung_result read_canonical(const struct rung__file *file, const struct rung__layout *layout,
                                  uint8_t canonical[RUNG__SHA256_BYTES])
{
    const struct rung__section *section =
        rung__section_find(&layout->table, RUNG__SECTION_CANONICAL);
    memset(canonical, 0, RUNG__SHA256_BYTES);
    return section && section->bytes == RUNG__SHA256_BYTES
               ? rung__file_read(file, section->offset, canonical, RUNG__SHA256_BYTES)
               : RUNG_OK;
}

rung_result rung__artifact_look(const char *path, struct rung__glance *out)
{
    struct rung__file file;
    struct rung__layout layout;
    uint8_t room[RUNG__HEAD_BYTES_MAX];
    struct rung__bytes head;
    *out = (struct rung__glance){0};
    rung_result result = rung__file_open(path, &file);
    if (result != RUNG_OK)
        return result;
    out->bytes = file.stamp.size;
    result = read_head(&file, &head, room, &layout);
    if (result == RUNG_OK)
        result = read_canonical(&file, &layout, out->canonical);
    rung__file_close(&file);
    if (result != RUNG_OK)
        return rung__fail(result, "%s: %s", path, rung_last_error());
    out->header = layout.header;
    return RUNG_OK;
}

/* ---- the bytes that are verified and served ---------------------------------------------- */

static rung_result map_in_place(struct rung__artifact *artifact, uint8_t *payload_digest)
{
    rung_result result = rung__file_map(&artifact->file, &artifact->view.file);
    if (result != RUNG_OK)
        return result;
    return rung__digests_of(artifact->view.file, &artifact->layout, payload_digest,
                            artifact->message_digest);
}

/* What is hashed is what goes into the copy, so one reading of the file is enough. */
static rung_result copy_and_hash(struct rung__artifact *artifact, struct rung__digests *digests)
{
    uint8_t *buffer = malloc(COPY_BYTES);
    if (!buffer)
        return rung__fail(RUNG_NO_MEMORY, "no memory to copy it");

    rung_result result = RUNG_OK;
    const uint64_t size = artifact->file.stamp.size;
    for (uint64_t at = 0; at < size && result == RUNG_OK; at += COPY_BYTES) {
        const size_t part = size - at < COPY_BYTES ? (size_t)(size - at) : COPY_BYTES;
        result = rung__file_read(&artifact->file, at, buffer, part);
        if (result == RUNG_OK)
            result = rung__memory_file_write(&artifact->copy, at, buffer, part);
        if (result == RUNG_OK)
            result = rung__digests_update(digests, (struct rung__bytes){buffer, part});
    }
    free(buffer);
    return result;
}

static rung_result copy_privately(struct rung__artifact *artifact, uint8_t *payload_digest)
{
    struct rung__digests digests;
    rung_result result = rung__memory_file_create(artifact->file.stamp.size, &artifact->copy);
    if (result != RUNG_OK)
        return result;
    artifact->copied = true;
    result = rung__digests_init(&digests, &artifact->layout);
    if (result != RUNG_OK)
        return result;

    result = copy_and_hash(artifact, &digests);
    if (result == RUNG_OK)
        result = rung__digests_result(&digests, payload_digest, artifact->message_digest);
    rung__digests_finish(&digests);
    if (result == RUNG_OK)
        result = rung__memory_file_seal(&artifact->copy, &artifact->view.file);
    return result;
}

/* The digests were taken where `head` said; what is served must begin with the very same bytes. */
static rung_result confirm_head(struct rung__artifact *artifact, struct rung__bytes head)
{
    const struct rung__bytes file = artifact->view.file;
    if (memcmp(file.data, head.data, head.size) != 0)
        return rung__fail(RUNG_INTEGRITY, "it was changed while it was read");
    return rung__layout_read(file, file.size, &artifact->layout);
}

/* ---- trust ------------------------------------------------------------------------------- */

/* What the header alone tells, so that nobody waits for digests that could not help. */
static rung_result check_policy(const struct rung__header *header, enum rung__admission admission,
                                const struct rung__trust *trust)
{
    if (admission == RUNG__ADMIT_STRUCTURE)
        return RUNG_OK;
    if (header->flags & RUNG__FLAG_SIGNED)
        return rung__trust_find(trust, header->key_id);
    if (admission == RUNG__ADMIT_UNSIGNED)
        return RUNG_OK;
    return rung__fail(RUNG_PERMISSION,
                      "it is not signed; sign it with `rung sign`, or allow unsigned models");
}

static rung_result check_digests(const struct rung__artifact *artifact,
                                 const uint8_t *payload_digest, enum rung__admission admission,
                                 const struct rung__trust *trust)
{
    const struct rung__header *header = &artifact->layout.header;
    /* A bundle's digest comes later: nobody makes us read its files before we trust the locator. */
    if (!(header->flags & RUNG__FLAG_BUNDLE) &&
        memcmp(payload_digest, header->digest, RUNG__SHA256_BYTES) != 0)
        return rung__fail(RUNG_INTEGRITY,
                          "the payload's SHA-256 is not the one in the header: the file is "
                          "damaged; fetch it again");
    if (admission == RUNG__ADMIT_STRUCTURE || !artifact->is_signed)
        return RUNG_OK;
    return rung__trust_verify(trust, header->key_id, artifact->message_digest, artifact->signature);
}

static void note_signature(struct rung__artifact *artifact)
{
    const struct rung__header *header = &artifact->layout.header;
    artifact->is_signed = header->flags & RUNG__FLAG_SIGNED;
    if (!artifact->is_signed)
        return;
    memcpy(artifact->signature, artifact->view.file.data + header->signature_offset,
           sizeof artifact->signature);
    rung__text_hex(artifact->key_id_text, header->key_id, sizeof header->key_id);
}

/* ---- bundles ----------------------------------------------------------------------------- */

static rung_result keep_bundle(struct rung__artifact *artifact, const struct rung__bundle *bundle,
                               const char *cache)
{
    if (!*cache)
        return rung__fail(RUNG_IO, "there is no place for the private copy of its bundle; set "
                                   "XDG_CACHE_HOME or HOME");
    return rung__bundle_keep(bundle, cache, artifact->view.header.digest, &artifact->bundle);
}

/* `cache` is NULL when the bundle is only looked at, and "" when there is no such folder. */
static rung_result admit_bundle(struct rung__artifact *artifact, const char *cache)
{
    struct rung__bundle bundle;
    char *folder = rung__path_folder(artifact->path);
    if (!folder)
        return rung__fail(RUNG_NO_MEMORY, "no memory for its bundle");
    rung_result result =
        rung__bundle_open(folder, artifact->view.sections[RUNG__SECTION_PAYLOAD], &bundle);
    free(folder);
    if (result == RUNG_OK) {
        artifact->bundle_files = bundle.files.count;
        artifact->bundle_bytes = bundle.bytes;
        result = cache ? keep_bundle(artifact, &bundle, cache)
                       : rung__bundle_check(&bundle, artifact->view.header.digest);
        rung__bundle_finish(&bundle);
    }
    if (result == RUNG_NOT_FOUND)
        return rung__fail(RUNG_INTEGRITY, "its bundle is missing or incomplete: %s",
                          rung_last_error());
    return result;
}

/* ---- all of it --------------------------------------------------------------------------- */

static rung_result admit(struct rung__artifact *artifact, enum rung__admission admission,
                         const struct rung__trust *trust, const char *cache)
{
    uint8_t room[RUNG__HEAD_BYTES_MAX], payload_digest[RUNG__SHA256_BYTES];
    struct rung__bytes head = {room, 0};

    artifact->fresh = is_fresh(&artifact->file.stamp);
    rung_result result = read_head(&artifact->file, &head, room, &artifact->layout);
    if (result == RUNG_OK)
        result = check_policy(&artifact->layout.header, admission, trust);
    if (result == RUNG_OK)
        result = artifact->file.shared ? copy_privately(artifact, payload_digest)
                                       : map_in_place(artifact, payload_digest);
    if (result == RUNG_OK)
        result = confirm_head(artifact, head);
    if (result != RUNG_OK)
        return result;

    note_signature(artifact);
    rung__text_hex(artifact->digest_text, artifact->layout.header.digest, RUNG__SHA256_BYTES);
    result = check_digests(artifact, payload_digest, admission, trust);
    /* Pages of a file that was cut short meanwhile are gone, and touching them would end us. */
    if (result == RUNG_OK && !artifact->copied && !rung__file_is_unchanged(&artifact->file))
        result = rung__fail(RUNG_INTEGRITY, "it was changed while it was verified; try again");
    if (result == RUNG_OK) {
        const struct rung__bytes file = artifact->view.file;
        result = rung__view_read(file, &artifact->layout, &artifact->view);
    }
    if (result == RUNG_OK && artifact->layout.header.flags & RUNG__FLAG_BUNDLE)
        result = admit_bundle(artifact, cache);
    return result;
}

static rung_result open_and_admit(const char *path, enum rung__admission admission,
                                  const struct rung__trust *trust, const char *cache,
                                  struct rung__artifact *out)
{
    *out = (struct rung__artifact){0};
    rung_result result = rung__file_open(path, &out->file);
    if (result != RUNG_OK)
        return result;

    out->path = rung__text_new("%s", path);
    result = out->path ? admit(out, admission, trust, cache)
                       : rung__fail(RUNG_NO_MEMORY, "no memory for its path");
    if (result == RUNG_OK)
        return RUNG_OK;
    rung__artifact_finish(out);
    return rung__fail(result, "%s: %s", path, rung_last_error());
}

rung_result rung__artifact_admit(const char *path, enum rung__admission admission,
                                 const struct rung__trust *trust, struct rung__artifact *out)
{
    return open_and_admit(path, admission, trust, NULL, out);
}

rung_result rung__artifact_admit_to_load(const char *path, enum rung__admission admission,
                                         const struct rung__trust *trust, const char *cache,
                                         struct rung__artifact *out)
{
    return open_and_admit(path, admission, trust, cache ? cache : "", out);
}

void rung__artifact_finish(struct rung__artifact *artifact)
{
    rung__file_unmap(&artifact->view.file);
    rung__memory_file_close(&artifact->copy);
    rung__file_close(&artifact->file);
    free(artifact->bundle);
    free(artifact->path);
    *artifact = (struct rung__artifact){0};
}

/* ---- afterwards -------------------------------------------------------------------------- */

/* Two changes within one tick of the clock look like one, so a fresh file is hashed again. */
static rung_result has_same_bytes(const struct rung__artifact *artifact, bool *same)
{
    uint8_t payload[RUNG__SHA256_BYTES], message[RUNG__SHA256_BYTES];
    const struct rung__bytes file = artifact->view.file;
    rung_result result = rung__digests_of(file, &artifact->layout, payload, message);
    if (result != RUNG_OK)
        return result;
    *same = memcmp(message, artifact->message_digest, sizeof message) == 0;
    if (artifact->is_signed)
        *same = *same && memcmp(file.data + file.size - RUNG__SIGNATURE_BYTES, artifact->signature,
                                RUNG__SIGNATURE_BYTES) == 0;
    return RUNG_OK;
}

rung_result rung__artifact_check_unchanged(const struct rung__artifact *artifact)
{
    if (artifact->copied)
        return RUNG_OK;

    bool same = rung__file_is_unchanged(&artifact->file);
    rung_result result = RUNG_OK;
    if (same && artifact->fresh)
        result = has_same_bytes(artifact, &same);
    if (result != RUNG_OK || same)
        return result;
    return rung__fail(RUNG_INTEGRITY, "%s was changed after it was verified; open it again",
                      artifact->path);
}
