/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_PROVIDERS_H
#define RUNG__SESSION_PROVIDERS_H

#include <rung/instance.h>

/** From here on the table of rungs stays where it is, and no provider is registered any more. */
void rung__instance_close_providers(struct rung_instance *instance);

#endif
