// SPDX-License-Identifier: Apache-2.0
// Compiles as C++17 with nothing included before, and links with C names.
#include <rung/artifact.h>
#include <rung/provider.h>
#include <rung/rung.h>
#include <rung/vectors.h>

int main()
{
    static_assert(sizeof(rung_target) == 80 && sizeof(rung_packet_header) == 96);
    return rung_result_name(RUNG_OK)[0] == 'O' ? 0 : 1;
}
