/* What every kind of operation must pass, over the table of cases (kind_cases.h): each routine's results,
 * what `lavablas explain` and the statistics say of it, matrices beyond the device's memory, and, with fault
 * injection, faults, missing memory and a lost device beside another one. A kind or family without a row
 * fails. The linker puts the test's function between, which notes kinds.
 *
 *     test_kinds [CASE...]        see cases.h; LAVA_TEST_SEED says which types and names this begins with
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/policy.h"
#include "lavablas.h"
#include "lib/base/fault.h"
#include "lib/offload/context.h"
#include "lib/offload/device_run.h"
#include "lib/offload/more_devices.h"
#include "lib/offload/steps.h"
#include "lib/offload/ways.h"
#include "lib/vk/modules.h"
#include "tests/library/poison.h"
#include "tests/robustness/cases.h"
#include "tests/robustness/kind_cases.h"
#include "tests/robustness/layer.h"
#include "tests/robustness/several_devices.h"

#define CALLS       96
#define ORDER       150
#define CHILD_S     300       /* two devices prepare all steps, under a sanitizer and beside other tests */
#define LEAST_BYTES (5 << 20) /* with less, the least size of a buffer counts */
#define OPENBLAS    "libopenblas.so.0"

static struct kind_call *calls[CALLS];
static int calls_count;

/* The kinds that the device was asked for since this was 0, a bit each, and what they need. */
static unsigned long kinds_seen;
static uint64_t needs_seen;
/* The memory that the last operation was planned with, and whether there is a plan for an eighth less. */
static uint64_t planned_bytes;
static bool fits_less;

static bool has_plan(const struct lava_operation *operation, uint64_t bytes) {
    const struct lava_overrides overrides = {.memory_bytes = bytes};
    struct lava_plan plan;
    lava_policy_choose(operation, lava_context_capabilities(), lava_context_figures(), LAVA_MODE_GPU,
                       &overrides, &plan);
    return plan.place == LAVA_PLACE_GPU;
}

enum lava_status __real_lava_device_run(struct lava_call *call, struct lava_plan *plan,
                                        struct lava_progress *progress, bool *lost);
enum lava_status __wrap_lava_device_run(struct lava_call *call, struct lava_plan *plan,
                                        struct lava_progress *progress, bool *lost);
enum lava_status __wrap_lava_device_run(struct lava_call *call, struct lava_plan *plan,
                                        struct lava_progress *progress, bool *lost) {
    kinds_seen |= 1ul << call->operation.kind;
    needs_seen |= lava_steps_needs(&call->operation);
    planned_bytes = plan->blocking.total_bytes;
    fits_less = planned_bytes > LEAST_BYTES && !call->operation.series &&
                has_plan(&call->operation, planned_bytes / 8 * 7);
    return __real_lava_device_run(call, plan, progress, lost);
}

/* Reads the seed, and has the CPU's routines be OpenBLAS's. Returns false if it is not there. */
static bool begin(void) {
    poison_begin((unsigned)(case_now() * 1e3));
    setenv("LAVABLAS_CPU_BLAS", OPENBLAS, 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    return access("/proc/self/exe", R_OK) == 0 && dlopen(OPENBLAS, RTLD_NOW | RTLD_LOCAL) != NULL;
}

static struct kind_call *add(const struct kind_case *row, int type, int order) {
    return calls[calls_count++] = kind_call_new(row, kind_case_routine(row, type, true), order);
}

/* Returns whether the run has the row. Eigenvalues and singular values take long, and the routines of such a
 * kind differ in their arguments alone, of which other tests have all: a run has one routine of each, by
 * chance. */
static bool takes(int row) {
    static int chosen[LAVA_OPERATION_KINDS];
    enum lava_operation_kind kind = kind_cases[row].kind;
    int before = 0, rows = 0;
    if (!lava_kinds[kind].has_values)
        return true;
    for (int i = 0; i < kind_cases_count; i++) {
        before += kind_cases[i].kind == kind && i < row;
        rows += kind_cases[i].kind == kind;
    }
    if (chosen[kind] == 0)
        chosen[kind] = 1 + poison_random(rows);
    return chosen[kind] == 1 + before;
}

/* A call of every row; types take turns. */
static bool make(int order) {
    int turn = poison_random(4);
    for (int i = 0; i < kind_cases_count; i++)
        if (takes(i))
            add(&kind_cases[i], turn + i, order);
    return CASE_CHECK(kind_calls_expect(calls, calls_count));
}

static int finish(void) {
    while (calls_count > 0)
        kind_call_free(calls[--calls_count]);
    return case_result();
}

static bool was_at(const char *place, const struct kind_call *call) {
    const char *reason;
    if (!strcmp(case_place(&reason), place))
        return true;
    fprintf(stderr, "%s: not on the %s: %s\n", call->explained, place, reason);
    return CASE_CHECK(false);
}

/* Calls, and checks the result; place is NULL where it does not matter. */
static bool run(struct kind_call *call, const char *what, const char *place) {
    kind_call_run(call);
    return CASE_CHECK(kind_call_is_right(call, what)) && (!place || was_at(place, call));
}

/* Every row of the tables of kinds and routines has a case. */
static int every_row_has_a_case(void) {
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (lava_routine_is_plain(routine) && !CASE_CHECK(kind_cases_find(lava_routine_row(routine)->family)))
            fprintf(stderr, "%s has no case in tests/robustness/kind_cases.c\n", lava_routine_name(routine));
    }
    for (int kind = 0; kind < LAVA_OPERATION_KINDS; kind++) {
        bool found = false;
        for (int i = 0; i < kind_cases_count; i++)
            found = found || (int)kind_cases[i].kind == kind;
        if (!CASE_CHECK(found))
            fprintf(stderr, "kind %d of lava_kinds, \"%s\", has no case\n", kind, lava_kinds[kind].text);
    }
    return case_result();
}

/* `lavablas explain` says of each call that it is on the device. */
static void check_explained(void) {
    char path[64], command[600], line[1000];
    snprintf(path, sizeof path, "/tmp/lavablas-explained-%d", (int)getpid());
    snprintf(command, sizeof command, "'%s' explain --from %s", getenv("LAVA_TEST_TOOL"), path);
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < calls_count; i++)
        if (calls[i]->row->explained)
            fprintf(file, "%s\n", calls[i]->explained);
    CASE_CHECK(file && fclose(file) == 0);
    FILE *answers = popen(command, "r");
    for (int i = 0; answers && i < calls_count; i++)
        if (calls[i]->row->explained &&
            !CASE_CHECK(fgets(line, sizeof line, answers) && strstr(line, "\"place\":\"gpu\"")))
            fprintf(stderr, "%s: %s\n", calls[i]->explained, line);
    CASE_CHECK(answers && pclose(answers) == 0);
    remove(path);
}

/* On the device, and as the kind that the row says. */
static int values(void) {
    if (!begin())
        return CASE_SKIPPED;
    make(ORDER);
    for (int i = 0; i < calls_count; i++) {
        kinds_seen = 0;
        run(calls[i], "on the device", "gpu");
        if (!CASE_CHECK(kinds_seen == 1ul << calls[i]->row->kind))
            fprintf(stderr, "%s: kinds %#lx\n", calls[i]->explained, kinds_seen);
    }
    check_explained();
    return finish();
}

/* Runs the calls, call i 1 + i % 3 times, in a process whose statistics go to the file. */
static bool count_in_child(const char *mode, const char *path, int first, int end) {
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("LAVABLAS_MODE", mode, 1);
        setenv("LAVABLAS_STATS", path, 1);
        for (int i = first; i < end; i++)
            for (int j = 0; j <= i % 3; j++)
                kind_call_run(calls[i]);
        exit(0);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

/* The lines of the file about the call, and whether no other routine has any, as a call is one however many
 * operations it is made of. On the CPU another library's routine may call others. */
static void check_counts(const char *text, const char *place, int first, int end) {
    int lines = 0;
    for (int i = first; i < end; i++) {
        char line[100];
        snprintf(line, sizeof line, "lavablas: %s %s %d calls, ", lava_routine_name(calls[i]->routine), place,
                 i % 3 + 1);
        if (!CASE_CHECK(strstr(text, line) != NULL))
            fprintf(stderr, "not there: %s\nbut: %s\n", line, text);
    }
    for (const char *at = text; (at = strstr(at, " GFLOP: ")); at++)
        lines++;
    if (!CASE_CHECK(lines == end - first))
        fprintf(stderr, "%d lines:\n%s", lines, text);
}

static const char *read_text(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    return text;
}

/* A random name of each family. */
static int statistics(void) {
    char path[64];
    if (!begin())
        return CASE_SKIPPED;
    snprintf(path, sizeof path, "/tmp/lavablas-kinds-%d", (int)getpid());
    for (int i = 0; i < kind_cases_count; i++)
        if ((i == 0 || kind_cases[i].family != kind_cases[i - 1].family) && CASE_CHECK(calls_count < CALLS))
            calls[calls_count++] =
                kind_call_new(&kind_cases[i], kind_case_routine(&kind_cases[i], poison_random(4), false), 40);
    CASE_CHECK(count_in_child("gpu", path, 0, calls_count));
    check_counts(read_text(path), "gpu", 0, calls_count);
    for (int i = 0; i < calls_count; i++) {
        remove(path);
        CASE_CHECK(count_in_child("cpu", path, i, i + 1));
        check_counts(read_text(path), "cpu", i, i + 1);
    }
    remove(path);
    return finish();
}

static bool is_by_blocks(const struct kind_call *call) {
    return lava_ways_table[call->row->kind].run_by_blocks != NULL;
}

/* LAPACK with a matrix that is larger than the device's memory: by blocks of columns, or by the CPU's
 * routine, which leaves the same bits and info as without LavaBLAS; also where a pivot is zero. Every second
 * row, the others in other runs. */
static int beyond_memory(void) {
    int turn;
    if (!begin())
        return CASE_SKIPPED;
    turn = poison_random(2);
    for (int i = poison_random(2); i < kind_cases_count; i += 2) {
        const struct kind_case *row = &kind_cases[i];
        const struct lava_kind *kind = &lava_kinds[row->kind];
        int type = 1 + 2 * ((turn + i / 2) % 2), order = type == 1 ? 1110 : 790; /* fp64, cfp64 */
        bool has_matrix = !kind->of_tridiagonal || kind->has_vectors;
        if (!kind->is_lapack || !has_matrix || !takes(i))
            continue;
        if (lava_routine_row(kind_case_routine(row, type, true))->type == LAVA_TYPE_FP32)
            type = 1, order = 1110; /* the family is real; in fp32 the matrix would fit */
        add(row, type, order);
        if (!is_by_blocks(calls[calls_count - 1]) && !kind->has_values)
            kind_call_make_singular(add(row, type, order));
    }
    CASE_CHECK(kind_calls_expect(calls, calls_count));
    for (int i = 0; i < calls_count; i++) {
        struct lavablas_call last = {.size = sizeof last};
        bool by_blocks = is_by_blocks(calls[i]);
        run(calls[i], "beyond memory", by_blocks ? "gpu" : "cpu");
        CASE_CHECK(lavablas_last_call(&last) == 0);
        bool is_told = calls[i]->info || !strcmp(last.reason, lava_reason_text(LAVA_REASON_MEMORY));
        if (!by_blocks && !CASE_CHECK(is_told && kind_call_is_same(calls[i])))
            fprintf(stderr, "%s: %s\n", calls[i]->explained, last.reason);
    }
    return finish();
}

/* Has the device refuse more memory than that, whatever it said. */
static void limit_memory(uint64_t bytes) {
    int cancel_state;
    struct lava_engine *engine = lava_context_lock(&cancel_state);
    lava_context_release();
    CASE_CHECK(lava_arena_wake(&engine->arena, engine->device) == LAVA_OK);
    engine->device->capabilities.memory_bytes = engine->device->shared->device_bytes + bytes;
    lava_context_unlock(cancel_state);
}

/* With a little less memory than planned for, the device computes in smaller blocks, LAPACK unless its matrix
 * takes nearly all of it; with none the CPU computes. Every second row, the others in other runs. */
static int little_memory(void) {
    if (!begin())
        return CASE_SKIPPED;
    for (int i = poison_random(2); i < kind_cases_count; i += 2) {
        bool is_lapack = lava_kinds[kind_cases[i].kind].is_lapack;
        if (takes(i))
            add(&kind_cases[i], is_lapack ? 3 : poison_random(4), is_lapack ? 400 : ORDER);
    }
    CASE_CHECK(kind_calls_expect(calls, calls_count));
    for (int i = 0; i < calls_count; i++) {
        run(calls[i], "with all memory", "gpu");
        const struct lava_kind *kind = &lava_kinds[calls[i]->row->kind];
        /* squares have products by strips and whole */
        const char *place = fits_less && kind->is_lapack && !kind->inverse.squares ? "gpu" : NULL;
        limit_memory(planned_bytes / 16 * 15);
        run(calls[i], "with less memory", place);
        limit_memory(0);
        run(calls[i], "without memory", "cpu");
        limit_memory(UINT64_MAX / 2);
        run(calls[i], "with memory again", "gpu");
    }
    return finish();
}

/* The order of calls in fp64 that the library cuts: the device has products of half of it. */
#define CUT_ORDER 300

/* Whether a device without fp64 has a share of such calls in fp64. Of batches, vectors and inverses by LU it
 * has none. */
static bool is_by_products(const struct kind_case *row) {
    const struct lava_kind *kind = &lava_kinds[row->kind];
    bool is_inverse = (kind->inverse.inverts || kind->inverse.squares) && !kind->inverse.solves;
    return row->members == 0 && (kind->is_product || kind->solves || kind->has_factors || is_inverse) &&
           !kind->is_vector;
}

static void add_fp64(const struct kind_case *row, int type, bool by_products) {
    enum lava_routine routine = kind_case_routine(row, type, true);
    if (lava_type_real(lava_routine_row(routine)->type) != LAVA_TYPE_FP64 ||
        is_by_products(row) != by_products)
        return;
    CASE_CHECK(calls_count + 2 <= CALLS);
    calls[calls_count++] = kind_call_new(row, routine, by_products ? CUT_ORDER : ORDER);
    bool solves_alone = row->family == LAVA_FAMILY_POTRS || row->family == LAVA_FAMILY_GETRS;
    if (lava_kinds[row->kind].has_factors && !solves_alone && by_products) {
        calls[calls_count++] = kind_call_new(row, routine, CUT_ORDER);
        kind_call_make_singular(calls[calls_count - 1]);
    }
}

/* Calls in fp64, real and complex, of each family that has such a share, or one of each that has none. */
static void make_fp64(bool by_products) {
    for (int i = 0; i < kind_cases_count; i++) {
        if (by_products)
            add_fp64(&kind_cases[i], 1, by_products);
        if (by_products || takes(i))
            add_fp64(&kind_cases[i], by_products ? 3 : 1 + 2 * poison_random(2), by_products);
    }
    CASE_CHECK(kind_calls_expect(calls, calls_count));
}

static bool is_failing(const struct kind_call *call) {
    return (int32_t)*call->expected_info > 0; /* info is an int */
}

/* What a factorization that fails leaves depends on how it was cut, unless that is a zero in U; it may fail
 * before there is a product. */
static void run_by_products(struct kind_call *call, const char *what, const char *place) {
    bool fails = is_failing(call);
    if (!fails || lava_kinds[call->row->kind].pivots) {
        run(call, what, fails ? NULL : place);
        return;
    }
    kind_call_run(call);
    if (!CASE_CHECK(call->info == *call->expected_info))
        fprintf(stderr, "%s, %s: info %lld\n", call->explained, what, (long long)call->info);
}

/* A device without fp64 computes products by residues, and other calls in fp64 by their products; those that
 * have none go to the CPU. Without memory all do; with some of it halves of products fit. */
static int without_fp64(void) {
    if (!begin() || !lava_modules_has(LAVA_MODULE_RESIDUES_DOT))
        return CASE_SKIPPED;
    make_fp64(true);
    int shared = calls_count;
    make_fp64(false);
    for (int i = 0; i < calls_count; i++) {
        run_by_products(calls[i], "without fp64", i < shared ? "gpu" : "cpu");
        if (i >= shared)
            continue;
        if (calls[i]->row->family == LAVA_FAMILY_GEMM) {
            limit_memory(planned_bytes / 4 * 3);
            run_by_products(calls[i], "in halves", "gpu");
        }
        limit_memory(0);
        run_by_products(calls[i], "without memory", "cpu");
        limit_memory(UINT64_MAX / 2);
        run_by_products(calls[i], "with memory again", "gpu");
    }
    return finish();
}

#ifdef LAVA_FAULT_INJECTION
#    if defined(__SANITIZE_ADDRESS__)
#        define MOST 2 /* passages of a point */
#        define EACH 3 /* one row of so many, the others in other runs */
#    else
#        define MOST 6
#        define EACH 1
#    endif

static const struct point {
    enum lava_fault_point point;
    const char *name;
} points[] = {{LAVA_FAULT_UPLOAD, "upload"},           {LAVA_FAULT_SUBMIT, "submit"},
              {LAVA_FAULT_DOWNLOAD, "download"},       {LAVA_FAULT_WAIT, "wait"},
              {LAVA_FAULT_DEVICE_LOST, "device_lost"}, {LAVA_FAULT_VK, "vk"}};
#    define PASSING 3 /* the first ones: the device goes on */
#    define POINTS  6

/* Calls with the passage of that point failing; all: and all after it. Returns whether it came. */
static bool run_with_fault(struct kind_call *call, const struct point *point, long passage, bool all,
                           const char *place) {
    char text[64];
    snprintf(text, sizeof text, "%s:%ld:%d", point->name, passage, !all);
    CASE_CHECK(lava_fault_set(text));
    run(call, text, NULL);
    bool came = lava_fault_passages(point->point) >= passage;
    lava_fault_set(NULL);
    if (came && place)
        was_at(place, call);
    if (!CASE_CHECK(came || passage > 1))
        fprintf(stderr, "%s: %s did not come\n", call->explained, text);
    return came;
}

/* A step that fails leaves the call to the CPU. */
static void was_left(const struct kind_call *call) {
    const char *reason;
    was_at("cpu", call);
    case_place(&reason);
    if (!CASE_CHECK(!strcmp(reason, lava_reason_text(LAVA_REASON_FAULT))))
        fprintf(stderr, "%s: %s\n", call->explained, reason);
}

/* Each step fails once, alone or with all that follow, and the next call is on the device again; an
 * allocation is made once more. Passages are counted in the second call, as the first one leaves memory to
 * it. */
static void fail_each(bool are_cut) {
    static const struct point allocate = {LAVA_FAULT_ALLOCATE, "allocate"};
    for (int i = poison_random(EACH); i < calls_count; i += EACH) {
        long passages[POINTS];
        run(calls[i], "first", "gpu");
        limit_memory(UINT64_MAX / 2);
        run_with_fault(calls[i], &allocate, 1, false, "gpu");
        run(calls[i], "second", "gpu");
        for (int p = 0; p < PASSING; p++)
            passages[p] = lava_fault_passages(points[p].point);
        for (int p = 0; p < PASSING; p++) {
            long stride = passages[p] / MOST + 1;
            /* vectors come back with the kernels' own submission */
            bool has_none =
                lava_kinds[calls[i]->row->kind].is_vector && points[p].point == LAVA_FAULT_DOWNLOAD;
            if (!CASE_CHECK(passages[p] > 0 || has_none))
                fprintf(stderr, "%s: no %s\n", calls[i]->explained, points[p].name);
            for (long passage = 1; passage <= passages[p];
                 passage += 1 + poison_random((int)stride * 2 - 1)) {
                bool came = run_with_fault(calls[i], &points[p], passage, poison_random(2), NULL);
                if (came && passage == 1 && p == 0 && !are_cut)
                    was_left(calls[i]);
                if (came)
                    run(calls[i], "after a fault", "gpu");
            }
        }
    }
}

static int faults(void) {
    if (!begin())
        return CASE_SKIPPED;
    make(ORDER);
    fail_each(false);
    return finish();
}

/* Calls that the device has a share of, without singular matrices. */
static void make_regular_fp64(void) {
    make_fp64(true);
    for (int i = calls_count; i-- > 0;)
        if (is_failing(calls[i])) {
            kind_call_free(calls[i]);
            calls[i] = calls[--calls_count];
        }
}

/* A product that fails leaves its part of the call to the CPU. A device that is lost during a call leaves it
 * the rest. */
static int faults_without_fp64(void) {
    if (!begin() || !lava_modules_has(LAVA_MODULE_RESIDUES_DOT))
        return CASE_SKIPPED;
    make_regular_fp64();
    for (int i = 0; i < MOST && !case_result(); i++) {
        struct kind_call *call = calls[poison_random(calls_count)];
        const struct point *point = &points[PASSING + poison_random(POINTS - PASSING)];
        long passage = 1 + poison_random(4);
        int status = -1;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(CHILD_S);
            CASE_CHECK(lavablas_wait(NULL) == 0);
            run(call, "before the loss", "gpu");
            run_with_fault(call, point, passage, false, NULL);
            run(call, "after the loss", NULL);
            _exit(case_result());
        }
        if (!CASE_CHECK(waitpid(child, &status, 0) == child && status == 0))
            fprintf(stderr, "%s, %s: status 0x%x\n", call->explained, point->name, (unsigned)status);
    }
    fail_each(true);
    return finish();
}

/* One of two devices is lost and the other computes, then that is lost, too, and the CPU computes. */
static int lose_devices(struct kind_call *const *both) {
    alarm(CHILD_S);
    CASE_CHECK(lavablas_wait(NULL) == 0);
    for (int i = 0; i < 2; i++)
        run(both[i], "before the loss", "gpu");
    lava_more_devices_want(needs_seen, 2, true);
    for (int i = 0; i < 2; i++) {
        const struct point *point = &points[PASSING + poison_random(POINTS - PASSING)];
        bool goes_on = i == 0 && point->point != LAVA_FAULT_VK; /* before anything is written */
        run_with_fault(both[i], point, 1, false, goes_on ? "gpu" : NULL);
        run(both[i], "after the loss", i == 0 ? "gpu" : NULL);
    }
    return case_result();
}

/* A process for each two kinds, for this many at most. */
static int lose(int most) {
    struct kind_call *chosen[LAVA_OPERATION_KINDS + 1] = {NULL};
    int count = 0, turn;
    unsigned long kinds = 0;
    if (!begin())
        return CASE_SKIPPED;
    make(ORDER);
    turn = poison_random(calls_count);
    for (int i = 0; i < calls_count; i++) {
        struct kind_call *call = calls[(i + turn) % calls_count];
        if (!(kinds >> call->row->kind & 1))
            chosen[count++] = call;
        kinds |= 1ul << call->row->kind;
    }
    chosen[count] = chosen[0];
    for (int i = 0; i < count && i < most && !case_result(); i += 2) {
        int status = -1;
        poison_random(2); /* another one for each process */
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(lose_devices(chosen + i));
        if (!CASE_CHECK(waitpid(child, &status, 0) == child && status == 0))
            fprintf(stderr, "%s, %s: status 0x%x\n", chosen[i]->explained, chosen[i + 1]->explained,
                    (unsigned)status);
    }
    return finish();
}

static int lost(void) {
    return lose(LAVA_OPERATION_KINDS);
}

static int lost_some(void) {
    return lose(2);
}
#endif

#define LOST(function)                                                                                       \
    .run = function, .lines = -1, .limit_s = 550,                                                            \
    .variables = {"LAVABLAS_PINNED=1M", "LAVABLAS_DEVICE=cpu:all", "LAVABLAS_RESIDENT=auto"}
#define WITHOUT_FP64 "VK_INSTANCE_LAYERS=VK_LAYER_LAVABLAS_test", "LAVABLAS_TEST_LAYER=without=shaderFloat64"
static const struct test_case cases[] = {
    {.name = "every_row_has_a_case", .run = every_row_has_a_case},
    {.name = "values", .run = values, .variables = {"LAVABLAS_PINNED=1M", "LAVABLAS_RESIDENT=auto"}},
    {.name = "statistics", .run = statistics, .variables = {"LAVABLAS_RESIDENT=auto"}},
    {.name = "little_memory", .run = little_memory, .variables = {"LAVABLAS_RESIDENT=auto"}},
    {.name = "without_fp64",
     .run = without_fp64,
     .variables = {WITHOUT_FP64, "LAVABLAS_PINNED=1M", "LAVABLAS_RESIDENT=auto"}},
    {.name = "beyond_memory",
     .run = beyond_memory,
     .variables = {"LAVABLAS_MEMORY=8M", "LAVABLAS_PINNED=1M"}},
#ifdef LAVA_FAULT_INJECTION
    {.name = "faults",
     .run = faults,
     .lines = -1,
     .variables = {"LAVABLAS_PINNED=1M", "LAVABLAS_RESIDENT=auto"}},
    {.name = "faults_without_fp64", .run = faults_without_fp64, .lines = -1, .variables = {WITHOUT_FP64}},
    {.name = "lost", LOST(lost)},
    {.name = "lost_some", LOST(lost_some)},
#endif
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    layer_offer();
    return several_devices_main(argument_count, arguments, cases, 2);
}
