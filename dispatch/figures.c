/* Interpolates the CPU's time for a product from a grid of measured products, and scales it to the measured
 * times of other routines. Called by policy.c. Invariant: only figures above 0 count as measured. */
#include "dispatch/figures.h"

#include <limits.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SIZES        LAVA_FIGURES_SIZES

const int64_t lava_figures_sizes[LAVA_FIGURES_SIZES] = LAVA_FIGURES_SIZE_LIST;

/* Position of a size in the grid: the fraction `part`, on a logarithmic scale, of the way from position `low`
 * to the next. */
struct place {
    int low;
    double part;
};

static struct place place_of(int64_t size) {
    int low = 0;
    if (size <= lava_figures_sizes[0])
        return (struct place){0, 0.0};
    if (size >= lava_figures_sizes[SIZES - 1])
        return (struct place){SIZES - 2, 1.0};
    while (lava_figures_sizes[low + 1] <= size)
        low++;
    double from = (double)lava_figures_sizes[low], to = (double)lava_figures_sizes[low + 1];
    return (struct place){low, log((double)size / from) / log(to / from)};
}

/* The corners of the grid cell around a product: the position and weight of each. */
struct corners {
    int at[8][3];
    double weight[8]; /* they sum to 1 */
};

static struct corners corners_of(const struct lava_operation *operation) {
    const struct place places[] = {place_of(operation->m), place_of(operation->n), place_of(operation->k)};
    struct corners corners;
    for (int corner = 0; corner < 8; corner++) {
        corners.weight[corner] = 1.0;
        for (int i = 0; i < 3; i++) {
            bool high = corner >> i & 1;
            corners.at[corner][i] = places[i].low + high;
            corners.weight[corner] *= high ? places[i].part : 1.0 - places[i].part;
        }
    }
    return corners;
}

/* A point of the grid; points are numbered consecutively. */
#define POINTS (SIZES * SIZES * SIZES)
struct point {
    int at[3]; /* positions of m, n and k among the sizes */
};

static struct point point_of(int index) {
    return (struct point){{index / (SIZES * SIZES), index / SIZES % SIZES, index % SIZES}};
}

/* m n k */
static double work_of(const int at[3]) {
    return (double)lava_figures_sizes[at[0]] * (double)lava_figures_sizes[at[1]] *
           (double)lava_figures_sizes[at[2]];
}

static double product_ns(const struct lava_cpu_figures *figures, const int at[3]) {
    return figures->product_ns[at[0]][at[1]][at[2]];
}

/* Logarithm of the time per operation, of m n k operations. */
static double log_operation_ns(const struct lava_cpu_figures *figures, const int at[3]) {
    return log(product_ns(figures, at) / work_of(at));
}

static int distance(const int a[3], const int b[3]) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* The same for the nearest measured point, or the mean of those equally near. Returns false if none was
 * measured. */
static bool nearest_operation_ns(const struct lava_cpu_figures *figures, const int at[3], double *log_ns) {
    int least = INT_MAX, found = 0;
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++) {
        const struct point other = point_of(i);
        int away = distance(at, other.at);
        if (away > least || !(product_ns(figures, other.at) > 0))
            continue;
        if (away < least) {
            least = away;
            found = 0;
            sum = 0.0;
        }
        sum += log_operation_ns(figures, other.at);
        found++;
    }
    if (found)
        *log_ns = sum / found;
    return found > 0;
}

/* Interpolates in the grid. Returns 0 if the grid is empty. */
static double interpolated_ns(const struct lava_cpu_figures *figures,
                              const struct lava_operation *operation) {
    struct corners corners = corners_of(operation);
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double log_ns;
        if (!(corners.weight[corner] > 0))
            continue;
        if (product_ns(figures, corners.at[corner]) > 0)
            log_ns = log_operation_ns(figures, corners.at[corner]);
        else if (!nearest_operation_ns(figures, corners.at[corner], &log_ns))
            return 0;
        sum += corners.weight[corner] * log_ns;
    }
    return exp(sum) * (double)operation->m * (double)operation->n * (double)operation->k;
}

/* A triangle takes half of the products. OpenBLAS, 16 cores, 4096, ms: ssyrk 52, ssyr2k 113, ssymm 123, strmm
 * 67, strsm 76 while sgemm takes 121; dsyrk 96, dsyr2k 210, dsymm 181, dtrmm 108, dtrsm 125 while dgemm takes
 * 235 (2026-11-22). */
#define TRIANGLE_SHARE 0.5
/* Returns the rows that a routine of LAPACK's first column has. */
static double rows_of(const struct lava_operation *operation) {
    return (double)(lava_operation_row(operation)->qr.on_right ? operation->n : operation->m);
}

/* Returns the operation's share of the time of a product of its sizes. */
static double share_of(const struct lava_operation *operation) {
    bool is_half = operation->c.region != LAVA_REGION_ALL || lava_operation_is_triangular(operation);
    const struct lava_kind *kind = lava_operation_row(operation);
    if (kind->cpu.share > 0) /* a tall matrix has up to 1.5 times as much, for its products */
        return kind->cpu.share * (1.5 - 0.5 * (double)operation->k / rows_of(operation));
    return (is_half ? TRIANGLE_SHARE : 1) * (operation->twice ? 2 : 1);
}

/* For a solve, or a product with a triangle, that is read at this rate beside that, by each thread for its
 * columns. OpenBLAS, 16 cores, 64 right-hand sides, two solves with 512, 1024, 2048 and 4096 equations, ms:
 * sgetrs 0.45, 1.0, 3.9, 14; dgetrs 0.5, 1.7, 5.4, 20 (2026-11-23). Products with 64 columns, 4096:
 * strmm 8.8, dtrmm 9.5 (2026-11-27). */
#define TRIANGLE_BYTES_PER_S 5e9

/* Returns the time that a factorization's columns, or a triangle, take beside that. */
static double more_ns(const struct lava_operation *operation) {
    const struct lava_kind *kind = lava_operation_row(operation);
    double columns = (double)operation->k, rows = rows_of(operation) - columns / 2;
    if (lava_operation_is_triangular(operation))
        return 1e9 * (double)operation->k * (double)operation->k / 2 *
               (double)lava_type_bytes(operation->type) / TRIANGLE_BYTES_PER_S;
    return columns * (kind->cpu.column_ns + kind->cpu.row_ns * rows);
}

/* What does not fit the cache is read and written at this rate. OpenBLAS, 32 cores, batches of 20000 products
 * of order 64, 10000 of 128, 2000 of 256, us for each, and in parentheses what is expected: sgemm 5.4, 41,
 * 120 (6.2, 33, 111), dgemm 13, 56, 147 (12, 67, 182) (2026-11-26). 16 cores, ms: dgemm 4096 x 4096 x 64 9.3
 * and 4.7, 4096 x 64 x 4096 5.6 and 4.7, on two machines (2026-11-27). */
#define MEMORY_BYTES_PER_S 16e9
#define CACHE_BYTES        64e6

double lava_figures_memory_ns(double bytes) {
    return 1e9 * fmax(0, bytes - CACHE_BYTES) / MEMORY_BYTES_PER_S;
}

/* The smallest product: OpenBLAS, sgemm of 16, 0.36 us (2026-11-27). */
#define CALL_NS 300

/* C is read and written. */
static double memory_ns(const struct lava_operation *operation) {
    double c_bytes = (double)operation->m * (double)operation->n * (double)lava_type_bytes(operation->c.type);
    return lava_figures_memory_ns(lava_operation_operand_bytes(operation) + 2 * c_bytes);
}

/* Returns the time of a product, or of what is computed like one, if nothing was measured. */
static double guessed_ns(const struct lava_cpu_figures *figures, const struct lava_operation *operation) {
    double work = (double)operation->m * (double)operation->n * (double)operation->k;
    bool has_share = lava_operation_row(operation)->cpu.share > 0;
    double flops = has_share ? (lava_type_is_complex(operation->type) ? 8 : 2) * work * share_of(operation)
                             : lava_operation_flops(operation);
    double all_ns = 1e9 * flops / figures->flops_per_s[operation->type];
    if (!(figures->one_thread_share > 0) || has_share)
        return all_ns;
    double alone_ns = all_ns / figures->one_thread_share + CALL_NS;
    return work <= LAVA_ONE_THREAD_WORK
               ? alone_ns
               : fmax(memory_ns(operation), fmin(alone_ns, all_ns + figures->threads_ns));
}

/* Returns the time of one operation, without right-hand sides, by ?gemm's times alone. */
static double unscaled_ns(const struct lava_cpu_figures *figures, const struct lava_operation *operation) {
    double flops_per_s = figures->flops_per_s[operation->type];
    double fp32 = figures->flops_per_s[LAVA_TYPE_FP32];
    bool is_fp32 = operation->type == LAVA_TYPE_FP32;
    if (is_fp32 || (flops_per_s > 0 && fp32 > 0)) {
        double ns = interpolated_ns(figures, operation);
        if (ns > 0)
            return (is_fp32 ? ns
                            : ns * fp32 / flops_per_s * (lava_type_is_complex(operation->type) ? 4 : 1)) *
                       share_of(operation) +
                   more_ns(operation);
    }
    return flops_per_s > 0 ? guessed_ns(figures, operation) + more_ns(operation) : 0;
}

/* Position of the type, or of its real type, among those in which families are measured; -1: of none. */
static int family_type(enum lava_type type) {
    for (int i = 0; i < LAVA_FAMILIES_TYPES; i++)
        if (lava_type_real(type) == lava_families_types[i])
            return i;
    return -1;
}

/* Finds the measured orders of the family around an order: *low is the last one that is not greater, *high
 * the first one that is not less, both the same if one of them is missing. Returns false if none was
 * measured. */
static bool find_orders(const double measured_ns[LAVA_FAMILIES_ORDERS], double order, int *low, int *high) {
    *low = *high = -1;
    for (int i = 0; i < LAVA_FAMILIES_ORDERS; i++) {
        double measured_order = (double)lava_families_orders[i];
        if (!(measured_ns[i] > 0))
            continue;
        if (measured_order <= order)
            *low = i;
        if (measured_order >= order && *high < 0)
            *high = i;
    }
    if (*low < 0)
        *low = *high;
    if (*high < 0)
        *high = *low;
    return *low >= 0;
}

/* Returns the logarithm of how much longer a family's routine took than ?gemm's times say. Returns false
 * if those say nothing. */
static bool log_factor_at(const struct lava_cpu_figures *figures, enum lava_cpu_family family, int type,
                          int order, double *log_factor) {
    const struct lava_operation square =
        lava_families_square(family, lava_families_types[type], lava_families_orders[order]);
    double ns = unscaled_ns(figures, &square);
    *log_factor = ns > 0 ? log(figures->family_ns[family][type][order] / ns) : 0;
    return ns > 0;
}

/* A factor of LAPACK's routines that was measured at a small order is mostly that of their columns. It tells
 * less of larger orders: half of its logarithm for twice the order. On an H100's Xeon dpotrf's was 1.36,
 * 0.88, 0.73 and 1.03 at orders 256 to 2048, and is 1.02 at 8192 (2026-11-27). */
static double beyond_share(enum lava_cpu_family family, int last, double order) {
    return family >= LAVA_CPU_FAMILY_POTRF ? fmin(1, (double)lava_families_orders[last] / order) : 1;
}

/* Returns that factor for an order; 1: it is not known. */
static double family_factor(const struct lava_cpu_figures *figures, enum lava_cpu_family family, int type,
                            double order) {
    double from, to;
    int low, high;
    if (!find_orders(figures->family_ns[family][type], order, &low, &high) ||
        !log_factor_at(figures, family, type, low, &from))
        return 1;
    if (low == high || !log_factor_at(figures, family, type, high, &to))
        return exp(from * beyond_share(family, low, order));
    double low_order = (double)lava_families_orders[low], high_order = (double)lava_families_orders[high];
    return exp(from + (to - from) * log(order / low_order) / log(high_order / low_order));
}

/* Finds the family whose measured times scale the operation's: its own, or that of products of its type. */
static bool find_family(const struct lava_cpu_figures *figures, const struct lava_operation *operation,
                        enum lava_cpu_family *family, int *type) {
    const enum lava_cpu_family families[] = {lava_families_of(operation), LAVA_CPU_FAMILY_GEMM};
    int low, high;
    *type = family_type(operation->type);
    for (size_t i = 0; *type >= 0 && i < COUNT(families); i++) {
        *family = families[i];
        if (find_orders(figures->family_ns[*family][*type], 1, &low, &high))
            return true;
    }
    return false;
}

/* With a vector the matrix is read once. OpenBLAS, 16 cores of an H100's host, 8192 x 8192: dgemv 4.5 ms,
 * sgemv 3.0 (2026-11-27). Nothing of it is measured beforehand; the calls themselves correct it
 * (experience.h). */
#define VECTOR_BYTES_PER_S 100e9

/* Returns the time of one operation, without right-hand sides. */
static double cpu_ns(const struct lava_cpu_figures *figures, const struct lava_operation *operation) {
    double ns, order;
    enum lava_cpu_family family;
    int type;
    if (lava_operation_row(operation)->is_vector)
        return CALL_NS + 1e9 * lava_operation_passes(operation) * lava_operation_operand_bytes(operation) /
                             VECTOR_BYTES_PER_S;
    ns = unscaled_ns(figures, operation);
    if (!find_family(figures, operation, &family, &type))
        return ns;
    order = cbrt((double)operation->m * (double)operation->n * (double)operation->k);
    return ns * family_factor(figures, family, type, order);
}

const char *lava_figures_scaled_by(const struct lava_cpu_figures *figures,
                                   const struct lava_operation *operation) {
    enum lava_cpu_family family;
    int type;
    bool is_scaled =
        !lava_operation_row(operation)->is_vector && find_family(figures, operation, &family, &type);
    return is_scaled ? lava_families_name(family, type) : NULL;
}

double lava_figures_cpu_ns(const struct lava_cpu_figures *figures, const struct lava_operation *operation) {
    struct lava_operation steps[LAVA_KIND_STEPS];
    double ns = 0;
    if (operation->sides.count == 0 && !lava_operation_row(operation)->is_singular)
        return cpu_ns(figures, operation);
    int count = lava_operation_row(operation)->steps(operation, steps);
    for (int i = 0; i < count; i++)
        ns += cpu_ns(figures, &steps[i]);
    return ns;
}

double lava_figures_least_work(const struct lava_cpu_figures *figures, double ns) {
    double least = 0;
    for (int i = 0; i < POINTS; i++) {
        const struct point point = point_of(i);
        double work = work_of(point.at);
        if (product_ns(figures, point.at) > ns && (least <= 0 || work < least))
            least = work;
    }
    return least;
}

bool lava_figures_cpu_measured(const struct lava_cpu_figures *figures,
                               const struct lava_operation *operation) {
    if (operation->type != LAVA_TYPE_FP32 || lava_operation_row(operation)->is_vector)
        return false;
    struct corners corners = corners_of(operation);
    for (int corner = 0; corner < 8; corner++)
        if (corners.weight[corner] > 0 && !(product_ns(figures, corners.at[corner]) > 0))
            return false;
    return true;
}

/* Index of the kernel in the table, or -1. */
static int position_of(const struct lava_kernel *kernel) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count && i < LAVA_FIGURES_MAX_KERNELS; i++)
        if (kernel == &table[i])
            return (int)i;
    return -1;
}

double lava_figures_flops_per_s(const struct lava_device_figures *figures, const struct lava_kernel *kernel) {
    int position = position_of(kernel);
    return position < 0 ? 0 : figures->flops_per_s[position];
}
