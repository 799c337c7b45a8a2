/* Faults in ?symm_, ?syr2k_, ?trmm_ and ?trsm_, through the names that programs call; the seed chooses
 * s or d, an argument any of s, d, c and z. Each passage of a point fails once, alone or with all that
 * follow: the result is right, and if the device survives the next call runs on it. Faults that end a
 * device's use are tried in processes of their own, at a random passage. Elements are small integers, so
 * every result is exact, and the memory between columns must not change. Built with -Dfault_injection=true.
 */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dispatch/policy.h"
#include "lavablas.h"
#include "lib/base/fault.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#if defined(__SANITIZE_ADDRESS__)
enum { MOST = 3 }; /* passages of a point */
#else
enum { MOST = 16 };
#endif
enum { N = 290, LD = N + 3, SMALL = 16, CHILD_S = 120 };
enum routine { SYMM, SYR2K, TRMM, TRSM, ROUTINES };
static const char *const names[ROUTINES] = {"symm_", "syr2k_", "trmm_", "trsm_"};

/* is_alone: tried in a process of its own, if the fault is final, or if only a first call comes there.
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

/* Scalars and matrices are of the type's elements. */
typedef void symm_function(const char *side, const char *uplo, const int *m, const int *n, const void *alpha,
                           const void *a, const int *lda, const void *b, const int *ldb, const void *beta,
                           void *c, const int *ldc);
typedef void syr2k_function(const char *uplo, const char *trans, const int *n, const int *k,
                            const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                            const void *beta, void *c, const int *ldc);
typedef void triangle_function(const char *side, const char *uplo, const char *transa, const char *diag,
                               const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                               void *b, const int *ldb);
symm_function ssymm_, dsymm_, csymm_, zsymm_;
syr2k_function ssyr2k_, dsyr2k_, csyr2k_, zsyr2k_;
triangle_function strmm_, dtrmm_, ctrmm_, ztrmm_, strsm_, dtrsm_, ctrsm_, ztrsm_;
static const struct {
    char letter;
    bool is_double, is_complex;
    symm_function *symm;
    syr2k_function *syr2k;
    triangle_function *trmm, *trsm;
} types[] = {{'s', false, false, ssymm_, ssyr2k_, strmm_, strsm_},
             {'d', true, false, dsymm_, dsyr2k_, dtrmm_, dtrsm_},
             {'c', false, true, csymm_, csyr2k_, ctrmm_, ctrsm_},
             {'z', true, true, zsymm_, zsyr2k_, ztrmm_, ztrsm_}};

/* triangle: lower, with a diagonal of ones, NaN above it. */
typedef double complex number;
static number general[LD * N], triangle[LD * N], before[LD * N], expected[ROUTINES][LD * N];
/* The same in the elements of the type, and C. */
static char general_elements[sizeof general], triangle_elements[sizeof general],
    before_elements[sizeof general], expected_product[sizeof general], c[sizeof general];
static size_t type; /* of the run, index into types */
static unsigned seed;

/* Results of the children. tries: calls for which a fault was set; met: those in which it came. */
static struct {
    long passages[ROUTINES][COUNT(points)], tries[COUNT(points)], met[COUNT(points)];
    long calls, failed_calls;
} * shared;

static void put(void *elements, int at, number x) {
    double *doubles = elements;
    float *floats = elements;
    int each = types[type].is_complex ? 2 : 1;
    const double parts[] = {creal(x), cimag(x)};
    for (int i = 0; i < each; i++)
        if (types[type].is_double)
            doubles[each * at + i] = parts[i];
        else
            floats[each * at + i] = (float)parts[i];
}

static number get(const void *elements, int at) {
    const double *doubles = elements;
    const float *floats = elements;
    int each = types[type].is_complex ? 2 : 1;
    double parts[] = {0, 0};
    for (int i = 0; i < each; i++)
        parts[i] = types[type].is_double ? doubles[each * at + i] : (double)floats[each * at + i];
    return CMPLX(parts[0], parts[1]);
}

static number small(void) {
    double real = rand_r(&seed) % 5 - 2;
    return CMPLX(real, types[type].is_complex ? rand_r(&seed) % 3 - 1 : 0);
}

static void fill(void) {
    const number nan = CMPLX(NAN, types[type].is_complex ? NAN : 0);
    for (int i = 0; i < LD * N; i++) {
        bool is_padding = i % LD >= N, is_below = i % LD >= i / LD;
        general[i] = is_padding ? nan : small();
        before[i] = is_padding ? nan : small();
        triangle[i] = is_padding || !is_below ? nan : i % LD == i / LD ? 1 : small();
        put(general_elements, i, general[i]);
        put(before_elements, i, before[i]);
        put(triangle_elements, i, triangle[i]);
    }
}

static number symmetric(int i, int l) {
    return i >= l ? triangle[i + l * LD] : triangle[l + i * LD];
}

/* The compiler's product looks for NaN. */
static number times(number x, number y) {
    return CMPLX(creal(x) * creal(y) - cimag(x) * cimag(y), creal(x) * cimag(y) + cimag(x) * creal(y));
}

/* What each routine makes of `before`; for the solve, of the product of the triangle and it. */
static void compute_expected(void) {
    for (int r = 0; r < ROUTINES; r++)
        memcpy(expected[r], before, sizeof before);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            number product = 0, twice = 0, lower = 0;
            for (int l = 0; l < N; l++) {
                product += times(symmetric(i, l), general[l + j * LD]);
                twice += times(general[i + l * LD], before[j + l * LD]) +
                         times(before[i + l * LD], general[j + l * LD]);
                if (l <= i)
                    lower += times(triangle[i + l * LD], before[l + j * LD]);
            }
            expected[SYMM][i + j * LD] = 2 * product - before[i + j * LD];
            expected[TRMM][i + j * LD] = lower;
            if (i >= j)
                expected[SYR2K][i + j * LD] = before[i + j * LD] + twice;
        }
    for (int i = 0; i < LD * N; i++)
        put(expected_product, i, expected[TRMM][i]);
}

/* C is written by the call, and B of ?syr2k is what C was. */
static void call_of_order(int n, enum routine routine) {
    static const int ld = LD;
    number one, two, minus; /* memory for elements */
    put(&one, 0, 1);
    put(&two, 0, 2);
    put(&minus, 0, -1);
    memcpy(c, routine == TRSM ? expected_product : before_elements, sizeof c);
    switch (routine) {
    case SYMM:
        types[type].symm("L", "L", &n, &n, &two, triangle_elements, &ld, general_elements, &ld, &minus, c,
                         &ld);
        return;
    case SYR2K:
        types[type].syr2k("L", "N", &n, &n, &one, general_elements, &ld, before_elements, &ld, &one, c, &ld);
        return;
    case TRMM:
        types[type].trmm("L", "L", "N", "U", &n, &n, &one, triangle_elements, &ld, c, &ld);
        return;
    default:
        types[type].trsm("L", "L", "N", "U", &n, &n, &one, triangle_elements, &ld, c, &ld);
    }
}

static void call(enum routine routine) {
    call_of_order(N, routine);
}

static bool is_same(double x, double y) {
    return x == y || (isnan(x) && isnan(y));
}

/* Returns whether the last call's result is right. */
static bool is_right(enum routine routine, const char *what) {
    const number *wanted = routine == TRSM ? before : expected[routine];
    shared->calls++;
    for (int i = 0; i < LD * N; i++) {
        number x = get(c, i);
        if (!is_same(creal(x), creal(wanted[i])) || !is_same(cimag(x), cimag(wanted[i]))) {
            fprintf(stderr, "%c%s, %s: (%d, %d) is %g %+g i, not %g %+g i\n", types[type].letter,
                    names[routine], what, i % LD, i / LD, creal(x), cimag(x), creal(wanted[i]),
                    cimag(wanted[i]));
            shared->failed_calls++;
            return false;
        }
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

/* A step that fails once leaves the call to the CPU. Only if memory is missing the device tries halves. */
static bool was_left_to_cpu(void) {
    struct lavablas_call last = {.size = sizeof last};
    if (lavablas_last_call(&last) == 0 && strcmp(last.place, "cpu") == 0 &&
        strcmp(last.reason, lava_reason_text(LAVA_REASON_FAULT)) == 0)
        return true;
    fprintf(stderr, "computed by %s after its first step failed: %s\n", last.place, last.reason);
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

/* Calls with a fault set, and returns whether it came where it surely comes: at a first passage, and at those
 * of uploads and downloads, which are as many in each call. How many submissions and waits there are depends
 * on time (fault_sweep.h), and how many allocations on what is left of earlier calls. */
static bool call_with_fault(enum routine routine, const struct point *point, long passage, const char *text) {
    if (!lava_fault_set(text)) {
        fprintf(stderr, "%s is not understood\n", text);
        return false;
    }
    call(routine);
    bool came = lava_fault_passages(point->point) >= passage;
    lava_fault_set(NULL);
    shared->tries[point - points]++;
    shared->met[point - points] += came;
    bool varies = point->is_alone || point->point == LAVA_FAULT_SUBMIT;
    if (came || (varies && passage > 1))
        return true;
    fprintf(stderr, "%s: %s did not come\n", names[routine], text);
    return false;
}

/* Two calls, of which the first meets the fault. */
static bool try_fault(enum routine routine, const struct point *point, long passage, bool all) {
    char text[64];
    snprintf(text, sizeof text, "%s:%ld:%d", point->name, passage, !all);
    bool right = call_with_fault(routine, point, passage, text);
    right = is_right(routine, text) && right;
    if (passage == 1 && !all && point == points)
        right = was_left_to_cpu() && right;
    call(routine);
    right = is_right(routine, "after the fault") && right;
    if (right && !point->is_final && !ran_on_device()) {
        fprintf(stderr, "%s: the device is not used after %s\n", names[routine], text);
        return false;
    }
    return right;
}

static bool sweep(enum routine routine) {
    call_of_order(SMALL, routine); /* prepares the kernels */
    bool right = count_passages(routine) && try_fault(routine, &points[0], 1, false);
    for (size_t p = 0; right && p < COUNT(points); p++) {
        long passages = shared->passages[routine][p], stride = passages / MOST + 1;
        long passage = 1 + rand_r(&seed) % stride;
        for (; right && !points[p].is_alone && passage <= passages; passage += stride)
            right = try_fault(routine, &points[p], passage, rand_r(&seed) % 2);
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

/* A small call comes first, because kernels are prepared at a first call, and given up if that fails. */
static int meet_fault(enum routine routine, size_t p, long passage) {
    call_of_order(SMALL, routine);
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

/* Two of the routines at each such point; if no fault came, a third one at the first passage. */
static bool try_alone(void) {
    bool right = true;
    for (size_t p = 0; p < COUNT(points); p++)
        for (int i = 0; points[p].is_alone && i < (shared->met[p] ? 2 : 3); i++) {
            enum routine routine = (enum routine)((rand_r(&seed) + i) % ROUTINES);
            long passages = shared->passages[routine][p];
            if (passages > 0)
                right = in_child(meet_fault, routine, p, i < 2 ? 1 + rand_r(&seed) % passages : 1) && right;
        }
    return right;
}

/* Returns whether faults of each point came. It prints how many. */
static bool met_all(void) {
    bool right = true;
    for (size_t p = 0; p < COUNT(points); p++) {
        printf("%s: %ld of %ld faults came\n", points[p].name, shared->met[p], shared->tries[p]);
        right = shared->met[p] > 0 && right;
    }
    if (!right)
        fprintf(stderr, "there is a point without a fault\n");
    return right;
}

int main(int argc, char **argv) {
    const char *given = getenv("LAVA_TEST_SEED");
    seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    type = seed % 2;
    for (size_t i = 0; argc > 1 && i < COUNT(types); i++)
        if (argv[1][0] == types[i].letter)
            type = i;
    printf("LAVA_TEST_SEED=%u, type %c\n", seed, types[type].letter);
    setenv("LAVABLAS_DEVICE", "cpu", 1);
    setenv("LAVABLAS_MODE", "gpu", 1);
    /* the self-test of fp64 needs more than 1M */
    setenv("LAVABLAS_MEMORY", types[type].is_double ? "2M" : "1M", 1);
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
        printf("%c%s:", types[type].letter, names[r]);
        for (size_t p = 0; p < COUNT(points); p++)
            printf(" %s %ld", points[p].name, shared->passages[r][p]);
        printf("\n");
    }
    right = try_alone() && right;
    right = met_all() && right;
    printf("%ld calls, %ld wrong\n", shared->calls, shared->failed_calls);
    return !right;
}
