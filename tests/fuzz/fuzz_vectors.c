/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a file of test vectors. Its first byte chooses the group that is asked for. */
#include "../check/vectors.h"
#include "fuzz.h"
#include "vector_groups.h"

typedef rung_result read_case(const struct vectors *vectors, size_t i, struct vectors_case *out);

static const struct {
    const char *group;
    read_case *read;
} groups[] = {
#define GROUP_ROW(name, read) {#name, read},
    VECTOR_GROUPS(GROUP_ROW)
#undef GROUP_ROW
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vectors vectors;
    if (size < 1)
        return 0;
    const size_t group = (data[0] - (size_t)'A') % (sizeof groups / sizeof *groups);
    in_memory_file = (struct rung__bytes){data + 1, size - 1};
    if (vectors_open("folder", groups[group].group, &vectors) != RUNG_OK)
        return 0;
    for (size_t i = 0; i < vectors.count; i++) {
        struct vectors_case vector;
        (void)groups[group].read(&vectors, i, &vector);
        vectors_case_finish(&vector);
    }
    vectors_close(&vectors);
    return 0;
}
