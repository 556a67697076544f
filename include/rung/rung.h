/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_RUNG_H
#define RUNG_RUNG_H

/** Everything that serving needs. Tools that make model files also include rung/artifact.h. */
#include <rung/context.h>
#include <rung/engines.h>
#include <rung/export.h>
#include <rung/frame.h>
#include <rung/identity.h>
#include <rung/instance.h>
#include <rung/model.h>
#include <rung/plan.h>
#include <rung/probe.h>
#include <rung/report.h>
#include <rung/result.h>
#include <rung/scene.h>
#include <rung/targets.h>
#include <rung/ticket.h>
#include <rung/types.h>

#endif
