/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_FORMS_H
#define RUNG__SESSION_FORMS_H

#include "artifact/artifact.h"
#include "ladder/gates.h"
#include "session/recall.h"

/*
 * Other forms of a model in f32: files in its folder that bear its name and role, and whose section
 * 8 is its digest. Each is a model file of its own, with thresholds, labels and verdicts of its
 * own. A folder is anybody's: what is looked at there is bounded, and nothing that a file says of
 * itself counts before it was admitted as every model file is.
 */

#define RUNG__FORMS_NAMES  4096u /* a folder with more names is not looked through */
#define RUNG__FORMS_FILES  64u   /* model files of it that are looked at: its name's first */
#define RUNG__FORMS_MOST   8u    /* forms of one model that are known */
#define RUNG__FORMS_REASON 400

enum rung__form_state {
    RUNG__FORM_REFUSED,    /**< it is not admitted */
    RUNG__FORM_UNLIKE,     /**< of another model in f32, or of another shape */
    RUNG__FORM_UNGATED,    /**< it passed its gate on no rung that it answers on */
    RUNG__FORM_BY_NAME,    /**< an embedder's numbers do not become others by themselves */
    RUNG__FORM_UNMEASURED, /**< it may serve; how fast it is here is not known */
    RUNG__FORM_SLOWER,     /**< than the model in f32, or than another form */
    RUNG__FORM_CHOSEN      /**< it serves in the place of the model in f32 */
};
extern const struct rung__names rung__form_state_names;

/** A file that says that it is a form of the model. */
struct rung__form {
    char *path;
    struct rung__glance says;       /**< unproved */
    struct rung__artifact artifact; /**< when `admitted` */
    struct rung__gates gates;       /**< likewise */
    bool admitted;                  /**< and it is a form of the model */
    enum rung__form_state state;
    const struct rung__rung *rung;       /**< the fastest on which it passed its gate, or NULL */
    const struct rung__outcome *outcome; /**< what a probe found there, the recall's; or NULL */
    char reason[RUNG__FORMS_REASON];
};

/** In the order of their files' names. All zero holds nothing. */
struct rung__forms {
    struct rung__form items[RUNG__FORMS_MOST];
    uint32_t count;
};

/** Which of them are of interest: each admission reads and hashes a file. */
enum rung__forms_of {
    RUNG__FORMS_ALL,
    RUNG__FORMS_MEASURED /**< of what a probe has measured */
};

/** True for a model that may have other forms: a graph in f32, of itself. */
bool rung__forms_may_be(const struct rung__artifact *artifact);

/**
 * Finds the forms of a model, newly allocated, and tells what each is worth by what probes found:
 * at most one is the fastest. Files that are no forms of it are left out, and so is what cannot be
 * read; a folder that cannot be listed has none. `recall` is of the model itself and must outlive
 * the list. Results: OK, NO_MEMORY. End with rung__forms_free.
 */
rung_result rung__forms_find(const struct rung_instance *instance, const struct rung__artifact *of,
                             const struct rung__recall *recall, enum rung__forms_of which,
                             struct rung__forms **out);
void rung__forms_free(struct rung__forms *forms);

/** True when it is admitted and passed its gate on some rung of the table. */
bool rung__form_has_passed(const struct rung__form *form, const struct rung__table *table);

/** Sets the state of a form and its reason; what that has too much is cut. */
__attribute__((format(printf, 3, 4))) void
rung__form_judge(struct rung__form *form, enum rung__form_state state, const char *format, ...);

/** In forms_weigh.c: judges all that were admitted. */
void rung__forms_weigh(const struct rung__recall *recall, struct rung__forms *forms);

#endif
