/* SPDX-License-Identifier: Apache-2.0 */
#include "report_model.h"

#include <stdio.h>
#include <string.h>

#include "colour.h"
#include "common.h"

#define UNKNOWN "unknown"

/* ---- numbers ------------------------------------------------------------------------------ */

static const json_t *of(const json_t *report, const char *object, const char *key)
{
    return json_object_get(json_object_get(report, object), key);
}

static uint64_t count_of(const json_t *report, const char *object, const char *key)
{
    return (uint64_t)json_integer_value(of(report, object, key));
}

/** Milliseconds of nanoseconds, with four digits where it is less than ten. */
static const char *ms(const json_t *ns, char to[32])
{
    const double value = (double)json_integer_value(ns) / 1e6;
    if (json_is_integer(ns))
        snprintf(to, 32, "%.*f", value < 10 ? 3 : value < 100 ? 2 : 1, value);
    else
        snprintf(to, 32, UNKNOWN);
    return to;
}

static const char *bytes(const json_t *number, char to[32])
{
    const double value = (double)json_integer_value(number);
    if (!json_is_integer(number))
        snprintf(to, 32, UNKNOWN);
    else if (value < 10e3)
        snprintf(to, 32, "%.0f B", value);
    else if (value < 10e6)
        snprintf(to, 32, "%.0f kB", value / 1e3);
    else
        snprintf(to, 32, "%.1f MB", value / 1e6);
    return to;
}

/* ---- its parts ---------------------------------------------------------------------------- */

static void print_model(const json_t *report)
{
    const int threads = (int)json_integer_value(json_object_get(report, "run_threads"));
    printf("model      %s (%s), artifact %.16s…\n", text_of(report, "identity"),
           json_is_true(json_object_get(report, "signed")) ? "signed by a trusted key" : "UNSIGNED",
           text_of(report, "artifact"));
    printf("runs on    %s in %s, by %s with %d thread%s: %s\n", text_of(report, "rung"),
           text_of(report, "precision"), text_of(report, "executed_by"), threads,
           threads == 1 ? "" : "s", text_of(report, "reason"));
}

static void print_licences(const json_t *package)
{
    size_t index;
    json_t *name;
    json_array_foreach(json_object_get(package, "licences"), index, name)
    {
        printf("%s%s", index ? ", " : "; licences ", json_string_value(name));
    }
}

static void print_runtime(const json_t *report)
{
    char size[32];
    const json_t *runtime = json_object_get(report, "runtime");
    const json_t *package = json_object_get(runtime, "package");
    if (!json_is_object(runtime))
        return;
    printf("runtime    %s %s, %s\n", text_of(runtime, "name"), text_of(runtime, "version"),
           text_of(runtime, "path"));
    if (!json_is_object(package))
        return;
    printf("package    %s in %d files", bytes(json_object_get(package, "bytes"), size),
           (int)json_integer_value(json_object_get(package, "files")));
    print_licences(package);
    putchar('\n');
}

static void print_tensor(const json_t *tensor, const char *layout)
{
    size_t index;
    json_t *side;
    char shape[96] = "", size[32];
    json_array_foreach(json_object_get(tensor, "shape"), index, side)
    {
        const size_t used = strlen(shape);
        snprintf(shape + used, sizeof shape - used, "%s%d", index ? "×" : "",
                 (int)json_integer_value(side));
    }
    printf("  %-16s %-4s %-12s %10s %6d  %s\n", text_of(tensor, "name"), text_of(tensor, "dtype"),
           layout, bytes(json_object_get(tensor, "bytes"), size),
           (int)json_integer_value(json_object_get(tensor, "alignment")), shape);
}

static void print_tensors(const json_t *report)
{
    size_t index;
    json_t *output;
    char head[128];
    const json_t *input = json_object_get(report, "input");
    snprintf(head, sizeof head, "\ntensors\n  %-16s %-4s %-12s %10s %6s  %s", "NAME", "TYPE",
             "LAYOUT", "SIZE", "ALIGN", "SHAPE");
    colour_print_head(head);
    print_tensor(input, text_of(input, "layout"));
    json_array_foreach(json_object_get(report, "outputs"), index, output)
    {
        print_tensor(output, "-");
    }
}

static void print_stages(const json_t *report)
{
    size_t index;
    json_t *stage;
    char head[128];
    snprintf(head, sizeof head, "\nstages\n  %-12s %-18s %s", "STAGE", "RUNS", "WHY");
    colour_print_head(head);
    json_array_foreach(json_object_get(report, "stages"), index, stage)
    {
        printf("  %-12s %-18s %s\n", text_of(stage, "stage"), text_of(stage, "effective"),
               text_of(stage, "reason"));
    }
}

static void print_once(const json_t *report)
{
    static const struct {
        const char *object, *key, *text;
    } rows[] = {
        {"start_ns", "open", "opening the model: verified, chosen, loaded"},
        {"start_ns", "runtime", "of that, loading the runtime's library"},
        {"start_ns", "load", "of that, loading the model"},
        {"start_ns", "context", "making a context"},
        {"first_ns", "whole", "the first frame"},
        {"end_ns", "cancel", "from a cancel to its acknowledgement"},
        {"end_ns", "teardown", "ending a context"},
    };
    char text[32];
    colour_print_head("\nonce            ms");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("  %16s  %s\n", ms(of(report, rows[i].object, rows[i].key), text), rows[i].text);
    printf("  %16s  compiled for the device while it was loaded\n",
           json_is_true(json_object_get(report, "compiled")) ? "yes" : "no");
    printf("  %16s  loaded from an engine that was there\n",
           json_is_true(json_object_get(report, "engine")) ? "yes" : "no");
}

static void print_steady(const json_t *report)
{
    static const char *const parts[] = {"preprocess", "run", "postprocess", "whole"};
    static const char *const columns[] = {"p50", "p95", "p99", "max"};
    char text[32];
    colour_print_head("\neach frame     p50 ms     p95 ms     p99 ms     max ms");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *part = of(report, "steady_ns", parts[i]);
        printf("  %-11s", parts[i]);
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            printf(" %10s", ms(json_object_get(part, columns[c]), text));
        putchar('\n');
    }
}

/** A count of all frames, for one of them. */
static double each(const json_t *report, const char *key)
{
    const uint64_t frames = count_of(report, "frames", "done");
    return frames ? (double)count_of(report, "frames", key) / (double)frames : 0;
}

static void print_frames(const json_t *report)
{
    printf("  %llu frames, %llu failed; each: %.3g tensors made in place, %.3g copied (%.0f B), "
           "%.0f B widened,\n  %.3g hand-overs, %.3g allocations of ours\n",
           (unsigned long long)count_of(report, "frames", "done"),
           (unsigned long long)count_of(report, "frames", "failed"), each(report, "imported"),
           each(report, "copied"), each(report, "copied_bytes"), each(report, "widened_bytes"),
           each(report, "hand_overs"), each(report, "allocations"));
}

static void print_energy(const json_t *report)
{
    const json_t *uj = of(report, "energy", "uj_per_frame");
    if (json_is_number(uj))
        printf("  %.3f mJ of the processor packages, with all else that ran\n",
               json_number_value(uj) / 1e3);
    else
        printf("  energy unknown: %s\n", text_of(json_object_get(report, "energy"), "reason"));
}

static void print_memory(const json_t *report)
{
    static const struct {
        const char *key, *text;
    } rows[] = {
        {"host_input", "input tensors"},
        {"host_output", "output tensors"},
        {"host_scratch", "scratch of the stages and the context"},
        {"host_packets", "packets that wait"},
        {"device", "on the device"},
        {"workspace", "workspace of the runtime"},
        {"packed", "weights in the runtime's order"},
        {"opaque", "of a driver or a library"},
    };
    char text[32];
    colour_print_head("\nmemory        size");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("  %16s  %s\n", bytes(of(report, "memory_bytes", rows[i].key), text), rows[i].text);
    printf("  %16s  the most that this process ever had\n",
           bytes(of(report, "measured", "peak_bytes"), text));
}

static void print_events(const json_t *report)
{
    printf("\nthreads    %llu of ours, %llu ever\n",
           (unsigned long long)count_of(report, "threads", "owned"),
           (unsigned long long)count_of(report, "threads", "created"));
    printf("device     lost %llu times, rebuilt %llu times\n",
           (unsigned long long)count_of(report, "events", "device_losses"),
           (unsigned long long)count_of(report, "events", "rebuilds"));
}

void report_model_print(const json_t *report)
{
    print_model(report);
    print_runtime(report);
    print_tensors(report);
    print_stages(report);
    print_once(report);
    print_steady(report);
    print_frames(report);
    print_energy(report);
    print_memory(report);
    print_events(report);
}
