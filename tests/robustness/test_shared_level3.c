/* Triangles of C, and products with structured matrices, that several devices share: the bits are those of
 * one device, nothing else is written, and whatever fails the result is right. */
#include "tests/robustness/level3.h"
#include "tests/robustness/shared_calls.h"

// clang-format off
#define CALL(name, characters, rows, columns, terms, a, b, ai)                                            \
    {.routine = name, .options = characters, .m = rows, .n = columns, .k = terms, .alpha = a, .beta = b,   \
     .alpha_imaginary = ai}
#define CALLS 20
static struct level3_call calls[CALLS] = { /* by type */
    CALL("ssyrk_",  "UN",   700, 700, 150, 1.25, 0.5, 0),
    CALL("ssyr2k_", "LN",   520, 520, 120, 1,    1,   0),
    CALL("sgemmt_", "LNN",  700, 700, 150, 1,    0,   0),
    CALL("strmm_",  "LLNN", 300, 1000, 0,  0.5,  0,   0),
    CALL("dsyrk_",  "LT",   433, 433, 130, -1,   0,   0),
    CALL("dsyr2k_", "UT",   390, 390, 110, -0.5, 0.5, 0),
    CALL("dgemmt_", "UTN",  433, 433, 130, 0.5,  2,   0),
    CALL("dsymm_",  "LU",   140, 900, 0,   0.5,  0,   0),
    CALL("dtrmm_",  "LUTU", 170, 900, 0,   -1,   0,   0),
    CALL("dtrmm_",  "RUNN", 700, 230, 0,   1,    0,   0),
    CALL("csyrk_",  "LN",   390, 390, 110, 1,    0.5, 0.5),
    CALL("cherk_",  "UN",   390, 390, 110, 0.5,  -1,  0),
    CALL("csyr2k_", "UN",   330, 330, 80,  1,    0,   0.5),
    CALL("cgemmt_", "LCT",  390, 390, 110, 1,    0.5, 1),
    CALL("chemm_",  "RL",   130, 700, 0,   1,    0.5, 0.5),
    CALL("ctrmm_",  "RLCN", 600, 140, 0,   1,    0,   0.5),
    CALL("zsyrk_",  "UT",   331, 331, 90,  0.5,  0,   -1),
    CALL("zherk_",  "LC",   331, 331, 90,  2,    0,   0),
    CALL("zher2k_", "LC",   270, 270, 70,  1,    0.5, -0.5),
    CALL("zgemmt_", "UNC",  331, 331, 90,  -1,   0,   0.5),
};
// clang-format on

static void make(void *call, unsigned seed) {
    level3_make(call, seed);
}

static void end(void *call) {
    level3_free(call);
}

static void *new_c(const void *call) {
    return level3_new_c(call);
}

static void run(const void *call, void *c) {
    level3_run(call, c);
}

static bool check(const void *call, const void *c) {
    return level3_check(call, c);
}

static size_t c_bytes(const void *call) {
    return level3_c_bytes(call);
}

static const struct test_case cases[] = {
    SHARED_CALLS_CASES("s"),
    SHARED_CALLS_CASES("d"),
    SHARED_CALLS_CASES("c"),
    SHARED_CALLS_CASES("z"),
    {.name = "same_bits_of_two",
     .run = shared_calls_same_bits,
     .variables = {"LAVABLAS_DEVICE=1,2", "LAVA_TEST_TYPE=d"}},
    SHARED_CALLS_DISCRETE("same_bits", shared_calls_same_copies, "d"),
#ifdef LAVA_FAULT_INJECTION
    SHARED_CALLS_DISCRETE("one_fails", shared_calls_one_fails, "d"),
#endif
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    struct shared_call shared[CALLS];
    for (int i = 0; i < CALLS; i++)
        shared[i] = (struct shared_call){calls[i].routine, &calls[i], make, end, new_c, run, check, c_bytes};
    return shared_calls_main(argument_count, arguments, cases, shared, CALLS);
}
