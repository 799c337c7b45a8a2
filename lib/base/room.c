/* Reads the limits on memory, and says what a driver and the CPU BLAS need of it. Called by lib/vk/gpu.
 *
 * Invariant: without a limit everything has room. */
#include "lib/base/room.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/cgroup.h"

#define MIB (UINT64_C(1) << 20)

/* Mesa's software driver took 0.9 GiB of addresses on two processors, products of order 700 included
 * (2026-11-27): LLVM's code, and for each of its threads a stack and an arena of malloc. What NVIDIA's takes
 * was not measured: after it is loaded the CPU BLAS must still have its part. */
#define DRIVER_BYTES               (1536 * MIB)
#define DRIVER_BYTES_PER_PROCESSOR (160 * MIB)
/* OpenBLAS 0.3.21 takes 32 MiB for each thread that computes and each that calls, and each may have an
 * arena of malloc, 64 MiB. */
#define CPU_BYTES_PER_PROCESSOR (192 * MIB)
#define CPU_BYTES               (512 * MIB)
/* A group's limit counts what is resident. Mesa's software driver had 135 MiB of it with its kernels and
 * staging after products of order 700, OpenBLAS less than 10 MiB a thread (2026-11-27). */
#define RESIDENT_BYTES               (512 * MIB)
#define RESIDENT_BYTES_PER_PROCESSOR (16 * MIB)

static uint64_t processors(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint64_t)count : 1;
}

/* Reads the pages of addresses and of data. Nothing is used if the file cannot be read. */
static void read_pages(unsigned long *addresses, unsigned long *data) {
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%lu %*u %*u %*u %*u %lu", addresses, data) != 2)
        *addresses = *data = 0;
    if (file)
        fclose(file);
}

static uint64_t left_of(rlim_t limit, unsigned long pages) {
    uint64_t used = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    if (limit == RLIM_INFINITY)
        return UINT64_MAX;
    return (uint64_t)limit > used ? (uint64_t)limit - used : 0;
}

static uint64_t smaller(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}

/* Returns what the limits on addresses and data leave. */
static uint64_t left_of_addresses(void) {
    struct rlimit addresses, data;
    unsigned long address_pages, data_pages;
    if (getrlimit(RLIMIT_AS, &addresses) || getrlimit(RLIMIT_DATA, &data) ||
        (addresses.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY))
        return UINT64_MAX;
    read_pages(&address_pages, &data_pages);
    return smaller(left_of(addresses.rlim_cur, address_pages), left_of(data.rlim_cur, data_pages));
}

uint64_t lava_room_left(void) {
    return smaller(left_of_addresses(), lava_cgroup_left(""));
}

static uint64_t cpu_bytes(void) {
    return CPU_BYTES + processors() * CPU_BYTES_PER_PROCESSOR;
}

bool lava_room_for_driver(void) {
    return left_of_addresses() >= DRIVER_BYTES + processors() * DRIVER_BYTES_PER_PROCESSOR + cpu_bytes() &&
           lava_cgroup_left("") >= RESIDENT_BYTES + processors() * RESIDENT_BYTES_PER_PROCESSOR;
}

bool lava_room_for_cpu(void) {
    return left_of_addresses() >= cpu_bytes();
}
