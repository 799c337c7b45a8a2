/* The test cases of complex products for a kernel row of real arithmetic: every operation, layout and pair of
 * scalars, sizes around the tile, entries of every kind, splits and blocks. Called by checkgemm.c for each
 * row. An m x n x k product is computed as a real one of m x 2n x 2k (dispatch/blocking.h); the sizes are
 * chosen for that. */
#include "tests/checkgemm/check.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROW = 101, COLUMN = 102, N = 111, T = 112, C = 113 };

static const struct check_case plain = {
    .layout = COLUMN, .transa = N, .transb = N, .alpha = 1, .entries = ENTRIES_UNIFORM};

static const int ops[] = {N, T, C};

/* Pairs of scalars: 0, 1, i and general ones. */
static const struct {
    double alpha, alpha_imaginary, beta, beta_imaginary;
} scalar_table[] = {
    {1, 0, 0, 0},      {1, 0, 1, 0},      {0, 1, 0, 1},        {-1, 0, 0, -1},
    {0.7, -0.4, 0, 0}, {0.7, -0.4, 1, 0}, {0, 1, -0.3, 0.6},   {0.7, -0.4, 0, 1},
    {0, -1, 0, 0},     {1, 0, -0.3, 0.6}, {-0.2, 1.3, 0.7, 0}, {0.7, -0.4, -0.3, 0.6},
};

/* Rows with only units come first. */
#define UNIT_SCALARS 4

static void set_scalars(struct check_case *item, size_t row) {
    item->alpha = scalar_table[row].alpha;
    item->alpha_imaginary = scalar_table[row].alpha_imaginary;
    item->beta = scalar_table[row].beta;
    item->beta_imaginary = scalar_table[row].beta_imaginary;
}

static void operations(struct check_context *context, bool quick) {
    static const int layouts[] = {COLUMN, ROW};
    struct check_case item = plain;
    item.group = "operations";
    item.m = 67;
    item.n = 45;
    item.k = 39;
    for (size_t l = 0; l < COUNT(layouts); l++)
        for (size_t o = 0; o < COUNT(ops) * COUNT(ops); o++)
            for (size_t s = 0; s < COUNT(scalar_table); s++) {
                /* every operation in every layout, with rotating scalars */
                if (quick && (s + 5 * o + 3 * l) % 6 != 0)
                    continue;
                item.layout = layouts[l];
                item.transa = ops[o % COUNT(ops)];
                item.transb = ops[o / COUNT(ops)];
                item.extra_ld = (int64_t)(s % 4) * 5;
                set_scalars(&item, s);
                item.entries = s < UNIT_SCALARS && o % 2 ? ENTRIES_INTEGER : ENTRIES_UNIFORM;
                check_run(context, &item);
            }
}

/* Each dimension in turn takes sizes around the tile of the real product. */
static void sizes(struct check_context *context, bool quick) {
    const struct lava_kernel *kernel = context->kernel;
    const int64_t m[] = {1, 3, kernel->tile_m - 1, kernel->tile_m, kernel->tile_m + 1};
    const int64_t n[] = {
        1, 3, kernel->tile_n / 2 - 1, kernel->tile_n / 2, kernel->tile_n / 2 + 1, kernel->tile_n + 3};
    const int64_t k[] = {1, 2, 3, kernel->tile_k / 2, kernel->tile_k / 2 + 1, 2 * kernel->tile_k + 1};
    struct check_case item = plain;
    item.group = "sizes";
    for (size_t i = 0; i < COUNT(m); i++)
        for (size_t j = 0; j < COUNT(n); j++)
            for (size_t l = 0; l < COUNT(k); l++) {
                size_t turn = i + 2 * j + 3 * l;
                if (quick && (i + 5 * j + l) % 6 != 0)
                    continue; /* the remaining cases still cover each m with each n and with each k */
                item.m = m[i];
                item.n = n[j];
                item.k = k[l];
                item.transa = ops[turn % COUNT(ops)];
                item.transb = ops[(turn / 3 + l) % COUNT(ops)];
                item.entries = turn % 4 == 3 ? ENTRIES_INTEGER : ENTRIES_UNIFORM;
                set_scalars(&item, turn % 4 == 3 ? turn / 4 % UNIT_SCALARS
                                                 : (5 * turn + turn / 4) % COUNT(scalar_table));
                check_run(context, &item);
            }
}

/* Thin, flat and long shapes, with every kind of entries. */
static const struct {
    int64_t m, n, k;
    enum entries entries;
} shape_table[] = {
    {1, 2053, 17, ENTRIES_UNIFORM},  {2053, 1, 17, ENTRIES_UNIFORM},   {1, 1, 10007, ENTRIES_POSITIVE},
    {7, 5, 2053, ENTRIES_POSITIVE},  {131, 137, 1, ENTRIES_POSITIVE},  {71, 67, 139, ENTRIES_POSITIVE},
    {19, 1009, 61, ENTRIES_INTEGER}, {1009, 19, 61, ENTRIES_INTEGER},  {70, 45, 33, ENTRIES_SUBNORMAL},
    {66, 65, 20, ENTRIES_LARGE},     {90, 35, 65, ENTRIES_CANCELLING}, {33, 65, 128, ENTRIES_CANCELLING},
    {90, 35, 40, ENTRIES_SPECIAL},   {33, 65, 100, ENTRIES_SPECIAL},   {130, 139, 25, ENTRIES_SPECIAL},
};

/* Scalars for which C does not hide the product's errors. */
static void set_shape_scalars(struct check_case *item, size_t turn) {
    static const size_t exact[] = {0, 2, 3, 8}, bare[] = {0, 8}, special[] = {0, 8, 4};
    switch (item->entries) {
    case ENTRIES_INTEGER:
    case ENTRIES_CANCELLING:
        set_scalars(item, exact[turn % COUNT(exact)]);
        break;
    case ENTRIES_SUBNORMAL:
    case ENTRIES_LARGE:
        set_scalars(item, bare[turn % COUNT(bare)]);
        break;
    case ENTRIES_SPECIAL:
        set_scalars(item, special[turn % COUNT(special)]);
        break;
    default:
        set_scalars(item, turn % COUNT(scalar_table));
    }
}

static void shapes(struct check_context *context, bool quick) {
    struct check_case item = plain;
    item.group = "shapes";
    for (size_t i = 0; i < COUNT(shape_table); i++)
        for (size_t turn = 0; turn < (quick ? 1 : 4); turn++) {
            item.m = shape_table[i].m;
            item.n = shape_table[i].n;
            item.k = shape_table[i].k;
            item.entries = shape_table[i].entries;
            item.transa = ops[(i + turn) % COUNT(ops)];
            item.transb = ops[(i / 3 + 2 * turn) % COUNT(ops)];
            item.layout = (i + turn) % 2 ? ROW : COLUMN;
            item.extra_ld = (int64_t)(i % 3);
            set_shape_scalars(&item, i + turn);
            check_run(context, &item);
        }
}

/* Split K. */
static void split(struct check_context *context, bool quick) {
    struct check_case item = plain;
    item.group = "split";
    item.m = 75;
    item.n = 43;
    item.k = 601;
    item.entries = ENTRIES_POSITIVE;
    for (uint32_t slices = 2; slices <= (quick ? 4 : 8); slices *= 2)
        for (size_t zero = 0; zero < 2; zero++) {
            item.transa = zero ? C : N;
            item.transb = slices == 4 ? C : T;
            set_scalars(&item, zero ? 4 : 11);
            item.overrides = (struct lava_overrides){.split_k = slices, .persistent = slices == 4 ? 2 : 0};
            check_run(context, &item);
        }
    item.group = "split special";
    item.entries = ENTRIES_SPECIAL;
    item.transa = C;
    set_scalars(&item, 0);
    item.overrides = (struct lava_overrides){.split_k = 3};
    check_run(context, &item);
}

/* Column blocks of one width and of two widths. */
static void columns(struct check_context *context) {
    struct check_case item = plain;
    item.group = "columns";
    item.m = 40;
    item.n = 10 * (int64_t)context->kernel->tile_n + 11;
    item.k = 21;
    item.blocks_n = 3;
    for (int later = 1; later <= 2; later++) {
        item.transa = later == 1 ? C : N;
        item.transb = later == 1 ? N : C;
        set_scalars(&item, later == 1 ? 4 : 11);
        item.overrides = (struct lava_overrides){.column_blocks = 4, .later_parts = later};
        check_run(context, &item);
    }
}

/* K split into panels because of little memory, with and without slices. */
static void panels(struct check_context *context, bool quick) {
    struct check_case item = plain;
    item.group = "K cut";
    item.m = (int64_t)context->kernel->tile_m + 13;
    item.n = (int64_t)context->kernel->tile_n / 2 + 5;
    item.k = 1050;
    item.blocks_k = 2;
    item.extra_ld = 3;
    item.entries = ENTRIES_POSITIVE;
    for (size_t turn = 0; turn < (quick ? 2 : 4); turn++) {
        item.transa = ops[turn % COUNT(ops)];
        item.transb = ops[(turn + 2) % COUNT(ops)];
        set_scalars(&item, turn % 2 ? 4 : 11);
        item.overrides = (struct lava_overrides){.memory_bytes = check_memory(context, &item) / 3,
                                                 .split_k = turn >= 2 ? 2 : 0};
        check_run(context, &item);
    }
}

void check_complex(struct check_context *context, bool quick) {
    operations(context, quick);
    sizes(context, quick);
    shapes(context, quick);
    split(context, quick);
    columns(context);
    panels(context, quick);
}
