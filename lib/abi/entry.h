/* Entry points made alike, each call as a struct of its arguments.
 *
 *     below the cut-off    a comparison and a jump to the CPU's own routine of that name
 *     else                 slow_: lib/offload, and the same routine for what it does not compute
 *
 * The jump goes through a pointer. At first that is stand_in_'s, which looks for the CPU's routine and puts
 * it there; if there is none it stays, and computes by another routine of the CPU BLAS's. Several threads
 * may store what they found at once: it is the same.
 *
 * Invariants: a forwarded call carries the caller's arguments untouched, so it gives the CPU BLAS's own bits
 * and its own complaints. The lengths of Fortran's characters, which follow the last argument by value, are
 * passed on but never looked at, and their place is never written: most C programs do not pass them, and what
 * lies there is then not ours, perhaps something another thread is changing. A tail call stores its arguments
 * where the caller stored them: so the jump leaves the lengths out, as C programs declare it, and they stay
 * where they are and are passed on all the same; and a call with them must not become a tail call.
 *
 *     entry      the name
 *     list       (its parameters), of Fortran's without the lengths
 *     names      (what they are called)
 *     characters how many of Fortran's parameters are characters, whose lengths follow
 *     family     ..._begin(&arguments, &call): false, with nothing written: the arguments are to be forwarded
 *                ..._compute(&arguments): what the CPU's routine of that name would do if there were one
 *     forwards   what the threshold says, of the parameters
 *     arguments  initializer of struct ..._arguments */
#ifndef LAVA_ABI_ENTRY_H
#define LAVA_ABI_ENTRY_H

#include <stdatomic.h>

#include "lib/abi/export.h"
#include "lib/base/tally.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/offload.h"
#include "lib/offload/threshold.h"

#define LAVA_ENTRY_FORWARD(entry) atomic_load_explicit(&forward_##entry, memory_order_relaxed)

/* with: the parameters and what follows them; last the statements that compute if no CPU library has the
 * routine, whose commas count as commas here. */
#define LAVA_ENTRY_STAND_IN(entry, with, with_names, ...)                                                    \
    void entry with;                                                                                         \
    static void stand_in_##entry with;                                                                       \
    static __typeof__(entry) *_Atomic forward_##entry = stand_in_##entry;                                    \
                                                                                                             \
    LAVA_SLOW_PATH static void stand_in_##entry with {                                                       \
        lava_function *found = lava_cpu_blas_routine(LAVA_ROUTINE_##entry);                                  \
        if (found) {                                                                                         \
            atomic_store_explicit(&forward_##entry, (__typeof__(entry) *)found, memory_order_relaxed);       \
            ((__typeof__(entry) *)found) with_names;                                                         \
        } else {                                                                                             \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
        __asm__ volatile("");                                                                                \
    }

/* The same, and the slow path; last the arguments. */
#define LAVA_ENTRY_SLOW(entry, with, with_names, family, ...)                                                \
    LAVA_ENTRY_STAND_IN(entry, with, with_names, const struct family##_arguments all = __VA_ARGS__;          \
                        family##_compute(&all);)                                                             \
                                                                                                             \
    LAVA_SLOW_PATH static void slow_##entry with {                                                           \
        const struct family##_arguments all = __VA_ARGS__;                                                   \
        struct lava_call call;                                                                               \
        struct lava_tally_thread *thread = lava_tally_enter((uintptr_t)&call, LAVA_ROUTINE_##entry);         \
        if (!family##_begin(&all, &call))                                                                    \
            LAVA_ENTRY_FORWARD(entry) with_names;                                                            \
        lava_offload_end(&call);                                                                             \
        lava_tally_leave(thread, (uintptr_t)&call);                                                          \
    }

#define LAVA_ENTRY_CBLAS(entry, list, names, family, forwards, arguments)                                    \
    LAVA_ENTRY_SLOW(entry, list, names, family, arguments)                                                   \
                                                                                                             \
    LAVA_EXPORT void entry list {                                                                            \
        if (forwards)                                                                                        \
            LAVA_ENTRY_FORWARD(entry) names;                                                                 \
        else                                                                                                 \
            slow_##entry names;                                                                              \
    }

/* What follows a list with that many characters, and a list without its parentheses. */
#define LAVA_ENTRY_LENGTHS_0
#define LAVA_ENTRY_LENGTHS_1 , size_t length_1
#define LAVA_ENTRY_LENGTHS_2 , size_t length_1, size_t length_2
#define LAVA_ENTRY_LENGTHS_3 , size_t length_1, size_t length_2, size_t length_3
#define LAVA_ENTRY_LENGTHS_4 , size_t length_1, size_t length_2, size_t length_3, size_t length_4
#define LAVA_ENTRY_LENGTH_NAMES_0
#define LAVA_ENTRY_LENGTH_NAMES_1 , length_1
#define LAVA_ENTRY_LENGTH_NAMES_2 , length_1, length_2
#define LAVA_ENTRY_LENGTH_NAMES_3 , length_1, length_2, length_3
#define LAVA_ENTRY_LENGTH_NAMES_4 , length_1, length_2, length_3, length_4
#define LAVA_ENTRY_OPEN(...)      __VA_ARGS__

#define LAVA_ENTRY_FORTRAN(entry, list, names, characters, family, forwards, ...)                            \
    LAVA_ENTRY_FORTRAN_WITH(entry, list, names, (LAVA_ENTRY_OPEN list LAVA_ENTRY_LENGTHS_##characters),      \
                            (LAVA_ENTRY_OPEN names LAVA_ENTRY_LENGTH_NAMES_##characters), family, forwards,  \
                            __VA_ARGS__)
/* with: the list and the lengths; the jump leaves those where they are. */
#define LAVA_ENTRY_FORTRAN_WITH(entry, list, names, with, with_names, family, forwards, ...)                 \
    typedef void plain_##entry list;                                                                         \
    LAVA_ENTRY_SLOW(entry, with, with_names, family, __VA_ARGS__)                                            \
                                                                                                             \
    LAVA_EXPORT void entry with {                                                                            \
        if (forwards) {                                                                                      \
            ((plain_##entry *)(lava_function *)LAVA_ENTRY_FORWARD(entry)) names;                             \
            return;                                                                                          \
        }                                                                                                    \
        slow_##entry with_names;                                                                             \
        __asm__ volatile("");                                                                                \
    }

/* Makes an entry point of a row of lib/base/routines.h, by its family's macro for the convention. */
#define LAVA_ENTRY_OF(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)            \
    family##_##convention(prefix##routine##suffix, integer, type, type_c, scalar)

#endif
