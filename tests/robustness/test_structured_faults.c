/* Faults in ssymm_, ssyr2k_, strmm_ and strsm_, through the names that programs call. Each passage of a point
 * fails once, alone or with all that follow: the result is right, and where the device survives the next call
 * runs on it. Faults that end a device's use are tried in processes of their own, at a random passage.
 * Elements are small integers, so every result is exact, and the memory between columns must not change.
 * Built with -Dfault_injection=true. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lavablas.h"
#include "lib/base/fault.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { N = 290, LD = N + 3, CHILD_S = 120, MOST = 16 };
enum routine { SYMM, SYR2K, TRMM, TRSM, ROUTINES };
static const char *const names[ROUTINES] = {"ssymm_", "ssyr2k_", "strmm_", "strsm_"};

/* is_alone: tried in a process of its own, where the fault is final, or where only a first call comes there.
 */
static const struct point {
    enum lava_fault_point point;
    const char *name;
    bool is_alone, is_final;
} points[] = {{LAVA_FAULT_UPLOAD, "upload", false, false},
              {LAVA_FAULT_SUBMIT, "submit", false, false},
              {LAVA_FAULT_DOWNLOAD, "download", false, false},
              {LAVA_FAULT_ALLOCATE, "allocate", true, false},
              {LAVA_FAULT_WAIT, "wait", true, true},
              {LAVA_FAULT_DEVICE_LOST, "device_lost", true, true},
              {LAVA_FAULT_VK, "vk", true, true}};

void ssymm_(const char *side, const char *uplo, const int *m, const int *n, const float *alpha,
            const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
            const int *ldc);
void ssyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
             const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
             const int *ldc);
void strmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb);
void strsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb);

/* triangle: lower, with a diagonal of ones, NaN above it. */
static float general[LD * N], triangle[LD * N], before[LD * N], expected[ROUTINES][LD * N], c[LD * N];
static unsigned seed;

/* Results of the children. */
static struct {
    long passages[ROUTINES][COUNT(points)];
    long calls, failed_calls;
} * shared;

static float small(void) {
    return (float)(rand_r(&seed) % 5 - 2);
}

static void fill(void) {
    for (int i = 0; i < LD * N; i++) {
        bool is_padding = i % LD >= N, is_below = i % LD >= i / LD;
        general[i] = is_padding ? NAN : small();
        before[i] = is_padding ? NAN : small();
        triangle[i] = is_padding || !is_below ? NAN : i % LD == i / LD ? 1 : small();
    }
}

static float symmetric(int i, int l) {
    return i >= l ? triangle[i + l * LD] : triangle[l + i * LD];
}

/* What each routine makes of `before`; for the solve, of the product of the triangle and it. */
static void compute_expected(void) {
    for (int r = 0; r < ROUTINES; r++)
        memcpy(expected[r], before, sizeof before);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            float product = 0, twice = 0, lower = 0;
            for (int l = 0; l < N; l++) {
                product += symmetric(i, l) * general[l + j * LD];
                twice += general[i + l * LD] * before[j + l * LD] + before[i + l * LD] * general[j + l * LD];
                lower += l <= i ? triangle[i + l * LD] * before[l + j * LD] : 0;
            }
            expected[SYMM][i + j * LD] = 2 * product - before[i + j * LD];
            expected[TRMM][i + j * LD] = lower;
            if (i >= j)
                expected[SYR2K][i + j * LD] = before[i + j * LD] + twice;
        }
}

/* C is written by the call, and B of ?syr2k is what C was. */
static void call_of_order(int n, enum routine routine) {
    static const int ld = LD;
    static const float one = 1, two = 2, minus = -1;
    memcpy(c, routine == TRSM ? expected[TRMM] : before, sizeof c);
    switch (routine) {
    case SYMM:
        ssymm_("L", "L", &n, &n, &two, triangle, &ld, general, &ld, &minus, c, &ld);
        return;
    case SYR2K:
        ssyr2k_("L", "N", &n, &n, &one, general, &ld, before, &ld, &one, c, &ld);
        return;
    case TRMM:
        strmm_("L", "L", "N", "U", &n, &n, &one, triangle, &ld, c, &ld);
        return;
    default:
        strsm_("L", "L", "N", "U", &n, &n, &one, triangle, &ld, c, &ld);
    }
}

static void call(enum routine routine) {
    call_of_order(N, routine);
}

/* Returns whether the last call's result is right. */
static bool is_right(enum routine routine, const char *what) {
    const float *wanted = routine == TRSM ? before : expected[routine];
    shared->calls++;
    for (int i = 0; i < LD * N; i++)
        if (c[i] != wanted[i] && !(isnan(c[i]) && isnan(wanted[i]))) {
            fprintf(stderr, "%s, %s: (%d, %d) is %g, not %g\n", names[routine], what, i % LD, i / LD,
                    (double)c[i], (double)wanted[i]);
            shared->failed_calls++;
            return false;
        }
    return true;
}

static bool ran_on_device(void) {
    struct lavablas_call last = {.size = sizeof last};
    bool is_known = lavablas_last_call(&last) == 0;
    if (is_known && strcmp(last.place, "gpu") == 0)
        return true;
    fprintf(stderr, "computed on the CPU: %s\n", is_known ? last.reason : "no call");
    return false;
}

/* Counts the passages of each point in a call without a fault: in the second one, as the first leaves memory
 * to it, except for allocations. */
static bool count_passages(enum routine routine) {
    for (int i = 0; i < 2; i++) {
        lava_fault_set(NULL);
        call(routine);
        for (size_t p = 0; p < COUNT(points); p++)
            if (i == 1 || points[p].point == LAVA_FAULT_ALLOCATE)
                shared->passages[routine][p] += lava_fault_passages(points[p].point);
    }
    return is_right(routine, "no fault") && ran_on_device();
}

/* Two calls, of which the first meets the fault. */
static bool try_fault(enum routine routine, const struct point *point, long passage, bool all) {
    char text[64];
    snprintf(text, sizeof text, "%s:%ld:%d", point->name, passage, !all);
    lava_fault_set(text);
    call(routine);
    lava_fault_set(NULL);
    bool right = is_right(routine, text);
    call(routine);
    right = is_right(routine, "after the fault") && right;
    if (right && !point->is_final && !ran_on_device()) {
        fprintf(stderr, "%s: the device is not used after %s\n", names[routine], text);
        return false;
    }
    return right;
}

static bool sweep(enum routine routine) {
    call_of_order(MOST, routine); /* prepares the kernels */
    bool right = count_passages(routine);
    for (size_t p = 0; right && p < COUNT(points); p++) {
        long passages = shared->passages[routine][p], stride = passages / MOST + 1;
        for (long passage = 1; right && !points[p].is_alone && passage <= passages; passage += stride)
            right = try_fault(routine, &points[p], passage, passage % 2 == 0);
    }
    return right;
}

/* Returns the process's exit status. */
static int sweep_all(enum routine first, size_t unused, long passage) {
    bool right = true;
    (void)unused;
    (void)passage;
    for (int i = 0; i < ROUTINES; i++)
        right = sweep((enum routine)((first + (unsigned)i) % ROUTINES)) && right;
    return !right;
}

/* A small call comes first, because kernels are prepared at a first call, and given up where that fails. */
static int meet_fault(enum routine routine, size_t p, long passage) {
    call_of_order(MOST, routine);
    return !try_fault(routine, &points[p], passage, true);
}

/* This process must stay without a device, for the next child. */
static bool in_child(int run(enum routine routine, size_t p, long passage), enum routine routine, size_t p,
                     long passage) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const char *why;
        alarm(CHILD_S);
        if (lavablas_wait(&why))
            fprintf(stderr, "no device: %s\n", why);
        exit(run(routine, p, passage));
    }
    if (waitpid(child, &status, 0) == child && status == 0)
        return true;
    fprintf(stderr, "failed (status 0x%x): %s, %s:%ld\n", (unsigned)status, names[routine], points[p].name,
            passage);
    return false;
}

/* Two of the routines at each such point. */
static bool try_alone(void) {
    bool right = true;
    for (size_t p = 0; p < COUNT(points); p++)
        for (int i = 0; points[p].is_alone && i < 2; i++) {
            enum routine routine = (enum routine)((rand_r(&seed) + i) % ROUTINES);
            long passages = shared->passages[routine][p];
            if (passages > 0)
                right = in_child(meet_fault, routine, p, 1 + rand_r(&seed) % passages) && right;
        }
    return right;
}

int main(void) {
    const char *given = getenv("LAVA_TEST_SEED");
    seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    printf("LAVA_TEST_SEED=%u\n", seed);
    setenv("LAVABLAS_DEVICE", "cpu", 1);
    setenv("LAVABLAS_MODE", "gpu", 1);
    setenv("LAVABLAS_MEMORY", "1M", 1);
    setenv("LAVABLAS_PINNED", "1M", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    unsetenv("LAVABLAS_FAULT");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    fill();
    compute_expected();
    bool right = in_child(sweep_all, (enum routine)(rand_r(&seed) % ROUTINES), 0, 0);
    for (int r = 0; r < ROUTINES; r++) {
        printf("%s:", names[r]);
        for (size_t p = 0; p < COUNT(points); p++)
            printf(" %s %ld", points[p].name, shared->passages[r][p]);
        printf("\n");
    }
    right = try_alone() && right;
    printf("%ld calls, %ld wrong\n", shared->calls, shared->failed_calls);
    return !right;
}
