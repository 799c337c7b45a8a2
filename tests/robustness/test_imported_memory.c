/* Products whose A and B are imported: wherever a program may have them, the result is right, nothing around
 * them is read or written, and what cannot be imported is copied. Elements are small integers, so every
 * result is exact. Around them and between their columns everything is NaN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/config.h"
#include "lib/calibrate/microbenchmark.h"
#include "lib/product/runner.h"
#include "lib/vk/gpu.h"
#include "tests/robustness/device_test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define M            150
#define N            131
#define K            77
#define GUARD_PAGES  2

static struct lava_engine *engine;
static struct lava_device *device;
static size_t page;
static unsigned seed;

static int open_engine(void **state) {
    const char *why;
    (void)state;
    seed = device_test_seed();
    page = (size_t)sysconf(_SC_PAGESIZE);
    setenv("LAVABLAS_DEVICE", "cpu", 0);
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "no device: %s\n", why);
        return -1;
    }
    /* other devices read the host's memory, too, across a bus; as in engine_products.c */
    device->capabilities.unified_memory = true;
    if (device->capabilities.import_page_bytes != page) {
        fprintf(stderr, "%s does not import pages of %zu bytes\n", device->capabilities.name, page);
        return -1;
    }
    return lava_engine_create(device, 2, &engine) ? -1 : 0;
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

/* What memory a matrix is in. */
enum home { PRIVATE, READ_ONLY, FILE_PRIVATE, FILE_SHARED, FILE_READ_ONLY, HOMES };
static const char *const homes[HOMES] = {"private memory", "read-only memory", "a private mapping of a file",
                                         "a shared mapping of a file", "a read-only mapping of a file"};

/* A matrix at some place of a mapping that has inaccessible pages on both sides. */
struct matrix {
    enum home home;
    size_t offset;   /* of its first element in the mapping */
    bool at_the_end; /* instead: so that it ends with the mapping */
    int rows, columns, ld;

    char *reserved, *mapping;
    size_t mapping_bytes;
    float *first;
    FILE *file;
};

static size_t matrix_bytes(const struct matrix *matrix) {
    return (size_t)((matrix->columns - 1) * matrix->ld + matrix->rows) * sizeof(float);
}

static void fill(struct matrix *matrix) {
    memset(matrix->mapping, 0xff, matrix->mapping_bytes);
    for (int j = 0; j < matrix->columns; j++)
        for (int i = 0; i < matrix->rows; i++)
            matrix->first[(size_t)j * (size_t)matrix->ld + (size_t)i] = (float)(rand_r(&seed) % 5 - 2);
}

/* The file ends with the matrix, in the middle of a page, unless the matrix ends with the mapping. */
static void make_file(struct matrix *matrix) {
    bool is_shared = matrix->home != FILE_PRIVATE;
    size_t end = (size_t)((char *)matrix->first - matrix->mapping) + matrix_bytes(matrix);
    char *content = malloc(end);
    assert_non_null(content);
    memcpy(content, matrix->mapping, end);
    matrix->file = tmpfile();
    assert_non_null(matrix->file);
    assert_int_equal(fwrite(content, 1, end, matrix->file), end);
    assert_int_equal(fflush(matrix->file), 0);
    assert_ptr_equal(mmap(matrix->mapping, matrix->mapping_bytes,
                          matrix->home == FILE_READ_ONLY ? PROT_READ : PROT_READ | PROT_WRITE,
                          (is_shared ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED, fileno(matrix->file), 0),
                     matrix->mapping);
    free(content);
}

static void make(struct matrix *matrix) {
    size_t bytes = matrix_bytes(matrix);
    matrix->mapping_bytes = ((matrix->at_the_end ? 0 : matrix->offset) + bytes + page - 1) / page * page;
    size_t reserved = matrix->mapping_bytes + 2 * GUARD_PAGES * page;
    matrix->reserved = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(matrix->reserved != MAP_FAILED);
    matrix->mapping = matrix->reserved + GUARD_PAGES * page;
    assert_int_equal(mprotect(matrix->mapping, matrix->mapping_bytes, PROT_READ | PROT_WRITE), 0);
    size_t offset = matrix->at_the_end ? (matrix->mapping_bytes - bytes) / 16 * 16 : matrix->offset;
    matrix->first = (float *)(void *)(matrix->mapping + offset);
    fill(matrix);
    if (matrix->home >= FILE_PRIVATE)
        make_file(matrix);
    if (matrix->home == READ_ONLY)
        assert_int_equal(mprotect(matrix->mapping, matrix->mapping_bytes, PROT_READ), 0);
}

/* The device must not read it any more: lavapipe would crash. */
static void unmake(struct matrix *matrix) {
    if (matrix->file)
        fclose(matrix->file);
    assert_int_equal(munmap(matrix->reserved, matrix->mapping_bytes + 2 * GUARD_PAGES * page), 0);
}

/* C = A B, column-major, with op(A) = A transposed if A is K x M, and op(B) likewise. */
static float element(const struct matrix *a, bool turn_a, const struct matrix *b, bool turn_b, int i, int j) {
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum +=
            a->first[turn_a ? (size_t)i * (size_t)a->ld + (size_t)k : (size_t)k * (size_t)a->ld + (size_t)i] *
            b->first[turn_b ? (size_t)k * (size_t)b->ld + (size_t)j : (size_t)j * (size_t)b->ld + (size_t)k];
    return sum;
}

/* How a product is computed, and what is to become of its operands. */
struct way {
    bool turn_a, turn_b;
    struct lava_overrides overrides;
    uint64_t made, refused;
};

static struct lava_operation operation_of(const struct way *way, const struct matrix *a,
                                          const struct matrix *b, float *c) {
    return (struct lava_operation){
        .type = LAVA_TYPE_FP32,
        .m = M,
        .n = N,
        .k = K,
        .a = {.first = a->first, .ld = a->ld, .op = way->turn_a ? LAVA_OP_T : LAVA_OP_N},
        .b = {.first = b->first, .ld = b->ld, .op = way->turn_b ? LAVA_OP_T : LAVA_OP_N},
        .c = {.first = c, .ld = M, .type = LAVA_TYPE_FP32},
        .alpha.real = 1};
}

/* lavapipe imports any memory that can be read. */
static bool may_refuse(const struct matrix *matrix) {
    return matrix->home != PRIVATE && device->capabilities.kind != LAVA_DEVICE_CPU;
}

/* Computes the product and checks it, what was imported, and that nothing stays imported. */
static void check(const char *what, const struct way *way, const struct matrix *a, const struct matrix *b) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
    static float c[M * N];
    const struct lava_imported before = device->shared->imported;
    struct lava_plan plan;
    struct lava_progress progress;
    memset(c, 0xff, sizeof c);
    const struct lava_operation operation = operation_of(way, a, b, c);
    lava_policy_choose(&operation, &engine->capabilities, &figures, LAVA_MODE_GPU, &way->overrides, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    enum lava_status status = lava_runner_run(engine, &operation, &plan, &progress, NULL);
    if (status)
        fail_msg("%s: %s", what, lava_status_name(status));
    uint64_t made = device->shared->imported.made - before.made,
             refused = device->shared->imported.refused - before.refused;
    if (may_refuse(a) || may_refuse(b)) {
        made += refused;
        refused = 0;
    }
    if (made != way->made || refused != way->refused || device->shared->imported.bytes > 0)
        fail_msg("%s: %llu imports, %llu refused, %llu bytes left", what, (unsigned long long)made,
                 (unsigned long long)refused, (unsigned long long)device->shared->imported.bytes);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            float expected = element(a, way->turn_a, b, way->turn_b, i, j);
            if (!(c[j * M + i] == expected))
                fail_msg("%s: C(%d, %d) is %g, not %g", what, i, j, (double)c[j * M + i], (double)expected);
        }
}

/* Checks that what is around the elements is as it was. */
static void check_surroundings(const struct matrix *matrix) {
    const unsigned char *byte = (const unsigned char *)matrix->mapping;
    size_t first = (size_t)((const char *)matrix->first - matrix->mapping),
           pitch = (size_t)matrix->ld * sizeof(float);
    size_t end = matrix->home >= FILE_PRIVATE ? first + matrix_bytes(matrix) : matrix->mapping_bytes;
    for (size_t at = 0; at < end; at++) {
        size_t in = at - first;
        bool is_element =
            at >= first && in < matrix_bytes(matrix) && in % pitch < (size_t)matrix->rows * sizeof(float);
        if (!is_element && byte[at] != 0xff)
            fail_msg("byte %zu of the mapping has changed", at);
    }
}

static struct matrix operand(bool is_b, bool turned, enum home home, size_t offset, int padding) {
    int rows = is_b ? (turned ? N : K) : (turned ? K : M),
        columns = is_b ? (turned ? K : N) : (turned ? M : K);
    return (struct matrix){
        .home = home, .offset = offset, .rows = rows, .columns = columns, .ld = (rows + 3) / 4 * 4 + padding};
}

static const struct lava_overrides always = {.imports = LAVA_IMPORTS_ALWAYS};
/* Streamed, at once, in several blocks, in pieces. */
static const struct lava_overrides plans[] = {
    {.imports = LAVA_IMPORTS_ALWAYS, .at_once = 1},
    {.imports = LAVA_IMPORTS_ALWAYS, .at_once = 2},
    {.imports = LAVA_IMPORTS_ALWAYS, .memory_bytes = 256 << 10},
    {.imports = LAVA_IMPORTS_ALWAYS, .at_once = 1, .pieces = 3, .column_blocks = 2},
};

/* Every kind of memory, at odd places, for each plan and orientation. */
static void every_home(void **state) {
    (void)state;
    for (int home = 0; home < HOMES; home++)
        for (size_t i = 0; i < 4 * COUNT(plans); i++) {
            const struct way way = {.turn_a = i & 1, .turn_b = i & 2, .overrides = plans[i / 4], .made = 2};
            struct matrix a = operand(false, way.turn_a, (enum home)home, 16 * (size_t)(rand_r(&seed) % 1000),
                                      4 * (rand_r(&seed) % 9));
            struct matrix b = operand(true, way.turn_b, (enum home)((home + 1) % HOMES),
                                      16 * (size_t)(rand_r(&seed) % 1000), 4 * (rand_r(&seed) % 9));
            make(&a);
            make(&b);
            check(homes[home], &way, &a, &b);
            check_surroundings(&a);
            check_surroundings(&b);
            unmake(&a);
            unmake(&b);
        }
}

/* The last element is the last of the mapping; the pages before and after it are inaccessible. */
static void at_the_end_of_a_mapping(void **state) {
    (void)state;
    for (int home = 0; home < HOMES; home++)
        for (size_t i = 0; i < 4; i++) {
            const struct way way = {.turn_a = i & 1, .turn_b = i & 2, .overrides = always, .made = 2};
            struct matrix a = operand(false, way.turn_a, (enum home)home, 0, 0),
                          b = operand(true, way.turn_b, (enum home)home, 0, 4);
            a.at_the_end = b.at_the_end = true;
            make(&a);
            make(&b);
            check("at the end", &way, &a, &b);
            check_surroundings(&a);
            check_surroundings(&b);
            unmake(&a);
            unmake(&b);
        }
}

/* Adapts A to one thing that keeps it from being imported. B is imported all the same. */
static void what_is_copied(void **state) {
    (void)state;
    static const struct {
        const char *what;
        size_t offset;
        int padding, odd;
    } cases[] = {
        {"not at a word", 4, 0, 0},
        {"at half a word", 16 * 77 + 8, 0, 0},
        {"an odd leading dimension", 0, 0, 1},
        {"sparse columns", 0, 200, 0},
        {"pages between columns", 0, 1024, 0},
        {"holes of pages", 0, 4096, 0},
    };
    for (size_t run = 0; run < 2 * COUNT(cases) * COUNT(plans); run++) {
        size_t i = run / COUNT(plans);
        const struct way way = {.turn_a = i & 1, .overrides = plans[run % COUNT(plans)], .made = 1};
        struct matrix a = operand(false, way.turn_a, PRIVATE, cases[i / 2].offset, cases[i / 2].padding),
                      b = operand(true, false, PRIVATE, 0, 0);
        a.ld += cases[i / 2].odd;
        make(&a);
        make(&b);
        if (cases[i / 2].padding >= 4096) /* the pages between the first columns do not exist */
            for (int j = 0; j + 1 < a.columns; j++) {
                uintptr_t end = (uintptr_t)(a.first + (size_t)j * (size_t)a.ld + (size_t)a.rows),
                          next = (uintptr_t)(a.first + (size_t)(j + 1) * (size_t)a.ld);
                end = (end + page - 1) / page * page;
                next = next / page * page;
                assert_true(next > end);
                assert_int_equal(mprotect((void *)end, next - end, PROT_NONE), 0);
            }
        check(cases[i / 2].what, &way, &a, &b);
        unmake(&a);
        unmake(&b);
    }
}

/* A and B are the same matrix, parts of one matrix that overlap, and neighbours that share a page. */
static void shared_pages(void **state) {
    (void)state;
    struct matrix whole = {.offset = 48, .rows = M + 10, .columns = K + 40, .ld = M + 10};
    make(&whole);
    for (int shift = 0; shift <= 40; shift += 20) {
        const struct way way = {.turn_b = true, .overrides = always, .made = shift ? 2 : 1};
        struct matrix a = whole, b = whole;
        a.rows = M;
        a.columns = b.columns = K;
        b.rows = N;
        b.first += (size_t)shift * (size_t)whole.ld;
        check("the same pages", &way, &a, &b);
        check("the same pages, the other way round", &way, &b, &a);
    }
    check_surroundings(&whole);
    unmake(&whole);
}

/* A driver that refuses, in each of the ways that it may. */
static VkResult VKAPI_PTR refuse_pointer(VkDevice handle, VkExternalMemoryHandleTypeFlagBits type,
                                         const void *pointer, VkMemoryHostPointerPropertiesEXT *properties) {
    (void)handle, (void)type, (void)pointer, (void)properties;
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

static VkResult VKAPI_PTR allow_no_type(VkDevice handle, VkExternalMemoryHandleTypeFlagBits type,
                                        const void *pointer, VkMemoryHostPointerPropertiesEXT *properties) {
    (void)handle, (void)type, (void)pointer;
    properties->memoryTypeBits = 0;
    return VK_SUCCESS;
}

static PFN_vkAllocateMemory allocate_memory;
static int allocations_refused, allocations_allowed;
static VkResult VKAPI_PTR refuse_import(VkDevice handle, const VkMemoryAllocateInfo *info,
                                        const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory) {
    for (const VkBaseInStructure *next = info->pNext; next; next = next->pNext)
        if (next->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT &&
            allocations_allowed-- <= 0) {
            allocations_refused++;
            return VK_ERROR_INVALID_EXTERNAL_HANDLE;
        }
    return allocate_memory(handle, info, callbacks, memory);
}

static PFN_vkGetBufferMemoryRequirements get_requirements;
static void VKAPI_PTR require_more(VkDevice handle, VkBuffer buffer, VkMemoryRequirements *requirements) {
    get_requirements(handle, buffer, requirements);
    requirements->size += page;
}

static void refused(void **state) {
    (void)state;
    const struct lava_vk_functions kept = device->vk;
    const struct way none = {.overrides = always, .refused = 2},
                     only_one = {.overrides = always, .made = 1, .refused = 1},
                     both = {.overrides = always, .made = 2};
    struct matrix a = operand(false, false, PRIVATE, 32, 0), b = operand(true, false, PRIVATE, 0, 4);
    make(&a);
    make(&b);
    allocate_memory = kept.AllocateMemory;
    get_requirements = kept.GetBufferMemoryRequirements;
    check("allowed", &both, &a, &b); /* and later ones find all of the engine's memory there */

    device->vk.GetMemoryHostPointerPropertiesEXT = refuse_pointer;
    check("the pointer is refused", &none, &a, &b);
    device->vk.GetMemoryHostPointerPropertiesEXT = allow_no_type;
    check("no memory type", &none, &a, &b);
    device->vk = kept;
    device->vk.AllocateMemory = refuse_import;
    check("the import is refused", &none, &a, &b);
    assert_int_equal(allocations_refused, 2);
    allocations_allowed = 1;
    check("the second import is refused", &only_one, &a, &b);
    device->vk = kept;
    device->vk.GetBufferMemoryRequirements = require_more;
    check("more than the pages", &none, &a, &b);
    device->vk = kept;
    check("allowed again", &both, &a, &b);
    unmake(&a);
    unmake(&b);
}

/* Only the figures decide; without them everything is copied. */
static void by_figures(void **state) {
    (void)state;
    static const struct lava_figures slow = {
        .device = {.import_ns = 1e6, .import_bytes_per_s = 1e9, .copy_bytes_per_s = 1e10}};
    static const struct lava_figures fast = {
        .device = {.import_ns = 10, .import_bytes_per_s = 1e12, .copy_bytes_per_s = 1e9}};
    /* faster for A's 48 KiB, slower for B's 44 */
    static const struct lava_figures larger = {
        .device = {.import_ns = 42e3, .import_bytes_per_s = 1e12, .copy_bytes_per_s = 1e9}};
    const struct lava_figures *kept = engine->figures;
    const struct way by_default = {.made = 0}, imported = {.made = 2}, only_a = {.made = 1};
    struct matrix a = operand(false, false, PRIVATE, 0, 0), b = operand(true, false, PRIVATE, 0, 0);
    make(&a);
    make(&b);
    check("not measured", &by_default, &a, &b);
    engine->figures = &slow;
    check("slow imports", &by_default, &a, &b);
    engine->figures = &fast;
    check("fast imports", &imported, &a, &b);
    engine->figures = &larger;
    check("only the larger one", &only_a, &a, &b);
    engine->figures = kept;
    unmake(&a);
    unmake(&b);
}

static bool begin_turn(struct lava_microbenchmark *benchmark, struct lava_engine **its_engine) {
    (void)benchmark;
    *its_engine = engine;
    return true;
}

static bool end_turn(struct lava_microbenchmark *benchmark, struct lava_engine *its_engine) {
    (void)benchmark, (void)its_engine;
    return true;
}

static struct lava_device_figures measure(void) {
    struct lava_microbenchmark benchmark = {.capabilities = &engine->capabilities,
                                            .figures.cpu.flops_per_s = {1, 1, 1},
                                            .piece_ns = 20000000,
                                            .point_ns = 50000000,
                                            .runs = 3,
                                            .matrix_bytes = 48 << 20,
                                            .begin = begin_turn,
                                            .end = end_turn};
    assert_int_equal(lava_microbenchmark_imports(&benchmark, LAVA_TYPE_FP32), LAVA_MICROBENCHMARK_MEASURED);
    lava_microbenchmark_finish(&benchmark);
    assert_int_equal(device->shared->imported.bytes, 0);
    return benchmark.figures.device;
}

/* The calibration imports, and says that copies are faster if the driver refuses. */
static void measured(void **state) {
    (void)state;
    uint64_t made = device->shared->imported.made;
    struct lava_device_figures figures = measure();
    printf("import: %.0f ns and %.3g GB/s, copy: %.3g GB/s\n", figures.import_ns,
           figures.import_bytes_per_s * 1e-9, figures.copy_bytes_per_s * 1e-9);
    assert_true(figures.import_ns > 0 && figures.import_bytes_per_s > 0 && figures.copy_bytes_per_s > 0);
    assert_true(device->shared->imported.made >= made + 20);

    PFN_vkGetMemoryHostPointerPropertiesEXT kept = device->vk.GetMemoryHostPointerPropertiesEXT;
    device->vk.GetMemoryHostPointerPropertiesEXT = refuse_pointer;
    made = device->shared->imported.made;
    figures = measure();
    device->vk.GetMemoryHostPointerPropertiesEXT = kept;
    assert_int_equal(device->shared->imported.made, made);
    assert_true(figures.import_ns > 0);
    assert_false(lava_imports_pay(&figures, 1));
    assert_false(lava_imports_pay(&figures, UINT64_C(1) << 40));

    engine->capabilities.import_page_bytes = 0;
    figures = measure();
    engine->capabilities.import_page_bytes = page;
    assert_true(figures.import_ns <= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_home),     cmocka_unit_test(at_the_end_of_a_mapping),
        cmocka_unit_test(what_is_copied), cmocka_unit_test(shared_pages),
        cmocka_unit_test(refused),        cmocka_unit_test(by_figures),
        cmocka_unit_test(measured),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
