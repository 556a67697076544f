/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long admission takes beside the two SHA-256 digests that it cannot do without. Both run on
 * the same signed 30 MB file, in turn, so that a change in the machine's speed meets both alike.
 * usage: admission [--json] [--shared] [rounds]
 * --shared makes the file writable for others, so that it is copied before it is served.
 */
#include <rung/artifact.h>

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "artifact/artifact.h"
#include "artifact/header.h"
#include "base/clock.h"
#include "tiny_onnx.h"

#define PAYLOAD_BYTES  30000000u
#define ROUNDS_DEFAULT 25
#define ROUNDS_MAX     1000

/* What the project promises: at most this factor and this constant. */
#define LIMIT_RATIO 1.3
#define LIMIT_MS    1.0

static const char spec_text[] =
    "{\"schema\":1,\"name\":\"bench\",\"role\":\"detector\",\"head\":\"rows\","
    "\"canvas\":{\"width\":64,\"height\":64},\"tensor\":{\"dtype\":\"f32\",\"layout\":\"planar\"},"
    "\"fit\":\"stretch\",\"order\":\"RGB\",\"selection\":{\"min_confidence\":0.5,\"suppress\":"
    "false},"
    "\"input\":{\"name\":\"in\",\"dtype\":\"f32\",\"shape\":[1,3,64,64]},"
    "\"outputs\":[{\"purpose\":\"output\",\"name\":\"out\",\"dtype\":\"f32\",\"shape\":[1,1,6]}]}";

struct bench {
    char folder[64], graph[96], spec[96], private_key[96], public_key[96], model[96];
    struct rung__trust trust;
};

static void must(rung_result result)
{
    if (result == RUNG_OK)
        return;
    fprintf(stderr, "admission: %s\n", rung_last_error());
    exit(3);
}

/* ---- the file ---------------------------------------------------------------------------- */

static void name_files(struct bench *bench)
{
    const char *root = getenv("TMPDIR");
    snprintf(bench->folder, sizeof bench->folder, "%.40s/rung-bench-XXXXXX", root ? root : "/tmp");
    if (!mkdtemp(bench->folder)) {
        perror(bench->folder);
        exit(5);
    }
    snprintf(bench->graph, sizeof bench->graph, "%s/bench.onnx", bench->folder);
    snprintf(bench->spec, sizeof bench->spec, "%s/bench.json", bench->folder);
    snprintf(bench->private_key, sizeof bench->private_key, "%s/private.pem", bench->folder);
    snprintf(bench->public_key, sizeof bench->public_key, "%s/public.pem", bench->folder);
    snprintf(bench->model, sizeof bench->model, "%s/bench.rung", bench->folder);
}

static void make_model(struct bench *bench)
{
    static const float row[6] = {0};
    const struct rung__bytes spec = {(const uint8_t *)spec_text, sizeof spec_text - 1};
    struct rung__buffer graph = {0};
    tiny_rows(&graph, &(struct tiny_rows){.input = "in",
                                          .output = "out",
                                          .width = 64,
                                          .height = 64,
                                          .rows = row,
                                          .row_count = 1,
                                          .opset = 17,
                                          .ballast = PAYLOAD_BYTES});
    must(rung__file_save(bench->graph, rung__buffer_bytes(&graph), 0600, true));
    must(rung__file_save(bench->spec, spec, 0600, true));
    rung__buffer_finish(&graph);
    must(rung_key_generate(bench->private_key, bench->public_key));
    must(rung_artifact_pack(&(rung_pack_options){.struct_size = sizeof(rung_pack_options),
                                                 .version = RUNG_STRUCT_VERSION,
                                                 .spec_path = bench->spec,
                                                 .graph_path = bench->graph,
                                                 .output_path = bench->model,
                                                 .key_path = bench->private_key}));
    must(rung__trust_add(&bench->trust, bench->public_key, &(struct rung__log){0}));
}

static void remove_files(struct bench *bench)
{
    const char *const files[] = {bench->graph, bench->spec, bench->private_key, bench->public_key,
                                 bench->model};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        remove(files[i]);
    remove(bench->folder);
    rung__trust_finish(&bench->trust);
}

/* ---- what is timed ----------------------------------------------------------------------- */

static double milliseconds_since(uint64_t start)
{
    return (double)(rung__clock_now() - start) / 1e6;
}

/* Opens and maps too: a digest needs its bytes from somewhere. */
static double time_digests(const struct bench *bench, const struct rung__section *payload,
                           uint64_t message_bytes)
{
    uint8_t digest[RUNG__SHA256_BYTES];
    struct rung__file file;
    struct rung__bytes bytes;
    const uint64_t start = rung__clock_now();
    must(rung__file_open(bench->model, &file));
    must(rung__file_map(&file, &bytes));
    if (EVP_Digest(bytes.data + payload->offset, payload->bytes, digest, NULL, EVP_sha256(),
                   NULL) != 1 ||
        EVP_Digest(bytes.data, message_bytes, digest, NULL, EVP_sha256(), NULL) != 1)
        exit(3);
    rung__file_unmap(&bytes);
    rung__file_close(&file);
    return milliseconds_since(start);
}

static double time_admission(const struct bench *bench)
{
    struct rung__artifact artifact;
    const uint64_t start = rung__clock_now();
    must(rung__artifact_admit(bench->model, RUNG__ADMIT_TRUSTED, &bench->trust, &artifact));
    rung__artifact_finish(&artifact);
    return milliseconds_since(start);
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sorted times: the median, and the distance between the quartiles. */
struct summary {
    double median, spread;
};

static struct summary summarise(double *times, size_t count)
{
    qsort(times, count, sizeof *times, by_value);
    return (struct summary){times[count / 2], times[count * 3 / 4] - times[count / 4]};
}

static void print(struct summary digests, struct summary admission, size_t rounds, bool json)
{
    const double ratio = admission.median / digests.median;
    const bool within = admission.median <= LIMIT_RATIO * digests.median + LIMIT_MS;
    printf(json ? "{\"schema\":1,\"bench\":\"admission\",\"bytes\":%u,\"rounds\":%zu,"
                  "\"digests_ms\":%.3f,\"digests_spread_ms\":%.3f,\"admission_ms\":%.3f,"
                  "\"admission_spread_ms\":%.3f,\"ratio\":%.3f,\"within\":%s}\n"
                : "admission of %u bytes, %zu rounds: two digests %.3f ms (spread %.3f), admission "
                  "%.3f ms (spread %.3f), ratio %.3f, within the limit: %s\n",
           PAYLOAD_BYTES, rounds, digests.median, digests.spread, admission.median,
           admission.spread, ratio, within ? "true" : "false");
}

int main(int argc, char **argv)
{
    static double digests[ROUNDS_MAX], admissions[ROUNDS_MAX];
    struct bench bench = {0};
    struct rung__artifact artifact;
    size_t rounds = ROUNDS_DEFAULT;
    bool json = false, shared = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--shared") == 0)
            shared = true;
        else
            rounds = strtoul(argv[i], NULL, 10);
    }
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: admission [--json] [--shared] [rounds, 1..%d]\n", ROUNDS_MAX);
        return 2;
    }

    name_files(&bench);
    make_model(&bench);
    if (shared && chmod(bench.model, 0660) != 0)
        return 5;
    must(rung__artifact_admit(bench.model, RUNG__ADMIT_TRUSTED, &bench.trust, &artifact));
    const struct rung__section payload =
        *rung__section_find(&artifact.layout.table, RUNG__SECTION_PAYLOAD);
    const uint64_t message_bytes = rung__header_message_bytes(&artifact.layout.header);
    rung__artifact_finish(&artifact);
    for (size_t i = 0; i < rounds; i++) {
        digests[i] = time_digests(&bench, &payload, message_bytes);
        admissions[i] = time_admission(&bench);
    }
    remove_files(&bench);
    print(summarise(digests, rounds), summarise(admissions, rounds), rounds, json);
    return 0;
}
