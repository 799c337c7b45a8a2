/* Every ?gemm as programs call it: the names of lib/base/routines.h, in Fortran's argument list and in
 * CBLAS's.
 *
 *     below the cut-off    a comparison and a jump to the CPU's own routine of that name
 *     else                 slow_: lib/exec/runtime, and the same routine for what it does not compute
 *
 * The jump goes through a pointer. At first that is stand_in_'s, which looks for the CPU's routine and puts
 * it there; where there is none it stays, and computes by another routine of the CPU BLAS's.
 *
 * Invariants: a forwarded call carries the caller's arguments untouched, so it gives the CPU BLAS's own bits
 * and its own complaints. The lengths of Fortran's two characters, which follow the last argument by value,
 * are passed on but never looked at, and their place is never written: most C programs do not pass them, and
 * what lies there is then not ours. */
#include <stdatomic.h>

#include "lavablas.h"
#include "lavablas_cblas.h"

#include "lib/abi/arguments.h"
#include "lib/abi/export.h"
#include "lib/cpu/cpu_blas.h"
#include "lib/exec/gate.h"

/* Several threads may store what they found at once: it is the same. */
#define FORWARD(entry) atomic_load_explicit(&forward_##entry, memory_order_relaxed)
#define FOUND(entry, function)                                                                               \
    atomic_store_explicit(&forward_##entry, (__typeof__(entry) *)(function), memory_order_relaxed)

#define CBLAS_LIST(layout_type, op_type, integer, type, type_c, scalar)                                      \
    layout_type layout, op_type transa, op_type transb, integer m, integer n, integer k,                     \
        LAVA_VALUE_##scalar alpha, const LAVA_ELEMENT_##type *a, integer lda, const LAVA_ELEMENT_##type *b,  \
        integer ldb, LAVA_VALUE_##scalar beta, LAVA_ELEMENT_##type_c *c, integer ldc
#define CBLAS_NAMES layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define CBLAS_ARGUMENTS(entry, scalar)                                                                       \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)transa, (int)transb, m, n, k, lda, ldb, ldc,                 \
            LAVA_ADDRESS_##scalar(alpha), LAVA_ADDRESS_##scalar(beta), a, b, c                               \
    }

#define DEFINE_CBLAS(entry, scalar, list)                                                                    \
    void entry(list);                                                                                        \
    static void stand_in_##entry(list);                                                                      \
    static __typeof__(entry) *_Atomic forward_##entry = stand_in_##entry;                                    \
                                                                                                             \
    LAVA_SLOW_PATH static void stand_in_##entry(list) {                                                      \
        lava_function *found = lava_cpu_blas_routine(LAVA_ROUTINE_##entry);                                  \
        if (found) {                                                                                         \
            FOUND(entry, found);                                                                             \
            ((__typeof__(entry) *)found)(CBLAS_NAMES);                                                       \
        } else {                                                                                             \
            const struct lava_arguments arguments = CBLAS_ARGUMENTS(entry, scalar);                          \
            lava_arguments_compute(&arguments);                                                              \
        }                                                                                                    \
    }                                                                                                        \
                                                                                                             \
    LAVA_SLOW_PATH static void slow_##entry(list) {                                                          \
        const struct lava_arguments arguments = CBLAS_ARGUMENTS(entry, scalar);                              \
        struct lava_call call;                                                                               \
        if (!lava_arguments_begin(&arguments, &call))                                                        \
            FORWARD(entry)(CBLAS_NAMES);                                                                     \
        lava_runtime_end(&call);                                                                             \
    }                                                                                                        \
                                                                                                             \
    LAVA_EXPORT void entry(list) {                                                                           \
        if (lava_gate_forwards((double)m, (double)n, (double)k))                                             \
            FORWARD(entry)(CBLAS_NAMES);                                                                     \
        else                                                                                                 \
            slow_##entry(CBLAS_NAMES);                                                                       \
    }

#define FORTRAN_LIST(integer, type, type_c, scalar)                                                          \
    const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,            \
        const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                \
        const LAVA_ELEMENT_##type *b, const integer *ldb, const LAVA_ELEMENT_##scalar *beta,                 \
        LAVA_ELEMENT_##type_c *c, const integer *ldc
#define FORTRAN_NAMES transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define LENGTHS       size_t transa_length, size_t transb_length
#define LENGTH_NAMES  transa_length, transb_length
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc, alpha, beta, a, b, c }

/* A tail call stores its arguments where the caller stored them. For the lengths that would be memory that a
 * caller without lengths uses for something else, perhaps something another thread is changing. Left out of
 * the call, as C programs declare it, they stay where they are, and the jump passes them on all the same. */
#define JUMP(entry) ((plain_##entry *)(lava_function *)FORWARD(entry))(FORTRAN_NAMES)
/* For the same reason a call with them must not become a tail call. */
#define NO_TAIL_CALL __asm__ volatile("")

#define DEFINE_FORTRAN(entry, list)                                                                          \
    typedef void plain_##entry(list);                                                                        \
    void entry(list, LENGTHS);                                                                               \
    static void stand_in_##entry(list, LENGTHS);                                                             \
    static __typeof__(entry) *_Atomic forward_##entry = stand_in_##entry;                                    \
                                                                                                             \
    LAVA_SLOW_PATH static void stand_in_##entry(list, LENGTHS) {                                             \
        lava_function *found = lava_cpu_blas_routine(LAVA_ROUTINE_##entry);                                  \
        if (found) {                                                                                         \
            FOUND(entry, found);                                                                             \
            ((__typeof__(entry) *)found)(FORTRAN_NAMES, LENGTH_NAMES);                                       \
        } else {                                                                                             \
            const struct lava_arguments arguments = FORTRAN_ARGUMENTS(entry);                                \
            lava_arguments_compute(&arguments);                                                              \
        }                                                                                                    \
        NO_TAIL_CALL;                                                                                        \
    }                                                                                                        \
                                                                                                             \
    LAVA_SLOW_PATH static void slow_##entry(list, LENGTHS) {                                                 \
        const struct lava_arguments arguments = FORTRAN_ARGUMENTS(entry);                                    \
        struct lava_call call;                                                                               \
        if (!lava_arguments_begin(&arguments, &call))                                                        \
            FORWARD(entry)(FORTRAN_NAMES, LENGTH_NAMES);                                                     \
        lava_runtime_end(&call);                                                                             \
    }                                                                                                        \
                                                                                                             \
    LAVA_EXPORT void entry(list, LENGTHS) {                                                                  \
        if (lava_gate_forwards((double)*m, (double)*n, (double)*k)) {                                        \
            JUMP(entry);                                                                                     \
            return;                                                                                          \
        }                                                                                                    \
        slow_##entry(FORTRAN_NAMES, LENGTH_NAMES);                                                           \
        NO_TAIL_CALL;                                                                                        \
    }

/* A list's commas would be taken for those between arguments. */
#define ONE_ARGUMENT(...) __VA_ARGS__
#define GEMM_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    DEFINE_CBLAS(entry, scalar,                                                                              \
                 ONE_ARGUMENT(CBLAS_LIST(CBLAS_LAYOUT, CBLAS_TRANSPOSE, integer, type, type_c, scalar)))
#define GEMM_OWN(entry, integer, type, type_c, scalar)                                                       \
    DEFINE_CBLAS(entry, scalar, ONE_ARGUMENT(CBLAS_LIST(int, int, integer, type, type_c, scalar)))
#define GEMM_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    DEFINE_FORTRAN(entry, ONE_ARGUMENT(FORTRAN_LIST(integer, type, type_c, scalar)))

#define ENTRY(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)                    \
    family##_##convention(prefix##routine##suffix, integer, type, type_c, scalar)

LAVA_GEMM_ROUTINES(ENTRY)
