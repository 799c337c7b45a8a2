/* Estimates the processor's rates for lava_cpu_blas_figures. Queries the processor once, at the first call:
 * not at start-up and not at every call, because cpuid is slow on virtual machines. */
#include "lib/host/processor.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#    include <cpuid.h>
#endif

#include "lib/base/config.h"

/* The processors that the first calling thread may use. Never freed. */
static struct {
    cpu_set_t *set; /* NULL: unknown */
    size_t bytes;
    int count, share;
} processors;

static void find_processors(void) {
    /* A fixed cpu_set_t ends at 1024 processors; the call fails on a machine with more. */
    for (int size = 1024; size <= 1 << 20 && !processors.set; size *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)size);
        if (!set)
            break;
        processors.bytes = CPU_ALLOC_SIZE((size_t)size);
        processors.count =
            sched_getaffinity(0, processors.bytes, set) == 0 ? CPU_COUNT_S(processors.bytes, set) : 0;
        if (processors.count > 0)
            processors.set = set;
        else
            CPU_FREE(set);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int all = online > 0 && online < INT_MAX ? (int)online : 0;
    if (!processors.set)
        processors.count = all > 0 ? all : 1;
    processors.share = lava_processor_share_of(processors.count, all > 0 ? all : processors.count,
                                               lava_config_get()->local_size);
}

#if defined(__x86_64__) || defined(__i386__)
/* __builtin_cpu_supports is not used, because it adds a constructor that queries the processor in every
 * program that loads the library. On a virtual machine each cpuid is a trip to the hypervisor (measured: 95
 * us per start). */
enum { FMA = 1 << 12, OSXSAVE = 1 << 27, F16C = 1 << 29, AVX2 = 1 << 5, AVX512F = 1 << 16 };

/* Register states that the operating system saves: bits 1 and 2 for AVX, also 5 to 7 for AVX-512. */
static unsigned saved_states(void) {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static bool has(unsigned leaf_1_ecx, unsigned leaf_7_ebx, unsigned states) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & leaf_1_ecx) != leaf_1_ecx || !(c & OSXSAVE))
        return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & leaf_7_ebx) != leaf_7_ebx)
        return false;
    return (saved_states() & states) == states;
}

static bool has_avx512(void) {
    return has(FMA, AVX2 | AVX512F, 0xe6);
}

/* What OpenBLAS's core type SkylakeX needs beside that: DQ, CD, BW and VL. */
static bool has_skylakex(void) {
    const unsigned needed = 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    return has_avx512() && has(FMA, needed, 0xe6);
}

static bool has_avx2(void) {
    return has(FMA, AVX2, 0x06);
}

static bool has_f16c(void) {
    return has(F16C, AVX2, 0x06);
}

/* Leaf 7, subleaf 0: edx. Subleaf 1: eax. */
enum { AMX_BF16 = 1 << 22, AVX512_FP16 = 1 << 23, AVX512_BF16 = 1 << 5, AMX_FP16 = 1 << 21 };

/* These were not measured. Vectors hold twice as many elements. AMX has 16 times the peak; memory may allow
 * half of that. */
static double half_gain(enum lava_type type) {
    unsigned first[4] = {0}, second[4] = {0};
    __get_cpuid_count(7, 0, &first[0], &first[1], &first[2], &first[3]);
    __get_cpuid_count(7, 1, &second[0], &second[1], &second[2], &second[3]);
    bool is_bf16 = type == LAVA_TYPE_BF16;
    if (is_bf16 ? first[3] & AMX_BF16 : second[0] & AMX_FP16)
        return 8;
    return (is_bf16 ? second[0] & AVX512_BF16 : first[3] & AVX512_FP16) ? 2 : 1;
}
#else
static bool has_f16c(void) {
    return false;
}

static double half_gain(enum lava_type type) {
    (void)type;
    return 2; /* not measured either */
}
#endif

static bool has_any(void) {
    return true;
}

/* fp32 operations per second of one core in a large product; the first row that the processor supports
 * counts. The AVX-512 row was measured on Sapphire Rapids, OpenBLAS 0.3.26, 16 cores, 8192^3, in virtual
 * machines: 77e9 per core (887 ms, 2026-11-20), 153e9 (451 ms, 2026-11-21) and 66e9 (1046 ms, 2026-11-27).
 * The figure is between them: too high a one keeps work on the CPU, too low a one sends it to a device that
 * is slower. The other rows are expected; the fastest cores sold (Zen 3, Neoverse V2) do 1.4 times as much.
 * One thread alone has higher clocks and the whole cache: 64^3 took 2.17 us on the first machine, 242e9
 * (2026-11-21), and 7.1 us from memory, in a batch, on the last one, 74e9. */
/* clang-format off */
static const struct core {
    bool (*present)(void);
    double flops_per_s, one_thread_flops_per_s;
    int flops_per_cycle;       /* fp32, of vectors that are as wide as the row says */
    const char *openblas_core; /* OPENBLAS_CORETYPE for it; NULL: none is known that suits all of them */
} rates[] = {
#if defined(__x86_64__) || defined(__i386__)
    {has_skylakex, 105e9, 140e9, 64, "SKYLAKEX"},
    {has_avx512,   105e9, 140e9, 64, "HASWELL"},
    {has_avx2,     100e9, 110e9, 32, "HASWELL"},
#elif defined(__aarch64__)
    {has_any,     70e9,  80e9, 32, NULL}, /* NEON */
#endif
    {has_any,    40e9,  40e9,  8,  NULL},
};
/* clang-format on */

static const struct core *find_core(void) {
    const struct core *core = rates;
    while (!core->present())
        core++;
    return core;
}

/* OpenBLAS, those 16 cores: 256^3 took 35 us and 512^3 131, while their arithmetic by the rates above takes
 * 14 and 112 (2026-11-21). */
#define THREAD_NS 1.25e3

/* More cores do not make a CPU BLAS faster in proportion: memory and clocks are shared. The fastest CPU that
 * was measured, 64 cores of a machine with four GPUs, took 12.6 ms for sgemm of order 4096: 10.9e12. */
#define MOST_FLOPS_PER_S 11e12

double lava_processor_guess(double core, int count) {
    double all = core * count;
    return all < MOST_FLOPS_PER_S ? all : MOST_FLOPS_PER_S;
}

static double flops_per_s, one_thread_flops_per_s;
static const struct core *best_core;
static bool converts_fp16;
static double half_gains[LAVA_TYPE_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void estimate(void) {
    find_processors();
    const struct core *core = best_core = find_core();
    flops_per_s = lava_processor_guess(core->flops_per_s, processors.share); /* what other ranks leave */
    one_thread_flops_per_s =
        core->one_thread_flops_per_s < flops_per_s ? core->one_thread_flops_per_s : flops_per_s;
    converts_fp16 = has_f16c();
    for (int type = LAVA_TYPE_FP16; type <= LAVA_TYPE_BF16; type++)
        half_gains[type] = half_gain((enum lava_type)type);
}

double lava_processor_flops_per_s(void) {
    pthread_once(&once, estimate);
    return flops_per_s;
}

double lava_processor_one_thread_flops_per_s(void) {
    pthread_once(&once, estimate);
    return one_thread_flops_per_s;
}

int lava_processor_flops_per_cycle(void) {
    pthread_once(&once, estimate);
    return best_core->flops_per_cycle;
}

const char *lava_processor_core_type(void) {
    pthread_once(&once, estimate);
    return best_core->openblas_core;
}

double lava_processor_threads_ns(void) {
    int count = lava_processor_share();
    return count > 1 ? THREAD_NS * count : 0;
}

int lava_processor_count(void) {
    pthread_once(&once, estimate);
    return processors.count;
}

int lava_processor_share(void) {
    pthread_once(&once, estimate);
    return processors.share;
}

int lava_processor_share_of(int allowed, int online, int ranks) {
    int part = ranks > 1 ? online / ranks : allowed;
    part = part < 1 ? 1 : part;
    return part < allowed ? part : allowed;
}

double lava_processor_half_gain(enum lava_type type) {
    pthread_once(&once, estimate);
    return half_gains[type];
}

bool lava_processor_has_f16c(void) {
    pthread_once(&once, estimate);
    return converts_fp16;
}

void lava_processor_use_all(void) {
    pthread_once(&once, estimate);
    if (processors.set)
        sched_setaffinity(0, processors.bytes, processors.set);
}

/* Returns the processor that comes `index` places after the first one, going round; -1: unknown. */
static int find_processor(unsigned index, int except) {
    bool excludes = except >= 0 && (size_t)except < 8 * processors.bytes && processors.count > 1 &&
                    CPU_ISSET_S((size_t)except, processors.bytes, processors.set);
    int place = (int)(index % (unsigned)(processors.count - excludes));
    for (size_t i = 0; i < 8 * processors.bytes; i++) {
        if (!CPU_ISSET_S(i, processors.bytes, processors.set) || (excludes && i == (size_t)except))
            continue;
        if (place-- == 0)
            return (int)i;
    }
    return -1;
}

void lava_processor_bind(pthread_t thread, unsigned index, int except) {
    pthread_once(&once, estimate);
    cpu_set_t *set = processors.set ? CPU_ALLOC(8 * processors.bytes) : NULL;
    int processor = set ? find_processor(index, except) : -1;
    if (processor >= 0) {
        CPU_ZERO_S(processors.bytes, set);
        CPU_SET_S((size_t)processor, processors.bytes, set);
        pthread_setaffinity_np(thread, processors.bytes, set);
    }
    if (set)
        CPU_FREE(set);
}

void lava_processor_unbind(pthread_t thread) {
    pthread_once(&once, estimate);
    if (processors.set)
        pthread_setaffinity_np(thread, processors.bytes, processors.set);
}
