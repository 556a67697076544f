/* SPDX-License-Identifier: Apache-2.0 */
#include "module.h"

extern const struct pictures rung_pictures;

/* All that leaves the module. */
__attribute__((visibility("default"))) const struct pictures rung_pictures = {
    .struct_size = sizeof rung_pictures,
    .start = photo_start,
    .stop = photo_stop,
    .thread_stop = photo_thread_stop,
    .load = photo_load,
    .draw_targets = draw_targets,
    .encode = draw_encode,
    .version = RUNG_VERSION_TEXT,
};
