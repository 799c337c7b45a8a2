/* Checks, before the first product of a type in a process, that the device and its driver compute what the
 * kernels say. Small products by each kernel that the policy may choose are compared with a plain loop in
 * double precision. This also creates the pipelines, so no call waits for a compiler. */
#ifndef LAVA_OFFLOAD_SELF_TEST_H
#define LAVA_OFFLOAD_SELF_TEST_H

#include "lib/engine/builder.h"
#include "lib/product/runner.h"

#define LAVA_SELF_TEST_KERNELS 24

/* What one comparison has found. */
struct lava_self_test_result {
    const char *what;                 /* "products" ... static storage */
    enum lava_type type;              /* of A and B, perhaps complex */
    const struct lava_kernel *kernel; /* that multiplies; the steps of factorizations are shared by all */
    double error;                     /* the largest, in units of its bound: wrong above 1; Inf for a NaN */
};

/* The test of a type, kernel by kernel, in the order in which their pipelines become ready. The caller holds
 * the engine, unless it sets `lock` and `unlock`: then they enclose each operation. */
struct lava_self_test {
    struct lava_engine *engine;
    enum lava_type type;
    enum lava_step step; /* the first one: the plain kernels */
    const struct lava_kernel *kernels[LAVA_SELF_TEST_KERNELS];
    int count;
    struct lava_builder *builder;
    bool tested_complex;
    bool (*lock)(int *cancel_state); /* false: the engine must not be used any more */
    void (*unlock)(int cancel_state);
    /* Called after each comparison, if it is set. `lavablas verify` lists them. */
    void (*tell)(const struct lava_self_test_result *result, void *context);
    void *context;
};

/* Starts to create the pipelines of the type's kernels. `stops` is as for the builder. Returns
 * LAVA_ERROR_UNAVAILABLE if there is no kernel for this device. There is none to test of fp64 if the device
 * has only products by residues. */
enum lava_status lava_self_test_begin(struct lava_self_test *test, struct lava_engine *engine,
                                      enum lava_type type, bool (*stops)(void));
/* Tests the next kernel, or waits for it. *status is its result; LAVA_ERROR_SELF_TEST says that it computes
 * wrong results. Returns NULL if there are no more. A row by planes that fails is only refused, in the
 * engine's capabilities, and the result is LAVA_ERROR_UNAVAILABLE. After any other error the device must not
 * be used for the type. */
const struct lava_kernel *lava_self_test_next(struct lava_self_test *test, enum lava_status *status);
void lava_self_test_end(struct lava_self_test *test);

/* Tests operations that are not plain (lava_operation_is_plain), once the type's own test has ended: creates
 * what they need besides and computes small ones by each kernel that passed. The caller sets the engine, the
 * type, lock and unlock, the rest is zero; `stops` is as for the builder. After any failure such operations
 * must not be computed in the type, but plain products may be. */
enum lava_status lava_self_test_structured(struct lava_self_test *test, bool (*stops)(void));

/* The same for matrices times vectors, once the type's own test has ended. */
enum lava_status lava_self_test_vectors(struct lava_self_test *test, bool (*stops)(void));
/* The same for a step of LAPACK, test->step, once the tests of the steps that it needs have ended. */
enum lava_status lava_self_test_lapack(struct lava_self_test *test, bool (*stops)(void));

/* Returns whether products by residues are all that the device has for the type: it has no fp64. */
bool lava_self_test_is_of_residues(const struct lava_engine *engine, enum lava_type type);
/* Tests products by residues, once fp64's kernels have passed if there are any, and has the device's matrices
 * multiplied so from then on. Returns LAVA_ERROR_UNAVAILABLE if this device computes none so, or the type is
 * another one. After a failure they are refused, in the engine's capabilities, and others may be computed. */
enum lava_status lava_self_test_residues(const struct lava_self_test *test, bool (*stops)(void));

/* All that lava_self_test_begin leads to at once. The caller holds the engine. */
enum lava_status lava_self_test_run(struct lava_engine *engine, enum lava_type type);

/* Tests complex products with one kernel, because all rows of a type share the steps that complex products
 * add. LAVA_ERROR_SELF_TEST: the results are wrong. */
enum lava_status lava_self_test_complex(struct lava_self_test *test, const struct lava_kernel *kernel);
/* Finds the kernels of the type that the policy may choose on the device. */
void lava_self_test_find_kernels(struct lava_self_test *test);
/* Lock the engine and unlock it, if that is not the caller's matter. Returns false if the engine must not
 * be used any more. */
bool lava_self_test_lock(const struct lava_self_test *test, int *cancel_state);
void lava_self_test_unlock(const struct lava_self_test *test, int cancel_state);
/* Tells the result of a comparison, if the test's owner wants to know. */
void lava_self_test_tell(const struct lava_self_test *test, const char *what, enum lava_type type,
                         const struct lava_kernel *kernel, double error);
/* Runs the plan; with the engine locked by the caller. If memory is short, what earlier calls have left on
 * the device goes, as a step that fails is refused for good. */
enum lava_status lava_self_test_compute(const struct lava_self_test *test,
                                        const struct lava_operation *operation, const struct lava_plan *plan,
                                        struct lava_progress *progress);
/* Multiplies, and locks the engine. */
enum lava_status lava_self_test_multiply(const struct lava_self_test *test,
                                         const struct lava_operation *operation,
                                         const struct lava_plan *plan);

#endif
