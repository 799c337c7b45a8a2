/* Learns from the calls themselves: compares the time of each product that had a plan with the estimates, and
 * corrects later decisions by that (dispatch/experience.h). If LAVABLAS_LEARN=off, if the mode is not
 * AUTO, and in explanations, decisions follow the figures alone. Any thread may call these functions. */
#ifndef LAVA_OFFLOAD_LEARNING_H
#define LAVA_OFFLOAD_LEARNING_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/policy.h"
#include "lib/base/status.h"
#include "lib/engine/engine.h"

/* What a call has to keep until its product is finished. Zero-initialized: there was no plan, and nothing is
 * watched. */
struct lava_learning {
    double estimates_ns[LAVA_PLACE_COUNT]; /* 0: none were made */
    uint64_t start_ns;                  /* when the place was decided, or the device was free; 0: not timed */
    uint64_t key;                       /* the operation's class; 0: nothing is learnt from the call */
    const struct lava_figures *figures; /* those of the estimates */
    bool is_forwarded;                  /* the CPU BLAS gets the call */
    bool is_watched;                    /* without a choice between the places */
    uint64_t alone; /* of lava_fork_gate_alone; 0: the time would say nothing of other calls */
    double expected_ns[LAVA_PLACE_COUNT]; /* of a watched call; 0: not known */
    double cpu_factor;                    /* how many times that the CPU takes; 0: not known yet */
    bool is_trial;
    uint64_t memory_bytes, block_bytes; /* the engine's memory and the plan's, before the product */
};

/* Called after the policy, for a product that it has not refused as hopeless. figures are those of the plan.
 * May change the plan's place and reason. Takes well below a microsecond. */
void lava_learning_decide(const struct lava_operation *operation, const struct lava_figures *figures,
                          struct lava_plan *plan, struct lava_learning *learning);

/* A CPU that takes longer than this many times its estimate created threads, touched new pages, or waited for
 * other programs. That says little of the next call, so nothing is learnt from it. */
#define LAVA_LEARNING_MOST_TIMES 8.0

/* For a call that the CPU BLAS gets without a choice: no device is ready for it, or it is hopeless. How long
 * the CPU takes is learnt from, of one such call in sixteen once enough is known, and if nothing else
 * takes processors: another call of the process, or a preparation. expected_ns are the estimates by the
 * figures. Returns how many times its estimate the CPU takes for such calls; 0: not known yet. 1 if
 * nothing is learnt. */
double lava_learning_watch(const struct lava_operation *operation, const struct lava_figures *figures,
                           const double expected_ns[LAVA_PLACE_COUNT], struct lava_learning *learning);
/* The watched call has a plan now, with these estimates, but begins only now. */
void lava_learning_expect(const struct lava_plan *plan, struct lava_learning *learning);

/* These enclose a product on the device; the caller holds a lane. What it waited for that does not
 * count: the CPU is no faster for several callers than for one. One that failed is not recorded; one whose
 * numbers were left is, with the CPU's estimate. One that had to allocate memory, to be planned again with
 * less, or to upload to a copy that was expected to be current, is counted but not learnt from. */
void lava_learning_begin_device(struct lava_learning *learning, const struct lava_engine *engine,
                                const struct lava_plan *plan);
void lava_learning_end_device(const struct lava_learning *learning, const struct lava_engine *engine,
                              const struct lava_plan *plan, enum lava_status status);

/* A call has ended. Records it if the CPU BLAS got it. Returns how many ns longer such a watched one takes
 * than the device is expected to take; 0 if that is not known, or if the policy would leave it on the
 * CPU. The CPU's time is the median of such calls, before that is known this one's, and the estimate at most
 * if nothing is learnt from it. */
double lava_learning_end_call(const struct lava_learning *learning, const struct lava_operation *operation,
                              uint64_t end_ns);

#endif
