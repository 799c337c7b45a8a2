/* What the two sides were measured to do on this machine: the CPU BLAS and the device. The policy decides by
 * these figures; lib/calibrate/calibration measures and keeps them. Plain numbers, and their text form. */
#ifndef LAVA_DISPATCH_FIGURES_H
#define LAVA_DISPATCH_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/kernels.h"
#include "dispatch/problem.h"

/* The CPU BLAS's sgemm is timed at each m, n and k of these sizes. */
#define LAVA_FIGURES_SIZES 6
#define LAVA_FIGURES_SIZE_LIST                                                                               \
    { 16, 64, 256, 512, 1024, 4096 }
extern const int64_t lava_figures_sizes[LAVA_FIGURES_SIZES];

struct lava_cpu_figures {
    /* In large products, by the type of A and B, as expected of the processor: where nothing was measured. 0:
     * nothing is known. */
    double flops_per_s[LAVA_TYPE_COUNT];
    /* fp32 products with all threads that the CPU BLAS uses, ns, by the positions of m, n and k among the
     * sizes; 0: not measured. */
    double product_ns[LAVA_FIGURES_SIZES][LAVA_FIGURES_SIZES][LAVA_FIGURES_SIZES];
};

/* Rows of the kernel table that figures can be kept of, by their position there. */
#define LAVA_FIGURES_MAX_KERNELS 64

/* Each of them 0 where it was not measured: the device's profile has it then. */
struct lava_device_figures {
    double call_latency_ns;    /* of the smallest product, host to host, or longer: what fits small ones */
    double upload_bytes_per_s; /* user memory to device, staging included */
    double download_bytes_per_s;
    double memory_bytes_per_s;                    /* device memory, read + write, by packing */
    double flops_per_s[LAVA_FIGURES_MAX_KERNELS]; /* of a kernel row on large problems */
};

struct lava_figures {
    struct lava_cpu_figures cpu;
    struct lava_device_figures device;
};

/* Expected time of the product on the CPU, ns; 0: nothing is known. Between measured sizes the logarithm of
 * the time per operation is interpolated linearly in the logarithms of m, n and k; beyond them it is that of
 * the last size, and where a neighbour was not measured, that of the nearest that was (the mean of those
 * equally near). Half precision takes the time of fp32 by the ratio of the two flops_per_s. A fraction of a
 * microsecond, or a few where little was measured.
 *
 * OpenBLAS's sgemm on 16 cores, 2026-11-21, with sizes of 16, 64, 256, 1024 and 4096: of the 91 products that
 * have a 512, the interpolated time was 1.08 times the measured (geometric mean), with a spread of 1.14, and
 * for 512 x 512 x 512 itself 2.1 times; hence the 512. Two runs differed by a spread of 1.15. */
double lava_figures_cpu_ns(const struct lava_cpu_figures *figures, const struct lava_problem *problem);
/* The least work (m n k) of a measured product that took the CPU longer than ns; 0: none did. */
double lava_figures_least_work(const struct lava_cpu_figures *figures, double ns);
/* True where that time is interpolated between measured products: fp32, all neighbours there. */
bool lava_figures_cpu_measured(const struct lava_cpu_figures *figures, const struct lava_problem *problem);

/* The measured rate of a row of the kernel table; 0: not measured, or no row of the table (or NULL). */
double lava_figures_flops_per_s(const struct lava_device_figures *figures, const struct lava_kernel *kernel);

/* A line for each figure above 0: its name, of which product or kernel, and the value to seven digits, as
 *
 *     cpu_product_ns 256 1024 64 170800.5
 *     device_upload_bytes_per_s 4.87e10
 *     device_kernel_flops_per_s fp32_128x128_16x8 4.7e13
 *
 * The CPU's flops_per_s is not written: it belongs to the processor. The same text in every locale. Returns
 * the length that the whole text has and truncates it, as snprintf does. */
int lava_figures_print(const struct lava_figures *figures, char *text, size_t size);
/* Adds what the text has to *figures. Lines with another name, kernel or size of products are skipped, so
 * that another version's text can be read. False, with *figures untouched, where a line is not as
 * lava_figures_print writes them (the last one without its end, longer than 127 characters, a number that is
 * negative, 0, infinite or NaN). */
bool lava_figures_parse(const char *text, struct lava_figures *figures);

#endif
