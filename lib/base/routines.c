/* Makes the table of exported names from the two tables in routines.h. Called wherever a routine's name or
 * types are needed. */
#include "lib/base/routines.h"

#include <string.h>

#define IS_ILP64(integer) (sizeof(integer) == sizeof(int64_t))
#define ROW(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)                      \
    {LAVA_FAMILY_##family,                                                                                   \
     #prefix #routine #suffix,                                                                               \
     #prefix,                                                                                                \
     #routine,                                                                                               \
     #suffix,                                                                                                \
     LAVA_CONVENTION_##convention,                                                                           \
     IS_ILP64(integer),                                                                                      \
     LAVA_TYPE_##type,                                                                                       \
     LAVA_TYPE_##type_c,                                                                                     \
     LAVA_TYPE_##scalar},

static const struct lava_routine_row rows[LAVA_ROUTINE_ALL] = {LAVA_ROUTINES(ROW) LAVA_COPY_ROUTINES(ROW)};

const struct lava_routine_row *lava_routine_row(enum lava_routine routine) {
    return &rows[routine];
}

const char *lava_routine_name(enum lava_routine routine) {
    return rows[routine].name;
}

static bool is_name(const char *name, const char *word, size_t length) {
    return strlen(name) == length && !memcmp(name, word, length);
}

static bool is_word(enum lava_routine routine, const char *word, size_t length) {
    return is_name(rows[routine].routine, word, length) || is_name(rows[routine].name, word, length);
}

bool lava_routine_is_listed(enum lava_routine routine, const char *list) {
    for (const char *word = list; word; word = strchr(word, ',')) {
        word += *word == ',';
        if (is_word(routine, word, strcspn(word, ",")))
            return true;
    }
    return false;
}

bool lava_routine_knows_list(const char *list) {
    for (const char *word = list; word; word = strchr(word, ',')) {
        int routine = 0;
        word += *word == ',';
        while (routine < LAVA_ROUTINE_COUNT && !is_word((enum lava_routine)routine, word, strcspn(word, ",")))
            routine++;
        if (routine == LAVA_ROUTINE_COUNT)
            return false;
    }
    return true;
}

enum lava_type lava_routine_type(enum lava_routine routine) {
    return rows[routine].type;
}

enum lava_type lava_routine_type_c(enum lava_routine routine) {
    return rows[routine].type_c;
}

bool lava_routine_is_lapack(enum lava_routine routine) {
    return rows[routine].family >= LAVA_FAMILY_POTRF;
}

bool lava_routine_is_plain(enum lava_routine routine) {
    const struct lava_routine_row *row = &rows[routine];
    if (row->is_ilp64)
        return false;
    return row->convention == LAVA_CONVENTION_FORTRAN
               ? strcmp(row->prefix, "") == 0 && strcmp(row->suffix, "_") == 0
               : strcmp(row->prefix, "cblas_") == 0;
}
