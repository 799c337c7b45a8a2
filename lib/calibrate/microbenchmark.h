/* Measures the figures that the policy decides by, one at a time, with real products on matrices of its own.
 * calibration.c uses it in the background, and tools/calibrate.c at leisure: they differ in the cost of a
 * turn and in how many turns they take.
 *
 *     struct lava_microbenchmark benchmark = {.blas = ..., .begin = ..., .end = ...};
 *     lava_microbenchmark_latency(&benchmark, LAVA_TYPE_FP32);     adds to benchmark.figures
 *     ...
 *     lava_microbenchmark_finish(&benchmark);
 *
 * No product takes unexpectedly long, because sizes are doubled only until a product takes a good part of
 * piece_ns. One thread may use a microbenchmark at a time. */
#ifndef LAVA_CALIBRATE_MICROBENCHMARK_H
#define LAVA_CALIBRATE_MICROBENCHMARK_H

#include "lib/calibrate/turn.h"
#include "lib/product/runner.h"

/* Frees the matrices. */
void lava_microbenchmark_finish(struct lava_microbenchmark *benchmark);

/* Measures the CPU BLAS's sgemm at a point of the grid: cpu.product_ns[m][n][k]. */
enum lava_microbenchmark_outcome lava_microbenchmark_cpu(struct lava_microbenchmark *benchmark, int m, int n,
                                                         int k);

/* The following measure the device, with products of a type that it is ready for. They are called in this
 * order, because the later ones use the figures of the earlier ones.
 *
 * warm measures nothing: a GPU that was idle raises its clock. It runs one product again and again until its
 * rate has stopped rising. If it has before, and has not fallen since, one run tells. The time does not
 * count for limit_ns. Called before each of the others. */
enum lava_microbenchmark_outcome lava_microbenchmark_warm(struct lava_microbenchmark *benchmark,
                                                          enum lava_type type);
/* Measures call_latency_ns, by the smallest product. */
enum lava_microbenchmark_outcome lava_microbenchmark_latency(struct lava_microbenchmark *benchmark,
                                                             enum lava_type type);
/* Measures upload_bytes_per_s and memory_bytes_per_s, by a product with few rows and columns of C. If the
 * device reads the host's memory, packing takes all the time, and the upload may come out as the fastest
 * possible. */
enum lava_microbenchmark_outcome lava_microbenchmark_upload(struct lava_microbenchmark *benchmark,
                                                            enum lava_type type);
/* Measures download_bytes_per_s, by a product with small K. */
enum lava_microbenchmark_outcome lava_microbenchmark_download(struct lava_microbenchmark *benchmark,
                                                              enum lava_type type);
/* Measures import_ns, import_bytes_per_s and copy_bytes_per_s: the imports alone, and a product with few rows
 * and columns of C, imported and copied. If the driver refuses the pages the figures say that copying
 * takes no time. Measures nothing on a device that has its own memory or imports none. */
enum lava_microbenchmark_outcome lava_microbenchmark_imports(struct lava_microbenchmark *benchmark,
                                                             enum lava_type type);
/* Measures flops_per_s of the row at this position of the kernel table. The device's profile must list the
 * row, because its other figures are used. */
enum lava_microbenchmark_outcome lava_microbenchmark_kernel(struct lava_microbenchmark *benchmark,
                                                            size_t row);
bool lava_microbenchmark_lists(const struct lava_microbenchmark *benchmark, const struct lava_kernel *kernel);
/* Makes call_latency_ns longer, so that the policy's estimates for products of 256 to 1024 are right on
 * average: small chunks do not reach the bus's full rate. */
enum lava_microbenchmark_outcome lava_microbenchmark_products(struct lava_microbenchmark *benchmark,
                                                              enum lava_type type);

#endif
