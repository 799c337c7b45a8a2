/* Computes a triangle with the CPU BLAS's ?gemm. Called by cpu_blas.c, and by lib/blas/triangle_call.c for
 * its halves.
 *
 * The triangle is cut into halves rather than columns, so that the rectangles are as large as they can be. A
 * small triangle is computed as a whole square into its own memory, and half of the square is written back to
 * C. Squares of 64 columns were the best of 32, 64, 128 and 256 (OpenBLAS 0.3.29, 2 cores). n x n x n/2 with
 * n = 500, 1000, 2000, 4000 takes 0.86, 0.74, 0.68, 0.60 of the whole sgemm's time; OpenBLAS's own sgemmt
 * takes 3.4, 2.9, 3.5, 3.1. */
#include "lib/host/cpu_triangle.h"

#include <stdlib.h>

#include "lib/host/copy_pool.h"
#include "lib/host/cpu_help.h"

#define SQUARE 64

static int64_t first_half(int64_t size) {
    return size < 2 * SQUARE ? size / 2 : (size / 2 + SQUARE - 1) / SQUARE * SQUARE;
}

struct lava_operation lava_cpu_triangle_rectangle(const struct lava_operation *triangle) {
    int64_t first = first_half(triangle->n), second = triangle->n - first;
    return triangle->c.region == LAVA_REGION_LOWER ? lava_operation_block(triangle, first, second, 0, first)
                                                   : lava_operation_block(triangle, 0, first, first, second);
}

void lava_cpu_triangle_halves(const struct lava_operation *triangle, struct lava_operation halves[2]) {
    int64_t first = first_half(triangle->n), second = triangle->n - first;
    halves[0] = lava_operation_block(triangle, 0, first, 0, first);
    halves[1] = lava_operation_block(triangle, first, second, first, second);
}

struct products {
    const struct lava_cpu_blas *blas;
    lava_cpu_triangle_product *run;
};

/* `square` has room for all of C. */
static void run_square(const struct products *products, const struct lava_operation *triangle, void *square) {
    struct lava_operation product = *triangle;
    product.c.region = LAVA_REGION_ALL;
    product.c.real_diagonal = product.b_is_a = false;
    product.beta.real = product.beta.imaginary = 0;
    product.c.first = square;
    product.c.ld = triangle->n;
    products->run(products->blas, &product);
    const struct lava_copy copy = {.source = square,
                                   .source_ld = triangle->n,
                                   .target = triangle->c.first,
                                   .target_ld = triangle->c.ld,
                                   .rows = triangle->n,
                                   .columns = triangle->n};
    const struct lava_write_back how = {.source_type = triangle->c.type,
                                        .target_type = triangle->c.type,
                                        .beta = triangle->beta,
                                        .region = {.region = triangle->c.region, .rows = triangle->n},
                                        .real_diagonal = triangle->c.real_diagonal};
    lava_copy_pool_write_back_alone(&copy, &how);
}

static void run(const struct products *products, const struct lava_operation *triangle, void *square) {
    int64_t info;
    if (lava_cpu_help_takes(products->blas, triangle, &info))
        return;
    if (triangle->n <= SQUARE) {
        run_square(products, triangle, square);
        return;
    }
    const struct lava_operation rectangle = lava_cpu_triangle_rectangle(triangle);
    struct lava_operation halves[2];
    lava_cpu_triangle_halves(triangle, halves);
    products->run(products->blas, &rectangle);
    run(products, &halves[0], square);
    run(products, &halves[1], square);
}

void lava_cpu_triangle_run(const struct lava_cpu_blas *blas, lava_cpu_triangle_product *run_product,
                           const struct lava_operation *triangle) {
    const struct products products = {blas, run_product};
    struct lava_operation product = *triangle;
    /* sized for the largest elements; on the stack, so that nothing can fail here */
    _Alignas(64) char square[SQUARE * SQUARE * 16];
    if (lava_operation_is_trivial(triangle))
        product.k = 0; /* with alpha = 0, OpenBLAS 0.3.21 reads A and B of small products */
    if (triangle->n > 0)
        run(&products, &product, square);
}
