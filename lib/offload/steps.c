/* The table of a preparation's steps, and the needs of operations. */
#include "lib/offload/steps.h"

#include "lib/base/thread.h"
#include "lib/host/copy_pool.h"
#include "lib/offload/context.h"
#include "lib/offload/ways.h"

// clang-format off
const struct lava_step_facts lava_steps[LAVA_STEP_COUNT] = {
    /*                         needs                  also                             test                       what */
    [LAVA_STEP_PLAIN]       = {LAVA_STEP_PLAIN,       {0},                             NULL,                      "products"},
    [LAVA_STEP_STRUCTURED]  = {LAVA_STEP_PLAIN,       {0},                             lava_self_test_structured, "structured matrices"},
    [LAVA_STEP_FACTORS]     = {LAVA_STEP_STRUCTURED,  {0},                             lava_self_test_lapack,     "factorizations"},
    [LAVA_STEP_INVERSES]    = {LAVA_STEP_FACTORS,     {0},                             lava_self_test_lapack,     "inverses"},
    [LAVA_STEP_QR]          = {LAVA_STEP_STRUCTURED,  {0},                             lava_self_test_lapack,     "QR"},
    [LAVA_STEP_VECTORS]     = {LAVA_STEP_PLAIN,       {0},                             lava_self_test_vectors,    "vectors"},
    [LAVA_STEP_TRIDIAGONAL] = {LAVA_STEP_STRUCTURED,  {0},                             lava_self_test_lapack,     "tridiagonal forms"},
    [LAVA_STEP_EIGEN]       = {LAVA_STEP_TRIDIAGONAL, {0},                             lava_self_test_lapack,     "eigenvalues"},
    [LAVA_STEP_GENERALIZED] = {LAVA_STEP_EIGEN,       {0},                             lava_self_test_lapack,     "generalized eigenvalues"},
    [LAVA_STEP_PIVOTED_QR]  = {LAVA_STEP_QR,          {0},                             lava_self_test_lapack,     "pivoted QR"},
    [LAVA_STEP_SINGULAR]    = {LAVA_STEP_EIGEN, {LAVA_STEP_QR, LAVA_STEP_INVERSES},    lava_self_test_lapack,     "singular values"},
    [LAVA_STEP_BIDIAGONAL]  = {LAVA_STEP_STRUCTURED,  {0},                             lava_self_test_lapack,     "bidiagonal forms"},
};
// clang-format on

uint64_t lava_steps_chain(enum lava_type type, enum lava_step step) {
    uint64_t own = lava_readiness_bit(type, step);
    const struct lava_step_facts *facts = &lava_steps[step];
    if (step == LAVA_STEP_PLAIN)
        return own;
    return own | lava_steps_chain(type, facts->needs) | lava_steps_chain(type, facts->also[0]) |
           lava_steps_chain(type, facts->also[1]);
}

uint64_t lava_steps_needs(const struct lava_operation *operation) {
    return lava_steps_chain(lava_type_real(operation->type), lava_operation_is_plain(operation)
                                                                 ? LAVA_STEP_PLAIN
                                                                 : lava_ways_of(operation)->step);
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

static bool test_step(struct lava_engine *engine, enum lava_type type, enum lava_step step,
                      bool (*stops)(void)) {
    struct lava_self_test test = {.engine = engine, .type = type, .step = step};
    if (step == LAVA_STEP_PLAIN)
        return test_type(engine, type);
    return !lava_self_test_is_of_residues(engine, type) && !lava_steps[step].test(&test, stops);
}

uint64_t lava_steps_test(struct lava_engine *engine, uint64_t needs, bool (*stops)(void)) {
    uint64_t passed = 0;
    lava_steps_give_way(engine);
    for (uint64_t rest = needs; rest && !stops(); rest &= rest - 1) {
        int number = __builtin_ctzll(rest);
        if (test_step(engine, (enum lava_type)(number / LAVA_STEP_COUNT),
                      (enum lava_step)(number % LAVA_STEP_COUNT), stops))
            passed |= rest & -rest;
    }
    return passed;
}
