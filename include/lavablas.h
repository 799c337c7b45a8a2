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
#define LAVABLAS_VERSION_MAJOR 1
#define LAVABLAS_VERSION_MINOR 0
#define LAVABLAS_VERSION_PATCH 0
#define LAVABLAS_VERSION                                                                                     \
    (LAVABLAS_VERSION_MAJOR * 10000 + LAVABLAS_VERSION_MINOR * 100 + LAVABLAS_VERSION_PATCH)
/* As text, with what a release candidate has behind the three numbers. */
#define LAVABLAS_VERSION_STRING "1.0.0"

/* As LAVABLAS_VERSION_STRING of the library in the process. A string of static storage. */
const char *lavablas_version(void);

/* Starts the preparation of the device, if no product has started it yet, and waits until the device can be
 * used for single precision. Without this call it is prepared in the background while the first products run
 * on the CPU; and so are, in any case, the kernels of fp64, fp16 and bf16 when products of these types come.
 *
 * Returns 0 when the device is ready. Returns -1 when it will not be: none was found, it does not work,
 * LAVABLAS_MODE=cpu, the process is a child of fork(); products then run on the CPU, and are as right.
 * *why, if why is not NULL, is set to the reason in words, "" when ready: a string of static storage. */
int lavablas_wait(const char **why);

/* What has become of the device. */
enum lavablas_state {
    LAVABLAS_STATE_READY = 0,
    LAVABLAS_STATE_NEVER = -1, /* it will not be ready, as lavablas_wait has it; or it has failed since */
    LAVABLAS_STATE_STARTING =
        1,                    /* it is being prepared in the background; products run on the CPU meanwhile */
    LAVABLAS_STATE_UNUSED = 2 /* no product has needed it yet */
};

/* Returns the state as it is now, READY if the device can be used for one of the types. Starts nothing, and
 * waits for nothing. *why as in lavablas_wait. */
enum lavablas_state lavablas_state(const char **why);

/* As lavablas_wait, for single precision, but for that many seconds at most: LAVABLAS_STATE_STARTING says
 * that they were too few. The preparation goes on then. 0 starts it and returns; with a negative number there
 * is no limit. */
enum lavablas_state lavablas_wait_for(double seconds, const char **why);

/* Counts all calls of the process from now on, each with its sizes, as LAVABLAS_STATS does from the first
 * call on, but nothing is told at exit. A small call takes 60 to 180 ns longer from then on. Without this
 * function and the variable only calls large enough for a device are counted. */
void lavablas_count_calls(void);

/* Writes what the process has counted so far as one JSON object, whose members doc/use.md describes: the line
 * that LAVABLAS_STATS would add to a file at exit. Calls of other threads that have not ended yet may be
 * counted in part. A child of fork() has the counts of its parent until it calls lavablas_count_calls.
 *
 * text has room for size bytes, with the 0 at the end; what does not fit is left out. text may be NULL if
 * size is 0. Returns the length of the whole text without the 0, as snprintf does; it grows from call to
 * call. 0: there is no memory. */
size_t lavablas_report(char *text, size_t size);

/* Writes the settings that the process runs with as one JSON object, in the same way: by the names of
 * doc/settings.md in small letters without LAVABLAS_, all of them, and "precision" of the calling thread.
 * Sizes are in bytes, "idle" in seconds; "config" is the file that was read. A text that is not set and has
 * no default is null. */
size_t lavablas_settings(char *text, size_t size);

/* What the products of fp32 matrices on the device have to be. With u = 2^-24 and G = |alpha| |A| |B| +
 * |beta| |C0|, element by element; doc/numerics.md tells what of this is proven and what measured. The CPU
 * BLAS computes as it does, and the routines of half precision are the same, whatever is chosen. */
enum lavablas_precision {
    /* What LAVABLAS_PRECISION says in the environment: ieee, standard or fast; STANDARD if it does not. */
    LAVABLAS_PRECISION_DEFAULT,
    /* Sums of fp32 multiply-adds, nothing else. */
    LAVABLAS_PRECISION_IEEE,
    /* Tensor cores may be used too, in ways whose error is within the bounds of fp32 arithmetic: at most
     * 4 sqrt(k + 2) u G on random data, (k + 3) u G on any data, and twice OpenBLAS's error. Inf, NaN and
     * elements too large or too small for these ways are computed as with IEEE. */
    LAVABLAS_PRECISION_STANDARD,
    /* Elements of A and B may be rounded to bf16: a further error of up to 2^-7 |alpha| |A||B|; those above
     * 3.39e38 become Inf, and sums may be off by another 2 k u G. */
    LAVABLAS_PRECISION_FAST
};

/* Chooses for the calling thread's products from now on, and for no other thread's: each starts with
 * LAVABLAS_PRECISION_DEFAULT. Returns 0; -1 for any other value, and nothing has changed. */
int lavablas_set_precision(enum lavablas_precision precision);

/* What the calling thread's next product will be computed with: never LAVABLAS_PRECISION_DEFAULT. */
enum lavablas_precision lavablas_precision(void);

/* One product, as lavablas_last_call tells it. New fields are only ever added at the end; size tells library
 * and program apart. The strings are of static storage. */
struct lavablas_call {
    size_t size;         /* set by the caller to sizeof(struct lavablas_call) */
    const char *routine; /* as exported: "cblas_sgemm", "sgemm_" ... */
    const char *place;   /* where C was computed: "cpu" or "gpu" */
    const char *reason;  /* why there, in words */
    int64_t m, n, k;     /* of the column-major product (a row-major one is its transpose, so that m and n
                          * change places); 0 if the arguments were invalid. Of a triangle (?gemmt) n, half
                          * of n + 1 and k; of a batch those of one product of its largest group */
    double seconds;      /* wall time inside the call; of a small one that was not timed (LAVABLAS_STATS times
                          * one in many), of the last one of its size that was */
    const char
        *scheme; /* how: "fp32", "fp64", "fp16", "bf16", "cfp32" or "cfp64" (complex), the type of A and B,
                  * if elements were multiplied as they are, so always on the CPU; else, if only for a part
                  * of C, how fp32 was brought to tensor cores, as "bf16x3": each element as the sum of three
                  * bf16 (what such a scheme cannot hold is computed as fp32 all the same) */
};

/* Tells about the calling thread's last product. Products small enough to be handed to the CPU BLAS unseen
 * are not remembered, unless LAVABLAS_STATS is set: the answer is then about an earlier one.
 *
 * call points to a struct whose size is set. Returns 0, with *call filled; -1 if the thread has made no
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
