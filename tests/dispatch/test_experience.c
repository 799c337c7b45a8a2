/* experience.c: random products against a simple model, and each promise of its header by itself. */
#include <math.h>

#include "products.h"

#include "dispatch/experience.h"

#define STEPS       200000
#define CPU_NS      1e6 /* the estimates of the tests by hand: the plan goes to the device */
#define GPU_NS      5e5
#define FACTOR_SLIP 1e-4 /* ratios are kept as floats */

static struct lava_experience experience;

static int begin(void **state) {
    (void)state;
    memset(&experience, 0, sizeof experience);
    return 0;
}

static struct lava_plan plan_of(double cpu_ns, double gpu_ns) {
    const struct lava_operation operation = product(1000, 1000, 1000);
    bool to_gpu = lava_policy_is_profitable(&operation, &sixteen_cores, cpu_ns, gpu_ns);
    return (struct lava_plan){.place = to_gpu ? LAVA_PLACE_GPU : LAVA_PLACE_CPU,
                              .reason = to_gpu ? LAVA_REASON_PROFITABLE : LAVA_REASON_UNPROFITABLE,
                              .cpu_ns = cpu_ns,
                              .gpu_ns = gpu_ns};
}

/* Decides about one product of 1000 x 1000 x 1000 with these estimates. */
static struct lava_plan decide_by(double cpu_ns, double gpu_ns) {
    const struct lava_operation operation = product(1000, 1000, 1000);
    struct lava_plan plan = plan_of(cpu_ns, gpu_ns), before = plan;
    lava_experience_decide(&experience, lava_experience_key(&operation), &operation, &sixteen_cores, &plan);
    assert_true(plan.cpu_ns == before.cpu_ns && plan.gpu_ns == before.gpu_ns);
    if (plan.place != before.place)
        assert_int_equal(plan.reason,
                         plan.place == LAVA_PLACE_CPU ? LAVA_REASON_LEARNT_CPU : LAVA_REASON_LEARNT_GPU);
    else
        assert_true(plan.reason == before.reason || plan.reason == LAVA_REASON_TRIAL);
    return plan;
}

static struct lava_plan decide(void) {
    return decide_by(CPU_NS, GPU_NS);
}

static void record_by(enum lava_place place, double estimated_ns, double factor) {
    const struct lava_operation operation = product(1000, 1000, 1000);
    lava_experience_record(&experience, lava_experience_key(&operation), place, estimated_ns,
                           factor * estimated_ns);
}

static void record(enum lava_place place, double factor) {
    record_by(place, place == LAVA_PLACE_CPU ? CPU_NS : GPU_NS, factor);
}

static struct lava_experience_times corrected(void) {
    const struct lava_operation operation = product(1000, 1000, 1000);
    return lava_experience_correct(&experience, lava_experience_key(&operation), CPU_NS, GPU_NS);
}

static void expect_factors(double cpu, double gpu) {
    struct lava_experience_times times = corrected();
    assert_true(fabs(times.cpu_ns / CPU_NS - cpu) < FACTOR_SLIP * cpu);
    assert_true(fabs(times.gpu_ns / GPU_NS - gpu) < FACTOR_SLIP * gpu);
}

static void test_three_products_decide(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        expect_factors(1, 1);
        assert_int_equal(decide().reason, LAVA_REASON_PROFITABLE);
        record(LAVA_PLACE_GPU, 4);
    }
    expect_factors(1, 4);
    assert_int_equal(decide().reason, LAVA_REASON_LEARNT_CPU);
}

/* Decides about an LU factorization of order 8192, which has no measured time of a device. */
static struct lava_plan decide_lu(double cpu_ns, double gpu_ns, uint64_t *key) {
    struct lava_operation operation = product(8192, 8192, 8192);
    operation.kind = LAVA_OPERATION_LU;
    *key = lava_experience_key(&operation);
    struct lava_plan plan = plan_of(cpu_ns, gpu_ns);
    lava_experience_decide(&experience, *key, &operation, &sixteen_cores, &plan);
    return plan;
}

/* The CPU was estimated to take 200 ms and the device 300. */
static void test_a_long_call_tries_the_device(void **state) {
    uint64_t key;
    (void)state;
    assert_int_equal(decide_lu(200e6, 300e6, &key).reason, LAVA_REASON_UNPROFITABLE);
    lava_experience_record(&experience, key, LAVA_PLACE_CPU, 200e6, 200e6);
    struct lava_plan plan = decide_lu(200e6, 300e6, &key);
    assert_true(plan.place == LAVA_PLACE_GPU && plan.reason == LAVA_REASON_TRIAL);
    lava_experience_record(&experience, key, LAVA_PLACE_GPU, 300e6, 600e6); /* slow: costs once */
    for (int i = 0; i < 5; i++)
        assert_int_equal(decide_lu(200e6, 300e6, &key).place, LAVA_PLACE_CPU);
}

/* It takes a quarter of what was estimated, so it is used from then on. */
static void test_a_long_call_stays_there(void **state) {
    uint64_t key;
    (void)state;
    decide_lu(200e6, 300e6, &key);
    lava_experience_record(&experience, key, LAVA_PLACE_CPU, 200e6, 220e6);
    assert_int_equal(decide_lu(200e6, 300e6, &key).reason, LAVA_REASON_TRIAL);
    lava_experience_record(&experience, key, LAVA_PLACE_GPU, 300e6, 75e6);
    for (int i = 0; i < 5; i++)
        assert_int_equal(decide_lu(200e6, 300e6, &key).place, LAVA_PLACE_GPU);
}

/* One long time of the CPU is enough to leave it; a time that says nothing is tried twice, no more. */
static void test_one_long_time_tells(void **state) {
    uint64_t key;
    (void)state;
    decide_lu(200e6, 300e6, &key);
    lava_experience_record(&experience, key, LAVA_PLACE_CPU, 200e6, 800e6);
    assert_int_equal(decide_lu(200e6, 300e6, &key).reason, LAVA_REASON_LEARNT_GPU);
    begin(NULL);
    decide_lu(200e6, 300e6, &key);
    lava_experience_record(&experience, key, LAVA_PLACE_CPU, 200e6, 200e6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(decide_lu(200e6, 300e6, &key).place, i < 2 ? LAVA_PLACE_GPU : LAVA_PLACE_CPU);
}

/* Neither if the device is more than four times as slow, nor in short calls, nor if all was measured.
 */
static void test_no_trial_without_doubt(void **state) {
    struct lava_plan plan;
    uint64_t key;
    (void)state;
    decide_lu(100e6, 500e6, &key);
    lava_experience_record(&experience, key, LAVA_PLACE_CPU, 100e6, 100e6);
    assert_int_equal(decide_lu(100e6, 500e6, &key).place, LAVA_PLACE_CPU);
    assert_int_equal(decide_lu(15e6, 20e6, &key).place, LAVA_PLACE_CPU);
    const struct lava_operation operation = product(1000, 1000, 1000);
    struct lava_figures figures = sixteen_cores;
    figures.device.call_latency_ns = 1e5;
    for (size_t i = 0; i < sizeof figures.cpu.product_ns / sizeof(double); i++)
        (&figures.cpu.product_ns[0][0][0])[i] = 1e6;
    record_by(LAVA_PLACE_CPU, 100e6, 1);
    plan = plan_of(100e6, 120e6);
    lava_experience_decide(&experience, lava_experience_key(&operation), &operation, &figures, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
}

static void test_one_outlier_changes_nothing(void **state) {
    (void)state;
    for (int length = 3; length <= 5; length++)
        for (int outlier = 0; outlier < length; outlier++)
            for (int high = 0; high < 2; high++) {
                begin(state);
                for (int i = 0; i < length; i++)
                    record(LAVA_PLACE_GPU, i != outlier ? 1.1 : high ? 1000 : 0.001);
                expect_factors(1, 1.1);
                assert_int_equal(decide().reason, LAVA_REASON_PROFITABLE);
            }
}

static void test_corrections_are_bounded(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        record(LAVA_PLACE_CPU, 1e-6);
        record(LAVA_PLACE_GPU, 1e6);
    }
    expect_factors(LAVA_EXPERIENCE_LOWEST, LAVA_EXPERIENCE_HIGHEST);
    for (int i = 0; i < 5; i++) {
        record(LAVA_PLACE_CPU, 1e6);
        record(LAVA_PLACE_GPU, 1e-6);
    }
    expect_factors(LAVA_EXPERIENCE_HIGHEST, LAVA_EXPERIENCE_LOWEST);
}

/* The policy's margin: 0.8 if nothing was measured, 0.7 for batches. */
static void test_the_margin_is_the_policys(void **state) {
    const struct lava_series series = {.count = 100};
    (void)state;
    for (int i = 0; i < 3; i++)
        record(LAVA_PLACE_CPU, 0.66);
    assert_int_equal(decide().place, LAVA_PLACE_GPU); /* 0.76 of the CPU's */
    for (int i = 0; i < 3; i++)
        record(LAVA_PLACE_CPU, 0.6);
    assert_int_equal(decide().reason, LAVA_REASON_LEARNT_CPU); /* 0.83 */

    struct lava_operation batch = product(100, 100, 100);
    batch.series = &series;
    uint64_t key = lava_experience_key(&batch);
    for (int i = 0; i < 3; i++)
        lava_experience_record(&experience, key, LAVA_PLACE_CPU, 1e6, 0.66e6);
    struct lava_plan plan = plan_of(CPU_NS, GPU_NS);
    lava_experience_decide(&experience, key, &batch, &sixteen_cores, &plan);
    assert_int_equal(plan.reason, LAVA_REASON_LEARNT_CPU);
}

/* Expects `count` overruled products, then a trial that goes as the plan says. */
static void expect_trial_after(int count, double cpu_ns, double gpu_ns) {
    enum lava_place planned = plan_of(cpu_ns, gpu_ns).place;
    for (int i = 0; i < count; i++)
        assert_true(decide_by(cpu_ns, gpu_ns).place != planned);
    struct lava_plan trial = decide_by(cpu_ns, gpu_ns);
    assert_int_equal(trial.place, planned);
    assert_int_equal(trial.reason, LAVA_REASON_TRIAL);
}

static void test_trials(void **state) {
    static const int intervals[] = {32, 64, 128, 256, 512, 1024, 1024, 1024};
    (void)state;
    for (int i = 0; i < 3; i++)
        record(LAVA_PLACE_GPU, 3.9); /* 1.95 times the CPU's */
    for (size_t i = 0; i < COUNT(intervals); i++) {
        expect_trial_after(intervals[i], CPU_NS, GPU_NS);
        record(LAVA_PLACE_GPU, 3.9);
    }
}

/* The other direction: the CPU is slower than estimated. */
static void test_trials_on_the_cpu(void **state) {
    static const int intervals[] = {32, 64, 128, 256, 512, 1024, 1024};
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(decide_by(1e6, 0.9e6).reason, LAVA_REASON_UNPROFITABLE);
        record_by(LAVA_PLACE_CPU, 1e6, 1.5);
    }
    for (size_t i = 0; i < COUNT(intervals); i++) {
        expect_trial_after(intervals[i], 1e6, 0.9e6);
        record_by(LAVA_PLACE_CPU, 1e6, 1.5);
    }
    record_by(LAVA_PLACE_CPU, 1e6, 1);
    record_by(LAVA_PLACE_CPU, 1e6, 1);
    assert_int_equal(decide_by(1e6, 0.9e6).reason, LAVA_REASON_LEARNT_GPU);
    record_by(LAVA_PLACE_CPU, 1e6, 1);
    assert_int_equal(decide_by(1e6, 0.9e6).reason, LAVA_REASON_UNPROFITABLE);
}

/* The first interval is at least 16 times the ratio of the corrected times, up to 1024. */
static void test_costly_trials_come_late(void **state) {
    static const struct {
        double factor; /* twice the ratio */
        int interval;
    } cases[] = {{1.7, 32}, {3.9, 32}, {4.1, 64}, {7.9, 64}, {8.1, 128}, {16, 128}, {100, 128}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(state);
        for (int j = 0; j < 3; j++)
            record(LAVA_PLACE_GPU, cases[i].factor);
        expect_trial_after(cases[i].interval, CPU_NS, GPU_NS);
    }
    begin(state);
    for (int j = 0; j < 3; j++) {
        record(LAVA_PLACE_GPU, 16);
        record(LAVA_PLACE_CPU, LAVA_EXPERIENCE_LOWEST);
    }
    expect_trial_after(1024, CPU_NS, GPU_NS);
    expect_trial_after(1024, CPU_NS, GPU_NS);
}

/* Three fast trials are the majority of the last five, so the class goes back. */
static void test_returns_when_the_device_is_fast_again(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++)
        record(LAVA_PLACE_GPU, 3);
    for (int trial = 0; trial < 3; trial++) {
        expect_trial_after(32 << trial, CPU_NS, GPU_NS);
        record(LAVA_PLACE_GPU, 1);
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(decide().reason, LAVA_REASON_PROFITABLE);
    for (int i = 0; i < 5; i++)
        record(LAVA_PLACE_GPU, 3);
    expect_trial_after(32, CPU_NS, GPU_NS); /* the intervals begin again */
}

/* A trial that says nothing is made again at once, but not a third time. */
static void test_repeated_trials(void **state) {
    const struct lava_operation operation = product(1000, 1000, 1000);
    uint64_t key = lava_experience_key(&operation);
    (void)state;
    lava_experience_repeat_trial(&experience, key); /* unknown: nothing happens */
    for (int i = 0; i < 3; i++)
        record(LAVA_PLACE_GPU, 3);
    expect_trial_after(32, CPU_NS, GPU_NS);
    for (int round = 1; round < 4; round++) {
        lava_experience_repeat_trial(&experience, key);
        expect_trial_after(0, CPU_NS, GPU_NS);
        lava_experience_repeat_trial(&experience, key);
        expect_trial_after(32 << round, CPU_NS, GPU_NS);
    }
}

static void test_classes(void **state) {
    const struct lava_series series = {.count = 100}, more = {.count = 200}, similar = {.count = 105};
    const struct lava_operation base = product(1000, 1000, 1000);
    uint64_t key = lava_experience_key(&base);
    struct lava_operation others[28];
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++)
        others[i] = base;
    others[0].m = 1500;
    others[1].n = 1500;
    others[2].k = 600;
    others[3].type = others[3].c.type = LAVA_TYPE_FP64;
    others[4].type = LAVA_TYPE_FP16;
    others[5].type = others[5].c.type = LAVA_TYPE_FP16;
    others[6].precision = LAVA_PRECISION_FAST;
    others[7].c.region = LAVA_REGION_LOWER;
    others[8].c.region = LAVA_REGION_UPPER;
    others[9].b_is_a = true;
    others[10].beta.real = 1;
    others[11].a.op = LAVA_OP_T;
    others[12].b.op = LAVA_OP_T;
    others[13].series = &series;
    others[14].series = &more;
    others[15].m = INT64_MAX;
    others[16].kind = LAVA_OPERATION_LU;
    others[17] = others[18] = others[16];
    others[17].sides.count = 1;
    others[18].sides.count = 100;
    others[19] = others[18];
    others[19].sides.factored = true;
    others[20].kind = LAVA_OPERATION_INVERT_TRIANGLE;
    others[21].kind = LAVA_OPERATION_SQUARE_TRIANGLE;
    others[22].kind = LAVA_OPERATION_INVERT_CHOLESKY;
    others[23].kind = LAVA_OPERATION_INVERT_LU;
    others[24].kind = LAVA_OPERATION_QR;
    others[25].kind = LAVA_OPERATION_QR_FORM;
    others[26].kind = LAVA_OPERATION_QR_LEFT;
    others[27].kind = LAVA_OPERATION_QR_RIGHT;
    for (size_t i = 0; i < COUNT(others); i++) {
        uint64_t other = lava_experience_key(&others[i]);
        assert_true(other != key && other != 0);
        for (size_t j = 0; j < i; j++)
            assert_true(other != lava_experience_key(&others[j]));
    }
    /* alike: sizes around a power of two, another beta, another alpha, other addresses */
    struct lava_operation alike = product(1100, 960, 1024);
    alike.alpha.real = 3;
    alike.a.ld = 5000;
    assert_true(lava_experience_key(&alike) == key);
    struct lava_operation batch = base;
    batch.series = &similar;
    assert_true(lava_experience_key(&batch) == lava_experience_key(&others[13]));
    alike.beta.real = 2;
    assert_true(lava_experience_key(&alike) == lava_experience_key(&others[10]));
}

/* Three products on the device, 4 times as slow as estimated: known afterwards. */
static void teach(uint64_t key) {
    for (int i = 0; i < 3; i++)
        lava_experience_record(&experience, key, LAVA_PLACE_GPU, GPU_NS, 4 * GPU_NS);
}

static bool knows(uint64_t key) {
    return lava_experience_correct(&experience, key, CPU_NS, GPU_NS).gpu_ns > 2 * GPU_NS;
}

/* With more classes than places, those used all the time stay, and no class appears twice. */
static void test_replacement(void **state) {
    enum { PLACES = LAVA_EXPERIENCE_SETS * LAVA_EXPERIENCE_WAYS, CLASSES = 4 * PLACES };
    const uint64_t first = 1000;
    int known = 0;
    (void)state;
    teach(first);
    for (uint64_t key = first + 1; key < first + CLASSES; key++) {
        struct lava_plan plan = plan_of(CPU_NS, GPU_NS);
        const struct lava_operation operation = product(1000, 1000, 1000);
        teach(key);
        assert_true(knows(key) && knows(first));
        lava_experience_decide(&experience, first, &operation, &sixteen_cores, &plan);
        assert_true(plan.reason == LAVA_REASON_LEARNT_CPU || plan.reason == LAVA_REASON_TRIAL);
    }
    for (uint64_t key = first; key < first + CLASSES; key++)
        known += knows(key);
    assert_int_equal(known, PLACES); /* the hash reaches every set */
    for (int set = 0; set < LAVA_EXPERIENCE_SETS; set++)
        for (int i = 0; i < LAVA_EXPERIENCE_WAYS; i++)
            for (int j = 0; j < i; j++)
                assert_true(experience.classes[set][i].key != experience.classes[set][j].key);
}

/* Times of the CPU alone make room for nothing that was learnt of the device. */
static void test_classes_of_the_cpu_go_first(void **state) {
    enum { TAUGHT = LAVA_EXPERIENCE_SETS, CLASSES = 64 * LAVA_EXPERIENCE_SETS };
    const uint64_t first = 1000;
    int full = 0;
    (void)state;
    for (uint64_t key = first; key < first + TAUGHT; key++)
        teach(key);
    for (int set = 0; set < LAVA_EXPERIENCE_SETS; set++)
        full += experience.classes[set][LAVA_EXPERIENCE_WAYS - 1].key != 0;
    assert_int_equal(full, 0); /* the last one may go */
    for (uint64_t key = first + TAUGHT; key < first + CLASSES; key++)
        lava_experience_record(&experience, key, LAVA_PLACE_CPU, CPU_NS, CPU_NS);
    for (uint64_t key = first; key < first + TAUGHT; key++)
        assert_true(knows(key));
    teach(first + CLASSES); /* instead of one of the CPU */
    for (uint64_t key = first; key < first + TAUGHT; key++)
        assert_true(knows(key));
    assert_true(knows(first + CLASSES));
}

/* Products without a choice are recorded until five are, then one of sixteen. */
static void test_one_of_many_is_due(void **state) {
    const uint64_t key = 1000;
    bool is_due = false;
    int due = 0;
    (void)state;
    for (int i = 0; i < LAVA_EXPERIENCE_SAMPLES; i++) {
        double factor = lava_experience_cpu_factor(&experience, key, &is_due);
        assert_true(is_due && (i < LAVA_EXPERIENCE_LEAST ? factor == 0 : factor == 2));
        factor = lava_experience_record(&experience, key, LAVA_PLACE_CPU, CPU_NS, 2 * CPU_NS);
        assert_true(i + 1 < LAVA_EXPERIENCE_LEAST ? factor == 0 : factor == 2);
    }
    for (int i = 1; i <= 10 * LAVA_EXPERIENCE_UNTIMED; i++) {
        assert_true(lava_experience_cpu_factor(&experience, key, &is_due) == 2);
        assert_int_equal(is_due, i % LAVA_EXPERIENCE_UNTIMED == 0);
        due += is_due;
    }
    assert_int_equal(due, 10);
    assert_true(lava_experience_cpu_factor(&experience, key + 1, &is_due) == 0 && is_due);
}

/* The model: all ratios of one class and side, in full. */
struct history {
    double ratios[2][STEPS];
    int counts[2];
    int overruled, interval; /* since the last trial, and before the next */
};

static double model_factor(const struct history *history, int place) {
    double last[LAVA_EXPERIENCE_SAMPLES];
    int count = history->counts[place];
    int used = count < LAVA_EXPERIENCE_SAMPLES ? count : LAVA_EXPERIENCE_SAMPLES;
    if (used < 3)
        return 1;
    for (int i = 0; i < used; i++) { /* insertion */
        double ratio = log2(history->ratios[place][count - used + i]);
        int at = i;
        for (; at > 0 && last[at - 1] > ratio; at--)
            last[at] = last[at - 1];
        last[at] = ratio;
    }
    double median = used % 2 ? last[used / 2] : (last[used / 2 - 1] + last[used / 2]) / 2;
    return fmin(fmax(exp2(median), 0.125), 16);
}

/* The place by the model; 2 if the times are too close to tell. */
static int model_place(struct history *history, const struct lava_plan *plan) {
    double cpu_ns = model_factor(history, LAVA_PLACE_CPU) * plan->cpu_ns,
           gpu_ns = model_factor(history, LAVA_PLACE_GPU) * plan->gpu_ns;
    if (fabs(gpu_ns / (0.8 * cpu_ns) - 1) < 2 * FACTOR_SLIP)
        return 2;
    enum lava_place place = gpu_ns < 0.8 * cpu_ns ? LAVA_PLACE_GPU : LAVA_PLACE_CPU;
    if (place == plan->place) {
        history->interval = history->overruled = 0;
        return (int)place;
    }
    double ratio = place == LAVA_PLACE_CPU ? gpu_ns / cpu_ns : cpu_ns / gpu_ns;
    if (history->interval == 0)
        for (history->interval = 32; history->interval < 1024 && history->interval < 16 * ratio;)
            history->interval *= 2;
    if (history->overruled < history->interval) {
        history->overruled++;
        return (int)place;
    }
    history->overruled = 0;
    history->interval = history->interval < 1024 ? 2 * history->interval : 1024;
    return (int)plan->place;
}

static double random_between(uint64_t *random, double low, double high) {
    return low * pow(high / low, (double)(random_next(random) >> 11) * 0x1p-53);
}

/* Products whose speed on each side changes from time to time, with outliers. */
static void test_against_a_model(void **state) {
    static struct history history;
    uint64_t random = random_seed();
    double speeds[2] = {1, 1};
    (void)state;
    memset(&history, 0, sizeof history);
    for (int step = 0; step < STEPS; step++) {
        struct lava_plan plan = plan_of(1e6, random_between(&random, 2e5, 2e6));
        if (random_next(&random) % 2000 == 0)
            speeds[random_next(&random) % 2] = random_between(&random, 0.05, 40);
        int expected = model_place(&history, &plan);
        if (expected == 2)
            continue;
        struct lava_plan decided = decide_by(plan.cpu_ns, plan.gpu_ns);
        assert_int_equal(decided.place, expected);
        double ratio = speeds[expected] * random_between(&random, 0.9, 1.1);
        if (random_next(&random) % 20 == 0)
            ratio *= random_between(&random, 0.01, 100);
        record_by(decided.place, 1e6, ratio);
        history.ratios[expected][history.counts[expected]++] = ratio;
    }
    print_message("%d products on the CPU, %d on the device\n", history.counts[0], history.counts[1]);
    assert_true(history.counts[0] > 1000 && history.counts[1] > 1000);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_three_products_decide),
        TEST(test_a_long_call_tries_the_device),
        TEST(test_a_long_call_stays_there),
        TEST(test_one_long_time_tells),
        TEST(test_no_trial_without_doubt),
        TEST(test_one_outlier_changes_nothing),
        TEST(test_corrections_are_bounded),
        TEST(test_the_margin_is_the_policys),
        TEST(test_trials),
        TEST(test_trials_on_the_cpu),
        TEST(test_costly_trials_come_late),
        TEST(test_returns_when_the_device_is_fast_again),
        TEST(test_repeated_trials),
        TEST(test_classes),
        TEST(test_replacement),
        TEST(test_classes_of_the_cpu_go_first),
        TEST(test_one_of_many_is_due),
        TEST(test_against_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
