/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_CLI_FORMS_H
#define RUNG_CLI_FORMS_H

#include "common.h"

/** The forms of a model file, as rung_model_forms tells them: a new list. An exit status, after a
 * message. */
int forms_read(rung_instance *instance, const char *path, json_t **out);

/** Prints them as a table; nothing where there is none. */
void forms_print(const json_t *forms);

#endif
