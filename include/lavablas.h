/* LavaBLAS's own API: what a program that knows it runs on LavaBLAS may ask. None of it is needed to use the
 * library; the products are called through BLAS's own names (lavablas_cblas.h), but for one that has none.
 *
 * Every function may be called by any thread at any time, except from a signal handler. C and C++. */
#ifndef LAVABLAS_H
#define LAVABLAS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version this header belongs to; lavablas_version tells that of the library in the process. */
#define LAVABLAS_VERSION_MAJOR 0
#define LAVABLAS_VERSION_MINOR 1
#define LAVABLAS_VERSION_PATCH 0
#define LAVABLAS_VERSION                                                                                     \
    (LAVABLAS_VERSION_MAJOR * 10000 + LAVABLAS_VERSION_MINOR * 100 + LAVABLAS_VERSION_PATCH)

/* "major.minor.patch". A string of static storage. */
const char *lavablas_version(void);

/* Starts the preparation of the device, if no product has started it yet, and waits until the device can be
 * used for single precision. Without this call it is prepared in the background while the first products run
 * on the CPU; and so are, in any case, the kernels of fp16 and of bf16 when products of these types come.
 *
 * Returns 0 when the device is ready. Returns -1 when it will not be: none was found, it does not work,
 * LAVABLAS_MODE=cpu, the process is a child of fork(); products then run on the CPU, and are as right.
 * *why, where why is not NULL, is set to the reason in words, "" when ready: a string of static storage. */
int lavablas_wait(const char **why);

/* One product, as lavablas_last_call tells it. New fields are only ever added at the end; size tells library
 * and program apart. The strings are of static storage. */
struct lavablas_call {
    size_t size;         /* set by the caller to sizeof(struct lavablas_call) */
    const char *routine; /* as exported: "cblas_sgemm", "sgemm_" ... */
    const char *place;   /* where C was computed: "cpu" or "gpu" */
    const char *reason;  /* why there, in words */
    int64_t m, n, k;     /* of the column-major product (a row-major one is its transpose, so that m and n
                          * change places); 0 where the arguments were invalid */
    double seconds;      /* wall time inside the call */
};

/* Tells about the calling thread's last product. Products small enough to be handed to the CPU BLAS unseen
 * are not remembered: the answer is then about an earlier one.
 *
 * call points to a struct whose size is set. Returns 0, with *call filled; -1 where the thread has made no
 * such product yet or size is smaller than any released version of the struct, with *call untouched. */
int lavablas_last_call(struct lavablas_call *call);

/* C <- alpha op(A) op(B) + beta C for fp16 matrices with scalars in fp32: cblas_hgemm, whose fp16 scalars
 * cannot be, say, 1e-5 or 0.1 with more than three digits. The sum is formed in fp32 and rounded to fp16
 * once.
 *
 * a, b and c point to 16-bit integers that hold the bits of IEEE 754 binary16. layout is 101 for row-major,
 * 102 for column-major; transa and transb are 111 for the matrix itself, 112 or 113 for its transpose: the
 * values of CBLAS's enumerators. The rest, errors included, is as lavablas_cblas.h describes it for
 * cblas_hgemm. */
void lavablas_hgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const uint16_t *a,
                    int lda, const uint16_t *b, int ldb, float beta, uint16_t *c, int ldc);

#ifdef __cplusplus
}
#endif

#endif
