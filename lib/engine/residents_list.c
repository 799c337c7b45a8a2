/* Lists the matrices of the table. Called by lib/offload/residence.c. */
#include "lib/engine/residents.h"
#include "lib/engine/residents_table.h"

static const char *why_not(const struct lava_residents *residents, const struct seen *seen) {
    if (seen->copy)
        return NULL;
    if (residents->is_distrusted)
        return "a write was not noticed, or the device failed: none stays any more";
    if (seen->refusal)
        return seen->refusal;
    if (seen->gone)
        return seen->gone;
    return seen->rule.unchanged == 0 ? "the program writes it between calls"
                                     : "a copy would not have saved its cost yet";
}

int lava_residents_list(struct lava_residents *residents, struct lava_stats_matrix *matrices, int most) {
    struct lava_calm calm;
    int count = 0;
    if (!lock(residents, LOOK_NS, &calm))
        return 0;
    for (int i = 0; i < SEEN && count < most; i++) {
        const struct seen *seen = &residents->seen[i];
        if (!seen->matrix.first || (seen->calls < 2 && seen->uses == 0))
            continue;
        matrices[count++] = (struct lava_stats_matrix){.first = seen->matrix.first,
                                                       .rows = seen->matrix.rows,
                                                       .columns = seen->matrix.columns,
                                                       .bytes = lava_host_matrix_bytes(&seen->matrix),
                                                       .uses = seen->uses,
                                                       .saved_ns = seen->saved_ns,
                                                       .why = why_not(residents, seen)};
    }
    unlock(residents, &calm);
    return count;
}
