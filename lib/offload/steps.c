/* The table of a preparation's steps, and the needs of operations. */
#include "lib/offload/steps.h"

#include <assert.h>

#include "lib/base/thread.h"
#include "lib/host/copy_pool.h"
#include "lib/offload/context.h"

// clang-format off
const struct lava_step_facts lava_steps[LAVA_STEP_COUNT] = {
    /*                         needs                  test                       what */
    [LAVA_STEP_STRUCTURED] = { LAVA_STEP_STRUCTURED,  lava_self_test_structured, "structured matrices" },
    [LAVA_STEP_FACTORS]    = { LAVA_STEP_STRUCTURED,  lava_self_test_factors,    "factorizations" },
    [LAVA_STEP_INVERSES]   = { LAVA_STEP_FACTORS,     lava_self_test_inverses,   "inverses" },
    [LAVA_STEP_QR]         = { LAVA_STEP_STRUCTURED,  lava_self_test_qr,         "QR" },
};
// clang-format on

enum lava_step lava_steps_of(const struct lava_operation *operation) {
    return lava_ways_of(operation)->step;
}

/* The bits of a type are its own and one for each step. */
static_assert(LAVA_TYPE_REAL_COUNT * (LAVA_STEP_COUNT + 1) <= 64, "a bit for each");
uint64_t lava_steps_type_bit(int type) {
    return UINT64_C(1) << (type * (LAVA_STEP_COUNT + 1));
}

uint64_t lava_steps_bit(int type, enum lava_step step) {
    return lava_steps_type_bit(type) << (1 + step);
}

/* With those of what the step needs. */
static uint64_t chain_bits(int type, enum lava_step step) {
    uint64_t bits = lava_steps_bit(type, step);
    return bits | (lava_steps[step].needs == step ? lava_steps_type_bit(type)
                                                  : chain_bits(type, lava_steps[step].needs));
}

uint64_t lava_steps_needs(const struct lava_operation *operation) {
    struct lava_operation one = *operation; /* of a batch */
    int type = (int)lava_type_real(operation->type);
    one.series = NULL;
    return lava_operation_is_plain(&one) ? lava_steps_type_bit(type) : chain_bits(type, lava_steps_of(&one));
}

void lava_steps_give_way(struct lava_engine *engine) {
    lava_copy_pool_create_threads(engine->pool);
    lava_thread_give_way();
}

/* Plans are made for the first device, so all kernels must pass that it uses. */
static bool test_type(struct lava_engine *engine, enum lava_type type) {
    lava_engine_reserve_usual(engine, type);
    return !lava_self_test_run(engine, type) &&
           !(engine->capabilities.refused_kernels & ~lava_context_capabilities()->refused_kernels);
}

uint64_t lava_steps_test(struct lava_engine *engine, uint64_t needs, bool (*stops)(void)) {
    uint64_t passed = 0;
    lava_steps_give_way(engine);
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++) {
        if ((needs & lava_steps_type_bit(type)) && !stops() && test_type(engine, (enum lava_type)type))
            passed |= lava_steps_type_bit(type);
        for (enum lava_step step = 0; step < LAVA_STEP_COUNT; step++) {
            struct lava_self_test test = {.engine = engine, .type = (enum lava_type)type};
            if ((needs & lava_steps_bit(type, step)) && !stops() && !lava_steps[step].test(&test, stops))
                passed |= lava_steps_bit(type, step);
        }
    }
    return passed;
}
