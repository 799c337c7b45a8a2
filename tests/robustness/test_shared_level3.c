/* Triangles of C, products with structured matrices, and solves, that several devices share: the bits are
 * those of one device, nothing else is written, and whatever fails the result is right. The calls are of the
 * table of cases (kind_cases.h). */
#include <stdlib.h>
#include <string.h>

#include "tests/library/poison.h"
#include "tests/robustness/kind_cases.h"
#include "tests/robustness/shared_calls.h"

/* A call, and what it is made of. */
struct level3_call {
    struct kind_choice choice;
    struct kind_call *call;
};

// clang-format off
#define CALL(name, characters, rows, columns, terms, a, b, ai) {.choice = {name, characters, rows, columns, terms, a, b, ai}}
#define PRODUCTS 20
static struct level3_call products[PRODUCTS] = { /* by type */
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
#define SOLVES 10
static struct level3_call solves[SOLVES] = {
    CALL("strsm_", "LLNN", 300, 1500, 0, 1,  0, 0),
    CALL("strsm_", "RUTU", 1400, 290, 0, -1, 0, 0),
    CALL("dtrsm_", "LUNU", 280, 1100, 0, 2,  0, 0),
    CALL("dtrsm_", "RLNN", 1000, 270, 0, 1,  0, 0),
    CALL("dtrsm_", "LUTN", 560, 520, 0,  1,  0, 0),
    CALL("ctrsm_", "LUCN", 200, 900, 0,  1,  0, 0),
    CALL("ctrsm_", "RLTN", 800, 190, 0,  2,  0, 0),
    CALL("ztrsm_", "LLTN", 190, 700, 0,  -1, 0, 0),
    CALL("ztrsm_", "RUNN", 600, 180, 0,  1,  0, 0),
    CALL("ztrsm_", "RLCU", 400, 530, 0,  2,  0, 0), /* by bands */
};
// clang-format on

static void make(void *data, unsigned seed) {
    struct level3_call *x = data;
    poison_seed = seed;
    x->call = kind_call_chosen(&x->choice);
    CASE_CHECK(kind_calls_expect(&x->call, 1));
}

static void end(void *data) {
    struct level3_call *x = data;
    kind_call_free(x->call);
}

static size_t c_bytes(const void *data) {
    const struct level3_call *x = data;
    return x->call->c.bytes;
}

static void *new_c(const void *data) {
    return malloc(c_bytes(data));
}

static void run(const void *data, void *c) {
    const struct level3_call *x = data;
    kind_call_run(x->call);
    memcpy(c, x->call->c.now, c_bytes(data));
}

static bool check(const void *data, const void *c) {
    const struct level3_call *x = data;
    memcpy(x->call->c.now, c, c_bytes(data));
    return kind_call_is_right(x->call, "shared");
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

/* LAVA_TEST_SOLVES: solves, not products. */
int main(int argument_count, char **arguments) {
    struct shared_call shared[PRODUCTS];
    bool are_solves = getenv("LAVA_TEST_SOLVES") != NULL;
    struct level3_call *calls = are_solves ? solves : products;
    int count = are_solves ? SOLVES : PRODUCTS;
    for (int i = 0; i < count; i++)
        shared[i] =
            (struct shared_call){calls[i].choice.routine, &calls[i], make, end, new_c, run, check, c_bytes};
    return shared_calls_main(argument_count, arguments, cases, shared, count);
}
