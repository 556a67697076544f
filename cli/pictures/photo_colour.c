/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Embedded profiles. What a profile does is asked of a card of colours, not of its name or tags:
 * one that leaves the card as sRGB would have it, as the many copies of sRGB do, is left aside, and
 * one that cannot be used as well. The answer is kept, since the photographs of one camera bring
 * one profile; so neither kind costs anything but the first time.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "photo_parts.h"

#define CARD_STEPS           6 /* a channel: 0, 51, 102 … 255 */
#define CARD_TOLERANCE       2 /* levels; copies of sRGB round their curves in different ways */
#define PROFILE_HEADER_BYTES 128
#define ANSWERS_KEPT         16
#define DIGEST_CHARACTERS    64

struct answer {
    char digest[DIGEST_CHARACTERS + 1]; /* SHA-256 of the profile */
    enum photo_ink ink;
    bool counts; /* the profile is to be applied */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct answer answers[ANSWERS_KEPT];
static size_t answer_count; /* all that were given; the newest replaces the oldest */

static VipsImage *with_profile(const uint8_t *pixels, int count, enum photo_ink ink,
                               const void *profile, size_t size)
{
    const VipsInterpretation spaces[] = {[PHOTO_GREY] = VIPS_INTERPRETATION_B_W,
                                         [PHOTO_RGB] = VIPS_INTERPRETATION_sRGB,
                                         [PHOTO_CMYK] = VIPS_INTERPRETATION_CMYK};
    VipsImage *plain = vips_image_new_from_memory(pixels, (size_t)count * ink, count, 1, (int)ink,
                                                  VIPS_FORMAT_UCHAR);
    VipsImage *card = NULL;
    if (plain && vips_copy(plain, &card, "interpretation", spaces[ink], NULL) == 0)
        vips_image_set_blob_copy(card, VIPS_META_ICC_NAME, profile, size);
    if (plain)
        g_object_unref(plain);
    return card;
}

/** Relative to the paper's white, and black to black, as browsers and printers' proofs show it. */
static bool transform(VipsImage *image, VipsImage **result)
{
    return vips_icc_transform(image, result, "srgb", "embedded", TRUE, "intent",
                              VIPS_INTENT_RELATIVE, "black_point_compensation", TRUE, "depth", 8,
                              NULL) == 0 &&
           (*result)->Bands >= 3;
}

/** All combinations of the card's steps; of the inks those without black. → the number of colours.
 */
static int make_card(uint8_t *card, enum photo_ink ink)
{
    const int channels = ink == PHOTO_GREY ? 1 : 3;
    const int count = channels == 1 ? CARD_STEPS : CARD_STEPS * CARD_STEPS * CARD_STEPS;
    memset(card, 0, (size_t)count * ink);
    for (int i = 0; i < count; i++)
        for (int channel = 0, rest = i; channel < channels; channel++, rest /= CARD_STEPS)
            card[i * (int)ink + channel] = (uint8_t)(rest % CARD_STEPS * 255 / (CARD_STEPS - 1));
    return count;
}

/** True when the card comes out as it went in. */
static bool is_unchanged(const uint8_t *card, enum photo_ink ink, const uint8_t *got, int count)
{
    for (int i = 0; i < count; i++)
        for (int channel = 0; channel < 3; channel++) {
            int wanted = card[i * (int)ink + (ink == PHOTO_GREY ? 0 : channel)];
            if (abs(got[3 * i + channel] - wanted) > CARD_TOLERANCE)
                return false;
        }
    return true;
}

/**
 * True when the profile is all there and for this kind of picture, by its header (ICC.1, 7.2: the
 * size at 0, the colour space at 16). libvips would take one of its own in the place of another.
 */
static bool is_of(enum photo_ink ink, const uint8_t *profile, size_t size)
{
    const char *const spaces[] = {
        [PHOTO_GREY] = "GRAY", [PHOTO_RGB] = "RGB ", [PHOTO_CMYK] = "CMYK"};
    if (size < PROFILE_HEADER_BYTES || memcmp(profile + 16, spaces[ink], 4) != 0)
        return false;
    return size >= ((size_t)profile[0] << 24 | (size_t)profile[1] << 16 | (size_t)profile[2] << 8 |
                    profile[3]);
}

/** True when the profile can be used, and makes a difference. */
static bool try_profile(enum photo_ink ink, const void *profile, size_t size)
{
    uint8_t card[CARD_STEPS * CARD_STEPS * CARD_STEPS * PHOTO_CMYK];
    int count = make_card(card, ink);
    VipsImage *image = with_profile(card, count, ink, profile, size), *result = NULL;
    uint8_t *got = NULL;
    size_t got_size = 0;
    if (image && is_of(ink, profile, size) && transform(image, &result))
        got = vips_image_write_to_memory(result, &got_size);
    bool counts = got && got_size >= 3 * (size_t)count &&
                  (ink == PHOTO_CMYK || !is_unchanged(card, ink, got, count));
    g_free(got);
    if (result)
        g_object_unref(result);
    if (image)
        g_object_unref(image);
    vips_error_clear(); /* of a profile that cannot be used */
    return counts;
}

static bool find_answer(const char *digest, enum photo_ink ink, bool *counts)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ANSWERS_KEPT && i < answer_count && !found; i++)
        if (answers[i].ink == ink && strcmp(answers[i].digest, digest) == 0) {
            *counts = answers[i].counts;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep_answer(const char *digest, enum photo_ink ink, bool counts)
{
    pthread_mutex_lock(&lock);
    struct answer *answer = &answers[answer_count++ % ANSWERS_KEPT];
    g_strlcpy(answer->digest, digest, sizeof answer->digest);
    answer->ink = ink;
    answer->counts = counts;
    pthread_mutex_unlock(&lock);
}

static bool has_profile_that_counts(VipsImage *image, enum photo_ink ink)
{
    const void *profile;
    size_t size;
    bool counts = false;
    if (!vips_image_get_typeof(image, VIPS_META_ICC_NAME) ||
        vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &size) || size == 0)
        return false;
    char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, profile, size);
    if (!find_answer(digest, ink, &counts)) {
        counts = try_profile(ink, profile, size);
        keep_answer(digest, ink, counts);
    }
    g_free(digest);
    return counts;
}

static bool find_ink(const VipsImage *image, enum photo_ink *ink, struct photo_error *error)
{
    const int bands = image->Bands;
    *ink = bands < 3 ? PHOTO_GREY : PHOTO_RGB;
    if (image->BandFmt != VIPS_FORMAT_UCHAR && image->BandFmt != VIPS_FORMAT_USHORT)
        return photo_refuse(error, "UNSUPPORTED",
                            "has samples of type %s; 8 and 16 bits without sign are read",
                            vips_enum_nick(VIPS_TYPE_BAND_FORMAT, image->BandFmt));
    switch (image->Type) {
    case VIPS_INTERPRETATION_CMYK:
        *ink = PHOTO_CMYK;
        if (bands == 4 || bands == 5)
            return true;
        break;
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB16:
        if (bands <= 4)
            return true;
        break;
    default:
        break;
    }
    return photo_refuse(error, "UNSUPPORTED", "has %d channels of colour space %s", bands,
                        vips_enum_nick(VIPS_TYPE_INTERPRETATION, image->Type));
}

/** Takes `result` in the place of `*image`. */
static void replace(VipsImage **image, VipsImage *result)
{
    g_object_unref(*image);
    *image = result;
}

bool photo_to_srgb(VipsImage **image, enum photo_ink *ink, const struct photo_file *file,
                   struct photo_error *error, bool alone)
{
    VipsImage *result = NULL;
    if (!find_ink(*image, ink, error))
        return false;
    if (!has_profile_that_counts(*image, *ink))
        return true;
    if ((*image)->Bands > (int)*ink) { /* alpha needs no transform */
        if (vips_extract_band(*image, &result, 0, "n", (int)*ink, NULL))
            return photo_refuse_decoder(error, file, alone);
        replace(image, result);
        result = NULL;
    }
    if (!transform(*image, &result))
        return photo_refuse_decoder(error, file, alone);
    replace(image, result);
    *ink = PHOTO_RGB;
    return true;
}
