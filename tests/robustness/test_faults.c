/* Every step of a call fails once, and C must be right all the same. This is how SQLite tests for lack of
 * memory. For each point of lib/base/fault.h and each passage N, a separate process (some faults are final
 * for a process) computes the product with the fault, then one without. Faults during the preparation of the
 * device and faults during the product are counted separately. Built with -Dfault_injection=true.
 *
 * LAVA_TEST_SEED says at which passage of the first ones this begins.
 *
 *   test_faults [MOST]   at most MOST passages of a point in each phase, evenly spread; default: 60 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "lib/blas/triangle_call.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/context.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/state.h"
#include "lib/vk/device.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/product.h"

#define WORKERS 2
#define CHILD_S 60
#define RESULTS 3 /* possible results of a fault at vk */
#if defined(__SANITIZE_ADDRESS__)
#    define FAILURES 120
#else
#    define FAILURES 300
#endif
#define SETTLED    60
#define GROWTH_KIB 4096
#define SLOT_ROWS  16384 /* with 1M of staging memory */

static const char *const points[LAVA_FAULT_COUNT] = {"init",        "allocate", "upload", "submit", "wait",
                                                     "device_lost", "download", "import", "vk"};
enum phase { PREPARATION, CALL, PHASES };
static const char *const phases[PHASES] = {"preparation", "call"};

/* BLOCKS has several blocks, partial tiles at the edges, and a C that is read. TALL has columns so long that
 * each is downloaded in parts, with little staging memory. LOWER, UPPER and HERMITIAN are triangles of
 * several strips, as ?syrk, ?gemmt and ?herk call for them. HALVES is one whose operands do not fit the
 * memory, so that its rectangle is computed and then either half. IMPORTED is the first one with A and B
 * imported. HALF is the first one in half precision, if the device supports it. */
enum shape { BLOCKS, TALL, LOWER, UPPER, HERMITIAN, HALVES, IMPORTED, HALF, SHAPES };
static struct product products[SHAPES] = {
    {.transpose_b = true, .m = 390, .n = 450, .k = 100, .alpha = 0.75f, .beta = -0.5f},
    {.transpose_a = true, .m = 40000, .n = 19, .k = 7, .alpha = -1.5f, .beta = 2.0f},
    {.region = LAVA_REGION_LOWER,
     .transpose_b = true,
     .b_is_a = true,
     .m = 300,
     .n = 300,
     .k = 60,
     .alpha = 0.75f,
     .beta = -0.5f},
    {.region = LAVA_REGION_UPPER,
     .transpose_a = true,
     .m = 290,
     .n = 290,
     .k = 50,
     .alpha = 0.75f,
     .beta = 2},
    {.type = LAVA_TYPE_CFP32,
     .type_c = LAVA_TYPE_CFP32,
     .region = LAVA_REGION_LOWER,
     .transpose_a = true,
     .conjugate_a = true,
     .b_is_a = true,
     .real_diagonal = true,
     .m = 330,
     .n = 330,
     .k = 40,
     .alpha = -1.25,
     .beta = 0.5},
    {.region = LAVA_REGION_UPPER,
     .transpose_b = true,
     .b_is_a = true,
     .m = 300,
     .n = 300,
     .k = 1500,
     .alpha = 0.75f,
     .beta = -0.5f},
    {.by_words = true, .transpose_b = true, .m = 390, .n = 450, .k = 100, .alpha = 0.75f, .beta = -0.5f},
    {.type = LAVA_TYPE_FP16,
     .type_c = LAVA_TYPE_FP16,
     .transpose_b = true,
     .m = 390,
     .n = 450,
     .k = 100,
     .alpha = 0.75f,
     .beta = -0.5f},
};
static int shape; /* shape of this process's products */
static unsigned seed;

/* Results of the workers, read by the parent. */
static struct {
    long passages[SHAPES][PHASES][LAVA_FAULT_COUNT];
    _Atomic long cases, failed, on_device, unreached;
    bool has_half;
} * shared;

/* One process: a fault in a phase. */
struct fault_case {
    int shape;
    enum lava_fault_point point;
    enum phase phase;
    long passage;
    long count;  /* passages that fail; 0: all from the first one on */
    int rotated; /* which of vk's results */
};

static void call(void *c, struct lava_call *told) {
    *told = (struct lava_call){.routine = LAVA_ROUTINE_sgemm_, .valid = true};
    told->operation = product_operation(&products[shape], c);
    bool is_triangle = told->operation.c.region != LAVA_REGION_ALL;
    if (!(is_triangle ? lava_triangle_begin(told) : lava_offload_begin(told)))
        lava_cpu_blas_run(lava_cpu_blas_get(), &told->operation);
    lava_offload_end(told);
}

/* Computes and checks a product; *told says where it ran. */
static bool multiply(const char *what, struct lava_call *told) {
    void *c = product_new_c(&products[shape]);
    call(c, told);
    bool right = product_check(&products[shape], c, what);
    free(c);
    return right;
}

/* As if imports had been measured to take no time. */
static void import_everything(void) {
    static struct lava_figures figures;
    figures = *lava_context_figures();
    figures.device.import_ns = 1;
    figures.device.import_bytes_per_s = 1e12;
    figures.device.copy_bytes_per_s = 1e9;
    lava_context_set_figures(&figures);
}

static bool wait_for_device(void) {
    const char *why;
    enum lava_reason reason;
    lava_offload_open();
    bool ready = shape == HALF ? lava_prepare_may_multiply(products[HALF].type, true, &reason)
                               : lava_state_await(-1, &why) == LAVA_STATE_READY;
    if (ready && shape == IMPORTED)
        import_everything();
    return ready;
}

static bool complain(const char *what, const char *operation, const struct lava_call *told) {
    fprintf(stderr, "%s: %s (%s: %s)\n", what, operation, told->place == LAVA_PLACE_GPU ? "gpu" : "cpu",
            lava_reason_text(told->reason));
    return false;
}

/* Checks that the device is used unless it is gone for good, and that a fault is reported as such. */
static bool is_plausible(const struct lava_call *first, const struct lava_call *second,
                         const struct fault_case *fault, const char *what) {
    if (fault->phase == CALL && first->place == LAVA_PLACE_CPU && first->reason != LAVA_REASON_FAULT)
        return complain(what, "the faulty call has another reason", first);
    if (fault->point == LAVA_FAULT_IMPORT && first->place != LAVA_PLACE_GPU)
        return complain(what, "what is not imported is not copied", first);
    if (second->place == LAVA_PLACE_GPU)
        return true;
    /* If its preparation fails, only the half type is given up. A type is ready before all its kernels are
     * tested, so the device may fail after that. */
    bool given_up = second->reason == LAVA_REASON_NO_DEVICE || second->reason == LAVA_REASON_FAILED ||
                    (second->operation.type != LAVA_TYPE_FP32 && second->reason == LAVA_REASON_NO_KERNEL);
    if (fault->phase == CALL ? second->reason != LAVA_REASON_FAILED : !given_up)
        return complain(what, "the clean call has another reason", second);
    bool transient = fault->point == LAVA_FAULT_ALLOCATE || fault->point == LAVA_FAULT_UPLOAD ||
                     fault->point == LAVA_FAULT_SUBMIT || fault->point == LAVA_FAULT_DOWNLOAD ||
                     fault->point == LAVA_FAULT_IMPORT;
    if (fault->phase == CALL && transient)
        return complain(what, "the device is not used after a fault that passes", second);
    return true;
}

/* A device that fails while it is prepared for half precision, and is not lost, continues with fp32. */
static bool fp32_goes_on(const struct fault_case *fault, const char *what) {
    struct lava_call told;
    if (fault->shape != HALF || fault->phase != PREPARATION ||
        (fault->point != LAVA_FAULT_UPLOAD && fault->point != LAVA_FAULT_SUBMIT &&
         fault->point != LAVA_FAULT_DOWNLOAD))
        return true;
    shape = BLOCKS;
    bool right = multiply(what, &told);
    if (told.place != LAVA_PLACE_GPU)
        return complain(what, "fp32 is not computed on the device any more", &told);
    return right;
}

/* Sets the shape of this process's products and its limits. */
static void set_shape(int wanted) {
    shape = wanted;
    setenv("LAVABLAS_MEMORY", wanted == TALL ? "64M" : "1M", 1);
    setenv("LAVABLAS_PINNED", "1M", 1);
}

/* For these points the number of passages depends on time: finished work is not waited for, and work is
 * submitted at once if the device is idle. The kernels are tested in the order in which they are compiled. So
 * what a preparation does, and which buffers it leaves to the call, varies, too. */
static bool by_chance(const struct fault_case *fault) {
    return fault->phase == PREPARATION || fault->point == LAVA_FAULT_ALLOCATE ||
           fault->point == LAVA_FAULT_WAIT || fault->point == LAVA_FAULT_VK ||
           fault->point == LAVA_FAULT_SUBMIT || fault->point == LAVA_FAULT_DEVICE_LOST;
}

static int run_case(const struct fault_case *fault) {
    char specification[64], what[128];
    struct lava_call first, second;
    snprintf(specification, sizeof specification, "%s:%ld:%ld", points[fault->point], fault->passage,
             fault->count);
    snprintf(what, sizeof what, "shape %d, %s, %s, result %d", fault->shape, phases[fault->phase],
             specification, fault->rotated);
    set_shape(fault->shape);
    alarm(CHILD_S);
    for (int i = 0; i < fault->rotated; i++)
        lava_device_injected_result();
    if (fault->phase == CALL && !wait_for_device())
        return 1;
    if (!lava_fault_set(specification))
        return 1;
    if (fault->phase == PREPARATION)
        wait_for_device();
    bool reached = fault->phase == CALL || lava_fault_passages(fault->point) >= fault->passage;
    bool right = multiply(what, &first);
    if (!reached || lava_fault_passages(fault->point) < fault->passage) {
        if (right && by_chance(fault)) {
            shared->unreached++;
            return 0;
        }
        fprintf(stderr, "%s: never reached\n", what);
        return 1;
    }
    lava_fault_set(NULL);
    right = multiply(what, &second) && right;
    if (second.place == LAVA_PLACE_GPU)
        shared->on_device++;
    return right && is_plausible(&first, &second, fault, what) && fp32_goes_on(fault, what) ? 0 : 1;
}

/* Runs in a child, because this process must stay without a device. The child ends by exit(), including
 * handlers. */
static void spawn(const struct fault_case *fault) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(run_case(fault));
    shared->cases++;
    if (waitpid(child, &status, 0) == child && status == 0)
        return;
    shared->failed++;
    fprintf(stderr, "failed (status 0x%x): shape %d, %s, %s:%ld:%ld, result %d\n", (unsigned)status,
            fault->shape, phases[fault->phase], points[fault->point], fault->passage, fault->count,
            fault->rotated);
}

/* Under a sanitizer every third shape, the others in other runs; the first one always. */
static bool is_left_out(int of_shape) {
#if defined(__SANITIZE_ADDRESS__)
    return of_shape != BLOCKS && ((unsigned)of_shape + seed) % 3;
#else
    (void)of_shape;
    return false;
#endif
}

/* Counts how often each point is passed without a fault. */
static int count_passages(void) {
    struct lava_call told;
    alarm(CHILD_S);
    lava_fault_set(NULL);
    if (!wait_for_device()) {
        printf("no device for shape %d\n", shape);
        return shape == HALF ? 0 : 1;
    }
    shared->has_half |= shape == HALF;
    for (int point = 0; point < LAVA_FAULT_COUNT; point++)
        shared->passages[shape][PREPARATION][point] = lava_fault_passages((enum lava_fault_point)point);
    lava_fault_set(NULL);
    bool right = multiply("no fault", &told) && told.place == LAVA_PLACE_GPU;
    for (int point = 0; point < LAVA_FAULT_COUNT; point++)
        shared->passages[shape][CALL][point] = lava_fault_passages((enum lava_fault_point)point);

    static const struct lava_figures figures = {.cpu.flops_per_s = {1e9, 1e9, 1e9}};
    struct lava_plan plan;
    lava_policy_choose(&told.operation, lava_context_capabilities(), &figures, LAVA_MODE_GPU, NULL, &plan);
    printf("%lld x %lld x %lld blocks\n", (long long)plan.blocking.blocks_m,
           (long long)plan.blocking.blocks_n, (long long)plan.blocking.blocks_k);
    bool expected = shape == TALL     ? plan.blocking.block_m > SLOT_ROWS
                    : shape == HALVES ? plan.place == LAVA_PLACE_CPU && plan.reason == LAVA_REASON_MEMORY
                                      : plan.blocking.blocks_n > 1;
    /* A and B, or else the sweep would miss them */
    long imports = shared->passages[shape][CALL][LAVA_FAULT_IMPORT];
    if (imports != (shape == IMPORTED ? 2 : 0)) {
        fprintf(stderr, "%ld imports in shape %d\n", imports, shape);
        return 1;
    }
    return right && expected ? 0 : 1;
}

/* Freed memory that the address sanitizer keeps would look like a leak. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=16";
}

static long resident_kib(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        abort();
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Many failures of one kind, each at another passage: all results are right, and none leaks memory. After a
 * failed import the product stays on the device. */
static int repeat_failures(enum lava_fault_point point) {
    long settled = 0, failures = 0;
    struct lava_call told;
    alarm(4 * CHILD_S);
    if (!wait_for_device())
        return 1;
    for (int i = 0; i < FAILURES; i++) {
        char specification[64];
        /* for allocations, one of the first and all that follow fail; otherwise the next call would need
         * none */
        bool all = point == LAVA_FAULT_ALLOCATE;
        snprintf(specification, sizeof specification, "%s:%ld:%d", points[point],
                 1 + i % (all ? 4 : shared->passages[shape][CALL][point]), !all);
        lava_fault_set(specification);
        if (!multiply(specification, &told))
            return 1;
        failures += told.reason == LAVA_REASON_FAULT;
        if (i == SETTLED)
            settled = resident_kib();
    }
    long growth = resident_kib() - settled;
    printf("%ld failures of %d at %s: %ld KiB more\n", failures, FAILURES, points[point], growth);
    lava_fault_set(NULL);
    if (!multiply("after many failures", &told) || told.place != LAVA_PLACE_GPU)
        return 1;
    /* the first product has more passages than later ones, which find their tile orders on the device */
    return growth > GROWTH_KIB || (point == LAVA_FAULT_IMPORT ? failures > 0 : failures < FAILURES / 2);
}

static int count_in_child(int wanted_shape) {
    set_shape(wanted_shape);
    return count_passages();
}

static int repeat_in_child(int point) {
    set_shape(point == LAVA_FAULT_IMPORT ? IMPORTED : BLOCKS);
    return repeat_failures((enum lava_fault_point)point);
}

static int in_child(int function(int), int argument) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(function(argument));
    if (waitpid(child, &status, 0) == child && status == 0)
        return 0;
    fprintf(stderr, "failed (status 0x%x): %s %d\n", (unsigned)status,
            function == repeat_in_child ? "many failures at point" : "no fault, shape", argument);
    return 1;
}

/* Distance between the passages that are tried. The device is prepared in the same way for all shapes but the
 * last. */
static long stride_of(int of_shape, int phase, int point, long most) {
    long passages = shared->passages[of_shape][phase][point];
    long wanted = of_shape == BLOCKS ? most : of_shape != HALF && phase != CALL ? 0 : (most + 3) / 4;
    return wanted ? (passages + wanted - 1) / wanted : passages + 1;
}

/* One shape, phase and point: this worker's share of the passages. Some fail with all that follow, and at vk
 * each result is used in turn. */
static long try_point(struct fault_case fault, long most, int worker, long number) {
    long stride = stride_of(fault.shape, (int)fault.phase, (int)fault.point, most);
    long passages = shared->passages[fault.shape][fault.phase][fault.point];
    /* the last ones may not come, as how many there are depends on time */
    for (fault.passage = 1 + seed % (stride / 2 + 1); fault.passage <= passages && stride <= passages;
         fault.passage += stride) {
        fault.count = number % 4 != 3;
        fault.rotated = (int)(number % RESULTS);
        if (number++ % WORKERS == worker)
            spawn(&fault);
    }
    return number;
}

static void work(int worker, long most) {
    long number = 0;
    for (int of_shape = 0; of_shape < (shared->has_half ? SHAPES : HALF); of_shape++)
        for (int phase = 0; phase < PHASES; phase++)
            for (int point = 0; point < LAVA_FAULT_COUNT; point++) {
                const struct fault_case fault = {
                    .shape = of_shape, .phase = (enum phase)phase, .point = (enum lava_fault_point)point};
                number = try_point(fault, most, worker, number);
            }
}

static void report(long most) {
    for (int of_shape = 0; of_shape < SHAPES; of_shape++)
        for (int phase = 0; phase < PHASES; phase++) {
            printf("shape %d, %s:", of_shape, phases[phase]);
            for (int point = 0; point < LAVA_FAULT_COUNT; point++) {
                long passages = shared->passages[of_shape][phase][point];
                long stride = stride_of(of_shape, phase, point, most);
                printf(" %s %ld of %ld", points[point],
                       passages && stride <= passages ? (passages + stride - 1) / stride : 0, passages);
            }
            printf("\n");
        }
    printf("%ld cases, %ld with the device in use after, %ld not reached, %ld failed\n", shared->cases,
           shared->on_device, shared->unreached, shared->failed);
}

/* Returns whether all workers came to their ends. */
static bool run_workers(long most) {
    int status = 0, ended = 0;
    fflush(NULL);
    for (int worker = 0; worker < WORKERS; worker++)
        if (fork() == 0) {
            work(worker, most);
            exit(0);
        }
    for (pid_t id = 0; (id = wait(&status)) > 0 || errno == EINTR;)
        ended += id > 0 && status == 0;
    return ended == WORKERS;
}

int main(int argument_count, char **arguments) {
    long most = argument_count > 1 ? strtol(arguments[1], NULL, 10) : 60;
    static const int transient[] = {LAVA_FAULT_ALLOCATE, LAVA_FAULT_UPLOAD, LAVA_FAULT_SUBMIT,
                                    LAVA_FAULT_DOWNLOAD, LAVA_FAULT_IMPORT};
    setenv("LAVABLAS_DEVICE", "cpu", 1);
    setenv("LAVABLAS_MODE", "gpu", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    unsetenv("LAVABLAS_FAULT");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || most < 1)
        return 2;
    seed = device_test_seed();
    int failed = 0;
    for (int i = 0; i < SHAPES; i++) {
        product_make(&products[i], 1);
        if (!is_left_out(i))
            failed |= in_child(count_in_child, i);
    }
    if (failed)
        return 1;
    failed = !run_workers(most);
    report(most);
    failed |= shared->failed > 0 || shared->unreached > shared->cases / 10;
    for (size_t i = 0; i < sizeof transient / sizeof transient[0]; i++)
        if (transient[i] != LAVA_FAULT_IMPORT || !is_left_out(IMPORTED))
            failed |= in_child(repeat_in_child, transient[i]);
    for (int i = 0; i < SHAPES; i++)
        product_free(&products[i]);
    return failed;
}
