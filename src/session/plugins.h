/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__SESSION_PLUGINS_H
#define RUNG__SESSION_PLUGINS_H

#include <rung/instance.h>

#include "ladder/rungs.h"

/**
 * The first plugin library that brings a rung's execution provider to the ONNX Runtime that is
 * loaded. NULL: that offers it itself, is too old for plugins, or nothing brings it. It lives as
 * long as the instance.
 */
const char *rung__instance_plugin(struct rung_instance *instance, const struct rung__rung *rung);

#endif
