/* Every ?copy as programs call it: a vector to another one. A call of many elements far apart may be shared
 * among threads (lib/host/vector_copy.h says for whom); all others get the CPU's own routine with the
 * arguments unchanged. There is no work for a device. The reference BLAS defines the arguments. */
#include "lib/abi/entry.h"
#include "lib/host/vector_copy.h"

#define COPY_ENTRY(entry, list, names, type, length, x_step, y_step)                                         \
    LAVA_ENTRY_STAND_IN(entry, list, names,                                                                  \
                        const struct lava_vector_copy copy = COPY_OF(type, length, x_step, y_step);          \
                        lava_vector_copy_alone(&copy);)                                                      \
    LAVA_SLOW_PATH static void slow_##entry list {                                                           \
        struct lava_vector_copy copy = COPY_OF(type, length, x_step, y_step);                                \
        if (!lava_vector_copy_begin(&copy)) {                                                                \
            LAVA_ENTRY_FORWARD(entry) names;                                                                 \
            lava_vector_copy_end(&copy);                                                                     \
        }                                                                                                    \
    }                                                                                                        \
    LAVA_EXPORT void entry list {                                                                            \
        if (lava_vector_copy_is_plain(length, x_step, y_step))                                               \
            LAVA_ENTRY_FORWARD(entry) names;                                                                 \
        else                                                                                                 \
            slow_##entry names;                                                                              \
    }

#define COPY_OF(type, length, x_step, y_step)                                                                \
    {                                                                                                        \
        .n = length, .x = x, .x_increment = x_step, .y = y, .y_increment = y_step,                           \
        .element_bytes = lava_type_bytes(LAVA_TYPE_##type)                                                   \
    }

#define LIST_FORTRAN(integer, type)                                                                          \
    (const integer *n, const LAVA_ELEMENT_##type *x, const integer *x_increment, LAVA_ELEMENT_##type *y,     \
     const integer *y_increment)
#define LIST_CBLAS(integer, type)                                                                            \
    (integer n, const LAVA_ELEMENT_##type *x, integer x_increment, LAVA_ELEMENT_##type *y,                   \
     integer y_increment)
#define NAMES (n, x, x_increment, y, y_increment)

#define COPY_FORTRAN(entry, integer, type, ...)                                                              \
    COPY_ENTRY(entry, LIST_FORTRAN(integer, type), NAMES, type, *n, *x_increment, *y_increment)
#define COPY_CBLAS(entry, integer, type, ...)                                                                \
    COPY_ENTRY(entry, LIST_CBLAS(integer, type), NAMES, type, n, x_increment, y_increment)

LAVA_COPY_ROUTINES(LAVA_ENTRY_OF)
