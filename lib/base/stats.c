/* Counts calls per routine, place and reason, and per routine, place and size. lib/offload/offload calls it
 * for each call that is not forwarded at once; lib/base/report prints the counts at exit. Counting is
 * lock-free; a line of the summary is consistent once the calls it counts have returned. */
#include "lib/base/stats.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/config.h"
#include "lib/base/counters.h"
#include "lib/base/sizes.h"
#include "lib/base/tally.h"

static const char *const place_names[LAVA_PLACE_COUNT] = {
    [LAVA_PLACE_CPU] = "cpu",
    [LAVA_PLACE_GPU] = "gpu",
};

static atomic_bool wanted; /* by the program */

bool lava_stats_are_wanted(void) {
    return atomic_load_explicit(&wanted, memory_order_relaxed) || lava_config_get()->stats;
}

void lava_stats_want(void) {
    atomic_store_explicit(&wanted, true, memory_order_relaxed);
}

static void add_to(_Atomic double *place, double value) {
    double sum = atomic_load_explicit(place, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(place, &sum, sum + value, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static void increase(atomic_ullong *sum, uint64_t value) {
    atomic_fetch_add_explicit(sum, value, memory_order_relaxed);
}

static void add(atomic_ullong *sum, double value) {
    increase(sum, (uint64_t)value);
}

void lava_stats_count(enum lava_routine routine, const struct lava_operation *operation, int64_t products,
                      enum lava_place place, enum lava_reason reason, uint64_t elapsed_ns) {
    struct lava_counters *counters = lava_counters_get();
    /* an invalid call has no operation */
    double flops = reason == LAVA_REASON_INVALID ? 0 : lava_operation_flops(operation);
    if (products > 1)
        flops *= (double)products;
    add_to(&counters->reasons[routine][place][reason].flops, flops);
    increase(&counters->reasons[routine][place][reason].elapsed_ns, elapsed_ns);
    increase(&counters->reasons[routine][place][reason].calls, 1);
}

double lava_stats_bytes(const struct lava_operation *operation) {
    double written = (double)operation->m * (double)operation->n * (double)lava_type_bytes(operation->c.type);
    if (operation->c.region != LAVA_REGION_ALL)
        written /= 2;
    return lava_operation_operand_bytes(operation) + written;
}

void lava_stats_count_shape(enum lava_routine routine, const struct lava_operation *operation,
                            int64_t products, enum lava_place place, uint64_t elapsed_ns, double other_ns) {
    double times = products > 1 ? (double)products : 1;
    int size = lava_sizes_class(operation->m, operation->n, operation->k);
    struct lava_counters *counters = lava_counters_get();
    increase(&counters->shapes[routine][place][size].calls, 1);
    increase(&counters->shapes[routine][place][size].elapsed_ns, elapsed_ns);
    if (place == LAVA_PLACE_GPU)
        add(&counters->shapes[routine][place][size].cpu_ns, other_ns);
    if (other_ns > 0 && (double)elapsed_ns > other_ns)
        add(&counters->shapes[routine][place][size].lost_ns, (double)elapsed_ns - other_ns);
    add_to(&counters->shapes[routine][place][size].flops, times * lava_operation_flops(operation));
    add_to(&counters->shapes[routine][place][size].bytes, times * lava_stats_bytes(operation));
}

const char *lava_stats_reason(enum lava_reason reason) {
    bool is_vain = reason == LAVA_REASON_STARTING && lava_counters_get()->facts[LAVA_REPORT_NO_DEVICE][0];
    return lava_reason_text(is_vain ? LAVA_REASON_NO_DEVICE : reason);
}

enum lava_reason lava_stats_small_reason(void) {
    return (enum lava_reason)lava_counters_get()->small_reason;
}

struct lava_stats_samples lava_stats_samples(void) {
    struct lava_stats_samples samples = {0};
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        for (int size = 0; size < LAVA_SIZES; size++) {
            const struct lava_tally_sum small = lava_tally_sum((enum lava_routine)routine, size);
            samples.calls += small.calls;
            samples.timed += small.timed;
        }
    return samples;
}

struct lava_stats_shape lava_stats_shape(enum lava_routine routine, enum lava_place place, int size) {
    struct lava_counters *counters = lava_counters_get();
    struct lava_stats_shape sum =
        (struct lava_stats_shape){.calls = counters->shapes[routine][place][size].calls,
                                  .elapsed_ns = counters->shapes[routine][place][size].elapsed_ns,
                                  .cpu_ns = counters->shapes[routine][place][size].cpu_ns,
                                  .lost_ns = counters->shapes[routine][place][size].lost_ns,
                                  .flops = counters->shapes[routine][place][size].flops,
                                  .bytes = counters->shapes[routine][place][size].bytes};
    if (place != LAVA_PLACE_CPU)
        return sum;
    const struct lava_tally_sum small = lava_tally_sum(routine, size);
    sum.calls += small.calls;
    sum.elapsed_ns += small.elapsed_ns;
    sum.flops += (double)small.flops;
    sum.bytes += (double)small.bytes;
    return sum;
}

struct lava_stats_sum lava_stats_sum(enum lava_routine routine, enum lava_place place,
                                     enum lava_reason reason) {
    struct lava_counters *counters = lava_counters_get();
    struct lava_stats_sum sum = {.calls = counters->reasons[routine][place][reason].calls,
                                 .elapsed_ns = counters->reasons[routine][place][reason].elapsed_ns,
                                 .flops = counters->reasons[routine][place][reason].flops};
    for (int size = 0; place == LAVA_PLACE_CPU && reason == lava_stats_small_reason() && size < LAVA_SIZES;
         size++) {
        const struct lava_tally_sum small = lava_tally_sum(routine, size);
        sum.calls += small.calls;
        sum.elapsed_ns += small.elapsed_ns;
        sum.flops += (double)small.flops;
    }
    return sum;
}

struct lava_stats_estimates lava_stats_estimates(enum lava_place place) {
    struct lava_counters *counters = lava_counters_get();
    return (struct lava_stats_estimates){.calls = counters->estimates[place].calls,
                                         .estimated_ns = counters->estimates[place].estimated_ns,
                                         .measured_ns = counters->estimates[place].measured_ns,
                                         .lost_calls = counters->estimates[place].lost_calls,
                                         .lost_ns = counters->estimates[place].lost_ns};
}

void lava_stats_transferred(enum lava_transfer direction, uint64_t bytes, uint64_t ns) {
    struct lava_counters *counters = lava_counters_get();
    increase(&counters->transfers[direction].bytes, bytes);
    increase(&counters->transfers[direction].ns, ns);
}

void lava_stats_stayed(uint64_t bytes) {
    struct lava_counters *counters = lava_counters_get();
    increase(&counters->stays.bytes, bytes);
    increase(&counters->stays.uses, 1);
}

struct lava_stats_stays lava_stats_stays(void) {
    struct lava_counters *counters = lava_counters_get();
    return (struct lava_stats_stays){.uses = counters->stays.uses, .bytes = counters->stays.bytes};
}

static void (*_Atomic tell_copies)(struct lava_stats_copies *copies);

void lava_stats_ask_copies(void (*tell)(struct lava_stats_copies *copies)) {
    atomic_store_explicit(&tell_copies, tell, memory_order_release);
}

static int by_saved_time(const void *a, const void *b) {
    const struct lava_stats_matrix *x = a, *y = b;
    int order = (x->saved_ns < y->saved_ns) - (x->saved_ns > y->saved_ns);
    return order ? order : (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

bool lava_stats_copies(struct lava_stats_copies *copies) {
    void (*tell)(struct lava_stats_copies *) = atomic_load_explicit(&tell_copies, memory_order_acquire);
    *copies = (struct lava_stats_copies){0};
    if (tell)
        tell(copies);
    if (copies->count > 1)
        qsort(copies->matrices, (size_t)copies->count, sizeof copies->matrices[0], by_saved_time);
    return tell != NULL;
}

struct lava_stats_transfer lava_stats_transfer(enum lava_transfer direction) {
    struct lava_counters *counters = lava_counters_get();
    return (struct lava_stats_transfer){.bytes = counters->transfers[direction].bytes,
                                        .ns = counters->transfers[direction].ns};
}

const char *lava_stats_place(enum lava_place place) {
    return place_names[place];
}

void lava_stats_estimated(enum lava_place place, const double estimates_ns[LAVA_PLACE_COUNT],
                          uint64_t measured_ns) {
    enum lava_place other = place == LAVA_PLACE_GPU ? LAVA_PLACE_CPU : LAVA_PLACE_GPU;
    double lost_ns = (double)measured_ns - estimates_ns[other];
    struct lava_counters *counters = lava_counters_get();
    add(&counters->estimates[place].calls, 1);
    add(&counters->estimates[place].estimated_ns, estimates_ns[place]);
    add(&counters->estimates[place].measured_ns, (double)measured_ns);
    if (lost_ns > 0) {
        add(&counters->estimates[place].lost_calls, 1);
        add(&counters->estimates[place].lost_ns, lost_ns);
    }
}

void lava_stats_lanes(unsigned lanes) {
    atomic_uint *most_lanes = &lava_counters_get()->most_lanes;
    unsigned most = atomic_load_explicit(most_lanes, memory_order_relaxed);
    while (lanes > most && !atomic_compare_exchange_weak_explicit(most_lanes, &most, lanes,
                                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

unsigned lava_stats_most_lanes(void) {
    return lava_counters_get()->most_lanes;
}

void lava_stats_device(unsigned device) {
    increase(&lava_counters_get()->on_device[device], 1);
}

void lava_stats_shared(void) {
    increase(&lava_counters_get()->shared, 1);
}

uint64_t lava_stats_of_shared(void) {
    return lava_counters_get()->shared;
}

uint64_t lava_stats_of_device(unsigned device) {
    return lava_counters_get()->on_device[device];
}

static void print_counter(FILE *stream, enum lava_routine routine, enum lava_place place,
                          enum lava_reason reason) {
    const struct lava_stats_sum sum = lava_stats_sum(routine, place, reason);
    if (sum.calls > 0)
        fprintf(stream, "lavablas: %s %s %" PRIu64 " calls, %.6f s, %.1f GFLOP: %s\n",
                lava_routine_name(routine), place_names[place], sum.calls, (double)sum.elapsed_ns * 1e-9,
                sum.flops * 1e-9, lava_stats_reason(reason));
}

static void print_estimates(FILE *stream) {
    const struct lava_stats_estimates cpu = lava_stats_estimates(LAVA_PLACE_CPU),
                                      gpu = lava_stats_estimates(LAVA_PLACE_GPU);
    if (cpu.calls + gpu.calls == 0)
        return;
    fprintf(stream,
            "lavablas: estimates: gpu %" PRIu64 " calls, %.6f s estimated, %.6f s measured; cpu %" PRIu64
            " calls, %.6f s estimated, %.6f s measured; %" PRIu64 " calls on the GPU took %.6f s longer than "
            "the CPU's estimate, %" PRIu64 " calls on the CPU took %.6f s longer than the GPU's\n",
            gpu.calls, (double)gpu.estimated_ns * 1e-9, (double)gpu.measured_ns * 1e-9, cpu.calls,
            (double)cpu.estimated_ns * 1e-9, (double)cpu.measured_ns * 1e-9, gpu.lost_calls,
            (double)gpu.lost_ns * 1e-9, cpu.lost_calls, (double)cpu.lost_ns * 1e-9);
}

/* The first device's line appears if another one has one. */
static void print_devices(FILE *stream) {
    unsigned last = LAVA_CONFIG_DEVICES_MAX - 1;
    while (last > 0 && lava_stats_of_device(last) == 0)
        last--;
    for (unsigned i = 0; last > 0 && i <= last; i++)
        fprintf(stream, "lavablas: device %u of the process: %" PRIu64 " products\n", i,
                lava_stats_of_device(i));
    if (lava_stats_of_shared() > 0)
        fprintf(stream, "lavablas: several devices shared %" PRIu64 " products\n", lava_stats_of_shared());
}

static void print_matrix(FILE *stream, const struct lava_stats_matrix *matrix) {
    fprintf(stream,
            "lavablas: the matrix at %p, %" PRId64 " x %" PRId64 ", %.1f MiB: %s%s%s %" PRIu64
            " uses, %.1f ms saved\n",
            matrix->first, matrix->rows, matrix->columns, (double)matrix->bytes / 0x1p20,
            matrix->why ? "does not stay: " : "stays", matrix->why ? matrix->why : "",
            matrix->why ? ";" : ",", matrix->uses, matrix->saved_ns * 1e-6);
}

static void print_copies(FILE *stream) {
    struct lava_stats_copies copies;
    const struct lava_stats_stays stays = lava_stats_stays();
    if (stays.uses > 0)
        fprintf(stream,
                "lavablas: matrices that stayed on the device: %" PRIu64
                " uses, %.1f GB that need not have gone up\n",
                stays.uses, (double)stays.bytes * 1e-9);
    if (!lava_stats_copies(&copies))
        return;
    if (copies.why)
        fprintf(stream, "lavablas: no matrix stays on the device: %s\n", copies.why);
    if (copies.stored > 0)
        fprintf(stream,
                "lavablas: their copies: %" PRIu64 " stored, %" PRIu64 " used, %" PRIu64
                " uploaded anew by %.1f GB, %" PRIu64 " forgotten, %" PRIu64 " evicted, %" PRIu64
                " differences\n",
                copies.stored, copies.used, copies.refreshed, (double)copies.refreshed_bytes * 1e-9,
                copies.forgotten, copies.evicted, copies.differences);
    for (int i = 0; i < copies.count; i++)
        print_matrix(stream, &copies.matrices[i]);
}

/* The calls under other calls, and how many small ones were timed. */
static void print_tally(FILE *stream) {
    struct lava_tally_under under;
    size_t index = 0;
    while (lava_tally_next_under(&index, &under))
        fprintf(stream,
                "lavablas: %s called %s on the %s: %" PRIu64 " calls, %.6f s, %.1f GFLOP of its own\n",
                lava_routine_name(under.outer), lava_routine_name(under.routine), place_names[under.place],
                under.calls, (double)under.elapsed_ns * 1e-9, (double)under.flops * 1e-9);
    const struct lava_stats_samples samples = lava_stats_samples();
    if (samples.timed < samples.calls)
        fprintf(stream,
                "lavablas: small calls: %" PRIu64 " of %" PRIu64
                " were timed, the times of the others are estimated\n",
                samples.timed, samples.calls);
}

void lava_stats_print(FILE *stream) {
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        for (int place = 0; place < LAVA_PLACE_COUNT; place++)
            for (int reason = 0; reason < LAVA_REASON_COUNT; reason++)
                print_counter(stream, (enum lava_routine)routine, (enum lava_place)place,
                              (enum lava_reason)reason);
    print_tally(stream);
    if (lava_stats_most_lanes() > 1)
        fprintf(stream, "lavablas: at most %u products on the device at a time\n", lava_stats_most_lanes());
    print_devices(stream);
    print_copies(stream);
    print_estimates(stream);
}

/* The child has one thread. */
void lava_stats_reset(void) {
    lava_tally_reset();
    lava_counters_reset();
    lava_stats_ask_copies(NULL); /* they are the parent's */
}
