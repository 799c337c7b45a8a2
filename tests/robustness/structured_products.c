/* Products with an operand of which one triangle is stored (symm, hemm, trmm), and of two products of which
 * one is the other transposed (syr2k, her2k), computed directly by the engine. Every option, as one block and
 * as several, streamed and at once. Elements are small integers, so every result is exact. What must not be
 * read is NaN.
 *
 *   structured_products unified|discrete|faults    faults: downloads fail one after another, and the CPU goes
 * on; in builds with fault injection */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/fault.h"
#include "lib/offload/complete.h"
#include "lib/offload/offload.h"
#include "lib/offload/self_test.h"
#include "lib/product/runner.h"
#include "lib/vk/gpu.h"
#include "tests/library/poison.h"

/* Rows or columns are scaled in groups of the size of a tile, of eight groups some. */
#define SCALED_TOGETHER 64
#define SCALE           0x1p40L

enum routine { SYMM, HEMM, TRMM, SYR2K, HER2K };
static const char *const names[] = {"symm", "hemm", "trmm", "syr2k", "her2k"};

/* A call as programs make it. */
struct call {
    enum routine routine;
    enum lava_type type;
    const char *kernel; /* NULL: the policy's choice */
    bool left, lower, trans, conjugate, unit;
    int64_t m, n, k; /* k: of syr2k and her2k */
    struct naive_number alpha, beta;
    struct lava_overrides overrides;
    const char *way;
};

struct matrices {
    void *a, *b, *c, *expected;
    int64_t lda, ldb, ldc;
    size_t bytes;
};

static struct lava_engine *engine;
static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
static long ran, wrong;
#ifdef LAVA_FAULT_INJECTION
static bool fails;
#endif

static bool is_structured(enum routine routine) {
    return routine <= TRMM;
}

static bool is_hermitian(enum routine routine) {
    return routine == HEMM || routine == HER2K;
}

/* Returns whether element (i, j) of op(A) is one of the zeros of a triangular matrix. Nothing is multiplied
 * by them.
 */
static bool is_zero(const struct call *call, int64_t i, int64_t j) {
    int64_t row = call->trans ? j : i, column = call->trans ? i : j;
    return call->routine == TRMM && (call->lower ? row < column : row > column);
}

/* Element (i, j) of the structured matrix, or of its transpose if `trans` is set. */
static struct naive_number structured(const struct call *call, const struct matrices *x, int64_t i,
                                      int64_t j) {
    int64_t row = call->trans ? j : i, column = call->trans ? i : j;
    bool stored = call->lower ? row >= column : row <= column;
    if (call->unit && row == column)
        return (struct naive_number){1, 0};
    struct naive_number value =
        naive_read(call->type, x->a, stored ? row + column * x->lda : column + row * x->lda);
    if (call->routine == HEMM)
        value.imaginary = row == column ? 0 : stored ? value.imaginary : -value.imaginary;
    if (call->conjugate)
        value.imaginary = -value.imaginary;
    return value;
}

/* Element (i, l) of op(X), X being A or B of syr2k. */
static struct naive_number general(const struct call *call, const void *x, int64_t ld, int64_t i, int64_t l) {
    struct naive_number value = naive_read(call->type, x, call->trans ? l + i * ld : i + l * ld);
    if (call->trans && is_hermitian(call->routine))
        value.imaginary = -value.imaginary;
    return value;
}

static struct naive_number plus(struct naive_number x, struct naive_number y) {
    return (struct naive_number){x.real + y.real, x.imaginary + y.imaginary};
}

static struct naive_number turned(const struct call *call, struct naive_number x) {
    return (struct naive_number){x.real, is_hermitian(call->routine) ? -x.imaginary : x.imaginary};
}

/* What is summed for an element of C: line i of one by line j of the other, whose elements are beside each
 * other. */
struct lines {
    int64_t length;
    struct naive_number *of_a, *of_b;
};

static struct lines lines_of(const struct call *call, const struct matrices *x) {
    bool has_structure = is_structured(call->routine);
    int64_t most = call->m > call->n ? call->m : call->n, length = !has_structure ? call->k
                                                                   : call->left   ? call->m
                                                                                  : call->n;
    struct lines lines = {length, calloc((size_t)(2 * most * length), sizeof *lines.of_a), NULL};
    if (!lines.of_a)
        abort();
    lines.of_b = lines.of_a + most * length;
    int64_t count_a = has_structure ? length : call->n,
            count_b = has_structure && !call->left ? call->m : call->n;
    for (int64_t i = 0; i < count_a; i++)
        for (int64_t l = 0; l < length; l++)
            lines.of_a[i * length + l] = !has_structure ? general(call, x->a, x->lda, i, l)
                                         : call->left   ? structured(call, x, i, l)
                                                        : structured(call, x, l, i);
    for (int64_t i = 0; i < count_b; i++)
        for (int64_t l = 0; l < length; l++)
            lines.of_b[i * length + l] =
                !has_structure ? general(call, x->b, x->ldb, i, l)
                               : naive_read(call->type, x->b, call->left ? l + i * x->ldb : i + l * x->ldb);
    return lines;
}

/* The sum of x y, or of x and y turned. */
static struct naive_number sum_of(const struct call *call, const struct naive_number *x,
                                  const struct naive_number *y, int64_t length) {
    struct naive_number sum = {0, 0};
    const bool turns = call->routine == HER2K, is_complex = lava_type_is_complex(call->type);
    for (int64_t l = 0; l < length && !is_complex; l++)
        sum.real += x[l].real * y[l].real;
    for (int64_t l = 0; l < length && is_complex; l++)
        sum = plus(sum, naive_times(x[l], (struct naive_number){y[l].real,
                                                                turns ? -y[l].imaginary : y[l].imaginary}));
    return sum;
}

static struct naive_number product_of(const struct call *call, const struct lines *lines, int64_t i,
                                      int64_t j) {
    const int64_t length = lines->length;
    const struct naive_number *a = lines->of_a, *b = lines->of_b;
    if (!is_structured(call->routine)) {
        const struct naive_number ab = sum_of(call, a + i * length, b + j * length, length),
                                  ba = sum_of(call, b + i * length, a + j * length, length);
        return plus(naive_times(call->alpha, ab), naive_times(turned(call, call->alpha), ba));
    }
    const int64_t s = call->left ? i : j, other = call->left ? j : i;
    int64_t begin = 0, end = length;
    while (begin < end && (call->left ? is_zero(call, s, begin) : is_zero(call, begin, s)))
        begin++;
    while (begin < end && (call->left ? is_zero(call, s, end - 1) : is_zero(call, end - 1, s)))
        end--;
    const struct naive_number sum =
        sum_of(call, a + s * length + begin, b + other * length + begin, end - begin);
    return naive_times(call->alpha, sum);
}

static void compute_expected(const struct call *call, const struct matrices *x) {
    bool is_triangle = !is_structured(call->routine);
    struct lines lines = lines_of(call, x);
    for (int64_t j = 0; j < call->n; j++)
        for (int64_t i = 0; i < call->m; i++) {
            struct naive_number before = {0, 0}, value;
            if (is_triangle && (call->lower ? i < j : i > j))
                continue;
            if (call->beta.real != 0 || call->beta.imaginary != 0) {
                before = naive_read(call->type, x->c, i + j * x->ldc);
                if (call->routine == HER2K && i == j)
                    before.imaginary = 0;
                before = naive_times(call->beta, before);
            }
            value = plus(product_of(call, &lines, i, j), before);
            if (call->routine == HER2K && i == j)
                value.imaginary = 0;
            naive_write(call->type, x->expected, i + j * x->ldc, value);
        }
    free(lines.of_a);
}

/* Puts NaN in place of what must not be read. */
static void poison_structured(const struct call *call, void *a, int64_t size, int64_t ld) {
    const struct naive_number nan = {(long double)__builtin_nan(""), (long double)__builtin_nan("")};
    for (int64_t j = 0; j < size; j++)
        for (int64_t i = 0; i < size; i++) {
            struct naive_number value = naive_read(call->type, a, i + j * ld);
            bool stored = call->lower ? i >= j : i <= j;
            if (!stored || (call->unit && i == j))
                value = nan;
            else if (call->routine == HEMM && i == j)
                value.imaginary = nan.imaginary;
            naive_write(call->type, a, i + j * ld, value);
        }
}

/* C's triangle that is not written is NaN, and so are imaginary parts of the diagonal that are not read. */
static void poison_triangle(const struct call *call, void *c, int64_t ld) {
    const struct naive_number nan = {(long double)__builtin_nan(""), (long double)__builtin_nan("")};
    for (int64_t j = 0; j < call->n; j++)
        for (int64_t i = 0; i < call->m; i++) {
            struct naive_number value = naive_read(call->type, c, i + j * ld);
            if (call->lower ? i < j : i > j)
                value = nan;
            else if (call->routine == HER2K && i == j)
                value.imaginary = nan.imaginary;
            naive_write(call->type, c, i + j * ld, value);
        }
}

/* Inf and NaN reach only what depends on them. */
static void put_specials(const struct call *call, void *b, int64_t ld) {
    const long double specials[] = {(long double)__builtin_nan(""), (long double)__builtin_inf()};
    for (int i = 0; i < 2; i++) {
        int64_t at = poison_random((int)call->m) + poison_random((int)call->n) * ld;
        naive_write(call->type, b, at, (struct naive_number){specials[i], 1});
    }
}

/* Multiplies rows or columns of a matrix, half of them, by 2^40: planes of fp16 cannot represent them, so
 * tiles of C with such rows are screened out. Each sum has terms of one magnitude, so that it stays exact. */
static void scale_some(const struct call *call, void *matrix, int64_t rows, int64_t columns, int64_t ld,
                       bool by_rows, unsigned chosen) {
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            struct naive_number value = naive_read(call->type, matrix, i + j * ld);
            if ((chosen >> ((by_rows ? i : j) / SCALED_TOGETHER % 8)) % 2 == 0)
                continue;
            value = (struct naive_number){value.real * SCALE, value.imaginary * SCALE};
            naive_write(call->type, matrix, i + j * ld, value);
        }
}

/* The rows and columns of C are scaled then, and what of them is in the sum. */
static void scale_beyond_planes(const struct call *call, const struct matrices *x, int64_t rows_b,
                                int64_t columns_b) {
    unsigned chosen = 1 + (unsigned)poison_random(255);
    if (is_structured(call->routine)) {
        scale_some(call, x->b, rows_b, columns_b, x->ldb, !call->left, chosen);
        return;
    }
    scale_some(call, x->a, rows_b, columns_b, x->lda, !call->trans, chosen);
    scale_some(call, x->b, rows_b, columns_b, x->ldb, !call->trans, chosen);
}

static struct matrices make(const struct call *call) {
    bool has_structure = is_structured(call->routine);
    int64_t size = call->left ? call->m : call->n;
    int64_t rows_a = has_structure ? size : call->trans ? call->k : call->n;
    int64_t columns_a = has_structure ? size : call->trans ? call->n : call->k;
    int64_t rows_b = has_structure ? call->m : rows_a, columns_b = has_structure ? call->n : columns_a;
    size_t element = lava_type_bytes(call->type);
    struct matrices x = {.lda = rows_a + 3, .ldb = rows_b + 5, .ldc = call->m + 2};
    if (call->routine == TRMM)
        x.ldb = x.ldc;
    x.bytes = (size_t)(x.ldc * call->n) * element;
    x.a = poison_new((size_t)(x.lda * columns_a) * element);
    x.b = poison_new((size_t)(x.ldb * columns_b) * element);
    x.c = poison_new(x.bytes);
    x.expected = poison_new(x.bytes);
    poison_fill(call->type, x.a, rows_a, columns_a, x.lda);
    poison_fill(call->type, x.b, rows_b, columns_b, x.ldb);
    if (has_structure)
        poison_structured(call, x.a, size, x.lda);
    bool is_update = call->beta.real != 0 || call->beta.imaginary != 0; /* C0 is lost beside such terms */
    if (call->kernel && !is_update && poison_random(4) > 0)
        scale_beyond_planes(call, &x, rows_b, columns_b);
    if (call->routine == TRMM && poison_random(3) == 0)
        put_specials(call, x.b, x.ldb);
    if (call->beta.real != 0 || call->beta.imaginary != 0)
        poison_fill(call->type, x.c, call->m, call->n, x.ldc);
    if (!has_structure)
        poison_triangle(call, x.c, x.ldc);
    memcpy(x.expected, x.c, x.bytes);
    compute_expected(call, &x);
    if (call->routine == TRMM)
        memcpy(x.c, x.b, x.bytes);
    return x;
}

static void discard(struct matrices *x) {
    free(x->a);
    free(x->b);
    free(x->c);
    free(x->expected);
}

static struct lava_operation operation_of(const struct call *call, const struct matrices *x) {
    static const enum lava_structure structures[] = {LAVA_STRUCTURE_SYMMETRIC, LAVA_STRUCTURE_HERMITIAN,
                                                     LAVA_STRUCTURE_TRIANGULAR};
    enum lava_region region = call->lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    struct lava_operation operation = {.type = call->type,
                                       .m = call->m,
                                       .n = call->n,
                                       .alpha = {(double)call->alpha.real, (double)call->alpha.imaginary},
                                       .beta = {(double)call->beta.real, (double)call->beta.imaginary},
                                       .c = {.first = x->c, .ld = x->ldc, .type = call->type}};
    struct lava_operand *a = call->left || !is_structured(call->routine) ? &operation.a : &operation.b;
    struct lava_operand *b = a == &operation.a ? &operation.b : &operation.a;
    *a = (struct lava_operand){
        .first = x->a, .ld = x->lda, .op = call->trans ? LAVA_OP_T : LAVA_OP_N, .conjugate = call->conjugate};
    *b = (struct lava_operand){.first = x->b, .ld = x->ldb};
    if (is_structured(call->routine)) {
        operation.k = call->left ? call->m : call->n;
        a->structure = structures[call->routine];
        a->stored = region;
        a->unit_diagonal = call->unit;
        operation.in_place = call->routine == TRMM;
        if (operation.in_place)
            b->first = x->c;
        return operation;
    }
    operation.k = call->k;
    operation.twice = true;
    operation.c.region = region;
    operation.c.real_diagonal = is_hermitian(call->routine);
    a->conjugate = is_hermitian(call->routine) && call->trans;
    b->conjugate = is_hermitian(call->routine) && !call->trans;
    b->op = call->trans ? LAVA_OP_N : LAVA_OP_T;
    return operation;
}

static void tell(const struct call *call, const char *result, const struct lava_plan *plan) {
    const struct lava_blocking *blocking = &plan->blocking;
    printf("%s %s, %s %s %c%s%s, %lld x %lld x %lld, %s, %s, %lld x %lld x %lld blocks, split K %u: %s\n",
           lava_type_name(call->type), names[call->routine], call->left ? "left" : "right",
           call->lower ? "lower" : "upper", call->trans ? 'T' : 'N', call->conjugate ? " conjugate" : "",
           call->unit ? " unit" : "", (long long)call->m, (long long)call->n, (long long)call->k, call->way,
           plan->kernel ? plan->kernel->name : "no kernel", (long long)blocking->blocks_m,
           (long long)blocking->blocks_n, (long long)blocking->blocks_k, blocking->split_k, result);
}

static bool is_finite(struct naive_number x) {
    return isfinite(x.real) && isfinite(x.imaginary);
}

/* Inf against NaN, and which part of a complex number it is, depends on the order of the arithmetic. */
static bool is_same(struct naive_number x, struct naive_number y) {
    return is_finite(x) && is_finite(y) ? x.real == y.real && x.imaginary == y.imaginary
                                        : is_finite(x) == is_finite(y);
}

/* Returns whether the elements are equal, -0 and 0 too, or neither is finite; the rest must have the same
 * bits. */
static bool is_right(const struct call *call, const struct matrices *x) {
    for (int64_t j = 0; j < call->n; j++)
        for (int64_t i = 0; i < x->ldc; i++) {
            int64_t at = i + j * x->ldc;
            size_t bytes = lava_type_bytes(call->type);
            const char *got = (const char *)x->c + (size_t)at * bytes;
            const char *expected = (const char *)x->expected + (size_t)at * bytes;
            struct naive_number g = naive_read(call->type, x->c, at),
                                e = naive_read(call->type, x->expected, at);
            bool is_equal = i < call->m && is_same(g, e);
            if (memcmp(got, expected, bytes) && !is_equal) {
                printf("(%lld, %lld) is %Lg %+Lg i, not %Lg %+Lg i\n", (long long)i, (long long)j, g.real,
                       g.imaginary, e.real, e.imaginary);
                return false;
            }
        }
    return true;
}

static bool choose(const struct call *call, const struct lava_operation *operation, struct lava_plan *plan) {
    lava_policy_choose(operation, &engine->capabilities, &figures, LAVA_MODE_GPU, &call->overrides, plan);
    if (plan->place == LAVA_PLACE_GPU)
        return true;
    tell(call, lava_reason_text(plan->reason), plan);
    wrong++;
    return false;
}

static void count(const struct call *call, const struct lava_plan *plan, bool fine, const char *result) {
    if (!fine || getenv("LAVA_TEST_VERBOSE"))
        tell(call, fine ? "right" : result, plan);
    wrong += !fine;
    ran++;
}

static void run(const struct call *call) {
    struct matrices x = make(call);
    const struct lava_operation operation = operation_of(call, &x);
    struct lava_plan plan;
    struct lava_progress progress;
    if (choose(call, &operation, &plan)) {
        enum lava_status status = lava_runner_run(engine, &operation, &plan, &progress, NULL);
        count(call, &plan, !status && is_right(call, &x), status ? lava_status_name(status) : "wrong");
    }
    discard(&x);
}

#ifdef LAVA_FAULT_INJECTION
/* Runs the call while the download of that number fails. Returns whether it did; the first one always does,
 * and only such a run has an error. */
static bool run_with_failure(const struct call *call, const struct lava_operation *operation,
                             const struct lava_plan *plan, int passage, struct lava_progress *progress) {
    char text[32];
    snprintf(text, sizeof text, "download:%d", passage);
    bool is_set = lava_fault_set(text);
    enum lava_status status = lava_runner_run(engine, operation, plan, progress, NULL);
    bool came = lava_fault_passages(LAVA_FAULT_DOWNLOAD) >= passage;
    lava_fault_set(NULL);
    if (is_set && came == (status != LAVA_OK) && (came || passage > 1))
        return came;
    tell(call, came ? "no error" : "the fault did not come", plan);
    wrong++;
    return false;
}

/* The download of every chunk fails once, and the CPU computes the rest. */
static void fail_downloads(const struct call *call) {
    struct matrices x = make(call);
    const struct lava_operation operation = operation_of(call, &x);
    struct lava_plan plan;
    struct lava_progress progress;
    void *before = malloc(x.bytes);
    if (!before)
        abort();
    memcpy(before, x.c, x.bytes);
    bool came = choose(call, &operation, &plan);
    for (int passage = 1; came; passage++) {
        memcpy(x.c, before, x.bytes);
        came = run_with_failure(call, &operation, &plan, passage, &progress);
        if (came)
            lava_complete_on_cpu(&operation, &progress);
        count(call, &plan, is_right(call, &x), "wrong after a failure");
    }
    free(before);
    discard(&x);
}
#endif

/* The ways in which calls are computed. memory_bytes cuts C and K; large calls are more than a square. */
static const struct way {
    const char *name;
    bool large;
    struct lava_overrides overrides;
} ways[] = {
    {"in little memory", true, {.at_once = 1, .memory_bytes = 9 << 20, .column_blocks = 4}},
    {"in pieces", true, {.at_once = 1, .pieces = 3, .column_blocks = 2, .later_parts = 2}},
    {"as planned", false, {0}},
    {"at once", false, {.at_once = 2}},
    {"with K split", false, {.at_once = 1, .split_k = 3}},
};

/* Squares on the diagonal are small then, so that several are in a small matrix. */
static bool has_little_staging(void) {
    return engine->capabilities.slot_bytes < (256 << 10);
}

static void set_way(struct call *call, const struct way *way) {
    bool is_complex = lava_type_is_complex(call->type);
    int64_t large = (has_little_staging() ? 130 : 513) + poison_random(100), other = 1 + poison_random(70);
    call->way = way->name;
    call->overrides = way->overrides;
    call->overrides.kernel = call->kernel ? lava_kernels_find(call->kernel) : NULL;
    call->m = way->large ? (call->left ? large : other) : 1 + poison_random(150);
    call->n = way->large ? (call->left ? other : large) : 1 + poison_random(150);
    call->k = 1 + poison_random(call->kernel && !way->large ? 300 : 100); /* planes: more than a depth */
    if (!is_structured(call->routine))
        call->m = call->n = way->large ? 260 : call->n;
    call->alpha = (struct naive_number){1 + poison_random(2), is_complex ? poison_random(3) - 1 : 0};
    call->beta = (struct naive_number){poison_random(3) - 1,
                                       is_complex && call->routine != HER2K ? poison_random(2) : 0};
    if (call->routine == TRMM)
        call->beta = (struct naive_number){0, 0};
}

/* Two of the small ways and one of the large ones; that seldom if it takes long. */
static void run_ways(struct call *call) {
    const int chosen[] = {2 + poison_random(3), 2 + poison_random(3), poison_random(2)};
    size_t count_of_ways = has_little_staging() || poison_random(4) == 0 ? 3 : 2;
    for (size_t i = 0; i < count_of_ways; i++) {
        set_way(call, &ways[chosen[i]]);
#ifdef LAVA_FAULT_INJECTION
        if (fails) {
            set_way(call, &ways[0]);
            fail_downloads(call);
            return;
        }
#endif
        run(call);
    }
}

/* Failures under a sanitizer take long: half of the options, others in the next run. */
static bool is_left_out(void) {
#if defined(__SANITIZE_ADDRESS__) && defined(LAVA_FAULT_INJECTION)
    return fails && poison_random(2);
#else
    return false;
#endif
}

static void run_options(enum routine routine, enum lava_type type, const char *kernel) {
    bool is_complex = lava_type_is_complex(type), is_trmm = routine == TRMM;
    if (is_hermitian(routine) && !is_complex)
        return;
    for (int options = 0; options < 32; options++) {
        struct call call = {.routine = routine,
                            .type = type,
                            .kernel = kernel,
                            .left = options & 1,
                            .lower = options & 2,
                            .trans = options & 4,
                            .unit = options & 8,
                            .conjugate = options & 16};
        bool applies = !call.conjugate || (is_complex && call.trans); /* trmm */
        if (!is_structured(routine))
            applies = !call.left && !call.unit && !call.conjugate;
        else if (!is_trmm)
            applies = !call.trans && !call.unit && !call.conjugate;
        if (applies && !is_left_out())
            run_ways(&call);
    }
}

static const struct {
    enum lava_type type;
    const char *kernel;
} types[] = {{LAVA_TYPE_FP32, NULL},  {LAVA_TYPE_FP32, "fp16x3_64x64"},  {LAVA_TYPE_FP64, NULL},
             {LAVA_TYPE_CFP32, NULL}, {LAVA_TYPE_CFP32, "fp16x3_64x64"}, {LAVA_TYPE_CFP64, NULL}};

int main(int argument_count, char **arguments) {
    const char *why;
    struct lava_device *device;
    setenv("LAVABLAS_DEVICE", "cpu", 0);
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "no device: %s\n", why);
        return 77;
    }
    device->capabilities.unified_memory = argument_count > 1 && !strcmp(arguments[1], "unified");
    if (lava_engine_create(device, 2, &engine))
        return 1;
#ifdef LAVA_FAULT_INJECTION
    fails = argument_count > 1 && !strcmp(arguments[1], "faults");
#endif
    poison_begin((unsigned)time(NULL));
    const char *only = getenv("LAVA_TEST_ONLY");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const struct lava_kernel *kernel = types[i].kernel ? lava_kernels_find(types[i].kernel) : NULL;
        if (kernel && !lava_kernel_fits(kernel, &engine->capabilities, &why))
            continue;
        for (int routine = SYMM; routine <= HER2K; routine++)
            if (!only || !strcmp(only, names[routine]))
                run_options((enum routine)routine, types[i].type, types[i].kernel);
    }
    lava_engine_destroy(engine);
    printf("%ld products ran, %ld went wrong\n", ran, wrong);
    return wrong || ran == 0 ? 1 : 0;
}
