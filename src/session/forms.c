/* SPDX-License-Identifier: Apache-2.0 */
#include "session/forms.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/names.h"
#include "base/error.h"
#include "base/text.h"
#include "session/folders.h"
#include "session/model.h"

static const struct rung__name rows[] = {
    {RUNG__FORM_CHOSEN, "chosen"},         {RUNG__FORM_SLOWER, "slower"},
    {RUNG__FORM_UNMEASURED, "unmeasured"}, {RUNG__FORM_UNGATED, "ungated"},
    {RUNG__FORM_BY_NAME, "by name only"},  {RUNG__FORM_UNLIKE, "unlike"},
    {RUNG__FORM_REFUSED, "refused"},
};
const struct rung__names rung__form_state_names = {"form", rows, sizeof rows / sizeof *rows};

/** A search on its way. */
struct search {
    const struct rung_instance *instance;
    const struct rung__artifact *of;
    const struct rung__recall *recall;
    enum rung__forms_of which;
    char *folder;
    uint32_t looked_at;
    struct rung__forms *forms;
};

static rung_result no_memory(void)
{
    return rung__fail(RUNG_NO_MEMORY, "no memory to look for other forms of a model");
}

bool rung__forms_may_be(const struct rung__artifact *artifact)
{
    const struct rung__header *header = &artifact->view.header;
    return header->kind == RUNG_ARTIFACT_ONNX && header->form == RUNG_FORM_F32;
}

void rung__form_judge(struct rung__form *form, enum rung__form_state state, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)rung__text_format_list(form->reason, sizeof form->reason, format, list);
    va_end(list);
    rung__text_clean(form->reason);
    form->state = state;
}

/** Whether it says that it is one: of this name and role, in another form than f32. */
static bool is_called_so(const struct rung__header *says, const struct rung__header *of)
{
    return strcmp(says->name, of->name) == 0 && says->role == of->role &&
           says->form != RUNG_FORM_F32 && says->kind == RUNG_ARTIFACT_ONNX;
}

/** Frames go in and packets come out: both have to mean the same. The tensor between is its own. */
static bool check_alike(struct rung__form *form, const struct rung__header *of)
{
    const struct rung__header *says = &form->says.header;
    char canonical[2 * RUNG__SHA256_BYTES + 1];
    rung__text_hex(canonical, form->says.canonical, sizeof form->says.canonical);
    if (memcmp(form->says.canonical, of->digest, RUNG__SHA256_BYTES) != 0)
        rung__form_judge(form, RUNG__FORM_UNLIKE,
                         "it was made from another model in f32 (canonical %.16s…)", canonical);
    else if (says->canvas.width != of->canvas.width || says->canvas.height != of->canvas.height)
        rung__form_judge(form, RUNG__FORM_UNLIKE,
                         "its canvas is %u × %u, and that of the model %u × %u", says->canvas.width,
                         says->canvas.height, of->canvas.width, of->canvas.height);
    else if (says->head != of->head || says->embedding_length != of->embedding_length ||
             says->canvas.normalised != of->canvas.normalised)
        rung__form_judge(form, RUNG__FORM_UNLIKE,
                         "what it answers is of another kind than the model's");
    else
        return true;
    return false;
}

static bool has_same_section(const struct rung__artifact_view *a,
                             const struct rung__artifact_view *b, uint32_t section)
{
    const struct rung__bytes one = a->sections[section], other = b->sections[section];
    return one.size == other.size && (!one.size || memcmp(one.data, other.data, one.size) == 0);
}

/** A class has one name, and may do the same, whichever form finds it. */
static bool check_classes(struct rung__form *form, const struct rung__artifact_view *of)
{
    if (has_same_section(&form->artifact.view, of, RUNG__SECTION_LABELS) &&
        has_same_section(&form->artifact.view, of, RUNG__SECTION_CAPABILITIES))
        return true;
    rung__form_judge(form, RUNG__FORM_UNLIKE,
                     "its labels or capabilities are others than the model's");
    return false;
}

static bool is_measured(const struct search *search, const struct rung__form *form)
{
    char digest[2 * RUNG__SHA256_BYTES + 1];
    rung__text_hex(digest, form->says.header.digest, RUNG__SHA256_BYTES);
    return rung__store_find(&search->recall->store, digest) != NULL;
}

/** A sentence that begins with the path, which is told anyway, without it. */
static const char *behind_path(const char *sentence, const char *path)
{
    const size_t length = strlen(path);
    return strncmp(sentence, path, length) == 0 && strncmp(sentence + length, ": ", 2) == 0
               ? sentence + length + 2
               : sentence;
}

/** As every model file; and nothing unsigned comes in the place of what is signed. */
static rung_result admit(const struct search *search, struct rung__form *form)
{
    const struct rung_instance *instance = search->instance;
    rung_result result = rung__artifact_admit(form->path, rung__admission_of(instance),
                                              &instance->trust, &form->artifact);
    form->admitted = result == RUNG_OK;
    if (result == RUNG_NO_MEMORY)
        return result;
    if (!form->admitted) {
        rung__form_judge(form, RUNG__FORM_REFUSED, "%s",
                         behind_path(rung_last_error(), form->path));
        return RUNG_OK;
    }
    /* What was looked at may have been replaced since. */
    const struct rung__artifact_view *view = &form->artifact.view;
    const struct rung__bytes canonical = view->sections[RUNG__SECTION_CANONICAL];
    form->says.header = view->header;
    form->admitted = canonical.size && is_called_so(&view->header, &search->of->view.header);
    if (!form->admitted) {
        rung__form_judge(form, RUNG__FORM_REFUSED, "it was replaced while it was looked at");
        return RUNG_OK;
    }
    memcpy(form->says.canonical, canonical.data, sizeof form->says.canonical);
    form->admitted =
        check_alike(form, &search->of->view.header) && check_classes(form, &search->of->view);
    if (form->admitted && search->of->is_signed && !form->artifact.is_signed) {
        form->admitted = false;
        rung__form_judge(form, RUNG__FORM_REFUSED,
                         "it is unsigned, and the model in f32 is signed");
    }
    if (form->admitted)
        rung__gates_read(&form->artifact.view, &form->gates);
    return RUNG_OK;
}

static void finish(struct rung__form *form)
{
    rung__gates_finish(&form->gates);
    rung__artifact_finish(&form->artifact);
    free(form->path);
    *form = (struct rung__form){0};
}

/** Takes a file that says that it is a form. */
static rung_result look_at(struct search *search, const char *name)
{
    struct rung__forms *forms = search->forms;
    struct rung__form *form = &forms->items[forms->count];
    const struct rung__header *of = &search->of->view.header;
    rung_result result = RUNG_OK;
    form->path = rung__path_join(search->folder, name);
    if (!form->path)
        return no_memory();
    search->looked_at++;
    if (rung__artifact_look(form->path, &form->says) != RUNG_OK ||
        !is_called_so(&form->says.header, of) ||
        (search->which == RUNG__FORMS_MEASURED && !is_measured(search, form))) {
        finish(form);
        return RUNG_OK;
    }
    if (check_alike(form, of))
        result = admit(search, form);
    forms->count++;
    return result;
}

static bool begins_with(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/** The files that bear the model's name come before all others, which are many perhaps. */
static rung_result look_through(struct search *search, const struct rung__folder *folder)
{
    const char *called = search->of->view.header.name;
    rung_result result = RUNG_OK;
    for (int own = 1; own >= 0; own--)
        for (size_t i = 0; i < folder->count && result == RUNG_OK; i++) {
            const char *name = folder->names[i];
            if (search->forms->count == RUNG__FORMS_MOST || search->looked_at == RUNG__FORMS_FILES)
                return RUNG_OK;
            if (rung__is_model_name(name) && begins_with(name, called) == (own == 1))
                result = look_at(search, name);
        }
    return result;
}

static rung_result search_folder(struct search *search)
{
    struct rung__folder folder;
    search->folder = rung__path_folder(search->of->path);
    if (!search->folder)
        return no_memory();
    rung_result result = rung__folder_list(search->folder, RUNG__FORMS_NAMES, &folder);
    if (result == RUNG_OK)
        result = look_through(search, &folder);
    else if (result != RUNG_NO_MEMORY)
        return RUNG_OK;
    rung__folder_finish(&folder);
    return result;
}

rung_result rung__forms_find(const struct rung_instance *instance, const struct rung__artifact *of,
                             const struct rung__recall *recall, enum rung__forms_of which,
                             struct rung__forms **out)
{
    struct search search = {.instance = instance,
                            .of = of,
                            .recall = recall,
                            .which = which,
                            .forms = calloc(1, sizeof *search.forms)};
    *out = search.forms;
    if (!search.forms)
        return no_memory();
    const rung_result result = rung__forms_may_be(of) ? search_folder(&search) : RUNG_OK;
    free(search.folder);
    if (result == RUNG_OK)
        rung__forms_weigh(recall, search.forms);
    return result;
}

void rung__forms_free(struct rung__forms *forms)
{
    for (uint32_t i = 0; forms && i < RUNG__FORMS_MOST; i++)
        finish(&forms->items[i]);
    free(forms);
}

bool rung__form_has_passed(const struct rung__form *form, const struct rung__table *table)
{
    for (uint32_t i = 0; form->admitted && i < table->count; i++)
        if (rung__gates_of(&form->gates, &table->rungs[i]) == RUNG__GATE_PASSED)
            return true;
    return false;
}
