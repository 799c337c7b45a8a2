/* The calls of the soak: a table of routines of all families, and problems whose results are known. Elements
 * are small integers, so that products are exact in every type and on every device; the matrices of systems
 * and of least squares are well conditioned, and their solutions are integers, compared with a tolerance.
 * Triangles that a routine must not read hold NaN, and so do the gaps between columns. Independent of the
 * code of the library under test. */
#ifndef LAVA_PERF_SOAK_SOAK_PROBLEM_H
#define LAVA_PERF_SOAK_SOAK_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

enum soak_family {
    SOAK_GEMM,
    SOAK_SYMM,
    SOAK_SYRK,
    SOAK_SYR2K,
    SOAK_TRMM,
    SOAK_TRSM,
    SOAK_BATCH,
    SOAK_POSV,
    SOAK_GESV,
    SOAK_GELS,
    SOAK_FAMILIES
};
enum soak_type { SOAK_FP32, SOAK_FP64, SOAK_CFP32, SOAK_CFP64, SOAK_FP16, SOAK_BF16 };

struct soak_routine {
    const char *name;
    enum soak_family family;
    enum soak_type type; /* of A and B; C is fp32 if it is half precision */
};

/* Column-major. */
struct soak_problem {
    const struct soak_routine *routine;
    int m, n, k, lda, ldb, ldc, count; /* count: products of a batch */
    char transa, transb;
    double alpha, beta;
    size_t a_bytes, c_bytes;
    void *a, *b, *c;  /* c: what is written, before the call. B is NULL if the family has none */
    double *expected; /* c after the call; complex numbers are two */
    double tolerance; /* 0: exact */
};

/* What a thread needs for its calls. */
struct soak_room {
    void *a, *c; /* A is overwritten by the solvers */
    void *work;
    int *pivots;
};

enum soak_outcome { SOAK_RIGHT, SOAK_WRONG, SOAK_LOST };

extern const struct soak_routine soak_routines[];
extern const int soak_routine_count;
extern const char *const soak_family_names[SOAK_FAMILIES];

/* Makes a problem of order `most` at most. Exits when out of memory. */
struct soak_problem *soak_problem_new(const struct soak_routine *routine, int most, unsigned *seed);
void soak_problem_free(struct soak_problem *problem);

/* Room for any of these problems. Returns false when out of memory. */
bool soak_room_init(struct soak_room *room, struct soak_problem *const *problems, int count);
void soak_room_finish(struct soak_room *room);
/* Calls the routine. Returns LAPACK's info; 0 for other routines. */
int soak_call(const struct soak_problem *problem, struct soak_room *room);
/* SOAK_LOST: the call has written nothing. A wrong element is printed on stderr. */
enum soak_outcome soak_check(const struct soak_problem *problem, const struct soak_room *room, int info);

#endif
