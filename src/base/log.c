/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>

#include "base/text.h"

/* Runtimes below are wordy; what is longer is cut. */
#define LINE_BYTES 2048

void rung__log_write(const struct rung__log *log, int32_t level, const char *format, ...)
{
    if (!log->callback || level < log->level)
        return;
    char line[LINE_BYTES];
    va_list list;
    va_start(list, format);
    (void)rung__text_format_list(line, sizeof line, format, list);
    va_end(list);
    rung__text_clean(line);
    log->callback(log->user, level, line);
}
