/* The table of kinds. It alone includes the files of all kinds, and nothing includes it. */
#include "dispatch/bidiagonal.h"
#include "dispatch/divide.h"
#include "dispatch/eigen.h"
#include "dispatch/factorization.h"
#include "dispatch/generalized.h"
#include "dispatch/inverse_plan.h"
#include "dispatch/kinds.h"
#include "dispatch/pivoted_qr.h"
#include "dispatch/product_plan.h"
#include "dispatch/qr.h"
#include "dispatch/sharing.h"
#include "dispatch/singular.h"
#include "dispatch/solve.h"
#include "dispatch/tridiagonal.h"
#include "dispatch/vector_plan.h"

/* What all rows of a group share. */
#define OF_A_PRODUCT                                                                                         \
    .doubles = true, .flops = lava_operation_product_flops, .operand_bytes = lava_operation_product_bytes,   \
    .work = lava_operation_product_work, .reads = lava_operation_operand_read,                               \
    .overlaps = lava_operation_operands_overlap
#define OF_A_MATRIX                                                                                          \
    .is_lapack = true, .operand_bytes = lava_operation_matrix_bytes, .work = lava_operation_matrix_work,     \
    .overlaps = lava_operation_sides_overlap
#define OF_FACTORS                                                                                           \
    OF_A_MATRIX, .has_factors = true, .steps = lava_factorization_steps, .reads = lava_factorization_reads,  \
                 .plan = lava_factorization_plan
#define OF_INVERSES                                                                                          \
    OF_A_MATRIX, .flops = lava_inverse_flops, .reads = lava_operation_matrix_read, .replaces = true,         \
                 .plan = lava_inverse_plan
#define OF_QR OF_A_MATRIX, .flops = lava_qr_flops, .plan = lava_qr_plan
#define OF_Q                                                                                                 \
    .is_lapack = true, .flops = lava_qr_product_flops, .operand_bytes = lava_qr_product_bytes,               \
    .work = lava_operation_matrix_work, .overlaps = lava_operation_operands_overlap, .plan = lava_qr_plan
#define OF_VALUES                                                                                            \
    .is_lapack = true, .reduces = true, .has_values = true, .work = lava_operation_matrix_work,              \
    .flops = lava_eigen_flops, .plan = lava_eigen_plan
#define OF_EIGEN                                                                                             \
    OF_VALUES, .operand_bytes = lava_operation_matrix_bytes, .overlaps = lava_operation_sides_overlap
#define OF_A_PENCIL                                                                                          \
    OF_VALUES, .has_second = true, .operand_bytes = lava_generalized_operand_bytes,                          \
               .overlaps = lava_operation_second_overlaps
#define OF_SINGULAR                                                                                          \
    OF_A_MATRIX, .is_singular = true, .has_values = true, .flops = lava_singular_flops,                      \
                 .steps = lava_singular_steps, .plan = lava_singular_plan
#define OF_DIVIDE                                                                                            \
    .is_lapack = true, .has_values = true, .of_tridiagonal = true, .work = lava_operation_matrix_work,       \
    .flops = lava_divide_flops, .operand_bytes = lava_divide_operand_bytes,                                  \
    .overlaps = lava_operation_sides_overlap, .plan = lava_divide_plan
#define OF_A_VECTOR                                                                                          \
    .is_vector = true, .flops = lava_vector_plan_flops, .operand_bytes = lava_vector_plan_bytes,             \
    .work = lava_vector_plan_work, .reads = lava_vector_plan_reads, .overlaps = lava_vector_plan_overlaps,   \
    .plan = lava_vector_plan
#define TIMED_BY(name) .family = LAVA_CPU_FAMILY_##name
#define IS_TIMED(name) TIMED_BY(name), .is_timed = true

/* cpu: a factorization has a share of the product's time. Each of its columns has a time of its own, while
 * threads wait for each other around a panel, and reads the rows that are left. Fitted to two machines with
 * 16 cores of an H100's Xeon, OpenBLAS 0.3.26 (perf/crossover --families, 2026-11-27). Measured on the slower
 * one, ms, and in parentheses what these numbers give for the products measured there (dgemm 2179 at 8192, 35
 * at 2048; sgemm 1046 and 18.1):
 *
 *              512        2048         8192         8192 x 512
 *     dpotrf   1.4 (1.5)  18.9 (15.1)   507 (421)
 *     spotrf   1.6 (1.4)  15.0 (12.7)   257 (263)
 *     dgetrf   3.7 (3.1)  31.6 (26.6)   839 (794)   23.2 (18.4)
 *     sgetrf   2.7 (3.0)  20.8 (21.6)   430 (454)   17.3 (16.5)
 *     dgeqrf   5.9 (6.0)   117 (113)   4690 (5850)  49.5 (52.1)
 *     sgeqrf   5.2 (5.0)  92.8 (68.7)  2660 (2910)  35.3 (35.2)
 *     dgetri   2.5 (3.1)  59.6 (53.4)  2180 (2250)
 *     sgetri   2.9 (2.7)  35.3 (38.2)  1290 (1230)
 *     dpotri   2.1 (2.0)  40.3 (28.6)  1020 (1060)
 *     spotri   2.1 (1.9)  21.1 (21.8)   463 (603)
 *
 *              512        2048         4096
 *     dsytrd   6.8 (7.0)   143 (149)   1067 (987)
 *     ssytrd   5.6 (6.0)  82.9 (91)     505 (544)
 *
 * ?sytrd is of NumPy's OpenBLAS 0.3.34 on another machine (2026-11-28), whose products took 28.8 (dgemm) and
 * 15.4 (sgemm) at 2048, 213 and 110 at 4096. On the same machine numpy.linalg.eigvalsh and eigh took, ms:
 *
 *                  512          1024         2048        4096
 *     dsyevd N     14.3 (13.3)  53.4 (55)    272 (250)   1407 (1390)
 *     dsyevd V                  94.8 (104)   491 (495)   2806 (2710)
 *
 * and numpy.linalg.svdvals, svd and lstsq of another one with 16 cores (2026-11-27):
 *
 *                  2048         4096
 *     dgesdd N     898          4800
 *     dgesdd S     1755         9907
 *     dgelsd       1002
 *
 * ?gebrd's numbers are a starting value: dgesdd N without the values of B, 1.8 s at 4096 by them.
 *
 * A second matrix adds ?potrf, ?sygst and a solve, 0.28, 0.65 and 0.55 of a product for order 1024 in cfp64, by
 * one thread (SciPy's OpenBLAS, x86-64, 2026-11-28).
 *
 * ?orgqr takes as long as ?geqrf. ?ormqr is what ?gels takes beside ?geqrf, 3.4 ms at 512 and 38 at 2048.
 * Half of ?geqp3 is products with one vector at a time, which read what is left of the matrix for each
 * column: more threads do not help these. Its share is fitted to SciPy's OpenBLAS with 16 cores, dgeqp3 233
 * (223) ms at 2048 and 18.3 (24) at 8000 x 192; at 1024 it took 90 (37), on another machine 1.43 times an
 * H200's 27 (perf/results/2026-11-28-nvidia-h200-singular.txt, and -values.txt).
 *
 * ?stedc's are what the times of eigvalsh, eigh and ?sytrd above leave for it; those of V, which multiplies
 * at each merge, are reckoned. ?trtri and ?lauum are expected to take half of ?potri, which calls both. */
// clang-format off
const struct lava_kind lava_kinds[LAVA_OPERATION_KINDS] = {
    [LAVA_OPERATION_PRODUCT]         = {"", OF_A_PRODUCT, .is_product = true, .plan = lava_product_plan,
                                        .share = lava_sharing_product},
    [LAVA_OPERATION_SOLVE]           = {"solve", OF_A_PRODUCT, .solves = true, .plan = lava_solve_plan,
                                        .share = lava_sharing_solve, IS_TIMED(TRSM)},

    [LAVA_OPERATION_CHOLESKY]        = {"Cholesky", .cpu = {0.14, 1.9e3, 3}, IS_TIMED(POTRF), OF_FACTORS,
                                        .flops = lava_factorization_cholesky_flops},
    [LAVA_OPERATION_LU]              = {"LU", .cpu = {0.3, 4.8e3, 3}, IS_TIMED(GETRF), OF_FACTORS,
                                        .flops = lava_factorization_lu_flops, .pivots = true},

    [LAVA_OPERATION_QR]              = {"QR", .cpu = {2.6, 6.5e3, 4}, IS_TIMED(GEQRF), OF_QR,
                                        .qr.factors = true, .steps = lava_qr_steps, .wide_text = "LQ"},
    [LAVA_OPERATION_QR_FORM]         = {"Q of QR", .cpu = {2.6, 6.5e3, 4}, TIMED_BY(GEQRF), OF_QR,
                                        .qr.forms = true},
    [LAVA_OPERATION_QR_LEFT]         = {"Q of QR left", .cpu = {1, 4e3, 12}, TIMED_BY(GEQRF), OF_Q,
                                        .qr.multiplies = true},
    [LAVA_OPERATION_QR_RIGHT]        = {"Q of QR right", .cpu = {1, 4e3, 12}, TIMED_BY(GEQRF), OF_Q,
                                        .qr = {.multiplies = true, .on_right = true}},

    [LAVA_OPERATION_INVERT_TRIANGLE] = {"inverse", .cpu = {0.2, 1e3, 2.5}, TIMED_BY(POTRI), OF_INVERSES,
                                        .inverse.inverts = true},
    [LAVA_OPERATION_SQUARE_TRIANGLE] = {"square", .cpu = {0.2, 1e3, 2.5}, TIMED_BY(POTRI), OF_INVERSES,
                                        .inverse.squares = true},
    [LAVA_OPERATION_INVERT_CHOLESKY] = {"inverse by Cholesky", .cpu = {0.4, 2e3, 5}, IS_TIMED(POTRI), OF_INVERSES,
                                        .inverse = {.inverts = true, .squares = true}},
    [LAVA_OPERATION_INVERT_LU]       = {"inverse by LU", .cpu = {0.9, 2.5e3, 8}, IS_TIMED(GETRI), OF_INVERSES,
                                        .inverse = {.inverts = true, .solves = true}, .pivots = true},

    [LAVA_OPERATION_MATRIX_VECTOR]   = {"vector", OF_A_VECTOR},
    [LAVA_OPERATION_TRIANGLE_VECTOR] = {"triangle times vector", OF_A_VECTOR},
    [LAVA_OPERATION_SOLVE_VECTOR]    = {"solve for a vector", OF_A_VECTOR, .divides = true},
    [LAVA_OPERATION_TRIDIAGONAL]     = {"tridiagonal", .cpu = {4.3, 7e3, 5}, IS_TIMED(SYTRD), OF_A_MATRIX,
                                        .reduces = true, .flops = lava_tridiagonal_flops, .plan = lava_tridiagonal_plan},
    [LAVA_OPERATION_FACTORS_VECTOR]  = {"solve by factors for a vector", OF_A_VECTOR, .divides = true, .by_factors = true},
    [LAVA_OPERATION_EIGENVALUES]     = {"eigenvalues", .cpu = {4.3, 7e3, 53}, TIMED_BY(SYTRD), OF_EIGEN},
    [LAVA_OPERATION_EIGENVECTORS]    = {"eigenvectors", .cpu = {7.9, 7e3, 122}, TIMED_BY(SYTRD), OF_EIGEN,
                                        .has_vectors = true},
    [LAVA_OPERATION_GENERALIZED_VALUES]  = {"generalized eigenvalues", .cpu = {5.3, 9e3, 60}, TIMED_BY(SYTRD), OF_A_PENCIL},
    [LAVA_OPERATION_GENERALIZED_VECTORS] = {"generalized eigenvectors", .cpu = {9.5, 9e3, 130}, TIMED_BY(SYTRD), OF_A_PENCIL,
                                        .has_vectors = true},
    [LAVA_OPERATION_PIVOTED_QR]      = {"pivoted QR", .cpu = {7, 6.5e3, 4}, TIMED_BY(GEQRF), OF_A_MATRIX,
                                        .orders_columns = true, .flops = lava_qr_flops, .plan = lava_pivoted_qr_plan},
    [LAVA_OPERATION_SINGULAR_VALUES] = {"singular values", .cpu = {12.7, 9e3, 245}, TIMED_BY(SYTRD), OF_SINGULAR},
    [LAVA_OPERATION_SINGULAR_VECTORS] = {"singular vectors", .cpu = {29.9, 9e3, 418}, TIMED_BY(SYTRD), OF_SINGULAR,
                                        .has_vectors = true},
    [LAVA_OPERATION_DIVIDE_VALUES]   = {"tridiagonal eigenvalues", .cpu = {0.001, 0, 48}, OF_DIVIDE},
    [LAVA_OPERATION_DIVIDE_VECTORS]  = {"tridiagonal eigenvectors", .cpu = {1.5, 0, 120}, OF_DIVIDE, .has_vectors = true},
    [LAVA_OPERATION_DIVIDE_TIMES]    = {"times tridiagonal eigenvectors", .cpu = {4, 0, 150}, OF_DIVIDE,
                                        .has_vectors = true, .times_c = true},
    [LAVA_OPERATION_BIDIAGONAL]      = {"bidiagonal", .cpu = {6, 9e3, 60}, TIMED_BY(SYTRD), OF_A_MATRIX,
                                        .is_bidiagonal = true, .flops = lava_bidiagonal_flops, .plan = lava_bidiagonal_plan},
};
// clang-format on
