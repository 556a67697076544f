/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "colour.h"
#include "common.h"
#include "forms.h"
#include "report.h"

static uint32_t time_limit_s;
static bool rungs_only;
static const char *policy;

/** What the rungs are reported to. */
struct listing {
    json_t *rungs; /**< NULL: a table is printed */
    json_t *forms; /**< of the model, behind the probe; NULL: none are known */
    bool complete, begun;
    bool has_required; /**< the rung of --require was chosen */
};

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static void print_head(void)
{
    char head[128];
    snprintf(head, sizeof head, "%-12s %-11s %9s %9s %9s %7s %8s  %s", "RUNG", "OUTCOME",
             "BUILD ms", "FIRST ms", "RUN ms", "THREADS", "PEAK MB", "REASON");
    colour_print_head(head);
}

static void print_row(const rung_probe_rung *rung)
{
    printf("%-12s ", rung->rung);
    colour_print_outcome(rung->outcome, 11);
    if (rung->runs)
        printf(" %9.1f %9.1f %9.1f %7u %8.0f", ms(rung->build_ns), ms(rung->first_ns),
               ms(rung->median_ns), rung->threads, (double)rung->peak_bytes / 1e6);
    else
        printf(" %9s %9s %9s %7s %8s", "-", "-", "-", "-", "-");
    printf("  %s\n", rung->reason);
}

static json_t *rung_json(const rung_probe_rung *rung, bool *complete)
{
    json_t *object = json_pack("{s:s,s:s,s:s}", "rung", rung->rung, "outcome", rung->outcome,
                               "reason", rung->reason);
    if (!rung->runs)
        return object;
    set_member(object, "executed_by", json_string(rung->executed_by), complete);
    set_member(object, "runs", json_integer(rung->runs), complete);
    set_member(object, "threads", json_integer(rung->threads), complete);
    set_member(object, "build_ms", json_real(ms(rung->build_ns)), complete);
    set_member(object, "first_ms", json_real(ms(rung->first_ns)), complete);
    set_member(object, "median_ms", json_real(ms(rung->median_ns)), complete);
    set_member(object, "peak_bytes", json_integer((json_int_t)rung->peak_bytes), complete);
    return object;
}

static void take_rung(void *user, const rung_probe_rung *rung)
{
    struct listing *listing = user;
    if (listing->rungs)
        append_item(listing->rungs, rung_json(rung, &listing->complete), &listing->complete);
    else {
        if (!listing->begun)
            print_head();
        print_row(rung);
    }
    listing->begun = true;
    if (common.require && strcmp(rung->rung, common.require) == 0)
        listing->has_required = strcmp(rung->outcome, "chosen") == 0;
}

/** An exit status, after a message. */
static int probe(rung_instance *instance, struct listing *listing)
{
    char path[PATH_MAX];
    const rung_probe_options options = {
        .struct_size = sizeof options,
        .version = RUNG_STRUCT_VERSION,
        .threads = common.threads,
        .flags = rungs_only ? RUNG_PROBE_RUNGS_ONLY : 0,
        .time_limit_ms = time_limit_s * 1000,
        .policy = probe_policy(policy),
    };
    rung_result result = find_model(instance, common.model, path, sizeof path);
    if (result == RUNG_OK)
        result = rung_model_probe(instance, path, &options, take_rung, listing);
    return result == RUNG_OK ? forms_read(instance, path, &listing->forms) : fail_with(result);
}

/** An exit status, after a message. */
static int print_report(struct listing *listing)
{
    json_t *json =
        json_pack("{s:i,s:s,s:o}", "schema", 1, "model", common.model, "rungs", listing->rungs);
    listing->rungs = NULL;
    if (listing->forms)
        set_member(json, "forms", json_incref(listing->forms), &listing->complete);
    return report_print_line(json, listing->complete) ? EXIT_DONE : fail_memory();
}

static int check_required(const struct listing *listing)
{
    if (!common.require || listing->has_required)
        return EXIT_DONE;
    fprintf(stderr, "rung probe: %s, which is required, was not chosen\n", common.require);
    return EXIT_VERDICT;
}

static int run(int count, char **operands)
{
    (void)count, (void)operands;
    rung_instance *instance;
    struct listing listing = {.complete = true};
    if (!common.model) {
        fprintf(stderr, "rung probe: -m MODEL is missing; it names the model that is run\n");
        return EXIT_USAGE;
    }
    common.tells = isatty(STDERR_FILENO);
    rung_result result = open_instance(&instance);
    if (result != RUNG_OK)
        return fail_with(result);
    if (common.json)
        listing.rungs = json_array();
    if (common.json && !listing.rungs) {
        rung_instance_destroy(instance);
        return fail_memory();
    }
    int status = probe(instance, &listing);
    if (!listing.rungs)
        forms_print(listing.forms);
    if (listing.rungs && listing.begun) {
        const int printed = print_report(&listing);
        status = status == EXIT_DONE ? printed : status;
    }
    if (status == EXIT_DONE)
        status = check_required(&listing);
    json_decref(listing.rungs);
    json_decref(listing.forms);
    rung_instance_destroy(instance);
    return status;
}

static const struct option_row options[] = {
    ROW_MODEL,
    ROW_JSON,
    {
        .name = "policy",
        .argument = "POLICY",
        .text = "try all rungs (the default), or stop at the first that beats the floor",
        .kind = OPTION_CHOICE,
        .target = &policy,
        .choices = asked_policies,
    },
    {
        .name = "rungs-only",
        .text = "do not validate the stages around the model behind the verdict (rung validate)",
        .target = &rungs_only,
    },
    ROW_THREADS(
        "threads of one run, where a rung takes more than one (default: the physical cores)"),
    {
        .name = "time-limit",
        .argument = "SECONDS",
        .text = "how long a rung may take (default 60)",
        .kind = OPTION_NUMBER,
        .target = &time_limit_s,
        .least = 1,
        .most = 86400,
    },
    {
        .name = "require",
        .argument = "RUNG",
        .text = "the exit status is 1 unless this rung is chosen",
        .kind = OPTION_TEXT,
        .value = VALUE_RUNG,
        .target = &common.require,
    },
    ROW_LADDER,
    ROWS_INSTANCE,
    ROW_END,
};

static const struct command_example examples[] = {
    {"rung probe -m centerface", "Measure every rung that can run here, and remember the best."},
    {NULL, NULL},
};

const struct command command_probe = {
    .name = "probe",
    .operands = "",
    .text = "Find out which rung serves best here, and remember it",
    .more =
        "Each rung that can run here is tried with the model in a process of its own: built, run, "
        "timed, and its answers compared with those of the floor. The verdict is kept in "
        "$XDG_STATE_HOME/rung (~/.local/state/rung), and every later run follows it as long as "
        "nothing that it depends on has changed. Then the stages around the model are validated on "
        "the "
        "rung that was chosen (rung validate). The same is done unasked, in the background, "
        "after the "
        "first answer of a command on a device where nothing is proven (RUNG_PROBE).",
    .options = options,
    .examples = examples,
    .verdict = "another rung than that of --require",
    .see = (const char *const[]){"explain", "use", "validate", NULL},
    .run = run,
    .least_operands = 0,
    .most_operands = 0,
};
