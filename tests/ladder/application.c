/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application that runs for long, as test_first_start.py steers it. Each line of standard input
 * is a command, and is answered by a line of JSON:
 *
 *     model NAME PATH     opens a model
 *     context NAME MODEL  makes a context of it
 *     run NAME            runs the context on a picture that is always the same
 *     end NAME            ends the context
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <rung/rung.h>

#define SIDE       16
#define ITEMS_MOST 16

/** A model, or a context of one. */
struct item {
    char name[32];
    rung_model *model;
    rung_context *context; /**< NULL: the item is the model itself */
    rung_role role;
};

static rung_instance *instance;
static struct item items[ITEMS_MOST];
static size_t count;

_Noreturn static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void check(rung_result result, const char *what)
{
    if (result != RUNG_OK)
        give_up(what, rung_last_error());
}

static void print_log(void *user, int32_t level, const char *text)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", text);
}

static struct item *find(const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    give_up(name, "there is none of that name");
}

static struct item *add(const char *name)
{
    if (count == ITEMS_MOST)
        give_up(name, "too many of them");
    (void)snprintf(items[count].name, sizeof items->name, "%s", name);
    return &items[count++];
}

/** What the model says of itself by now. */
static json_t *describe(struct item *item)
{
    rung_model_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    check(rung_model_get_info(item->model, &info), item->name);
    item->role = info.role;
    return json_pack("{s:s,s:s,s:s,s:s}", "rung", info.rung, "identity", info.identity, "precision",
                     info.precision, "reason", info.reason);
}

static json_t *open_model(const char *name, const char *path)
{
    struct item *item = add(name);
    check(rung_model_open(instance, path, NULL, &item->model), name);
    return describe(item);
}

static json_t *make_context(const char *name, const char *model)
{
    struct item *item = add(name);
    item->model = find(model)->model;
    check(rung_context_create(item->model, NULL, &item->context), name);
    return describe(item);
}

static json_t *hexadecimal(const uint8_t *bytes, size_t size)
{
    char text[2 * 1024 + 1] = "";
    if (2 * size >= sizeof text)
        give_up("a packet", "it is too large");
    for (size_t i = 0; i < size; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return json_string(text);
}

static json_t *run(const struct item *item)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    uint64_t packet[128] = {0};
    size_t size = 0;
    memset(pixels, 250, sizeof pixels);
    const rung_frame frame = {
        .struct_size = sizeof frame,
        .version = RUNG_STRUCT_VERSION,
        .pixels = pixels,
        .width = SIDE,
        .height = SIDE,
        .format = RUNG_PIXEL_RGB8,
    };
    rung_run_info info = {.struct_size = sizeof info, .version = RUNG_STRUCT_VERSION};
    check((item->role == RUNG_ROLE_EMBEDDER ? rung_embed : rung_detect)(
              item->context, &frame, (rung_span){packet, sizeof packet}, &size, &info),
          item->name);
    return json_pack("{s:s,s:s,s:s,s:o}", "rung", info.rung, "identity", info.identity, "precision",
                     info.precision, "packet", hexadecimal((const uint8_t *)packet, size));
}

static json_t *end_context(struct item *item)
{
    rung_context_destroy(item->context);
    *item = (struct item){.name = "ended"};
    return json_object();
}

static json_t *obey(const char *verb, const char *name, const char *operand)
{
    if (strcmp(verb, "model") == 0)
        return open_model(name, operand);
    if (strcmp(verb, "context") == 0)
        return make_context(name, operand);
    if (strcmp(verb, "run") == 0)
        return run(find(name));
    if (strcmp(verb, "end") == 0)
        return end_context(find(name));
    give_up(verb, "there is no such command");
}

int main(void)
{
    char line[1024], verb[16], name[32], operand[900];
    const rung_instance_options options = {
        .struct_size = sizeof options, .version = RUNG_STRUCT_VERSION, .log = print_log};
    check(rung_instance_create(&options, &instance), "the instance");
    while (fgets(line, sizeof line, stdin)) {
        operand[0] = '\0';
        if (sscanf(line, "%15s %31s %899s", verb, name, operand) < 2)
            give_up(line, "no command");
        json_t *answer = obey(verb, name, operand);
        if (!answer || json_dumpf(answer, stdout, JSON_COMPACT) != 0 || putchar('\n') == EOF ||
            fflush(stdout) != 0)
            give_up(line, "no answer");
        json_decref(answer);
    }
    while (count--) /* contexts were made after their models */
        if (items[count].context)
            rung_context_destroy(items[count].context);
        else
            rung_model_destroy(items[count].model);
    rung_instance_destroy(instance);
    return 0;
}
