/* Products computed directly by the engine, on the path for memory shared with the host or on that for a
 * device with its own memory, in one queue or with the order of three. validation.sh runs it under the
 * validation layers. It is also a test of the second path on a device of the first kind. Creates and destroys
 * everything.
 *
 * The first pair of types does every row in every way, the others a third of them, another one in each run;
 * the seed, LAVA_TEST_SEED, says which.
 *
 *   engine_products unified|discrete|queues|none [PART]      none: opens the device alone; PART: an eighth of
 * the kinds, 0 to 7, or "any", by the seed; one0 to one15: that kind alone, or the next that runs here */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/lapack/device_matrix.h"
#include "lib/offload/self_test.h"
#include "lib/product/runner.h"
#include "lib/vk/gpu.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/product.h"

struct row {
    struct product product;
    uint64_t memory_bytes; /* 0: all; otherwise small enough for several blocks */
    uint32_t split_k;
    int64_t column_blocks, later_parts;
};

static const struct row rows[] = {
    {{.m = 1, .n = 1, .k = 1, .alpha = 1, .beta = 0}, 0, 0, 0, 0},
    {{.m = 130, .n = 70, .k = 33, .alpha = 1.5, .beta = -0.5}, 0, 0, 0, 0},
    {{.transpose_a = true, .m = 97, .n = 201, .k = 129, .alpha = -1, .beta = 1}, 0, 4, 0, 0},
    {{.transpose_b = true, .m = 400, .n = 700, .k = 100, .alpha = 0.5, .beta = 2}, 1 << 20, 0, 0, 0},
    {{.transpose_a = true, .transpose_b = true, .m = 300, .n = 310, .k = 900, .alpha = 1, .beta = 0},
     1 << 20,
     0,
     0,
     0},
    {{.m = 64, .n = 64, .k = 5000, .alpha = 1, .beta = 1}, 512 << 10, 0, 0, 0},
    /* a column takes several slots */
    {{.m = 40000, .n = 37, .k = 11, .alpha = 1, .beta = 1}, 4 << 20, 0, 0, 0},
    {{.transpose_b = true, .m = 256, .n = 140, .k = 70, .alpha = -2, .beta = 0},
     0,
     1,
     0,
     0}, /* no epilogue */
    {{.m = 200, .n = 60, .k = 150, .alpha = 1, .beta = 0}, 0, 2, 0, 0},
    /* more column blocks than the device holds, of two widths */
    {{.m = 70, .n = 4200, .k = 40, .alpha = 1, .beta = 0.5}, 0, 1, 8, 4},
    {{.transpose_a = true, .m = 70, .n = 4200, .k = 40, .alpha = 1, .beta = 0.5}, 8 << 20, 1, 8, 4},
};

// clang-format off
/* Triangles, in one strip and in several; not of half precision. */
static const struct row triangles[] = {
    {{.region = LAVA_REGION_LOWER, .m = 1, .n = 1, .k = 1, .alpha = 1, .beta = 1}, 0, 0, 0, 0},
    {{.region = LAVA_REGION_LOWER, .m = 130, .n = 130, .k = 33, .alpha = 1.5, .beta = -0.5}, 0, 0, 1, 0},
    {{.region = LAVA_REGION_UPPER, .transpose_a = true,
      .m = 517, .n = 517, .k = 70, .alpha = -1, .beta = 1}, 0, 1, 4, 0},
    {{.region = LAVA_REGION_LOWER, .transpose_b = true,
      .m = 517, .n = 517, .k = 70, .alpha = 2, .beta = 0.5}, 0, 1, 4, 0},
    {{.region = LAVA_REGION_UPPER, .transpose_b = true, .b_is_a = true,
      .m = 450, .n = 450, .k = 90, .alpha = 1, .beta = 1}, 0, 1, 8, 0},
    {{.region = LAVA_REGION_LOWER, .transpose_a = true, .b_is_a = true,
      .m = 450, .n = 450, .k = 90, .alpha = 0.5, .beta = 0}, 0, 1, 8, 0},
    {{.region = LAVA_REGION_LOWER, .transpose_b = true, .b_is_a = true,
      .m = 100, .n = 100, .k = 900, .alpha = 1, .beta = -1}, 0, 6, 2, 0},
    {{.region = LAVA_REGION_UPPER, .transpose_a = true, .b_is_a = true,
      .m = 1100, .n = 1100, .k = 8, .alpha = 1, .beta = 1}, 0, 1, 16, 0},
};

/* The same of complex types: Hermitian if B is A conjugated. */
static const struct row complex_triangles[] = {
    {{.region = LAVA_REGION_UPPER, .transpose_a = true,
      .m = 150, .n = 150, .k = 30, .alpha = -1, .alpha_imaginary = 0.5, .beta_imaginary = 1}, 0, 1, 4, 0},
    {{.region = LAVA_REGION_LOWER, .transpose_b = true, .conjugate_b = true,
      .m = 150, .n = 150, .k = 30, .alpha = 2, .beta = 0.5}, 0, 1, 4, 0},
    {{.region = LAVA_REGION_UPPER, .transpose_b = true, .conjugate_b = true, .b_is_a = true, .real_diagonal = true,
      .m = 145, .n = 145, .k = 40, .alpha = 1, .beta = 1}, 0, 1, 4, 0},
    {{.region = LAVA_REGION_LOWER, .transpose_a = true, .conjugate_a = true, .b_is_a = true, .real_diagonal = true,
      .m = 145, .n = 145, .k = 40, .alpha = 0.5, .beta = 0}, 0, 2, 2, 0},
    {{.region = LAVA_REGION_LOWER, .transpose_b = true, .b_is_a = true,
      .m = 90, .n = 90, .k = 200, .alpha = 1, .alpha_imaginary = 1, .beta = -1}, 0, 1, 1, 0},
};

/* Rows of fp64. Most scalars cannot be represented in fp32. */
static const struct row wide_rows[] = {
    {{.m = 1, .n = 1, .k = 1, .alpha = 0.1}, 0, 0, 0, 0},
    {{.transpose_a = true, .m = 97, .n = 101, .k = 129, .alpha = -0.1, .beta = 0.3}, 0, 4, 0, 0},
    {{.transpose_b = true, .m = 200, .n = 350, .k = 100, .alpha = 0.1, .beta = 2}, 1 << 20, 0, 0, 0},
    {{.m = 64, .n = 64, .k = 2500, .alpha = 1, .beta = 1}, 512 << 10, 0, 0, 0},
    {{.m = 20000, .n = 37, .k = 11, .alpha = 1, .beta = 1}, 4 << 20, 0, 0, 0},
    {{.transpose_b = true, .m = 256, .n = 140, .k = 70, .alpha = -0.1}, 0, 1, 0, 0},
    {{.m = 70, .n = 2100, .k = 40, .alpha = 1, .beta = 0.1}, 0, 1, 8, 4},
};

/* Rows of complex types. */
static const struct row complex_rows[] = {
    {{.m = 1, .n = 1, .k = 1, .alpha_imaginary = 1}, 0, 0, 0, 0},
    {{.transpose_a = true, .conjugate_a = true, .m = 97, .n = 51, .k = 69,
      .alpha = 0.5, .alpha_imaginary = -1.5, .beta = 0.25, .beta_imaginary = 0.75}, 0, 4, 0, 0},
    {{.transpose_b = true, .conjugate_b = true, .m = 200, .n = 175, .k = 50,
      .alpha = 1, .beta_imaginary = -1}, 1 << 20, 0, 0, 0},
    {{.transpose_a = true, .conjugate_a = true, .transpose_b = true, .conjugate_b = true,
      .m = 64, .n = 33, .k = 1250, .alpha = 1, .beta = 1}, 512 << 10, 0, 0, 0},
    {{.m = 20000, .n = 19, .k = 6, .alpha = 1, .beta = 1}, 4 << 20, 0, 0, 0},
    {{.transpose_b = true, .m = 128, .n = 70, .k = 35, .alpha = -2, .alpha_imaginary = 1}, 0, 1, 0, 0},
    {{.transpose_a = true, .m = 70, .n = 1050, .k = 20,
      .alpha = 1, .beta = 0.5, .beta_imaginary = 0.5}, 0, 1, 8, 4},
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Each row runs with each of these, the last as on a device without matrices of sums in half types. For rows
 * by planes a few elements are too small for fp16, so some tiles of C are computed by planes and some by the
 * fallback. */
static const struct {
    enum lava_type type, type_c;
    const char *kernel; /* NULL: the policy's choice */
    const struct row *rows;
    size_t row_count;
} types[] = {
    {LAVA_TYPE_FP32, LAVA_TYPE_FP32, NULL, rows, COUNT(rows)},
    {LAVA_TYPE_FP32, LAVA_TYPE_FP32, "fp16x3_64x64", rows, COUNT(rows)},
    {LAVA_TYPE_FP16, LAVA_TYPE_FP32, NULL, rows, COUNT(rows)},
    {LAVA_TYPE_FP16, LAVA_TYPE_FP16, NULL, rows, COUNT(rows)},
    {LAVA_TYPE_BF16, LAVA_TYPE_FP32, NULL, rows, COUNT(rows)},
    {LAVA_TYPE_BF16, LAVA_TYPE_BF16, NULL, rows, COUNT(rows)},
    {LAVA_TYPE_FP64, LAVA_TYPE_FP64, NULL, wide_rows, COUNT(wide_rows)},
    {LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, NULL, complex_rows, COUNT(complex_rows)},
    {LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, "fp16x3_64x64", complex_rows, COUNT(complex_rows)},
    {LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, NULL, complex_rows, COUNT(complex_rows)},
    {LAVA_TYPE_FP32, LAVA_TYPE_FP32, NULL, triangles, COUNT(triangles)},
    {LAVA_TYPE_FP32, LAVA_TYPE_FP32, "fp16x3_64x64", triangles, COUNT(triangles)},
    {LAVA_TYPE_FP64, LAVA_TYPE_FP64, NULL, triangles, COUNT(triangles)},
    {LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, NULL, complex_triangles, COUNT(complex_triangles)},
    {LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, NULL, complex_triangles, COUNT(complex_triangles)},
    {LAVA_TYPE_FP16, LAVA_TYPE_FP16, "fp16_fragments_64x64", rows, COUNT(rows)},
};

/* Rows run in these ways. Later ones find data of the earlier ones on the device. */
static const struct way {
    int at_once, pieces;
    const char *name;
    bool on_device;
    enum lava_imports imports;
    uint32_t units; /* that a dispatch may have; 0: as planned */
} ways[] = {{1, 0, "streamed", false, LAVA_IMPORTS_NEVER, 0},
            {1, 3, "in pieces", false, LAVA_IMPORTS_NEVER, 0},
            {2, 0, "at once", false, LAVA_IMPORTS_NEVER, 0},
            {0, 0, "as planned", false, LAVA_IMPORTS_BY_FIGURES, 0},
            {0, 0, "on the device", true, LAVA_IMPORTS_BY_FIGURES, 0},
            {1, 0, "imported", false, LAVA_IMPORTS_ALWAYS, 0},
            {1, 3, "imported, in pieces", false, LAVA_IMPORTS_ALWAYS, 0},
            {2, 0, "imported, at once", false, LAVA_IMPORTS_ALWAYS, 0},
            {1, 0, "in several dispatches", false, LAVA_IMPORTS_NEVER, 3}};

static unsigned seed;
static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};

static const struct lava_kernel *kernel_of(size_t type) {
    return types[type].kernel ? lava_kernels_find(types[type].kernel) : NULL;
}

/* A matrix on the device that is a block of a larger one, which is full of NaN around it. */
struct framed {
    struct lava_device_matrix whole, block;
};

#define FRAME_COLUMNS 3
static int64_t frame_rows(enum lava_type type) {
    return LAVA_DEVICE_MATRIX_ALIGN / (int64_t)lava_type_bytes(type);
}

/* host NULL: nothing but NaN. */
static enum lava_status make_framed(struct lava_stream *stream, enum lava_type type, int64_t down,
                                    int64_t right, const void *host, int64_t ld, struct framed *framed) {
    int64_t before = frame_rows(type), all = down + 2 * before, across = right + 2 * FRAME_COLUMNS;
    size_t bytes = (size_t)(all * across) * lava_type_bytes(type);
    enum lava_status status = lava_device_matrix_create(stream->engine, type, all, across, &framed->whole);
    void *nan = malloc(bytes);
    if (status || !nan)
        abort();
    memset(nan, 0xff, bytes);
    status = lava_device_matrix_upload(stream, &framed->whole, nan, all);
    framed->block = lava_device_matrix_block(&framed->whole, before, down, FRAME_COLUMNS, right);
    free(nan);
    return status ? status : lava_device_matrix_upload(stream, &framed->block, host, ld);
}

/* Returns whether everything around the block is still what it was; the block is overwritten. */
static bool frame_is_untouched(struct lava_stream *stream, const struct framed *framed) {
    const struct lava_device_matrix *whole = &framed->whole, *block = &framed->block;
    size_t bytes = (size_t)(whole->rows * whole->columns) * lava_type_bytes(whole->type), same = 0;
    unsigned char *all = malloc(bytes), *nan = malloc(bytes);
    if (!all || !nan)
        abort();
    memset(nan, 0xff, bytes);
    if (!lava_device_matrix_upload(stream, block, nan, block->rows) &&
        !lava_device_matrix_download(stream, whole, LAVA_REGION_ALL, all, whole->rows))
        while (same < bytes && all[same] == 0xff)
            same++;
    free(all);
    free(nan);
    return same == bytes;
}

static enum lava_status run_in_stream(struct lava_stream *stream, const struct product *product, void *c,
                                      const struct lava_overrides *overrides, struct framed framed[3]) {
    const struct lava_operation operation = product_operation(product, c);
    const struct lava_operand *a = &operation.a, *b = &operation.b;
    const struct lava_result *result = &operation.c;
    bool a_n = a->op == LAVA_OP_N, b_n = b->op == LAVA_OP_N;
    int64_t m = operation.m, n = operation.n, k = operation.k;
    enum lava_status status =
        make_framed(stream, operation.type, a_n ? m : k, a_n ? k : m, a->first, a->ld, &framed[0]);
    status = status
                 ? status
                 : make_framed(stream, operation.type, b_n ? k : n, b_n ? n : k, b->first, b->ld, &framed[1]);
    status = status ? status : make_framed(stream, result->type, m, n, result->first, result->ld, &framed[2]);
    const struct lava_device_product on_device = {.a = framed[0].block,
                                                  .b = framed[1].block,
                                                  .c = framed[2].block,
                                                  .op_a = a->op,
                                                  .op_b = b->op,
                                                  .conjugate_a = a->conjugate,
                                                  .conjugate_b = b->conjugate,
                                                  .alpha = operation.alpha,
                                                  .beta = operation.beta,
                                                  .region = result->region,
                                                  .real_diagonal = result->real_diagonal,
                                                  .overrides = overrides};
    status = status ? status : lava_device_product(stream, &on_device);
    return status ? status
                  : lava_device_matrix_download(stream, &framed[2].block, result->region, result->first,
                                                result->ld);
}

/* Computes a product whose matrices are uploaded before and downloaded afterwards. */
static bool multiply_on_device(struct lava_engine *engine, const struct product *product,
                               const struct lava_overrides *overrides) {
    struct framed framed[3] = {{{0}, {0}}};
    struct lava_stream stream;
    void *c = product_new_c(product);
    lava_stream_open(&stream, engine, false);
    enum lava_status status = run_in_stream(&stream, product, c, overrides, framed);
    bool fine = !status && product_check(product, c, "product on the device") &&
                frame_is_untouched(&stream, &framed[0]) && frame_is_untouched(&stream, &framed[1]) &&
                frame_is_untouched(&stream, &framed[2]);
    status = lava_stream_close(&stream, status);
    for (int i = 0; i < 3; i++)
        lava_device_matrix_free(engine, &framed[i].whole);
    printf("on the device, %s to %s: %s\n", lava_type_name(product->type), lava_type_name(product->type_c),
           fine && !status ? "right" : lava_status_name(status ? status : LAVA_ERROR_SELF_TEST));
    free(c);
    return fine && !status;
}

/* Computes a row's product, which has been created. */
static bool multiply(struct lava_engine *engine, const struct product *product, size_t row, size_t type,
                     size_t way) {
    const struct row *asked = &types[type].rows[row];
    const struct lava_overrides overrides = {.kernel = kernel_of(type),
                                             .memory_bytes = asked->memory_bytes,
                                             .split_k = asked->split_k,
                                             .column_blocks = asked->column_blocks,
                                             .later_parts = asked->later_parts,
                                             .at_once = ways[way].at_once,
                                             .pieces = (uint32_t)ways[way].pieces,
                                             .imports = ways[way].imports};
    if (ways[way].on_device)
        return multiply_on_device(engine, product, &overrides);
    void *c = product_new_c(product);
    const struct lava_operation operation = product_operation(product, c);
    struct lava_plan plan;
    struct lava_progress progress;
    lava_policy_choose(&operation, &engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    bool fine = plan.place == LAVA_PLACE_GPU;
    if (ways[way].units > 0) { /* as if each tile took longer than a dispatch may */
        plan.resident_workgroups = ways[way].units;
        plan.flops_per_s = 1e5;
    }
    if (fine) {
        struct lava_timing timing = {0};
        enum lava_status status = lava_runner_run(engine, &operation, &plan, &progress, &timing);
        fine = status == LAVA_OK && product_check(product, c, "product");
        printf("row %zu %s, %s to %s: %s, %lld x %lld x %lld blocks, %u held, split K %u%s: %s\n", row,
               ways[way].name, lava_type_name(product->type), lava_type_name(product->type_c),
               plan.kernel->name, (long long)plan.blocking.blocks_m, (long long)plan.blocking.blocks_n,
               (long long)plan.blocking.blocks_k, plan.blocking.blocks_held, plan.blocking.split_k,
               plan.blocking.epilogue ? ", epilogue" : "",
               fine ? "right" : lava_status_name(status ? status : LAVA_ERROR_SELF_TEST));
    } else {
        printf("row %zu, %s: no plan: %s\n", row, lava_type_name(product->type),
               lava_reason_text(plan.reason));
    }
    free(c);
    return fine;
}

/* Returns whether the engine counted what it copied for the product of fp32: A, B and C, if memory is not
 * shared; else not A and B. */
static bool is_counted(const struct lava_engine *engine, const struct product *product) {
    uint64_t up = engine->transferred[LAVA_TRANSFER_UP].bytes,
             down = engine->transferred[LAVA_TRANSFER_DOWN].bytes;
    uint64_t operands = sizeof(float) * (uint64_t)(product->k * (product->m + product->n));
    bool fine = (up >= operands) != engine->device->capabilities.unified_memory &&
                down >= sizeof(float) * (uint64_t)(product->m * product->n);
    if (!fine)
        printf("%llu bytes to the device and %llu back were counted\n", (unsigned long long)up,
               (unsigned long long)down);
    return fine;
}

/* Computes all rows with one pair of types, then one after memory was released. Returns the number of wrong
 * results. */
static int multiply_all(struct lava_engine *engine, size_t type) {
    struct product products[COUNT(rows)];
    const struct lava_device *device = engine->device;
    int wrong = 0;
    _Static_assert(COUNT(rows) >= COUNT(wide_rows) && COUNT(rows) >= COUNT(complex_rows), "the most");
    _Static_assert(COUNT(rows) >= COUNT(triangles) && COUNT(rows) >= COUNT(complex_triangles), "the most");
    for (size_t row = 0; row < types[type].row_count; row++) {
        products[row] = types[type].rows[row].product;
        products[row].type = types[type].type;
        products[row].type_c = types[type].type_c;
        products[row].by_words = row % 4 != 3; /* the others cannot be imported */
        product_make(&products[row], (unsigned)row);
    }
    for (size_t way = 0; way < COUNT(ways); way++)
        for (size_t row = 0; row < types[type].row_count; row++)
            if (type == 0 || (seed + type + way + row) % 3 == 0)
                wrong += !multiply(engine, &products[row], row, type, way);
    lava_engine_release(engine);
    if (device->shared->device_bytes > 0 ||
        (device->shared->staging_bytes > 0) == device->capabilities.unified_memory) {
        printf("not all memory was given back, or too much\n");
        wrong++;
    }
    lava_engine_reserve_usual(engine, lava_type_real(types[type].type));
    uint64_t usual_bytes = device->shared->device_bytes;
    memset(engine->transferred, 0, sizeof engine->transferred);
    wrong += !multiply(engine, &products[3], 3, type, 0);
    wrong += type == 0 && !is_counted(engine, &products[3]);
    lava_engine_release(engine);
    if (device->shared->device_bytes != usual_bytes ||
        (usual_bytes > 0) == device->capabilities.unified_memory) {
        printf("%.1f MiB are kept, not %.1f\n", (double)device->shared->device_bytes / 0x1p20,
               (double)usual_bytes / 0x1p20);
        wrong++;
    }
    engine->has_usual = false;
    for (size_t row = 0; row < types[type].row_count; row++)
        product_free(&products[row]);
    return wrong;
}

static void forget_narrow(struct lava_engine *engine) {
    for (uint32_t i = 0; i < engine->capabilities.shape_count; i++)
        engine->capabilities.shapes[i].narrow = engine->device->capabilities.shapes[i].narrow = false;
}

/* A type is tested once, and again for the last pair. */
static enum lava_status test_kernels(struct lava_engine *engine, size_t type) {
    static enum lava_status statuses[LAVA_TYPE_REAL_COUNT];
    static bool is_tested[LAVA_TYPE_REAL_COUNT];
    enum lava_type real = lava_type_real(types[type].type);
    bool is_last = type + 1 == COUNT(types);
    if (is_last)
        forget_narrow(engine);
    if (is_last || !is_tested[real])
        statuses[real] = lava_self_test_run(engine, real);
    is_tested[real] = true;
    return statuses[real];
}

int main(int argument_count, char **arguments) {
    const char *why;
    struct lava_device *device;
    struct lava_engine *engine;
    const char *way = argument_count > 1 ? arguments[1] : "discrete";
    setenv("LAVABLAS_DEVICE", "cpu", 0);
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "no device: %s\n", why);
        return 1;
    }
    if (!strcmp(way, "none")) { /* which layers does the loader load? */
        lava_gpu_close(device);
        return 0;
    }
    /* read when the engine's memory is created */
    device->capabilities.unified_memory = !strcmp(way, "unified");
    if (!strcmp(way, "queues") && !device_test_separate_queues(device))
        return 1;
    if (lava_engine_create(device, 2, &engine))
        return 1;
    int wrong = 0, ran = 0;
    seed = device_test_seed();
    const char *part = argument_count > 2 ? arguments[2] : NULL;
    bool one = part && !strncmp(part, "one", 3);
    size_t first = !part                 ? 0
                   : one                 ? (size_t)atoi(part + 3)
                   : strcmp(part, "any") ? (size_t)atoi(part)
                                         : seed % 8;
    for (size_t i = 0; i < COUNT(types) && !(one && ran); i += part && !one ? 8 : 1) {
        size_t type = (first + i) % COUNT(types);
        enum lava_status status = test_kernels(engine, type);
        const struct lava_kernel *kernel = kernel_of(type);
        if (kernel && !lava_kernel_fits(kernel, &engine->capabilities, &why))
            printf("%s does not run here: %s\n", kernel->name, why);
        else if (status == LAVA_ERROR_UNAVAILABLE && lava_type_real(types[type].type) != LAVA_TYPE_FP32)
            printf("no kernels for %s here\n", lava_type_name(types[type].type));
        else {
            ran++;
            wrong += status ? 1 : multiply_all(engine, type);
        }
    }
    const struct lava_imported *imported = &device->shared->imported;
    bool imports = device->capabilities.unified_memory && device->capabilities.import_page_bytes > 0;
    printf("%llu imports, %llu refused, %llu bytes left\n", (unsigned long long)imported->made,
           (unsigned long long)imported->refused, (unsigned long long)imported->bytes);
    if ((imported->made > 0) != imports || imported->refused > 0 || imported->bytes > 0) {
        printf("not all was imported that could be, or not all was released\n");
        wrong++;
    }
    lava_engine_destroy(engine);
    printf("%d of %zu kinds of products ran, %d went wrong\n", ran, COUNT(types), wrong);
    return wrong ? 1 : ran ? 0 : 77;
}
