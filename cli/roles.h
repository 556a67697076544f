/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_ROLES_H
#define RUNG_CLI_ROLES_H

#include "job.h"

/* A model of one role, and running it on the pictures of a job: what detect, embed and segment
 * share. */

struct role_model {
    rung_model *model;
    rung_model_info info;
};

/** "detector", "embedder", "segmenter". */
const char *role_name(rung_role role);

/** Opens `name` for a command that needs that role. An exit status, after a message. */
int role_open(rung_instance *instance, const char *command, const char *name, uint32_t threads,
              rung_role role, struct role_model *out);
void role_close(struct role_model *model);

/** The same of any role on `rung`, NULL for the one that serves it; `flags` are RUNG_MODEL_*. Says
 * nothing. */
rung_result role_open_on(rung_instance *instance, const char *name, const char *rung,
                         uint32_t flags, uint32_t threads, struct role_model *out);

/** "centerface on ort-cpu". */
void role_describe(const struct role_model *model, char *to, size_t size);

/** The members identity, rung, precision and artifact, that all results of that identity have in
 * common. */
json_t *role_settings(const struct role_model *model, const char *identity, bool *complete);

/** rung_detect, rung_embed, rung_segment. */
typedef rung_result role_run_fn(rung_context *context, const rung_frame *frame, rung_span packet,
                                size_t *needed, rung_run_info *info);

/** The one for a role. */
role_run_fn *role_run_of(rung_role role);

/** What one thread needs to run it; zeroed it is none. */
struct role_session {
    rung_context *context;
    role_run_fn *run;
    void *packet;
    uint64_t packet_bytes;
};

/** Of the identity that the model had when it was opened. `options` may be NULL. */
rung_result role_session_init(struct role_session *session, const struct role_model *model,
                              const rung_context_options *options);
void role_session_finish(struct role_session *session);

/** A picture as a frame, which borrows its pixels. */
rung_frame photo_frame(const struct photo *photo);

/** A part of the item's picture, all of it where that is all zero, as a frame. */
rung_frame role_frame(const struct job_item *item, rung_rect crop);

/** Runs on a part of the item's picture, all of it where that is all zero. The session has the
 * packet, which is checked. Where the device is lost the next rung down, of the same identity, does
 * it once more. */
rung_result role_run(const struct role_session *session, const struct job_item *item,
                     rung_rect crop, rung_run_info *info);

#endif
