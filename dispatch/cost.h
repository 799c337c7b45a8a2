/* How long the device takes for a product that is computed in a given way. Comparisons between choices, not
 * promises: perf/ calibrates the rates. Pure functions on plain structs, called by policy.c for every way
 * that it considers. */
#ifndef LAVA_DISPATCH_COST_H
#define LAVA_DISPATCH_COST_H

#include "dispatch/blocking.h"
#include "dispatch/capabilities.h"
#include "dispatch/figures.h"
#include "dispatch/kernels.h"
#include "dispatch/problem.h"
#include "dispatch/profiles.h"

/* A device's, whatever it computes: measured where there is such a figure, else its profile's. */
struct lava_rates {
    double call_latency_ns; /* the smallest product, host to host */
    double upload_bytes_per_s;
    double download_bytes_per_s;
    double memory_bytes_per_s; /* read + write */
};

/* All that an estimate depends on: the product, the device, and one way to compute it. Pointers are the
 * caller's. */
struct lava_estimate {
    const struct lava_problem *problem;
    const struct lava_capabilities *device;
    struct lava_rates rates;
    uint32_t multiprocessors;
    const struct lava_kernel *kernel;
    struct lava_profile_kernel row; /* the kernel's; flops_per_s as measured where it was */
    struct lava_blocking blocking;
    bool at_once; /* not streamed: see struct lava_plan */
};

struct lava_rates lava_cost_rates(const struct lava_profile *profile,
                                  const struct lava_device_figures *figures);
/* The profile's row with the rate that was measured, where it was. kernel is the row's, or NULL. */
struct lava_profile_kernel lava_cost_row(const struct lava_profile_kernel *row,
                                         const struct lava_kernel *kernel,
                                         const struct lava_device_figures *figures);

/* Host to host, ns. */
double lava_cost_gpu_ns(const struct lava_estimate *estimate);
/* What no way to compute the product goes below, ns: the latency, and the larger of all transfers and all
 * arithmetic at flops_per_s, the best rate of any row of its type; 0: the transfers alone. Whatever
 * lava_cost_gpu_ns reckons with, it has to stay above this. */
double lava_cost_least_ns(const struct lava_problem *problem, const struct lava_rates *rates,
                          double flops_per_s);

/* Workgroups that run at once, at least 1; needs no blocking. */
uint64_t lava_cost_slots(const struct lava_estimate *estimate);
/* Tiles of C, whatever the blocks; needs no blocking. */
double lava_cost_tiles(const struct lava_estimate *estimate);
/* Tiles of a block, all slices: what the multiply kernel's workgroups have to do. */
double lava_cost_units(const struct lava_estimate *estimate);

#endif
