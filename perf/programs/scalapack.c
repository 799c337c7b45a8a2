/* Times ScaLAPACK's pdgemm, pdgesv, pdpotrf and pdsyevd under MPI, and checks each result. Run by perf/ranks.
 *
 *   mpirun -n RANKS scalapack [--library PATH] [--routines pdgemm,pdgesv] [--orders 4096] [--blocks 64,128]
 *       [--prepare 0]
 *
 * ScaLAPACK is opened when the program starts, so neither it nor MPI is needed to compile this: the BLACS
 * bring up MPI. PATH is a library of ScaLAPACK for the MPI of this mpirun; without one, names of Debian's and
 * others are tried. Ranks form a grid that is as square as their number allows, and matrices are cut into
 * square blocks.
 *
 * Matrices are functions of the element's place, so each rank fills its own part, and A is filled anew for a
 * check. The checks need n^2 operations: they multiply a vector by pdgemv and pdtrmv. A problem of
 * --prepare's order and the last block size comes first and is not timed, so that a device is ready after it.
 * Prints a line for each problem, and FAIL if a scaled residual exceeds HPL's threshold. Exit status 77:
 * there is no ScaLAPACK. */
#include <dlfcn.h>
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../library.h"

#define THRESHOLD 16 /* HPL's */

/* Fortran's, with the length of each string at the end, which routines in C ignore. */
typedef int descriptor[9];
static struct {
    void (*pinfo)(int *rank, int *ranks);
    void (*get)(const int *context, const int *what, int *value);
    void (*gridinit)(int *context, const char *order, const int *rows, const int *columns, size_t);
    void (*gridinfo)(const int *context, int *rows, int *columns, int *row, int *column);
    void (*barrier)(const int *context, const char *scope, size_t);
    void (*finish)(const int *keeps_mpi);
    int (*numroc)(const int *n, const int *block, const int *coordinate, const int *source, const int *count);
    void (*descinit)(int *descriptor, const int *m, const int *n, const int *mb, const int *nb,
                     const int *row, const int *column, const int *context, const int *ld, int *info);
    void (*gemv)(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
                 const int *ia, const int *ja, const int *desca, const double *x, const int *ix,
                 const int *jx, const int *descx, const int *incx, const double *beta, double *y,
                 const int *iy, const int *jy, const int *descy, const int *incy, size_t);
    void (*trmv)(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
                 const int *ia, const int *ja, const int *desca, double *x, const int *ix, const int *jx,
                 const int *descx, const int *incx, size_t, size_t, size_t);
    double (*lange)(const char *norm, const int *m, const int *n, const double *a, const int *ia,
                    const int *ja, const int *desca, double *work, size_t);
    void (*gemm)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                 const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
                 const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
                 double *c, const int *ic, const int *jc, const int *descc, size_t, size_t);
    void (*gesv)(const int *n, const int *nrhs, double *a, const int *ia, const int *ja, const int *desca,
                 int *pivots, double *b, const int *ib, const int *jb, const int *descb, int *info);
    void (*potrf)(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca,
                  int *info, size_t);
    void (*syevd)(const char *jobz, const char *uplo, const int *n, double *a, const int *ia, const int *ja,
                  const int *desca, double *w, double *z, const int *iz, const int *jz, const int *descz,
                  double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
} call;

static const struct {
    const char *name;
    void *slot;
} symbols[] = {
    {"blacs_pinfo_", &call.pinfo},
    {"blacs_get_", &call.get},
    {"blacs_gridinit_", &call.gridinit},
    {"blacs_gridinfo_", &call.gridinfo},
    {"blacs_barrier_", &call.barrier},
    {"blacs_exit_", &call.finish},
    {"numroc_", &call.numroc},
    {"descinit_", &call.descinit},
    {"pdgemv_", &call.gemv},
    {"pdtrmv_", &call.trmv},
    {"pdlange_", &call.lange},
    {"pdgemm_", &call.gemm},
    {"pdgesv_", &call.gesv},
    {"pdpotrf_", &call.potrf},
    {"pdsyevd_", &call.syevd},
};

static const int zero = 0, one = 1;
static const double plus = 1, minus = -1, none = 0;

/* The grid of processes, and this one's place in it. */
static struct { int context, rank, ranks, rows, columns, row, column; } grid;

/* This rank's part of a matrix. */
struct matrix {
    int m, n, block, local_m, local_n;
    descriptor shape;
    double *values;
};

enum kind { GENERAL, SYMMETRIC, DEFINITE };

static double seconds; /* the last problem's */

_Noreturn static void fail(const char *what) {
    fprintf(stderr, "scalapack: %s\n", what);
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = malloc(count * size + 1);
    if (!memory)
        fail("no memory");
    return memory;
}

static struct matrix new_matrix(int m, int n, int block) {
    struct matrix matrix = {.m = m, .n = n, .block = block};
    int info;
    matrix.local_m = call.numroc(&m, &block, &grid.row, &zero, &grid.rows);
    matrix.local_n = call.numroc(&n, &block, &grid.column, &zero, &grid.columns);
    int ld = matrix.local_m > 1 ? matrix.local_m : 1;
    call.descinit(matrix.shape, &m, &n, &block, &block, &zero, &zero, &grid.context, &ld, &info);
    if (info)
        fail("descinit");
    matrix.values = allocate((size_t)ld * (size_t)(matrix.local_n > 0 ? matrix.local_n : 1), sizeof(double));
    return matrix;
}

static int global_row(const struct matrix *matrix, int i) {
    return (i / matrix->block * grid.rows + grid.row) * matrix->block + i % matrix->block;
}

static int global_column(const struct matrix *matrix, int j) {
    return (j / matrix->block * grid.columns + grid.column) * matrix->block + j % matrix->block;
}

/* Uniform in [-0.5, 0.5), by the mixer of splitmix64. */
static double value_of(uint64_t key) {
    key *= 0x9e3779b97f4a7c15u;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return (double)((key ^ (key >> 31)) >> 11) * 0x1p-53 - 0.5;
}

static void fill(struct matrix *matrix, enum kind kind, uint64_t seed) {
    for (int j = 0; j < matrix->local_n; j++) {
        double *column = &matrix->values[(size_t)j * (size_t)matrix->local_m];
        uint64_t global_j = (uint64_t)global_column(matrix, j);
        for (int i = 0; i < matrix->local_m; i++) {
            uint64_t global_i = (uint64_t)global_row(matrix, i), high = global_i, low = global_j;
            if (kind != GENERAL && high < low)
                high = global_j, low = global_i;
            column[i] = value_of((seed << 50) + (high << 25) + low + 1);
            if (kind == DEFINITE && high == low)
                column[i] += matrix->n;
        }
    }
}

static struct matrix new_filled(int m, int n, int block, enum kind kind, uint64_t seed) {
    struct matrix matrix = new_matrix(m, n, block);
    fill(&matrix, kind, seed);
    return matrix;
}

static struct matrix new_copy(const struct matrix *from) {
    struct matrix copy = new_matrix(from->m, from->n, from->block);
    memcpy(copy.values, from->values, (size_t)from->local_m * (size_t)from->local_n * sizeof(double));
    return copy;
}

/* 'I': the largest sum of a row, 'M': the largest element. */
static double norm(const char *which, const struct matrix *matrix) {
    double *work = allocate((size_t)matrix->local_m + (size_t)matrix->block, sizeof(double));
    double value =
        call.lange(which, &matrix->m, &matrix->n, matrix->values, &one, &one, matrix->shape, work, 1);
    free(work);
    return value;
}

/* y <- beta y + alpha op(A) x */
static void multiply(const char *trans, double alpha, const struct matrix *a, const struct matrix *x,
                     double beta, struct matrix *y) {
    call.gemv(trans, &a->m, &a->n, &alpha, a->values, &one, &one, a->shape, x->values, &one, &one, x->shape,
              &one, &beta, y->values, &one, &one, y->shape, &one, 1);
}

static void start(void) {
    call.barrier(&grid.context, "A", 1);
    seconds = library_now();
}

static void stop(void) {
    call.barrier(&grid.context, "A", 1);
    seconds = library_now() - seconds;
}

/* C x is compared with A (B x). */
static double run_gemm(int n, int block) {
    struct matrix a = new_filled(n, n, block, GENERAL, 1), b = new_filled(n, n, block, GENERAL, 2),
                  c = new_filled(n, n, block, GENERAL, 3), x = new_filled(n, 1, block, GENERAL, 4),
                  y = new_filled(n, 1, block, GENERAL, 5), z = new_filled(n, 1, block, GENERAL, 6);
    start();
    call.gemm("N", "N", &n, &n, &n, &plus, a.values, &one, &one, a.shape, b.values, &one, &one, b.shape,
              &none, c.values, &one, &one, c.shape, 1, 1);
    stop();
    multiply("N", plus, &b, &x, none, &y);
    multiply("N", plus, &c, &x, none, &z);
    multiply("N", minus, &a, &y, plus, &z);
    double residual = norm("M", &z) / (DBL_EPSILON / 2 * n * norm("I", &a) * norm("M", &x));
    free(a.values), free(b.values), free(c.values), free(x.values), free(y.values), free(z.values);
    return residual;
}

/* HPL's residual. */
static double run_gesv(int n, int block) {
    struct matrix a = new_filled(n, n, block, GENERAL, 1), b = new_filled(n, 1, block, GENERAL, 2),
                  x = new_copy(&b);
    int *pivots = allocate((size_t)a.local_m + (size_t)block, sizeof(int)), info;
    start();
    call.gesv(&n, &one, a.values, &one, &one, a.shape, pivots, x.values, &one, &one, x.shape, &info);
    stop();
    if (info)
        fail("pdgesv: info is not 0");
    double size_b = norm("M", &b);
    fill(&a, GENERAL, 1);
    multiply("N", plus, &a, &x, minus, &b);
    double residual = norm("M", &b) / (DBL_EPSILON / 2 * (norm("I", &a) * norm("M", &x) + size_b) * n);
    free(a.values), free(b.values), free(x.values), free(pivots);
    return residual;
}

/* A x is compared with L (L' x). The upper triangle is not read. */
static double run_potrf(int n, int block) {
    struct matrix a = new_filled(n, n, block, DEFINITE, 1), x = new_filled(n, 1, block, GENERAL, 2),
                  y = new_copy(&x);
    double size = norm("I", &a), size_x = norm("M", &x);
    int info;
    multiply("N", plus, &a, &x, none, &y);
    start();
    call.potrf("L", &n, a.values, &one, &one, a.shape, &info, 1);
    stop();
    if (info)
        fail("pdpotrf: info is not 0");
    call.trmv("L", "T", "N", &n, a.values, &one, &one, a.shape, x.values, &one, &one, x.shape, &one, 1, 1, 1);
    call.trmv("L", "N", "N", &n, a.values, &one, &one, a.shape, x.values, &one, &one, x.shape, &one, 1, 1, 1);
    for (int i = 0; i < (x.local_n > 0 ? x.local_m : 0); i++)
        x.values[i] -= y.values[i];
    double residual = norm("M", &x) / (DBL_EPSILON / 2 * n * size * size_x);
    free(a.values), free(x.values), free(y.values);
    return residual;
}

/* A (Z x) is compared with Z (W x), and Z' (Z x) with x. */
static double check_vectors(const struct matrix *a, const struct matrix *z, const double *w) {
    int n = a->n;
    struct matrix x = new_filled(n, 1, a->block, GENERAL, 2), scaled = new_copy(&x), v = new_copy(&x),
                  r = new_copy(&x);
    double size = norm("I", a), size_x = norm("M", &x), largest;
    for (int i = 0; i < (x.local_n > 0 ? x.local_m : 0); i++)
        scaled.values[i] *= w[global_row(&x, i)];
    multiply("N", plus, z, &x, none, &v);
    multiply("N", plus, z, &scaled, none, &r);
    multiply("N", plus, a, &v, minus, &r);
    largest = norm("M", &r) / (DBL_EPSILON / 2 * n * size * size_x);
    multiply("T", plus, z, &v, minus, &x);
    largest = fmax(largest, norm("M", &x) / (DBL_EPSILON / 2 * n * size_x));
    free(x.values), free(scaled.values), free(v.values), free(r.values);
    return largest;
}

static double run_syevd(int n, int block) {
    struct matrix a = new_filled(n, n, block, SYMMETRIC, 1), z = new_filled(n, n, block, GENERAL, 3);
    double *w = allocate((size_t)n, sizeof *w), wanted, *work = &wanted;
    int ask = -1, iwanted, *iwork = &iwanted, info, lwork = -1, liwork = -1;
    call.syevd("V", "L", &n, a.values, &one, &one, a.shape, w, z.values, &one, &one, z.shape, work, &ask,
               iwork, &ask, &info, 1, 1);
    /* The answer is too small for pdlasrt and pdormtr if the order is: they stop, and pdsyevd's info is 0. */
    lwork = (int)wanted + 2 * n + z.local_m * z.local_n + 2 * block * (z.local_m + z.local_n + block);
    liwork = iwanted > 0 ? iwanted : 1;
    work = allocate((size_t)lwork, sizeof *work);
    iwork = allocate((size_t)liwork, sizeof *iwork);
    start();
    call.syevd("V", "L", &n, a.values, &one, &one, a.shape, w, z.values, &one, &one, z.shape, work, &lwork,
               iwork, &liwork, &info, 1, 1);
    stop();
    if (info)
        fail("pdsyevd: info is not 0");
    fill(&a, SYMMETRIC, 1);
    double residual = check_vectors(&a, &z, w);
    free(a.values), free(z.values), free(w), free(work), free(iwork);
    return residual;
}

/* Operations are a multiple of n^3; an eigenvalue problem has no number that is agreed on. */
static const struct problem {
    const char *name;
    double operations;
    double (*run)(int n, int block);
} problems[] = {
    {"pdgemm", 2, run_gemm},
    {"pdgesv", 2.0 / 3, run_gesv},
    {"pdpotrf", 1.0 / 3, run_potrf},
    {"pdsyevd", 0, run_syevd},
};

static bool is_asked(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == 0))
            return true;
    return false;
}

static bool measure(const struct problem *problem, int n, int block) {
    double residual = problem->run(n, block);
    bool right = residual < THRESHOLD; /* NaN is not */
    if (grid.rank == 0) {
        char rate[32] = "-";
        if (problem->operations > 0)
            snprintf(rate, sizeof rate, "%.1f", problem->operations * n * n * n / seconds / 1e9);
        printf("%-8s n %6d  nb %5d  grid %d x %d  %9.3f s  %8s GFLOP/s  residual %.2g  %s\n", problem->name,
               n, block, grid.rows, grid.columns, seconds, rate, residual, right ? "ok" : "FAIL");
        fflush(stdout);
    }
    return right;
}

static bool open_scalapack(const char *path) {
    static const char *const names[] = {"libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so.2.1",
                                        "libscalapack-openmpi.so", "libscalapack.so.2.2", "libscalapack.so"};
    void *library = NULL;
    /* its MPI's modules look their symbols up in the global scope */
    for (size_t i = 0; !library && i < (path ? 1 : sizeof names / sizeof names[0]); i++)
        library = dlopen(path ? path : names[i], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "scalapack: %s\n", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *function = dlsym(library, symbols[i].name);
        if (!function)
            fail(symbols[i].name);
        memcpy(symbols[i].slot, &function, sizeof function);
    }
    return true;
}

static void open_grid(void) {
    call.pinfo(&grid.rank, &grid.ranks);
    for (int rows = 1; rows * rows <= grid.ranks; rows++)
        if (grid.ranks % rows == 0)
            grid.rows = rows;
    grid.columns = grid.ranks / grid.rows;
    int minus_one = -1;
    call.get(&minus_one, &zero, &grid.context);
    call.gridinit(&grid.context, "Row", &grid.rows, &grid.columns, 3);
    call.gridinfo(&grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
}

/* Calls each routine for each order and block of the lists. */
static bool run_all(const char *routines, const char *orders, const char *blocks, int prepare) {
    bool right = true;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        if (!is_asked(routines, problems[i].name))
            continue;
        if (prepare > 0) {
            const char *last = strrchr(blocks, ',');
            problems[i].run(prepare, atoi(last ? last + 1 : blocks));
        }
        for (const char *order = orders; order; order = strchr(order, ','), order += order != NULL)
            for (const char *block = blocks; block; block = strchr(block, ','), block += block != NULL)
                right = measure(&problems[i], atoi(order), atoi(block)) && right;
    }
    return right;
}

int main(int count, char **arguments) {
    static const struct option known[] = {
        {"library", required_argument, NULL, 'l'}, {"routines", required_argument, NULL, 'r'},
        {"orders", required_argument, NULL, 'n'},  {"blocks", required_argument, NULL, 'b'},
        {"prepare", required_argument, NULL, 'p'}, {NULL, 0, NULL, 0},
    };
    const char *path = NULL, *routines = "pdgemm,pdgesv,pdpotrf,pdsyevd", *orders = "2048",
               *blocks = "64,256";
    int option, prepare = 0;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        if (option == 'l')
            path = optarg;
        else if (option == 'r')
            routines = optarg;
        else if (option == 'n')
            orders = optarg;
        else if (option == 'b')
            blocks = optarg;
        else if (option == 'p')
            prepare = atoi(optarg);
        else
            return 2;
    }
    if (optind != count)
        return 2;
    if (!open_scalapack(path))
        return 77;
    open_grid();
    bool right = run_all(routines, orders, blocks, prepare);
    call.finish(&zero);
    return right ? 0 : 1;
}
