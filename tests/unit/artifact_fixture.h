/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_TEST_ARTIFACT_FIXTURE_H
#define RUNG_TEST_ARTIFACT_FIXTURE_H

#include <jansson.h>
#include <stdbool.h>

#include <rung/instance.h>

#include "artifact/trust.h"
#include "base/bytes.h"

/* A small model with every section, its graph, its spec and a key pair, in a folder. */

struct artifact_fixture {
    char folder[128];
    bool bundle; /**< the payload is a bundle, not the graph */
    char graph[160], spec[160], private_key[160], public_key[160], model[160];
};

/** Writes graph, spec and keys; not the model yet. */
void artifact_fixture_make(struct artifact_fixture *fixture, const char *folder);

/** The fixture's spec as JSON, for changes. The caller's. */
json_t *artifact_fixture_spec(void);
void artifact_fixture_save_spec(const struct artifact_fixture *fixture, const json_t *spec);

/** Packs to fixture->model. */
rung_result artifact_fixture_pack(const struct artifact_fixture *fixture, bool sign);

/** The locator of the fixture's bundle, and how many files it has. */
#define ARTIFACT_FIXTURE_LOCATOR "tiny.mlpackage"
#define ARTIFACT_FIXTURE_FILES   4u

/** Makes the model one of kind coreml: writes a bundle of a few files in folders, and a spec that
 * names it. Then pack. */
void artifact_fixture_make_bundle(struct artifact_fixture *fixture);

/** The trust in the fixture's key. */
void artifact_fixture_trust(const struct artifact_fixture *fixture, struct rung__trust *trust);

/** An instance that trusts the fixture's key, with the runtimes and the helper program that Meson
 * names for tests. */
rung_instance_options artifact_fixture_instance(const struct artifact_fixture *fixture,
                                                uint32_t flags, rung_probe_policy probe);

/** Whole files. */
void artifact_fixture_load(const char *path, struct rung__buffer *out);
void artifact_fixture_save(const char *path, struct rung__bytes bytes);

#endif
