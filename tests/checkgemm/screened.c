/* Rows by planes with tiles of C that are screened out (dispatch/schemes.h). Tests products with elements at
 * and beyond the limits, each computed by the row and by its fallback. Called by check_cases.c for those rows
 * only.
 *
 *   a screened-out tile                   has the same bits as from the fallback
 *   any other tile                        differs from them somewhere, because it was computed by planes
 *   all of C                              within the bound
 *   one block                             the fallback of its last M-chunk was raised if a tile needs it, and
 *                                         only then
 *
 * planted.c computes from the elements which tiles are screened out. K is chosen so that slices of both rows
 * begin at the same k. */
#include "tests/checkgemm/planted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIMEOUT_NS   60000000000ull
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROW = 101, COLUMN = 102, N = 111, T = 112 };

/* The products */

/* Reads the arguments of the fallback's dispatch that the only block left: workgroups in each dimension. */
static bool read_arguments(const struct planted *planted, uint32_t words[3]) {
    const struct lava_engine *engine = planted->context->engine;
    const struct lava_kernel *kernel = planted->context->kernel;
    const struct lava_buffer *buffers = engine->arena.buffers;
    struct lava_device *device = engine->device;
    struct lava_packed layout = lava_packed_layout(
        kernel, kernel->tile_n, (uint64_t)lava_blocking_padded(planted->operation.n, kernel->tile_n),
        (uint64_t)lava_blocking_padded(planted->operation.k, kernel->tile_k));
    struct lava_commands commands;
    struct lava_point done;
    if (lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands))
        return false;
    lava_queue_copy(device, &commands, &buffers[LAVA_ARENA_PACKED_B], layout.arguments,
                    &buffers[LAVA_ARENA_STAGING_DOWN], 0, 3 * sizeof *words);
    lava_queue_barrier(device, &commands);
    if (lava_queue_submit(device, &commands, NULL, 0, &done) || lava_queue_wait(device, done, TIMEOUT_NS))
        return false;
    memcpy(words, buffers[LAVA_ARENA_STAGING_DOWN].mapped, 3 * sizeof *words);
    return true;
}

/* Considers the M-chunk of op(A) that was multiplied last, because only its arguments remain. */
static bool last_piece_needs_it(const struct planted *planted, const struct lava_blocking *blocking) {
    int64_t tiles_m = planted_panels(&planted->sides[PLANTED_A]),
            tiles_n = planted_panels(&planted->sides[PLANTED_B]);
    int64_t first =
        (planted->operation.m - 1) / blocking->piece_m * blocking->piece_m / planted->context->kernel->tile_m;
    for (int64_t j = 0; j < tiles_n; j++)
        for (int64_t i = first; i < tiles_m; i++)
            if (planted->out[i + j * tiles_m])
                return true;
    return false;
}

/* Checks that the fallback is raised exactly if a tile is screened out. The other two words are always 1. */
static const char *check_arguments(const struct planted *planted, const struct lava_blocking *blocking) {
    bool needed = last_piece_needs_it(planted, blocking);
    uint32_t words[3];
    if (!read_arguments(planted, words))
        return "FAIL: the arguments of the fallback cannot be read";
    if (words[1] != 1 || words[2] != 1)
        return "FAIL: the arguments of the fallback are none";
    if (words[0] > 0 && !needed)
        return "FAIL: the fallback runs, and no tile needs it";
    return words[0] == 0 && needed ? "FAIL: the fallback does not run" : NULL;
}

static bool same_bits(float x, float y) {
    return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
}

/* Returns whether a tile is the same in both. */
static bool same_tile(const struct planted *planted, const struct check_matrix *c,
                      const struct check_matrix *other, int64_t tile_i, int64_t tile_j) {
    const struct planted_side *a = &planted->sides[PLANTED_A], *b = &planted->sides[PLANTED_B];
    for (int64_t j = tile_j * b->tile; j < b->width && j < (tile_j + 1) * b->tile; j++)
        for (int64_t i = tile_i * a->tile; i < a->width && i < (tile_i + 1) * a->tile; i++)
            if (!same_bits((float)check_matrix_get(c, i, j), (float)check_matrix_get(other, i, j)))
                return false;
    return true;
}

/* Compares with the result of the fallback, which is computed into C. */
static const char *compare(struct planted *planted, const struct check_matrix *before) {
    struct check_matrix *c = &planted->stored[2], by_planes = check_matrix_copy(c);
    struct check_context context = *planted->context;
    int64_t tiles_m = planted_panels(&planted->sides[PLANTED_A]),
            tiles_n = planted_panels(&planted->sides[PLANTED_B]);
    context.kernel = lava_kernel_fallback(context.kernel);
    memcpy(c->buffer, before->buffer, check_matrix_bytes(c));
    const char *verdict = check_compute(&context, &planted->operation, &planted->item->overrides, NULL);
    for (int64_t j = 0; j < tiles_n && !verdict; j++)
        for (int64_t i = 0; i < tiles_m && !verdict; i++)
            if (same_tile(planted, &by_planes, c, i, j) != planted->out[i + j * tiles_m])
                verdict = planted->out[i + j * tiles_m] ? "FAIL: a tile has not the bits of the fallback"
                                                        : "FAIL: a tile has not been computed by planes";
    check_matrix_free(&by_planes);
    return verdict;
}

/* Returns NULL if all is well. If K is split into panels, each is screened separately; then only the bound is
 * checked. */
static const char *examine(struct planted *planted, double *worst) {
    struct check_matrix *c = &planted->stored[2], before = check_matrix_copy(c);
    const struct lava_operation *operation = &planted->operation;
    bool swapped = operation->a.first != planted->stored[0].data;
    const struct check_matrices matrices = {
        .a = &planted->stored[swapped], .b = &planted->stored[!swapped], .c = c, .c_before = &before};
    const struct lava_overrides *overrides = &planted->item->overrides;
    struct lava_plan plan;
    const char *verdict = check_compute(planted->context, operation, overrides, &plan);
    if (!verdict) {
        const struct lava_blocking *blocking = &plan.blocking;
        bool cut_k = blocking->blocks_k > 1;
        *worst = check_worst_error(planted->context, planted->item, operation, &matrices);
        if (cut_k != (overrides->memory_bytes > 0) ||
            (blocking->blocks_n > 1) != (overrides->column_blocks > 1))
            verdict = "FAIL: not the blocks that the case asks for";
        else if (!check_matrix_guards_intact(c))
            verdict = "FAIL: wrote outside of C";
        else if (*worst > 1)
            verdict = "FAIL: wrong result";
        else if (blocking->blocks_m * blocking->blocks_n * blocking->blocks_k == 1)
            verdict = check_arguments(planted, blocking);
        if (!verdict && !cut_k)
            verdict = compare(planted, &before);
    }
    check_matrix_free(&before);
    return verdict;
}

static void report(const struct planted *planted, double worst, const char *verdict) {
    const struct check_case *item = planted->item;
    struct check_context *context = planted->context;
    if (verdict || context->verbose)
        printf("%-41s screened %-9s %-23s in tile %d %d, row %d, k %d of 0 to 2: %c%c %s %lld x %lld x %lld  "
               "alpha %g beta %g split %u  %lld tiles out, error %.3f of the bound  %s\n",
               context->kernel->name, item->group, planted->kind ? planted->kind->name : "nothing",
               planted->place.panels[PLANTED_A], planted->place.panels[PLANTED_B], planted->place.row,
               planted->place.k, item->transa == N ? 'N' : 'T', item->transb == N ? 'N' : 'T',
               item->layout == ROW ? "row" : "col", (long long)item->m, (long long)item->n,
               (long long)item->k, item->alpha, item->beta, item->overrides.split_k,
               (long long)(planted->out ? planted_tiles_out(planted) : 0), worst, verdict ? verdict : "PASS");
    *(verdict ? &context->failed : &context->passed) += 1;
}

static uint64_t next_seed(const struct check_context *context) {
    return context->seed ^ (uint64_t)(context->passed + context->failed) * 0x9e3779b97f4a7c15u;
}

static void run(struct check_context *context, const struct check_case *item, const struct planted_kind *kind,
                const struct planted_place *place) {
    struct planted planted = {.context = context, .item = item, .kind = kind, .place = *place};
    double worst = 0;
    const char *verdict = "FAIL: the case is not what it should be";
    if (!check_takes(context))
        return;
    if (planted_make(&planted, next_seed(context)))
        verdict = examine(&planted, &worst);
    report(&planted, worst, verdict);
    planted_free(&planted);
}

/* The cases */

/* A depth near k for which slices of this row and of its fallback begin at the same places. Not a multiple of
 * anything. */
static int64_t fitting_k(const struct check_context *context, int64_t k, uint32_t split_k) {
    return lava_blocking_padded(k, context->kernel->tile_k * split_k) - 5;
}

/* Three tiles in each dimension, the last ones partial. */
static struct check_case case_of(const struct check_context *context, const char *group) {
    return (struct check_case){.group = group,
                               .m = 2 * (int64_t)context->kernel->tile_m + 9,
                               .n = 2 * (int64_t)context->kernel->tile_n + 7,
                               .k = fitting_k(context, 150, 1),
                               .layout = COLUMN,
                               .transa = N,
                               .transb = N,
                               .alpha = 1,
                               .entries = ENTRIES_UNIFORM,
                               .overrides = {.split_k = 1}};
}

/* Every kind, each time at another place and with other operations. C is either so close to whole tiles that
 * there is no epilogue, or not; then the last tiles are nearly empty. */
static void every_kind(struct check_context *context, int rounds) {
    const struct check_case partial = case_of(context, "kinds");
    struct check_case item = partial;
    size_t count;
    const struct planted_kind *kinds = planted_kinds(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t round = 0; round < (size_t)rounds; round++) {
            size_t turn = i + 2 * round;
            const struct planted_place place = {{(int)(turn % 3), (int)((turn / 3 + round) % 3)},
                                                (int)((turn + 1) % 3),
                                                (int)((turn + 2) / 2 % 3)};
            if (!planted_possible(&kinds[i], context, item.k))
                continue;
            bool full = turn % 4 >= 2;
            item.m = full ? 3 * (int64_t)context->kernel->tile_m - 3 : partial.m;
            item.n = full ? 3 * (int64_t)context->kernel->tile_n - 3 : partial.n;
            item.layout = turn & 4 ? ROW : COLUMN;
            item.transa = turn & 1 ? T : N;
            item.transb = turn & 2 ? T : N;
            item.alpha = turn % 3 ? 1 : -0.7;
            item.beta = turn % 5 < 3 ? 0 : 0.5;
            item.extra_ld = (int64_t)(turn % 4) * 5;
            item.overrides.pieces = turn % 2 ? 3 : 1;
            item.overrides.at_once = turn % 8 < 4 ? 1 : 2;
            run(context, &item, &kinds[i], &place);
        }
}

/* A single element in every panel of either operand, at the beginning, in the middle and at the end of its
 * rows and of K. */
static void every_place(struct check_context *context) {
    static const char *const names[] = {"above the most in A", "above the most in B"};
    struct check_case item = case_of(context, "places");
    for (int side = PLANTED_A; side <= PLANTED_B; side++)
        for (int i = 0; i < 9; i++) {
            const struct planted_place place = {{i % 3, i % 3}, i / 3, (i + i / 3) % 3};
            item.transa = (i + side) % 2 ? T : N;
            item.transb = i % 2 ? T : N;
            item.overrides.pieces = 3;
            item.overrides.at_once = 1 + i % 2;
            run(context, &item, planted_find(names[side]), &place);
        }
}

/* K shorter and longer than a span, in one slice and in three. The element is in the last slice. */
static void spans(struct check_context *context, bool quick) {
    static const int64_t depths[] = {500, 1100, 2100};
    static const char *const names[] = {"above the most in A", "below the least in B", "the most in A",
                                        "Inf in B"};
    struct check_case item = case_of(context, "spans");
    item.m -= context->kernel->tile_m;
    item.n -= context->kernel->tile_n;
    for (size_t i = 0; i < COUNT(depths); i++)
        for (uint32_t split_k = 1; split_k <= 3; split_k += 2) {
            const struct planted_place place = {{(int)(i % 2) * 2, (int)(split_k / 2) * 2}, 1, 2};
            for (size_t l = 0; l < (quick ? 1 : COUNT(names)); l++) {
                item.k = fitting_k(context, depths[i], split_k);
                item.beta = l % 2 ? 0.5 : 0;
                item.overrides.split_k = split_k;
                run(context, &item, planted_find(names[(l + i + split_k) % COUNT(names)]), &place);
            }
        }
}

/* K so long that it is walked in several ranges. If two tiles run at once there is one tile more, which
 * runs all ranges alongside the others' last. The element is in the first range, in the last, or nowhere.
 * Quick: only the smallest tile. */
static void walks(struct check_context *context, bool quick) {
    struct check_case item = case_of(context, "walks");
    if (quick && context->kernel->tile_m > 64)
        return;
    item.n -= 2 * (int64_t)context->kernel->tile_n;
    for (int i = 0; i < (quick ? 2 : 3); i++) {
        const struct planted_place place = {{2 - i, 0}, 1, 2 * i};
        item.k = fitting_k(context, i == 1 ? 8500 : 4500, 1);
        item.transa = i & 1 ? T : N;
        item.alpha = i == 1 ? 1 : -0.7;
        item.beta = i == 1 ? 0.5 : 0;
        item.overrides.pieces = 1;
        run(context, &item, i == 2 ? NULL : planted_find("above the most in A"), &place);
    }
}

/* Several column blocks, of one width and of two, and M-chunks of op(A). The screened-out tile is in the
 * first block, in a middle one, in the last, or nowhere. */
static void blocks(struct check_context *context, bool quick) {
    struct check_case item = case_of(context, "blocks");
    item.m -= context->kernel->tile_m;
    item.n += 10 * (int64_t)context->kernel->tile_n; /* blocks of at least four tiles */
    for (int i = 0; i < (quick ? 4 : 8); i++) {
        const struct planted_place place = {{i % 3, i % 3}, 2 - i % 3, i / 2 % 3};
        item.transa = i & 1 ? T : N;
        item.transb = i & 2 ? T : N;
        item.beta = i % 2 ? 0 : 0.5;
        item.overrides = (struct lava_overrides){.split_k = 1,
                                                 .column_blocks = 3,
                                                 .later_parts = i % 3 ? 1 : 2,
                                                 .pieces = i & 1 ? 3 : 1,
                                                 .at_once = 1};
        run(context, &item,
            i % 4 == 3   ? NULL
            : i % 4 == 2 ? planted_find("above the most in A")
                         : planted_find("above the most in B"),
            &place);
    }
}

/* K is split because of little memory. The element is in the first panel of K, in a middle one or in the
 * last. */
static void panels(struct check_context *context) {
    static const char *const names[] = {"above the most in A", "NaN in B", "below the least in A"};
    struct check_case item = case_of(context, "panels");
    item.m -= context->kernel->tile_m;
    item.n -= context->kernel->tile_n;
    item.k = fitting_k(context, 2100, 1);
    for (int i = 0; i < 3; i++) {
        const struct planted_place place = {{i == 1 ? 0 : 2, i == 1 ? 2 : 0}, i, i};
        item.transa = i & 1 ? T : N;
        item.beta = i % 2 ? 0.5 : 0;
        item.overrides = (struct lava_overrides){.memory_bytes = check_memory(context, &item) / 3};
        run(context, &item, planted_find(names[i]), &place);
    }
}

/* Clean data, the same with one element too large, and clean data again. The last result must have the bits
 * of the first, without a fallback. */
static void clean_again(struct check_context *context) {
    struct check_case item = case_of(context, "clean");
    const struct planted_place place = {{1, 1}, 1, 1};
    uint64_t seed = next_seed(context);
    struct check_matrix first = {0};
    for (int i = 0; i < 3; i++) {
        struct planted planted = {.context = context,
                                  .item = &item,
                                  .kind = i == 1 ? planted_find("above the most in B") : NULL,
                                  .place = place};
        struct lava_plan plan;
        double worst = 0;
        const char *verdict = "FAIL: the case is not what it should be";
        if (planted_make(&planted, seed))
            verdict = check_compute(context, &planted.operation, &item.overrides, &plan);
        if (!verdict)
            verdict = check_arguments(&planted, &plan.blocking);
        if (!verdict && i == 2 &&
            memcmp(first.buffer, planted.stored[2].buffer, check_matrix_bytes(&first)) != 0)
            verdict = "FAIL: other bits than before a tile was screened out";
        if (i == 0)
            first = check_matrix_copy(&planted.stored[2]);
        report(&planted, worst, verdict);
        planted_free(&planted);
    }
    check_matrix_free(&first);
}

void check_screened(struct check_context *context, bool quick) {
    every_kind(context, quick ? 1 : 3);
    every_place(context);
    spans(context, quick);
    walks(context, quick);
    blocks(context, quick);
    panels(context);
    clean_again(context);
}
