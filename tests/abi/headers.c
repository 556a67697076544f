/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles as C11 with nothing included before. */
#include <rung/artifact.h>
#include <rung/provider.h>
#include <rung/rung.h>
#include <rung/vectors.h>

int main(void)
{
    rung_instance_options options = {0};
    return (int)options.flags;
}
