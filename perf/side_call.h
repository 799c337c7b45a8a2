/* A call that perf/side_times times, and the routines of eigenvalues and singular values among them. */
#ifndef SIDE_CALL_H
#define SIDE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/host/fortran_lists.h"

typedef void function(void);
typedef lava_fortran_integer integer;

/* One call. A matrix that is its own factor, a general one, what the call overwrites, and what that was. */
struct call {
    const struct family *family;
    function *routine;
    bool is_wide, is_single, is_complex, is_loop;
    char letters[4][2];
    int64_t m, n, k, other; /* other: right-hand sides, or products */
    size_t element, c_bytes;
    void *factor, *general, *second, *c, *sides, *work;
    int64_t *pivots;
    const void *source; /* of c before each call; NULL: c is only written */
    struct side_values *values;
};

/* What a call's words are, after the routine: letters, then sizes by m, n, k and o. Which matrix is in C. */
enum source { SOURCE_NONE, SOURCE_FACTOR, SOURCE_GENERAL };
struct family {
    const char *name;
    int letters;
    const char *sizes;
    enum source source;
    void (*call)(struct call *x);
};

/* Finds a family by its routine's name without the type's letter; NULL if it is none of eigenvalues and
 * singular values. */
const struct family *side_values_find(const char *name);

/* Columns of C behind the matrix, which are overwritten, too: the other matrix, or right-hand sides. */
int64_t side_values_columns(const struct call *x);
/* Returns whether these are the factor. */
bool side_values_has_factor(const struct call *x);

/* Makes room for results, and for workspaces as large as the routine asks for. Returns false if there is no
 * memory; nothing is done for other families. */
bool side_values_place(struct call *x);
void side_values_free(struct call *x);

#endif
