/* What is remembered of results that calls have left in the program's memory: whether later calls read them
 * unchanged, so that a copy that stays on the device pays (dispatch/result_rule.h). Any
 * thread. */
#ifndef LAVA_ENGINE_RESULTS_H
#define LAVA_ENGINE_RESULTS_H

#include "lib/engine/residents.h"

/* A call that reads the matrix has found it in this state (UNCHANGED, CHANGED or STAYS); of others nothing
 * follows. Its upload takes rent_ns; a negative one: as that of the call before. */
void lava_results_found(const struct lava_host_matrix *matrix, enum lava_resident_state state,
                        double rent_ns);
/* A call leaves a result. Returns whether it is to stay on the device. */
bool lava_results_leave(const struct lava_host_matrix *matrix, bool is_check);
/* Returns whether calls have read the place, as far as is remembered: what is left there is worth a look. */
bool lava_results_is_looked_at(const struct lava_host_matrix *matrix);
/* A result has a copy now: its watch took begin_ns to begin. Its copy was given up: the program has written n
 * bytes of it while it had one, and the end took end_ns. */
void lava_results_watched(const struct lava_host_matrix *matrix, double begin_ns);
void lava_results_written(const struct lava_host_matrix *matrix, uint64_t bytes, double end_ns);

#endif
