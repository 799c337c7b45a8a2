/* Matrix products by BLAS from C, each timed and checked. Linked with a BLAS and nothing else. LavaBLAS takes
 * part if it is preloaded; then the program asks it where each product ran.
 *
 *   sgemm [N ...]                                      the products below, then N x N x N for each N
 *   LD_PRELOAD=build/lib/liblavablas.so sgemm [N ...]
 *
 * Prints one line per product, fields separated by tabs: program, routine, order, product, m x n x k, where
 * it ran, why there, seconds (best of a few calls), error, its bound, PASS or FAIL. Exits with 1 on any FAIL.
 * The error is the largest |C - R| / G, where R = alpha op(A) op(B) + beta C0 and G = |alpha| |A| |B| +
 * |beta| |C0| in double precision. */
#include <cblas.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lavablas.h"

void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length);

/* Every element is checked up to this work (m n k). Above it only some rows and columns are checked: enough
 * for about SAMPLED_WORK, at least two and at most SAMPLED_LINES of each. */
#define FULL_CHECK_WORK 3e7
#define SAMPLED_WORK    1e8
#define SAMPLED_LINES   12
/* Calls are repeated for this time, at least twice. */
#define TIMED_SECONDS 0.3
#define TIMED_CALLS   200

struct product {
    const char *text;
    bool fortran, row_major; /* sgemm_ or cblas_sgemm */
    char transa, transb;
    int m, n, k;
    float alpha, beta;
};

/* clang-format off */
static const struct product products[] = {
    /* C <- text                fortran row    ops         m     n     k     alpha  beta */
    {"A B",                     false,  true,  'N', 'N',   64,   64,   64,   1,     0},
    {"A B",                     true,   false, 'N', 'N',   256,  256,  256,  1,     0},
    {"1.5 A' B - 0.5 C",        false,  true,  'T', 'N',   1000, 700,  500,  1.5f,  -0.5f},
    {"A B' + C",                false,  false, 'N', 'T',   1000, 700,  500,  1,     1},
    {"2 A' B'",                 true,   false, 'T', 'T',   1000, 700,  500,  2,     0},
    {"A B",                     true,   false, 'N', 'N',   2048, 2048, 2048, 1,     0},
};
/* clang-format on */

/* An operand with its transposition and order applied: element (i, j) is data[i * down + j * across]. */
struct matrix {
    float *data;
    int ld;
    ptrdiff_t down, across;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Uniform in [-1, 1). */
static float random_float(void) {
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(int)(state >> 8) * 0x1p-23f - 1;
}

static struct matrix new_matrix(int rows, int columns, bool by_rows) {
    struct matrix x = {.ld = by_rows ? columns : rows};
    x.down = by_rows ? x.ld : 1;
    x.across = by_rows ? 1 : x.ld;
    size_t elements = (size_t)rows * (size_t)columns;
    x.data = malloc(elements * sizeof *x.data);
    if (!x.data) {
        fputs("sgemm: out of memory\n", stderr);
        exit(2);
    }
    for (size_t i = 0; i < elements; i++)
        x.data[i] = random_float();
    return x;
}

static void multiply(const struct product *p, const struct matrix *a, const struct matrix *b,
                     const struct matrix *c) {
    if (p->fortran)
        sgemm_(&p->transa, &p->transb, &p->m, &p->n, &p->k, &p->alpha, a->data, &a->ld, b->data, &b->ld,
               &p->beta, c->data, &c->ld, 1, 1);
    else
        cblas_sgemm(p->row_major ? CblasRowMajor : CblasColMajor,
                    p->transa == 'N' ? CblasNoTrans : CblasTrans,
                    p->transb == 'N' ? CblasNoTrans : CblasTrans, p->m, p->n, p->k, p->alpha, a->data, a->ld,
                    b->data, b->ld, p->beta, c->data, c->ld);
}

/* C starts from C0 every time. With beta = 0 it starts from NaN, to detect elements that are not written. */
static double time_product(const struct product *p, const struct matrix *a, const struct matrix *b,
                           const struct matrix *c, const float *c0) {
    size_t elements = (size_t)p->m * (size_t)p->n;
    double best = INFINITY, total = 0;
    for (int calls = 0; calls < 2 || (calls < TIMED_CALLS && total < TIMED_SECONDS); calls++) {
        for (size_t i = 0; i < elements; i++)
            c->data[i] = p->beta == 0 ? NAN : c0[i];
        double start = now();
        multiply(p, a, b, c);
        double seconds = now() - start;
        total += seconds;
        best = fmin(best, seconds);
    }
    return best;
}

/* Distance between the checked rows, or columns. */
static int sampling_step(int lines, int length, int k) {
    double work = (double)length * k;
    return (int)(lines / fmax(2, fmin(SAMPLED_LINES, SAMPLED_WORK / work))) + 1;
}

static bool is_sampled(int line, int lines, int step) {
    return line == lines - 1 || line % step == 0;
}

/* The largest |C - R| / G; infinite if C is NaN. */
static double largest_error(const struct product *p, const struct matrix *a, const struct matrix *b,
                            const struct matrix *c, const float *c0) {
    bool full = (double)p->m * p->n * p->k <= FULL_CHECK_WORK;
    int row_step = sampling_step(p->m, p->n, p->k), column_step = sampling_step(p->n, p->m, p->k);
    double largest = 0;
    for (int j = 0; j < p->n; j++) {
        for (int i = 0; i < p->m; i++) {
            ptrdiff_t at = i * c->down + j * c->across;
            if (isnan(c->data[at]))
                return INFINITY;
            if (!full && !is_sampled(i, p->m, row_step) && !is_sampled(j, p->n, column_step))
                continue;
            const float *row = a->data + i * a->down, *column = b->data + j * b->across;
            double sum = 0, magnitude = 0;
            for (int l = 0; l < p->k; l++, row += a->across, column += b->down) {
                double term = (double)*row * (double)*column;
                sum += term;
                magnitude += fabs(term);
            }
            double r = (double)p->alpha * sum + (double)p->beta * (double)c0[at];
            double g = fabs((double)p->alpha) * magnitude + fabs((double)p->beta * (double)c0[at]);
            largest = fmax(largest, fabs((double)c->data[at] - r) / g);
        }
    }
    return largest;
}

/* Asks LavaBLAS, if it is in the process, where the last product ran and why. */
static void ask_where(const struct product *p, const char **place, const char **why) {
    int (*last_call)(struct lavablas_call *);
    struct lavablas_call call = {.size = sizeof call};
    *(void **)&last_call = dlsym(RTLD_DEFAULT, "lavablas_last_call");
    *place = "cpu";
    if (!last_call) {
        *why = "OpenBLAS alone";
        return;
    }
    bool told = last_call(&call) == 0 && call.m == (p->row_major ? p->n : p->m) &&
                call.n == (p->row_major ? p->m : p->n) && call.k == p->k;
    *why = told ? call.reason : "forwarded unseen";
    if (told)
        *place = call.place;
}

/* Returns whether the error is within its bound. */
static bool run(const struct product *p) {
    struct matrix a = new_matrix(p->m, p->k, p->row_major == (p->transa == 'N'));
    struct matrix b = new_matrix(p->k, p->n, p->row_major == (p->transb == 'N'));
    struct matrix c0 = new_matrix(p->m, p->n, p->row_major);
    struct matrix c = new_matrix(p->m, p->n, p->row_major);
    double seconds = time_product(p, &a, &b, &c, c0.data);
    double error = largest_error(p, &a, &b, &c, c0.data), bound = 4 * sqrt(p->k + 2.0) * 0x1p-24;
    bool passed = error <= bound;
    const char *place, *why;
    ask_where(p, &place, &why);
    printf("C\t%s\t%s\t%s\t%dx%dx%d\t%s\t%s\t%.9f\t%.1e\t%.1e\t%s\n", p->fortran ? "sgemm_" : "cblas_sgemm",
           p->row_major ? "row" : "col", p->text, p->m, p->n, p->k, place, why, seconds, error, bound,
           passed ? "PASS" : "FAIL");
    fflush(stdout);
    free(a.data);
    free(b.data);
    free(c0.data);
    free(c.data);
    return passed;
}

int main(int argc, char **argv) {
    bool passed = true;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        passed &= run(&products[i]);
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i]);
        if (n < 1 || n > 46340) {
            fprintf(stderr, "usage: sgemm [N ...], N from 1 to 46340\n");
            return 2;
        }
        struct product square = {"A B", i % 2, !(i % 2), 'N', 'N', n, n, n, 1, 0};
        passed &= run(&square);
    }
    return passed ? 0 : 1;
}
