/* SPDX-License-Identifier: Apache-2.0 */
/* What changed between two fingerprints, in words. */
#include <string.h>

#include "base/text.h"
#include "hardware/fingerprint.h"

#define TITLE_BYTES  96
#define VALUE_BYTES  96
#define DIGEST_SHOWN 12 /* digits of a digest that tell it from others */

struct line {
    const char *key, *value;
    size_t key_length, value_length;
};

/** The next line that has a key. */
static bool next_line(const char **text, struct line *out)
{
    while (**text) {
        const char *at = *text;
        const size_t length = strcspn(at, "\n"), key = strcspn(at, "=\n");
        *text += length + (at[length] == '\n');
        if (key == 0 || key == length)
            continue;
        *out = (struct line){at, at + key + 1, key, length - key - 1};
        return true;
    }
    return false;
}

static bool find_line(const char *text, const struct line *wanted, struct line *out)
{
    while (next_line(&text, out))
        if (out->key_length == wanted->key_length &&
            strncmp(out->key, wanted->key, out->key_length) == 0)
            return true;
    return false;
}

/** What people call a key; of one that ends in '.' the rest is a name. */
static void title_of(const struct line *line, char to[TITLE_BYTES])
{
    static const struct {
        const char *key, *title;
    } rows[] = {
        {"cpu.features", "CPU features"}, {"cpu.model", "CPU"},
        {"cpu.usable", "usable CPUs"},    {"device.", "device "},
        {"driver.", "driver "},           {"kfd", "/dev/kfd"},
        {"ladder", "ladder file"},        {"opencl", "OpenCL driver"},
        {"policy", "policy version"},     {"rung", "Rung"},
        {"runtime.", "library "},         {"soc", "chip"},
    };
    const int length = line->key_length < TITLE_BYTES ? (int)line->key_length : TITLE_BYTES - 1;
    (void)rung__text_format(to, TITLE_BYTES, "%.*s", length, line->key);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t known = strlen(rows[i].key);
        if (known > line->key_length || strncmp(line->key, rows[i].key, known) != 0)
            continue;
        const bool is_class = rows[i].key[known - 1] == '.';
        if (is_class || known == line->key_length || line->key[known] == '#') {
            (void)rung__text_format(to, TITLE_BYTES, "%s%.*s", rows[i].title, length - (int)known,
                                    line->key + known);
            return;
        }
    }
}

static bool is_digest(const struct line *line)
{
    return line->value_length == (size_t)2 * RUNG__SHA256_BYTES &&
           strspn(line->value, "0123456789abcdef") == line->value_length;
}

static void show_value(const struct line *line, char to[VALUE_BYTES])
{
    if (is_digest(line))
        (void)rung__text_format(to, VALUE_BYTES, "%.*s…", DIGEST_SHOWN, line->value);
    else if (line->value_length == 0)
        (void)rung__text_format(to, VALUE_BYTES, "unknown");
    else {
        const int length = line->value_length < VALUE_BYTES ? (int)line->value_length : VALUE_BYTES;
        (void)rung__text_format(to, VALUE_BYTES, "%.*s", length, line->value);
    }
}

static void describe_other(const struct line *before, const struct line *now,
                           struct rung__fingerprint_change *out)
{
    char title[TITLE_BYTES], from[VALUE_BYTES], to[VALUE_BYTES];
    title_of(now, title);
    show_value(before, from);
    show_value(now, to);
    /* Lists that are too long to be compared by eye. */
    if (strlen(from) + strlen(to) + strlen(title) + sizeof "  → " > sizeof out->text ||
        before->value_length >= VALUE_BYTES || now->value_length >= VALUE_BYTES)
        (void)rung__text_format(out->text, sizeof out->text, "%s: others than before", title);
    else
        (void)rung__text_format(out->text, sizeof out->text, "%s %s → %s", title, from, to);
    rung__text_clean(out->text);
}

static void describe_one(const struct line *line, const char *what,
                         struct rung__fingerprint_change *out)
{
    char title[TITLE_BYTES], value[VALUE_BYTES];
    title_of(line, title);
    show_value(line, value);
    (void)rung__text_format(out->text, sizeof out->text, "%s (%s) %s", title, value, what);
    rung__text_clean(out->text);
}

size_t rung__fingerprint_changes(const char *before, const char *now,
                                 struct rung__fingerprint_change *out, size_t capacity)
{
    struct rung__fingerprint_change left_out;
    struct line line, other;
    size_t count = 0;
    for (const char *at = before; next_line(&at, &line);) {
        struct rung__fingerprint_change *to = count < capacity ? &out[count] : &left_out;
        if (!find_line(now, &line, &other))
            describe_one(&line, "is gone", to);
        else if (other.value_length != line.value_length ||
                 strncmp(other.value, line.value, line.value_length) != 0)
            describe_other(&line, &other, to);
        else
            continue;
        count++;
    }
    for (const char *at = now; next_line(&at, &line);)
        if (!find_line(before, &line, &other))
            describe_one(&line, "is new", count < capacity ? &out[count++] : (count++, &left_out));
    return count;
}
