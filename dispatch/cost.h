/* Estimates how long the device takes for a product that is computed in a given way. The estimates serve to
 * compare choices; they are not promises. perf/ calibrates the rates. Pure functions on plain structs, called
 * by product_plan.c for every way that it considers. */
#ifndef LAVA_DISPATCH_COST_H
#define LAVA_DISPATCH_COST_H

#include "dispatch/blocking.h"
#include "dispatch/capabilities.h"
#include "dispatch/figures.h"
#include "dispatch/kernels.h"
#include "dispatch/operation.h"
#include "dispatch/profiles.h"

/* A device's rates, whatever it computes: measured if there is a measurement, else the profile's. */
struct lava_rates {
    double call_latency_ns; /* time of the smallest product, from host memory to host memory */
    double upload_bytes_per_s;
    double download_bytes_per_s;
    double memory_bytes_per_s; /* read + write */
};

/* Everything an estimate depends on: the product, the device, and one way to compute it. The caller owns what
 * the pointers refer to. */
struct lava_estimate {
    const struct lava_operation *operation;
    const struct lava_capabilities *device;
    struct lava_rates rates;
    uint32_t multiprocessors;
    const struct lava_kernel *kernel;
    struct lava_profile_kernel row; /* the kernel's row; flops_per_s is the measured rate if there is one */
    struct lava_blocking blocking;
    bool at_once;     /* not streamed; see struct lava_plan */
    uint32_t engines; /* that share the product; 0 or 1: one computes it */
};

struct lava_rates lava_cost_rates(const struct lava_profile *profile,
                                  const struct lava_device_figures *figures);
/* How many times the profile's rate the measured rows of a type reach, as a geometric mean; 1 if none was
 * measured. A calibration may have measured some rows only. Rows for matrix units and others do not tell of
 * each other. */
struct lava_row_ratios {
    double without_scheme, with_scheme;
};
struct lava_row_ratios lava_cost_row_ratios(const struct lava_profile *profile,
                                            const struct lava_device_figures *figures, enum lava_type type);
/* Returns the profile's row with the measured rate; if there is none, with the profile's times its ratio.
 * kernel is the row's, or NULL. */
struct lava_profile_kernel lava_cost_row(const struct lava_profile_kernel *row,
                                         const struct lava_kernel *kernel,
                                         const struct lava_device_figures *figures,
                                         const struct lava_row_ratios *ratios);

/* Returns the time from host memory to host memory, in ns. Engines that share a product are taken to be alike
 * and to take turns at the column blocks: the time is that of the first. */
double lava_cost_gpu_ns(const struct lava_estimate *estimate);
/* Returns the time of several engines. The one with the most to do takes longest_ns by itself. All of them
 * together copy and upload these bytes. */
double lava_cost_shared_ns(uint32_t engines, double longest_ns, double copied_bytes, double uploaded_bytes);
/* Returns a lower bound for every way to compute the product, in ns: the latency plus the larger of all
 * transfers and all arithmetic at flops_per_s. flops_per_s is the best rate of any row of the type; with 0
 * only the transfers count. lava_cost_gpu_ns must always stay above this bound. */
double lava_cost_least_ns(const struct lava_operation *operation, const struct lava_rates *rates,
                          double flops_per_s);

/* Returns the time until the first bytes of a streamed operation reach the bus, and that in which the last
 * ones are written back, of n in the last chunk of C. */
double lava_cost_start_ns(const struct lava_rates *rates);
double lava_cost_last_write_ns(double bytes);

/* Returns how many workgroups run at once, at least 1. Needs no blocking. */
uint64_t lava_cost_slots(const struct lava_estimate *estimate);
/* Returns the number of tiles of C, whatever the blocks. Needs no blocking. */
double lava_cost_tiles(const struct lava_estimate *estimate);
/* Returns the tiles of a block times the slices: the units that the multiply kernel's workgroups compute. */
double lava_cost_units(const struct lava_estimate *estimate);

#endif
