/* Runs LU factorizations on the device and measures them. */
#include "tests/robustness/factors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/arithmetic.h"
#include "shaders/interface.h"
#include "tests/worst_error.h"

#define UNTOUCHED 0xabcdef01 /* what a guard holds */

struct lava_engine *factors_engine;

struct factors factors_new(enum lava_type type, int64_t rows, int64_t columns) {
    struct factors factors = {
        .type = type, .rows = rows, .columns = columns, .order = lava_minimum(rows, columns)};
    factors.a = matrix_new(type, rows, columns);
    factors.lu = matrix_new(type, rows, columns);
    factors.pivots = malloc((size_t)factors.order * sizeof *factors.pivots);
    assert_non_null(factors.pivots);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            matrix_set(&factors.a, i, j, problem_uniform(-1, 1), problem_uniform(-1, 1));
    return factors;
}

void factors_free(struct factors *factors) {
    free(factors->a.all);
    free(factors->lu.all);
    free(factors->pivots);
}

struct words words_new(struct lava_stream *stream, int64_t count) {
    struct words words = {.count = count,
                          .host = malloc((size_t)(count + 2 * FACTORS_GUARD) * sizeof *words.host)};
    assert_non_null(words.host);
    for (int64_t i = 0; i < count + 2 * FACTORS_GUARD; i++)
        words.host[i] = UNTOUCHED;
    assert_int_equal(
        lava_device_matrix_create(factors_engine, LAVA_TYPE_FP32, count + 2 * FACTORS_GUARD, 1, &words.whole),
        LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(stream, &words.whole, words.host, count + 2 * FACTORS_GUARD),
                     LAVA_OK);
    words.inner = lava_device_matrix_block(&words.whole, FACTORS_GUARD, count, 0, 1);
    return words;
}

void words_download(struct lava_stream *stream, struct words *words) {
    assert_int_equal(lava_device_matrix_download(stream, &words->whole, LAVA_REGION_ALL, words->host,
                                                 words->count + 2 * FACTORS_GUARD),
                     LAVA_OK);
    for (int64_t i = 0; i < FACTORS_GUARD; i++) {
        assert_int_equal(words->host[i], UNTOUCHED);
        assert_int_equal(words->host[words->count + FACTORS_GUARD + i], UNTOUCHED);
    }
}

void words_free(struct words *words) {
    lava_device_matrix_free(factors_engine, &words->whole);
    free(words->host);
}

struct lava_device_matrix matrix_upload(struct lava_stream *stream, const struct matrix *host,
                                        struct lava_device_matrix *whole) {
    assert_int_equal(lava_device_matrix_create(factors_engine, host->type, host->ld,
                                               host->columns + 2 * PROBLEM_FRAME_COLUMNS, whole),
                     LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(stream, whole, host->all, host->ld), LAVA_OK);
    return lava_device_matrix_block(whole, host->before, host->rows, PROBLEM_FRAME_COLUMNS, host->columns);
}

void matrix_download(struct lava_stream *stream, const struct lava_device_matrix *whole,
                     struct matrix *host) {
    assert_int_equal(lava_device_matrix_download(stream, whole, LAVA_REGION_ALL, host->all, host->ld),
                     LAVA_OK);
}

enum lava_status factors_try(struct factors *factors) {
    struct lava_device_matrix whole;
    struct lava_stream stream;
    lava_stream_open(&stream, factors_engine, false);
    struct words pivots = words_new(&stream, factors->order);
    struct words work = words_new(&stream, lava_device_lu_work_words(factors->type, factors->rows));
    const struct lava_device_lu lu = {
        .a = matrix_upload(&stream, &factors->a, &whole), .pivots = pivots.inner, .work = work.inner};
    assert_int_equal(lava_device_lu(&stream, &lu), LAVA_OK);
    matrix_download(&stream, &whole, &factors->lu);
    words_download(&stream, &pivots);
    words_download(&stream, &work);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    memcpy(factors->pivots, pivots.host + FACTORS_GUARD, (size_t)factors->order * sizeof *factors->pivots);
    lava_device_matrix_free(factors_engine, &whole);
    words_free(&pivots);
    words_free(&work);
    assert_true(matrix_frame_is_untouched(&factors->lu));
    enum lava_status status = lava_device_lu_check(factors_engine->device, factors->pivots, factors->order);
    for (int64_t i = 0; i < factors->order; i++) /* factors with a zero are right all the same */
        factors->pivots[i] &= ~LAVA_LU_TOO_SMALL;
    for (int64_t i = 0; i < factors->order; i++)
        if (factors->pivots[i] == 0 || factors->pivots[i] > factors->rows)
            fail_msg("%s, %lld x %lld: pivot %lld is %u", lava_type_name(factors->type),
                     (long long)factors->rows, (long long)factors->columns, (long long)i, factors->pivots[i]);
    return status == LAVA_ERROR_UNDERFLOW ? LAVA_OK : status;
}

void factors_run(struct factors *factors) {
    assert_int_equal(factors_try(factors), LAVA_OK);
}

int64_t *factors_permutation(const struct factors *factors) {
    int64_t *rows = malloc((size_t)factors->rows * sizeof *rows);
    assert_non_null(rows);
    for (int64_t i = 0; i < factors->rows; i++)
        rows[i] = i;
    for (int64_t i = 0; i < factors->order; i++) {
        int64_t swapped = rows[i];
        rows[i] = rows[factors->pivots[i] - 1];
        rows[factors->pivots[i] - 1] = swapped;
    }
    return rows;
}

struct value *factors_get(const struct factors *factors, bool lower) {
    int64_t order = factors->order, count = lower ? factors->rows : factors->columns;
    struct value *factor = calloc((size_t)(count * order), sizeof *factor);
    assert_non_null(factor);
    for (int64_t at = 0; at < count; at++)
        for (int64_t k = 0; k < order && k <= at; k++) {
            bool is_one = lower && k == at;
            struct value stored = lower ? matrix_get(&factors->lu, at, k) : matrix_get(&factors->lu, k, at);
            factor[at * order + k] = is_one ? (struct value){1, 0} : stored;
        }
    return factor;
}

long double factors_error(const struct factors *factors, long double *in_norm) {
    int64_t n = factors->order, *rows = factors_permutation(factors);
    long double unit = (long double)lava_type_facts(factors->type)->unit, norm = 0, error_norm = 0, worst = 0;
    struct value *l = factors_get(factors, true), *u = factors_get(factors, false);
    for (int64_t i = 0; i < factors->rows; i++)
        for (int64_t j = 0; j < factors->columns; j++) {
            struct value sum = matrix_get(&factors->a, rows[i], j);
            long double bound = 0, size = problem_size_of(sum);
            norm += size * size;
            for (int64_t k = 0; k < n && k <= i && k <= j; k++) {
                struct value a = l[i * n + k], b = u[j * n + k];
                sum.re -= a.re * b.re - a.im * b.im;
                sum.im -= a.re * b.im + a.im * b.re;
                bound += problem_size_of(a) * problem_size_of(b);
            }
            size = problem_size_of(sum);
            error_norm += size * size;
            worst = worst_of(worst, size == 0 ? 0 : size / (bound * unit));
        }
    *in_norm = error_norm == 0 ? 0 : sqrtl(error_norm / norm) / unit;
    free(l);
    free(u);
    free(rows);
    return worst;
}
