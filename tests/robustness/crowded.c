/* Another process takes all memory of a GPU, before this one has called or later. Whatever is left, the
 * results are right. Once the other process has ended, the device computes again, if it was opened before. By
 * hand, on a GPU:
 *
 *     LAVA_TEST_DEVICE=0 crowded before; LAVA_TEST_DEVICE=0 crowded later
 *
 * Each call prints where it was computed, and why there. A device that has the host's memory is skipped. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/vk/gpu.h"
#include "lib/vk/memory.h"
#include "tests/robustness/cases.h"
#include "tests/robustness/hashed.h"

#define PIECES      4096
#define LEAST_BYTES (UINT64_C(1) << 20)
#define ORDER       3000

void dgetrf_64_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, int64_t *ipiv,
                int64_t *info);

struct other {
    pid_t process;
    int commands[2], answers[2];
};

/* Takes pieces of 4 GiB while there are any, then smaller ones. Returns their sum; 0: none, or the device has
 * the host's memory. */
static uint64_t take_all(void) {
    struct lava_device *device;
    const char *why;
    uint64_t sum = 0;
    if (lava_gpu_open(lava_config_get(), &device, &why) || device->capabilities.unified_memory)
        return 0;
    device->capabilities.memory_bytes = UINT64_MAX; /* no limit but the driver's */
    uint64_t bytes = UINT64_C(4) << 30;
    for (int i = 0; i < PIECES && bytes >= LEAST_BYTES; i++) {
        struct lava_buffer buffer;
        bool is_taken = lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &buffer) == LAVA_OK;
        sum += is_taken ? bytes : 0;
        bytes /= is_taken ? 1 : 2;
    }
    return sum;
}

/* The other process waits for a byte, takes the memory, says how much and keeps it until the pipe closes. */
static bool start(struct other *other) {
    char byte;
    if (pipe(other->commands) || pipe(other->answers) || (other->process = fork()) < 0)
        return false;
    if (other->process > 0) {
        close(other->commands[0]);
        close(other->answers[1]);
        return true;
    }
    close(other->commands[1]);
    close(other->answers[0]);
    if (read(other->commands[0], &byte, 1) == 1) {
        uint64_t sum = take_all();
        if (write(other->answers[1], &sum, sizeof sum) == sizeof sum)
            (void)!read(other->commands[0], &byte, 1);
    }
    _exit(0);
}

static double take(const struct other *other) {
    uint64_t sum = 0;
    if (write(other->commands[1], "t", 1) != 1 || read(other->answers[0], &sum, sizeof sum) != sizeof sum)
        return 0;
    printf("another process has %.2f GiB of the device's memory\n", (double)sum / 0x1p30);
    return (double)sum;
}

static void end(const struct other *other) {
    close(other->commands[1]);
    CASE_CHECK(waitpid(other->process, NULL, 0) == other->process);
}

static void multiply(int m, int n, int k, const char *place) {
    struct product product = {.m = m, .n = n, .k = k, .alpha = 1, .beta = 1};
    const char *reason;
    product_make(&product, 7);
    case_multiply(&product, place);
    const char *there = case_place(&reason);
    printf("sgemm %d %d %d: %s (%s)\n", m, n, k, there, reason);
    product_free(&product);
}

static void factor(int64_t n) {
    double *a = malloc((size_t)(n * n) * sizeof *a);
    int64_t *pivots = malloc((size_t)n * sizeof *pivots), info = -1;
    if (!CASE_CHECK(a && pivots))
        return;
    for (int64_t i = 0; i < n * n; i++)
        a[i] = hashed_uniform((uint64_t)i);
    dgetrf_64_(&n, &n, a, &n, pivots, &info);
    const char *reason, *there = case_place(&reason);
    printf("dgetrf %d: %s (%s)\n", (int)n, there, reason);
    CASE_CHECK(info == 0 && hashed_lu_error(n, a, pivots) <= 1);
    free(a);
    free(pivots);
}

static void call_all(void) {
    multiply(700, 600, 500, NULL);
    multiply(5000, 4000, 200, NULL);
    factor(ORDER);
    factor(2 * ORDER);
}

static int crowd(bool is_late) {
    struct other other;
    hashed_seed();
    if (!CASE_CHECK(start(&other)))
        return case_result();
    if (is_late)
        multiply(700, 600, 500, "gpu");
    double taken = take(&other);
    if (taken > 0)
        call_all();
    end(&other);
    if (taken <= 0)
        return CASE_SKIPPED;
    if (is_late)
        multiply(700, 600, 500, "gpu");
    call_all();
    return case_result();
}

static int before(void) {
    return crowd(false);
}

static int later(void) {
    return crowd(true);
}

static const struct test_case cases[] = {
    {.name = "before", .run = before}, {.name = "later", .run = later}, {.name = NULL}};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
