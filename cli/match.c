/* SPDX-License-Identifier: Apache-2.0 */
#include "match.h"

#include <stdlib.h>

#include "samples.h"

#define DRAWS          200
#define SEED           UINT64_C(0x9e3779b97f4a7c15)
#define CAPACITY_FIRST 64u

/* ---- the set ------------------------------------------------------------------------------ */

bool match_begin(struct match_set *set, size_t picture)
{
    if (set->count == set->capacity) {
        const size_t capacity = set->capacity ? 2 * set->capacity : CAPACITY_FIRST;
        size_t *pictures = realloc(set->pictures, capacity * sizeof *pictures);
        if (!pictures)
            return false;
        set->pictures = pictures;
        set->capacity = capacity;
    }
    set->pictures[set->count++] = picture;
    return true;
}

bool match_append(struct match_set *set, const struct match_set *others)
{
    if (others->count)
        set->rows.columns = others->rows.columns;
    for (size_t i = 0; i < others->count; i++) {
        if (!match_begin(set, others->pictures[i]))
            return false;
        for (size_t row = MATCH_ROWS * i; row < MATCH_ROWS * (i + 1); row++)
            if (!near_add(&set->rows, others->rows.rows + row * others->rows.columns))
                return false;
    }
    return true;
}

void match_finish(struct match_set *set)
{
    near_finish(&set->rows);
    free(set->pictures);
    *set = (struct match_set){0};
}

/* ---- pairs -------------------------------------------------------------------------------- */

/** Two pictures, or one and its middle. */
struct pair {
    double cosine;
    uint32_t a, b;
};

struct pairs {
    struct pair *items;
    size_t count;
    uint32_t pictures;
};

/** Where a picture's rows are: whatever thread had it, the same draw takes the same one. */
struct place {
    size_t picture, at;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->picture > b->picture) - (a->picture < b->picture);
}

/** The greatest cosine first. */
static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->cosine != b->cosine)
        return a->cosine > b->cosine ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static void fill(struct pairs *pairs, const struct match_set *set, const struct place *places,
                 enum match_row whole, enum match_row middle)
{
    pairs->count = 0;
    for (uint32_t a = 0; a < pairs->pictures; a++)
        for (uint32_t b = a; b < pairs->pictures; b++) {
            const size_t other = b == a ? middle : whole;
            const double cosine = near_cosine(&set->rows, MATCH_ROWS * places[a].at + whole,
                                              MATCH_ROWS * places[b].at + other);
            pairs->items[pairs->count++] = (struct pair){cosine, a, b};
        }
    qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_pairs);
}

/* ---- thresholds --------------------------------------------------------------------------- */

static double weight_of(const struct pair *pair, const uint32_t *weights)
{
    return pair->a == pair->b ? weights[pair->a]
                              : (double)weights[pair->a] * (double)weights[pair->b];
}

/** How much of the same and of the different ones there is. */
static void sum_up(const struct pairs *pairs, const uint32_t *weights, double *same,
                   double *different)
{
    *same = *different = 0;
    for (size_t i = 0; i < pairs->count; i++)
        *(pairs->items[i].a == pairs->items[i].b ? same : different) +=
            weight_of(&pairs->items[i], weights);
}

/** A threshold on its way down through the pairs. */
struct descent {
    double same, different;             /**< of all pairs */
    double same_above, different_above; /**< of those that were passed */
    double lowest;                      /**< cosine that was passed */
    double best, threshold;
};

/** Stands between the lowest that was passed and `below`. */
static void stand(struct descent *descent, double below)
{
    const double told =
        (descent->same > 0 ? descent->same_above / descent->same : 0) -
        (descent->different > 0 ? descent->different_above / descent->different : 0);
    if (told <= descent->best)
        return;
    descent->best = told;
    descent->threshold = (descent->lowest + below) / 2;
}

/** `weights` says how often each picture is there. */
static double threshold_of(const struct pairs *pairs, const uint32_t *weights)
{
    struct descent descent = {.lowest = 1, .threshold = 1};
    sum_up(pairs, weights, &descent.same, &descent.different);
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->items[i];
        const double weight = weight_of(pair, weights);
        if (weight == 0)
            continue;
        if (pair->cosine < descent.lowest)
            stand(&descent, pair->cosine);
        *(pair->a == pair->b ? &descent.same_above : &descent.different_above) += weight;
        descent.lowest = pair->cosine;
    }
    stand(&descent, descent.lowest);
    return descent.threshold;
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/** As many pictures as there are, any of them more than once. */
static void draw(uint32_t *weights, uint32_t pictures, uint64_t *state)
{
    for (uint32_t i = 0; i < pictures; i++)
        weights[i] = 0;
    for (uint32_t i = 0; i < pictures; i++)
        weights[next(state) % pictures]++;
}

static bool find_interval(const struct pairs *pairs, uint32_t *weights, struct match_fit *fit)
{
    struct samples thresholds = {0};
    uint64_t state = SEED;
    bool complete = true;
    for (int i = 0; i < DRAWS && complete; i++) {
        draw(weights, pairs->pictures, &state);
        complete = samples_add(&thresholds, threshold_of(pairs, weights));
    }
    samples_sort(&thresholds);
    fit->from = samples_at(&thresholds, 0.025);
    fit->to = samples_at(&thresholds, 0.975);
    samples_finish(&thresholds);
    return complete;
}

static bool fit_both(struct pairs *pairs, const struct match_set *set, const struct place *places,
                     uint32_t *weights, struct match_fit *right, struct match_fit *form)
{
    for (uint32_t i = 0; i < pairs->pictures; i++)
        weights[i] = 1;
    fill(pairs, set, places, MATCH_FORM, MATCH_FORM_MIDDLE);
    form->threshold = threshold_of(pairs, weights);
    fill(pairs, set, places, MATCH_RIGHT, MATCH_RIGHT_MIDDLE);
    right->threshold = threshold_of(pairs, weights);
    return find_interval(pairs, weights, right);
}

bool match_fit(struct match_set *set, struct match_fit *right, struct match_fit *form)
{
    const size_t count = set->count;
    struct pairs pairs = {.pictures = (uint32_t)count};
    *right = *form = (struct match_fit){0};
    struct place *places = calloc(count + 1, sizeof *places);
    uint32_t *weights = calloc(count + 1, sizeof *weights);
    pairs.items = calloc(count * (count + 1) / 2 + 1, sizeof *pairs.items);
    bool complete = places && weights && pairs.items;
    if (complete && count) {
        for (size_t i = 0; i < count; i++)
            places[i] = (struct place){set->pictures[i], i};
        qsort(places, count, sizeof *places, compare_places);
        complete = fit_both(&pairs, set, places, weights, right, form);
    }
    free(places);
    free(weights);
    free(pairs.items);
    return complete;
}
