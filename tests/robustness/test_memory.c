/* Memory of the caller's and of the process: nothing is touched beyond a matrix, offsets go beyond 2^32
 * bytes, nothing stays from an earlier product, and limits of any kind leave C right. */
#include "tests/robustness/cases.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lavablas_cblas.h"

/* A matrix whose last element is the last before a page that nobody may touch. */
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

/* Elements up to the last one of the last column: no padding after it. */
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

/* Columns 256 MiB apart: the last begins beyond 2^32 bytes. Only what is used is ever touched. */
static int huge_ld(void) {
    const int m = 70, n = 40, k = 50, ld = 1 << 26;
    size_t bytes = (size_t)ld * (size_t)(k + n) * sizeof(float);
    float *memory[3];
    for (int i = 0; i < 3; i++) {
        memory[i] =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory[i] == MAP_FAILED)
            return CASE_SKIPPED; /* no such address space: RLIMIT_AS, a sanitizer */
    }
    struct product product = {.m = m, .n = n, .k = k, .alpha = 1.0f, .beta = 2.0f}, sparse;
    product_make(&product, 1);
    for (int way = 0; way < 2; way++) {
        sparse = product;
        sparse.a = memory[0];
        sparse.b = memory[1];
        sparse.lda = sparse.ldb = sparse.ldc = ld;
        for (int j = 0; j < k; j++)
            memcpy(sparse.a + (size_t)j * (size_t)ld, product.a + j * product.lda, (size_t)m * sizeof(float));
        for (int j = 0; j < n; j++) {
            memcpy(sparse.b + (size_t)j * (size_t)ld, product.b + j * product.ldb, (size_t)k * sizeof(float));
            memcpy(memory[2] + (size_t)j * (size_t)ld, product.c0 + j * product.ldc,
                   (size_t)m * sizeof(float));
        }
        case_call(&sparse, memory[2]);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        float *c = product_new_c(&product);
        for (int j = 0; j < n; j++)
            memcpy(c + j * product.ldc, memory[2] + (size_t)j * (size_t)ld, (size_t)m * sizeof(float));
        CASE_CHECK(product_check(&product, c, "huge leading dimensions"));
        free(c);
    }
    product_free(&product);
    for (int i = 0; i < 3; i++)
        munmap(memory[i], bytes);
    return case_result();
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

/* With beta = 0 what C holds is not read. */
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

/* OpenBLAS hangs or ends the process where it gets no memory or no threads: a CPU BLAS of three loops
 * instead. */
static bool use_plain_cpu_blas(void) {
    const char *path = getenv("LAVABLAS_TEST_CPU_BLAS");
    return path && setenv("LAVABLAS_CPU_BLAS", path, 1) == 0;
}

/* Address space for the process as it is and so much more; C is right wherever it is computed. */
static void limit_address_space(size_t more) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        abort();
    fclose(file);
    struct rlimit limit = {.rlim_max = RLIM_INFINITY};
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    setrlimit(RLIMIT_AS, &limit);
}

static int address_space(size_t more) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return more ? CASE_SKIPPED : 1; /* the sanitizer itself lives on address space */
#endif
    struct product product = {.m = 300, .n = 280, .k = 100, .alpha = 1.0f, .beta = 0.5f};
    if (!use_plain_cpu_blas())
        return CASE_SKIPPED;
    product_make(&product, 1);
    limit_address_space(more);
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

/* Root is above the limit: another user then. */
static int no_more_threads(void) {
    const struct rlimit limit = {.rlim_cur = 1, .rlim_max = 1};
    struct product product = {.m = 300, .n = 280, .k = 100, .alpha = 1.0f, .beta = 0.5f};
    if (!use_plain_cpu_blas())
        return CASE_SKIPPED;
    product_make(&product, 1);
    /* a trivial product has the CPU BLAS found while its folder can still be read */
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 0, 0, 0, 1.0f, product.a, 1, product.b, 1, 1.0f,
                product.c0, 1);
    if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
        return CASE_SKIPPED;
    setrlimit(RLIMIT_NPROC, &limit);
    for (int i = 0; i < 3; i++)
        case_multiply(&product, NULL);
    product_free(&product);
    return case_result();
}

static const struct test_case cases[] = {
    {.name = "guard_pages", .run = guard_pages},
    {.name = "huge_ld", .run = huge_ld},
    {.name = "nothing_stays", .run = nothing_stays},
    {.name = "c_is_not_read", .run = c_is_not_read},
    {.name = "little_memory_32m", .run = little_memory, .variables = {"LAVABLAS_MEMORY=32M"}},
    {.name = "little_memory_256m", .run = little_memory, .variables = {"LAVABLAS_MEMORY=256M"}},
    {.name = "little_memory_2m", .run = little_memory, .variables = {"LAVABLAS_MEMORY=2M"}},
    {.name = "little_staging", .run = little_memory, .variables = {"LAVABLAS_PINNED=1M"}},
    {.name = "address_space_16m", .run = address_space_16m, .lines = -1},
    {.name = "address_space_256m", .run = address_space_256m, .lines = -1},
    {.name = "address_space_1g", .run = address_space_1g, .lines = -1},
    {.name = "no_more_threads", .run = no_more_threads, .lines = -1},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
