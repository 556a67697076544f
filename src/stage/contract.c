/* SPDX-License-Identifier: Apache-2.0 */
#include "stage/contract.h"

#include <stdarg.h>
#include <string.h>

#include "artifact/names.h"
#include "base/text.h"

bool rung__is_base(const struct rung__implementation *implementation)
{
    return strcmp(implementation->id, RUNG__STAGE_BASE) == 0;
}

const char *rung__stage_name(enum rung__stage stage)
{
    static const char *const names[RUNG__STAGES] = {"preprocess", "buffer", "schedule",
                                                    "postprocess", "engine"};
    return names[stage];
}

static const char *const components[] = {"threads", "import", "vulkan", "cuda"};
#define COMPONENTS (sizeof components / sizeof *components)

const char *rung__component_name(uint32_t bit)
{
    return bit < COMPONENTS ? components[bit] : NULL;
}

bool rung__why_not(struct rung__why *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)rung__text_format_list(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

/** Why a component is missing, as far as that is more than that it is not there. */
static const char *missing(uint32_t bit)
{
    static const char *const texts[COMPONENTS] = {
        "one thread is allowed for a run, so there is nothing to share",
        "the runtime does not read memory of ours",
        "Vulkan is not there",
        "CUDA is not there",
    };
    return texts[bit];
}

static bool check_place(const struct rung__implementation *implementation,
                        const struct rung__stage_context *context, struct rung__why *why)
{
    if (strcmp(implementation->device, context->device) != 0)
        return rung__why_not(why, "it runs on %s, and this context on %s", implementation->device,
                             context->device);
    if (implementation->cpu_flags && !(implementation->cpu_flags & context->cpu_flags))
        return rung__why_not(why, "it needs vector instructions, and the level here is %s",
                             context->level);
    for (uint32_t bit = 0; bit < COMPONENTS; bit++)
        if (implementation->components >> bit & 1 && !(context->components >> bit & 1))
            return rung__why_not(why, "%s", missing(bit));
    if (implementation->scenarios && !(implementation->scenarios & context->scenario))
        return rung__why_not(why, "it is for frames that come %s",
                             context->scenario == RUNG__SCENARIO_FRAME ? "in a series"
                                                                       : "one at a time");
    return true;
}

static bool check_canvas(const struct rung__implementation *implementation,
                         const struct rung__canvas *canvas, struct rung__why *why)
{
    if (canvas->width > implementation->most_width || canvas->height > implementation->most_height)
        return rung__why_not(why, "it takes a canvas of at most %u x %u, and this one has %u x %u",
                             implementation->most_width, implementation->most_height, canvas->width,
                             canvas->height);
    if (!(implementation->dtypes >> canvas->dtype & 1))
        return rung__why_not(why, "it does not make tensors of %s",
                             rung__name_text(&rung__dtype_names, canvas->dtype));
    if (!(implementation->layouts >> canvas->layout & 1))
        return rung__why_not(why, "it does not make tensors that are %s",
                             rung__name_text(&rung__layout_names, canvas->layout));
    return true;
}

bool rung__implementation_check(const struct rung__implementation *implementation,
                                const struct rung__stage_context *context, const void *request,
                                struct rung__why *why)
{
    why->text[0] = '\0';
    if (!check_place(implementation, context, why))
        return false;
    if (context->canvas && !check_canvas(implementation, context->canvas, why))
        return false;
    return !implementation->operations->check ||
           implementation->operations->check(context, request, why);
}
