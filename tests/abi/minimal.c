/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls hold their promises on bad arguments, without model or runtime. */
#include <stdio.h>
#include <string.h>

#include <rung/artifact.h>
#include <rung/rung.h>

static int failures;

static void expect(rung_result got, rung_result wanted, const char *what)
{
    if (got == wanted && (got == RUNG_OK || rung_last_error()[0]))
        return;
    printf("%s: %s instead of %s, detail \"%s\"\n", what, rung_result_name(got),
           rung_result_name(wanted), rung_last_error());
    failures++;
}

static int folders_told;

static void count_file(void *user, const rung_model_file *file)
{
    (void)user;
    folders_told += file->flags & RUNG_MODEL_FILE_FOLDER && file->result == RUNG_NOT_FOUND;
}

int main(void)
{
    const char *missing = "/nonexistent/models";
    rung_instance *instance = NULL;
    rung_model *model = NULL;
    rung_instance_options options = {.struct_size = sizeof options, .version = RUNG_STRUCT_VERSION};
    options.flags = RUNG_INSTANCE_NO_ENVIRONMENT;

    expect(rung_instance_create(&options, NULL), RUNG_INVALID_ARGUMENT, "no out");
    options.version = 2;
    expect(rung_instance_create(&options, &instance), RUNG_VERSION, "another version");
    options.version = RUNG_STRUCT_VERSION;
    options.struct_size = 4;
    expect(rung_instance_create(&options, &instance), RUNG_INVALID_ARGUMENT, "a size too small");
    options.struct_size = 16; /* an older, shorter structure */
    options.trust_path = "/nonexistent/never/read.pem";
    expect(rung_instance_create(&options, &instance), RUNG_OK, "an older structure");
    expect(rung_model_open(instance, "/nonexistent.rung", NULL, &model), RUNG_IO, "a missing file");
    expect(rung_model_open(instance, NULL, NULL, &model), RUNG_INVALID_ARGUMENT, "no path");
    expect(rung_model_find(instance, "../x", (rung_span){NULL, 0}, NULL), RUNG_INVALID_ARGUMENT,
           "a name that is a path");
    expect(rung_model_find(instance, "missing", (rung_span){NULL, 0}, NULL), RUNG_NOT_FOUND,
           "a name that is not there");
    expect(rung_model_list(instance, 0, NULL, 0, NULL, NULL), RUNG_INVALID_ARGUMENT, "no callback");
    expect(rung_model_list(instance, 2, NULL, 0, count_file, NULL), RUNG_INVALID_ARGUMENT,
           "an unknown flag of a list");
    expect(rung_model_list(instance, 0, &missing, 1, count_file, NULL), RUNG_OK,
           "a list of a missing folder");
    if (folders_told != 1)
        failures++;
    expect(rung_context_create(NULL, NULL, NULL), RUNG_INVALID_ARGUMENT, "no model");
    expect(rung_detect(NULL, NULL, (rung_span){NULL, 0}, NULL, NULL), RUNG_INVALID_ARGUMENT,
           "no context");
    rung_context_destroy(NULL);
    rung_model_destroy(NULL);
    rung_instance_destroy(NULL);
    rung_instance_destroy(instance);
    if (strcmp(rung_result_name(RUNG_DEVICE_LOST), "DEVICE_LOST") != 0 ||
        strcmp(rung_result_name(12345), "UNKNOWN") != 0)
        failures++;
    return failures != 0;
}
