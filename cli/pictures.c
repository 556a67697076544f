/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of photo.h and draw.h, from the module that has them (pictures/module.h). */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"
#include "pictures/module.h"

static const struct pictures *pictures;

/** The module's path: beside the program in its build folder, else where it was installed. */
static bool find_module(char path[PATH_MAX])
{
    static const char *const places[] = {"rung-pictures.so", RUNG_PICTURES_FROM_PROGRAM};
    char folder[PATH_MAX];
    struct stat status;
    if (!program_folder(folder, sizeof folder))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(path, PATH_MAX, "%s/%s", folder, places[i]) < PATH_MAX &&
            stat(path, &status) == 0)
            return true;
    return false;
}

static bool refuse(struct photo_error *error, const char *why)
{
    error->code = "UNSUPPORTED";
    snprintf(error->message, sizeof error->message, "no picture can be read: %s", why);
    return false;
}

static bool load_module(struct photo_error *error)
{
    char path[PATH_MAX];
    if (!find_module(path))
        return refuse(error, "rung-pictures.so is neither beside rung nor where it is installed");
    void *module = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    const struct pictures *found = module ? dlsym(module, PICTURES_SYMBOL) : NULL;
    if (!found) {
        const char *reason = dlerror();
        return refuse(error, reason ? reason : "rung-pictures.so cannot be loaded");
    }
    if (found->struct_size != sizeof *found || strcmp(found->version, rung_version()) != 0)
        return refuse(error,
                      "rung-pictures.so is of another version than rung; install both together");
    pictures = found;
    return true;
}

bool photo_start(const char *program, struct photo_error *error)
{
    if (!load_module(error))
        return false;
    if (pictures->start(program, error))
        return true;
    pictures = NULL; /* there is nothing to stop */
    return false;
}

void photo_stop(void)
{
    if (pictures)
        pictures->stop();
}

void photo_thread_stop(void)
{
    if (pictures)
        pictures->thread_stop();
}

bool photo_load(const char *path, uint64_t pixels_max, struct photo *photo,
                struct photo_error *error)
{
    return pictures->load(path, pixels_max, photo, error);
}

bool draw_targets(struct photo *photo, const rung_packet_header *packet, const rung_model *model,
                  struct photo_error *error)
{
    return pictures->draw_targets(photo, packet, model, error);
}

bool draw_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t bands,
                 bool is_png, void **data, size_t *size, struct photo_error *error)
{
    return pictures->encode(pixels, width, height, bands, is_png, data, size, error);
}
