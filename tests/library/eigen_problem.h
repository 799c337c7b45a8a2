/* Hermitian matrices of many kinds, and what a call with one has, for tests of eigenvalues. Included after
 * family_tests.h's needs: cmocka.h and poison.h. */
#ifndef LAVA_TESTS_EIGEN_PROBLEM_H
#define LAVA_TESTS_EIGEN_PROBLEM_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/library/family_tests.h"
#include "tests/library/naive.h"
#include "tests/library/poison.h"

#define UPPER 121
#define LOWER 122

enum fill {
    RANDOM,
    ZERO,
    IDENTITY,
    DIAGONAL,
    CLUSTERED,
    WILKINSON,
    HILBERT,
    LOW_RANK,
    GRADED,
    HUGE_ONES,
    TINY,
    WITH_NAN,
    FILLS
};

/* A call: the matrix and its results, with guards. */
struct problem {
    enum lava_type type;
    bool is_lower;
    char job, range;
    double low, high;     /* of values */
    int64_t first, count; /* by index, from 0 on */
    int64_t n, ld, ldz;
    size_t bytes, bytes_z, bytes_w;
    char *before, *now, *w, *z;
    int64_t found, *support, info;
};

static inline struct naive_number eigen_element(enum lava_type type, enum fill fill, int64_t i, int64_t j,
                                                int64_t n) {
    bool is_fp32 = lava_type_real(type) == LAVA_TYPE_FP32;
    struct naive_number value = {(poison_random(2001) - 1000) / 1000.0L,
                                 (poison_random(2001) - 1000) / 1000.0L};
    long double scale = 1;
    switch (fill) {
    case ZERO:
        return (struct naive_number){0, 0};
    case IDENTITY:
        return (struct naive_number){i == j, 0};
    case DIAGONAL:
        scale = i == j;
        break;
    case CLUSTERED: /* all but a few eigenvalues near 1 */
        scale = i == j ? 0 : i + j == n ? 1 : is_fp32 ? 1e-6L : 1e-14L;
        value.real = i == j ? 1 : value.real * scale;
        value.imaginary = i == j ? 0 : value.imaginary * scale;
        return value;
    case WILKINSON:
        return (struct naive_number){i == j ? fabsl((n - 1) / 2.0L - (long double)i) : llabs(i - j) == 1, 0};
    case HILBERT:
        return (struct naive_number){1.0L / (long double)(i + j + 1), 0};
    case LOW_RANK:
        return (struct naive_number){(long double)((i % 3 + 1) * (j % 3 + 1)) / 9, 0};
    case GRADED:
        scale = powl(10, -(long double)(i + j) * (is_fp32 ? 4 : 10) / (long double)n);
        break;
    case HUGE_ONES:
        scale = is_fp32 ? FLT_MAX / 1e6L : DBL_MAX / 1e6L;
        break;
    case TINY:
        scale = is_fp32 ? FLT_MIN * 10 : DBL_MIN * 10;
        break;
    default:
        break;
    }
    value.real *= scale;
    value.imaginary *= scale;
    return value;
}

static inline struct problem new_problem(enum lava_type type, int uplo, int64_t n, enum fill fill) {
    struct problem p = {.type = type,
                        .is_lower = uplo == LOWER,
                        .job = 'V',
                        .range = 'A',
                        .n = n,
                        .ld = n + 1 + poison_random(4),
                        .ldz = n + 1 + poison_random(4),
                        .found = UNTOUCHED,
                        .info = UNTOUCHED};
    p.bytes = (size_t)(p.ld * n) * lava_type_bytes(type);
    p.bytes_z = (size_t)(p.ldz * n) * lava_type_bytes(type);
    p.bytes_w = (size_t)(n + 1) * lava_type_bytes(lava_type_real(type));
    p.before = poison_new(p.bytes + 1);
    p.now = poison_new(p.bytes + 1);
    p.z = poison_new(p.bytes_z + 1);
    p.w = poison_new(p.bytes_w);
    p.support = poison_new((size_t)(2 * n + 1) * sizeof(int64_t));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            struct naive_number value = eigen_element(type, fill, i, j, n);
            if (fill == WITH_NAN && i == n / 2 && j == n / 2)
                value.real = NAN;
            if (p.is_lower ? i >= j : i <= j)
                naive_write(type, p.now, i + j * p.ld, value);
        }
    memcpy(p.before, p.now, p.bytes);
    return p;
}

/* A second matrix, with guards. What is not stored is NaN. */
struct second {
    int itype;
    bool is_ill;
    int64_t ld;
    size_t bytes;
    char *before, *now;
};

/* Near to a multiple of the unit matrix, or, if it is ill, to one of ones. */
static inline struct second new_second(const struct problem *p, int itype, bool is_ill) {
    struct second b = {.itype = itype, .is_ill = is_ill, .ld = p->n + 1 + poison_random(4)};
    bool is_fp32 = lava_type_real(p->type) == LAVA_TYPE_FP32;
    b.bytes = (size_t)(b.ld * p->n) * lava_type_bytes(p->type);
    b.before = poison_new(b.bytes + 1);
    b.now = poison_new(b.bytes + 1);
    for (int64_t at = 0; at < b.ld * p->n; at++) {
        int64_t i = at % b.ld, j = at / b.ld;
        const long double noise = (poison_random(2001) - 1000) / 1000.0L / (long double)p->n,
                          other = (poison_random(2001) - 1000) / 1000.0L / (long double)p->n;
        struct naive_number value = {noise + (i == j ? 2 : 0), other};
        if (is_ill)
            value = (struct naive_number){1 + (i == j ? (is_fp32 ? 1e-3L : 1e-8L) * (2 + noise) : 0), 0};
        if (i < p->n && (p->is_lower ? i >= j : i <= j))
            naive_write(p->type, b.before, at, value);
    }
    memcpy(b.now, b.before, b.bytes);
    return b;
}

static inline void free_second(struct second *b) {
    free(b->before);
    free(b->now);
}

static inline void free_problem(struct problem *p) {
    free(p->before);
    free(p->now);
    free(p->w);
    free(p->z);
    free(p->support);
}

#endif
