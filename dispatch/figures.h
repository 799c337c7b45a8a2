/* Measured rates of the CPU BLAS and the device on this machine. The policy decides with these figures;
 * lib/calibrate/calibration measures and stores them. Plain numbers, and their text form. */
#ifndef LAVA_DISPATCH_FIGURES_H
#define LAVA_DISPATCH_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/cpu_families.h"
#include "dispatch/kernels.h"
#include "dispatch/operation.h"

/* The CPU BLAS's sgemm is timed for each m, n and k out of these sizes. */
#define LAVA_FIGURES_SIZES 6
#define LAVA_FIGURES_SIZE_LIST                                                                               \
    { 16, 64, 256, 512, 1024, 4096 }
extern const int64_t lava_figures_sizes[LAVA_FIGURES_SIZES];

struct lava_cpu_figures {
    /* Expected rate in large products, by the type of A and B, estimated from the processor. Used if
     * nothing was measured. 0: unknown. */
    double flops_per_s[LAVA_TYPE_COUNT];
    /* What small products take by those rates: one thread reaches this share of them, and the threads of a
     * product cost this much. 0: not known, and small ones are as fast as large ones. */
    double one_thread_share, threads_ns;
    /* Measured time of fp32 products in ns, with all threads that the CPU BLAS uses, indexed by the positions
     * of m, n and k among the sizes. 0: not measured. */
    double product_ns[LAVA_FIGURES_SIZES][LAVA_FIGURES_SIZES][LAVA_FIGURES_SIZES];
    /* The same of the families' routines, by the positions of type and order (cpu_families.h). */
    double family_ns[LAVA_CPU_FAMILY_COUNT][LAVA_FAMILIES_TYPES][LAVA_FAMILIES_ORDERS];
    /* LAVA_FIGURES_FAMILIES if they were measured, as far as that was possible. */
    double families;
};
/* Raised when other families or orders are measured, or in another way. Figures of an earlier version are
 * measured again. */
#define LAVA_FIGURES_FAMILIES 1

/* Number of kernel table rows, counted from the first, for which figures can be stored. */
#define LAVA_FIGURES_MAX_KERNELS 64

/* Each value is 0 if not measured; the device's profile is used then. */
struct lava_device_figures {
    /* smallest product, host to host, or a longer time if that fits small products better */
    double call_latency_ns;
    double upload_bytes_per_s; /* user memory to device, staging included */
    double download_bytes_per_s;
    double memory_bytes_per_s; /* device memory, read + write, measured by packing */
    /* For a matrix that is imported or copied (import_choice.h): the time of the smallest import, the rate of
     * larger ones, and that of the copy. */
    double import_ns, import_bytes_per_s, copy_bytes_per_s;
    double flops_per_s[LAVA_FIGURES_MAX_KERNELS]; /* per kernel row, on large problems */
};

struct lava_figures {
    struct lava_cpu_figures cpu;
    struct lava_device_figures device;
};

/* Expected time of the product on the CPU, ns; 0: unknown. Between measured sizes the logarithm of the time
 * per operation is interpolated linearly in the logarithms of m, n and k. Beyond the grid the value of the
 * last size is used. If a neighbour was not measured, the nearest measured point is used (the mean of those
 * equally near). Other types take the time of fp32, scaled by the ratio of the two flops_per_s, and other
 * operations a share of that. If routines of the operation's family were measured, the estimate is scaled
 * so that it is their measured time for square matrices; orders are those of a cube with as many operations,
 * and between measured ones the logarithm of the factor is interpolated. If none of the family was, an fp64
 * one is scaled as dgemm. Complex types have the factors of their real type. The call costs a fraction of a
 * microsecond, or a few if little was measured or other routines scale it.
 *
 * OpenBLAS's sgemm on 16 cores, 2026-11-21, with sizes of 16, 64, 256, 1024 and 4096: over the 91 products
 * that have a 512, the interpolated time was 1.08 times the measured time (geometric mean), with a spread of
 * 1.14. For 512 x 512 x 512 itself it was 2.1 times. This is why 512 is in the grid. Two runs differed by a
 * spread of 1.15. */
double lava_figures_cpu_ns(const struct lava_cpu_figures *figures, const struct lava_operation *operation);

/* Returns what the CPU takes to read and write n bytes, beyond those that its cache holds. */
double lava_figures_memory_ns(double bytes);
/* The least work (m n k) of a measured product that took the CPU longer than ns; 0: none did. */
double lava_figures_least_work(const struct lava_cpu_figures *figures, double ns);
/* True if that time is interpolated between measured products: type fp32, all neighbours measured. Says
 * nothing of the family. */
bool lava_figures_cpu_measured(const struct lava_cpu_figures *figures,
                               const struct lava_operation *operation);

/* Returns the routine whose measured times scale the operation's; NULL: none was measured. */
const char *lava_figures_scaled_by(const struct lava_cpu_figures *figures,
                                   const struct lava_operation *operation);

/* The measured rate of a row of the kernel table; 0: not measured, not a row of the table, or NULL. */
double lava_figures_flops_per_s(const struct lava_device_figures *figures, const struct lava_kernel *kernel);

/* Writes one line for each figure above 0: its name, the product or kernel it belongs to, and the value to
 * seven digits:
 *
 *     cpu_product_ns 256 1024 64 170800.5
 *     cpu_families 1
 *     cpu_family_ns dsyrk 1024 2154000
 *     device_upload_bytes_per_s 4.87e10
 *     device_kernel_flops_per_s fp32_128x128_16x8 4.7e13
 *
 * The CPU's flops_per_s is not written, because it is estimated from the processor. The text is the same in
 * every locale. Returns the length of the whole text and truncates it to size, as snprintf does. */
int lava_figures_print(const struct lava_figures *figures, char *text, size_t size);
/* Adds the figures in the text to *figures. Lines with an unknown name, kernel, routine or size are skipped,
 * so that text of another version can be read. Returns false and leaves *figures unchanged if a line is
 * invalid: not in the form that lava_figures_print writes, without a line end, longer than 127 characters, or
 * with a number that is negative, 0, infinite or NaN. */
bool lava_figures_parse(const char *text, struct lava_figures *figures);

#endif
