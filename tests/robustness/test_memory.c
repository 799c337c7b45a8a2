/* Memory of the caller and of the process: nothing is accessed beyond a matrix, offsets exceed 2^32 bytes,
 * nothing remains from an earlier product, and C is right under limits of any kind. */
#include "tests/robustness/cases.h"

#include <linux/capability.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lavablas_cblas.h"
#include "tests/library/address_space.h"

/* A matrix whose last element is the last before an inaccessible page. */
static float *guarded(size_t elements, const float *values, size_t *mapped_bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = elements * sizeof(float);
    size_t pages = (bytes + page - 1) / page * page;
    *mapped_bytes = pages + page;
    char *memory = mmap(NULL, *mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + pages, page, PROT_NONE))
        abort();
    return memcpy(memory + pages - bytes, values, bytes);
}

static void release(float *matrix, size_t elements, size_t mapped_bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap((char *)(matrix + elements) + page - mapped_bytes, mapped_bytes);
}

/* Number of elements up to the last one of the last column, without padding after it. */
static size_t used(int rows, int columns, int ld) {
    return (size_t)ld * (size_t)(columns - 1) + (size_t)rows;
}

static void call_guarded(const struct product *product) {
    bool ta = product->transpose_a, tb = product->transpose_b;
    struct product inner = *product;
    size_t a_count = used(ta ? product->k : product->m, ta ? product->m : product->k, product->lda);
    size_t b_count = used(tb ? product->n : product->k, tb ? product->k : product->n, product->ldb);
    size_t c_count = used(product->m, product->n, product->ldc), a_bytes, b_bytes, c_bytes;
    inner.a = guarded(a_count, product->a, &a_bytes);
    inner.b = guarded(b_count, product->b, &b_bytes);
    float *c = guarded(c_count, product->c0, &c_bytes), *whole = product_new_c(product);
    case_call(&inner, c);
    CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
    memcpy(whole, c, c_count * sizeof(float));
    CASE_CHECK(product_check(product, whole, "guarded"));
    free(whole);
    release(inner.a, a_count, a_bytes);
    release(inner.b, b_count, b_bytes);
    release(c, c_count, c_bytes);
}

static int guard_pages(void) {
    static const int sizes[][3] = {{1, 1, 1},      {3, 5, 7},     {31, 33, 17},   {64, 64, 32},
                                   {129, 65, 100}, {257, 300, 9}, {600, 500, 150}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int way = 0; way < 4; way++) {
            struct product product = {.transpose_a = way & 1,
                                      .transpose_b = way & 2,
                                      .m = sizes[i][0],
                                      .n = sizes[i][1],
                                      .k = sizes[i][2],
                                      .alpha = 1.5f,
                                      .beta = -0.5f};
            product_make(&product, (unsigned)i);
            call_guarded(&product);
            product_free(&product);
        }
    return case_result();
}

/* Columns so far apart that only the used parts of a matrix are ever in memory. NULL: not enough address
 * space (RLIMIT_AS or a sanitizer). */
static float *sparse(int columns, int ld) {
    void *memory = mmap(NULL, (size_t)ld * (size_t)columns * sizeof(float), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void copy_columns(float *target, int target_ld, const float *source, int source_ld, int rows,
                         int columns) {
    for (size_t j = 0; j < (size_t)columns; j++)
        memcpy(target + j * (size_t)target_ld, source + j * (size_t)source_ld, (size_t)rows * sizeof(float));
}

/* Computes the product with `ld` for the matrices in `which` (1: A, 2: B, 4: C). Returns false without enough
 * address space. */
static bool call_sparse(const struct product *product, int which, int ld) {
    const int rows[3] = {product->transpose_a ? product->k : product->m,
                         product->transpose_b ? product->n : product->k, product->m};
    const int columns[3] = {product->transpose_a ? product->m : product->k,
                            product->transpose_b ? product->k : product->n, product->n};
    const float *sources[3] = {product->a, product->b, product->c0};
    const int source_lds[3] = {product->lda, product->ldb, product->ldc};
    float *spread[3] = {NULL}, *c = product_new_c(product);
    bool mapped = true;
    struct product called = *product;
    for (int i = 0; i < 3; i++) {
        if (!(which & 1 << i))
            continue;
        if (!(spread[i] = sparse(columns[i], ld))) {
            mapped = false;
            continue;
        }
        copy_columns(spread[i], ld, sources[i], source_lds[i], rows[i], columns[i]);
        *(i == 0 ? &called.lda : i == 1 ? &called.ldb : &called.ldc) = ld;
    }
    if (mapped) {
        called.a = spread[0] ? spread[0] : product->a;
        called.b = spread[1] ? spread[1] : product->b;
        case_call(&called, spread[2] ? spread[2] : c);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        if (spread[2])
            copy_columns(c, product->ldc, spread[2], ld, product->m, product->n);
        CASE_CHECK(product_check(product, c, "far columns"));
    }
    for (int i = 0; i < 3; i++)
        if (spread[i])
            munmap(spread[i], (size_t)ld * (size_t)columns[i] * sizeof(float));
    free(c);
    return mapped;
}

/* Each matrix in turn, then all, with each operation and either layout. */
static int far_columns(const struct product *size, int ld) {
    for (int way = 0; way < 8; way++) {
        struct product product = *size;
        product.transpose_a = way & 1;
        product.transpose_b = way & 2;
        product.row_major = way & 4;
        product_make(&product, (unsigned)way);
        bool mapped = true;
        for (int i = 0; i < 4 && mapped; i++)
            mapped = call_sparse(&product, i < 3 ? 1 << i : 7, ld);
        product_free(&product);
        if (!mapped)
            return CASE_SKIPPED;
    }
    return case_result();
}

/* The last column begins more than 2^31 elements after the first, 2^33 bytes. */
static int huge_ld(void) {
    const struct product size = {.m = 70, .n = 72, .k = 68, .alpha = 1.0f, .beta = 2.0f};
    return far_columns(&size, (1 << 25) + 3);
}

/* Many short columns: 200 MB of addresses to every 2 MB of data. */
static int large_ld(void) {
    const struct product size = {.m = 23, .n = 500, .k = 37, .alpha = 1.0f, .beta = -1.0f};
    return far_columns(&size, 100000);
}

/* A product full of NaN, then clean ones of other sizes in the same device memory. */
static int nothing_stays(void) {
    struct product poison = {.m = 500, .n = 480, .k = 300, .alpha = 1.0f, .beta = 0.0f};
    product_make(&poison, 1);
    for (size_t i = 0; i < (size_t)poison.lda * (size_t)poison.k; i++)
        poison.a[i] = (float)NAN;
    for (size_t i = 0; i < (size_t)poison.ldb * (size_t)poison.n; i++)
        poison.b[i] = (float)INFINITY;
    float *c = product_new_c(&poison);
    for (int i = 0; i < 8; i++) {
        struct product clean = {.transpose_a = i & 1,
                                .transpose_b = i & 2,
                                .m = 33 + 31 * i,
                                .n = 300 - 29 * i,
                                .k = 3 + 37 * i,
                                .alpha = 0.5f,
                                .beta = 0.25f};
        product_make(&clean, 3);
        case_call(&poison, c);
        CASE_CHECK(isnan(c[0]));
        case_multiply(&clean, "gpu");
        product_free(&clean);
    }
    free(c);
    product_free(&poison);
    return case_result();
}

/* With beta = 0 C is not read. */
static int c_is_not_read(void) {
    struct product product = {.m = 150, .n = 130, .k = 70, .alpha = 1.0f, .beta = 0.0f};
    product_make(&product, 1);
    float *c = product_new_c(&product);
    for (int j = 0; j < product.n; j++)
        for (int i = 0; i < product.m; i++)
            c[i + j * product.ldc] = (float)NAN;
    case_call(&product, c);
    CASE_CHECK(product_check(&product, c, "C full of NaN"));
    free(c);
    product_free(&product);
    return case_result();
}

/* Operands larger than the limit of device memory, which the environment sets. */
static int little_memory(void) {
    struct product product = {
        .transpose_a = true, .m = 1500, .n = 1400, .k = 33, .alpha = 1.0f, .beta = 0.5f};
    struct product deep = {.m = 60, .n = 70, .k = 70000, .alpha = 1.0f, .beta = 1.0f};
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    product_free(&product);
    product_make(&deep, 2);
    case_multiply(&deep, "gpu");
    product_free(&deep);
    return case_result();
}

#define ORDER 901
#define SIDES 70

/* Row i, column j of op(A). */
static double coefficient(const float *a, bool is_upper, bool is_turned, int i, int j) {
    int row = is_turned ? j : i, column = is_turned ? i : j;
    return row == column || (row < column) == is_upper ? (double)a[row + column * ORDER] : 0.0;
}

/* Returns whether |op(A) x - alpha b| <= 4 (n + 2) u |op(A)| |x| for each right-hand side. A on the right is
 * A' on the left of the rows of X. */
static bool is_solution(const float *a, bool on_right, bool is_upper, bool is_turned, const float *x,
                        const float *b) {
    int step = on_right ? SIDES : 1, other = on_right ? 1 : ORDER;
    bool fine = true;
    for (int i = 0; i < ORDER; i++) {
        double row[ORDER];
        for (int k = 0; k < ORDER; k++)
            row[k] = coefficient(a, is_upper, is_turned != on_right, i, k);
        for (int s = 0; s < SIDES; s++) {
            double residual = -1.5 * (double)b[i * step + s * other], bound = 0;
            for (int k = 0; k < ORDER; k++) {
                double term = row[k] * (double)x[k * step + s * other];
                residual += term;
                bound += fabs(term);
            }
            fine = fine && fabs(residual) <= 4 * (ORDER + 2) * 0x1p-24 * bound;
        }
    }
    return fine;
}

/* A triangle larger than the limit of device memory is solved with in halves. Its other triangle is NaN. */
static int large_triangle(void) {
    float *a = malloc(sizeof(float) * ORDER * ORDER), *b = malloc(sizeof(float) * ORDER * SIDES),
          *x = malloc(sizeof(float) * ORDER * SIDES);
    unsigned seed = 20261123;
    if (!a || !b || !x)
        abort();
    for (int i = 0; i < ORDER * SIDES; i++)
        b[i] = (float)rand_r(&seed) / (float)RAND_MAX - 0.5f;
    for (int way = 0; way < 8; way++) {
        bool on_right = way & 1, is_upper = way & 2, is_turned = way & 4;
        const char *reason;
        for (int j = 0; j < ORDER; j++)
            for (int i = 0; i < ORDER; i++) {
                float value = ((float)rand_r(&seed) / (float)RAND_MAX - 0.5f) / 16;
                a[i + j * ORDER] = i == j ? 1 + value : (i < j) == is_upper ? value : (float)NAN;
            }
        memcpy(x, b, sizeof(float) * ORDER * SIDES);
        cblas_strsm(CblasColMajor, on_right ? CblasRight : CblasLeft, is_upper ? CblasUpper : CblasLower,
                    is_turned ? CblasTrans : CblasNoTrans, CblasNonUnit, on_right ? SIDES : ORDER,
                    on_right ? ORDER : SIDES, 1.5f, a, ORDER, x, on_right ? SIDES : ORDER);
        CASE_CHECK(strcmp(case_place(&reason), "gpu") == 0);
        CASE_CHECK(is_solution(a, on_right, is_upper, is_turned, x, b));
    }
    free(a);
    free(b);
    free(x);
    return case_result();
}

/* Two products that do not fit the limit of device memory are computed in halves of K, in fp64 against a
 * plain loop, with NaN in C's other triangle. */
static int deep_twice(void) {
    enum { N = 70, K = 4000 };
    double *a = malloc(sizeof(double) * N * K), *b = malloc(sizeof(double) * N * K), c[N * N], before[N * N];
    unsigned seed = 20261124;
    if (!a || !b)
        abort();
    for (int i = 0; i < N * K; i++) {
        a[i] = (double)rand_r(&seed) / RAND_MAX - 0.5;
        b[i] = (double)rand_r(&seed) / RAND_MAX - 0.5;
    }
    for (int way = 0; way < 4; way++) {
        bool is_upper = way & 1, is_turned = way & 2, fine = true;
        const char *reason;
        for (int i = 0; i < N * N; i++) {
            bool stored = i % N == i / N || (i % N < i / N) == is_upper;
            before[i] = c[i] = stored ? (double)rand_r(&seed) / RAND_MAX - 0.5 : (double)NAN;
        }
        cblas_dsyr2k(CblasColMajor, is_upper ? CblasUpper : CblasLower, is_turned ? CblasTrans : CblasNoTrans,
                     N, K, 1.5, a, is_turned ? K : N, b, is_turned ? K : N, -0.5, c, N);
        CASE_CHECK(strcmp(case_place(&reason), "gpu") == 0);
        for (int i = 0; i < N * N; i++) {
            int row = i % N, column = i / N, step = is_turned ? 1 : N, line = is_turned ? K : 1;
            double sum = 0, bound = 0;
            for (int k = 0; k < K; k++) {
                double x = a[row * line + k * step] * b[column * line + k * step],
                       y = b[row * line + k * step] * a[column * line + k * step];
                sum += x + y;
                bound += fabs(x) + fabs(y);
            }
            double error = fabs(c[i] - (1.5 * sum - 0.5 * before[i]));
            fine = fine &&
                   (isnan(before[i]) ? isnan(c[i]) : error <= 4 * (2 * K + 2) * 0x1p-53 * (1.5 * bound + 1));
        }
        CASE_CHECK(fine);
    }
    free(a);
    free(b);
    return case_result();
}

/* C is right wherever it is computed. */
static int address_space(size_t more) {
    struct product product = {.m = 300, .n = 280, .k = 100, .alpha = 1.0f, .beta = 0.5f};
    if (!case_use_plain_cpu_blas())
        return CASE_SKIPPED;
    product_make(&product, 1);
    if (!address_space_limit(more))
        return CASE_SKIPPED;
    for (int i = 0; i < 3; i++)
        case_multiply(&product, NULL);
    product_free(&product);
    return case_result();
}

/* Padded to whole tiles they take more than 256 MiB: blocks of K, then of columns. */
static int large_products(void) {
    struct product deep = {.transpose_b = true, .m = 5, .n = 6, .k = 1500000, .alpha = 1.0f, .beta = 1.0f};
    struct product wide = {.transpose_a = true, .m = 3, .n = 1500000, .k = 2, .alpha = 0.5f, .beta = 1.0f};
    product_make(&deep, 1);
    case_multiply(&deep, "gpu");
    product_free(&deep);
    product_make(&wide, 2);
    case_multiply(&wide, "gpu");
    product_free(&wide);
    return case_result();
}

/* Less staging memory than one slot in each direction: the device is not used. */
static int no_staging(void) {
    struct product product = {.m = 300, .n = 280, .k = 100, .alpha = 1.0f, .beta = 0.5f};
    product_make(&product, 1);
    case_multiply(&product, "cpu");
    product_free(&product);
    return case_result();
}

/* The limit is set when the device is ready and has memory, but not enough for the product. When it is
 * lifted, the device is used again. */
static int address_space_later(void) {
    static const size_t more[] = {0, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
    struct product small = {.m = 100, .n = 130, .k = 70, .alpha = 1.0f, .beta = 0.5f};
    struct product large = {.transpose_b = true, .m = 1100, .n = 1300, .k = 90, .alpha = 1.0f, .beta = 0.5f};
    if (!case_use_plain_cpu_blas())
        return CASE_SKIPPED;
    product_make(&small, 1);
    product_make(&large, 2);
    case_multiply(&small, "gpu");
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        void *c = product_new_c(&large);
        if (!address_space_limit(more[i]))
            return CASE_SKIPPED;
        case_call(&large, c);
        address_space_free();
        CASE_CHECK(product_check(&large, c, "little address space"));
        free(c);
        case_multiply(&small, "gpu");
    }
    case_multiply(&large, "gpu");
    product_free(&small);
    product_free(&large);
    return case_result();
}

/* Takes a capability from the calling thread, and so from threads that it creates. */
static bool give_up(unsigned capability) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets))
        return false;
    sets[capability / 32].effective &= ~(1u << capability % 32);
    return syscall(SYS_capset, &header, sets) == 0;
}

/* By the system call, because sanitizers make mlock do nothing. */
static bool can_lock_memory(void) {
    static char byte;
    return syscall(SYS_mlock, &byte, (size_t)1) == 0;
}

/* No page may be locked in memory. The limit does not apply to root with this capability. */
static int no_locked_memory(void) {
    const struct rlimit none = {0};
    struct product product = {.m = 300, .n = 280, .k = 100, .alpha = 1.0f, .beta = 0.5f};
    CASE_CHECK(setrlimit(RLIMIT_MEMLOCK, &none) == 0 && give_up(CAP_IPC_LOCK));
    CASE_CHECK(!can_lock_memory());
    product_make(&product, 1);
    for (int i = 0; i < 3; i++)
        case_multiply(&product, NULL);
    product_free(&product);
    return case_result();
}

static int address_space_16m(void) {
    return address_space((size_t)16 << 20);
}

static int address_space_256m(void) {
    return address_space((size_t)256 << 20);
}

static int address_space_1g(void) {
    return address_space((size_t)1 << 30);
}

static void *nothing(void *unused) {
    return unused;
}

static bool can_create_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL))
        return false;
    pthread_join(thread, NULL);
    return true;
}

/* The limit does not apply to root, so the test becomes another user. */
static int no_more_threads(void) {
    const struct rlimit limit = {.rlim_cur = 1, .rlim_max = 1};
    struct product product = {.m = 300, .n = 280, .k = 100, .alpha = 1.0f, .beta = 0.5f};
    if (!case_use_plain_cpu_blas())
        return CASE_SKIPPED;
    product_make(&product, 1);
    /* a trivial product, so that the CPU BLAS is found while its folder can still be read */
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 0, 0, 0, 1.0f, product.a, 1, product.b, 1, 1.0f,
                product.c0, 1);
    if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
        return CASE_SKIPPED;
    CASE_CHECK(setrlimit(RLIMIT_NPROC, &limit) == 0);
    CASE_CHECK(!can_create_thread());
    for (int i = 0; i < 3; i++)
        case_multiply(&product, NULL);
    product_free(&product);
    return case_result();
}

static const struct test_case cases[] = {
    {.name = "guard_pages", .run = guard_pages},
    {.name = "huge_ld", .run = huge_ld},
    {.name = "large_ld", .run = large_ld},
    {.name = "nothing_stays", .run = nothing_stays},
    {.name = "c_is_not_read", .run = c_is_not_read},
    {.name = "little_memory_1m", .run = little_memory, .variables = {"LAVABLAS_MEMORY=1M"}},
    {.name = "little_memory_16m", .run = little_memory, .variables = {"LAVABLAS_MEMORY=16M"}},
    {.name = "little_memory_256m", .run = large_products, .variables = {"LAVABLAS_MEMORY=256M"}},
    {.name = "deep_twice", .run = deep_twice, .variables = {"LAVABLAS_MEMORY=2M"}},
    {.name = "large_triangle", .run = large_triangle, .variables = {"LAVABLAS_MEMORY=2M"}},
    {.name = "large_triangle_little_staging",
     .run = large_triangle,
     .variables = {"LAVABLAS_MEMORY=2M", "LAVABLAS_PINNED=1M"}},
    {.name = "little_staging", .run = little_memory, .variables = {"LAVABLAS_PINNED=1M"}},
    {.name = "little_of_both",
     .run = little_memory,
     .variables = {"LAVABLAS_MEMORY=2M", "LAVABLAS_PINNED=1M"}},
    {.name = "no_staging", .run = no_staging, .variables = {"LAVABLAS_PINNED=1"}},
    {.name = "no_locked_memory", .run = no_locked_memory},
    {.name = "address_space_16m", .run = address_space_16m, .lines = -1},
    {.name = "address_space_256m", .run = address_space_256m, .lines = -1},
    {.name = "address_space_1g", .run = address_space_1g, .lines = -1},
    {.name = "address_space_later", .run = address_space_later, .lines = -1},
    {.name = "no_more_threads", .run = no_more_threads, .lines = -1},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
