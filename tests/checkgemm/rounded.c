/* Compares the ways to round a result to a half type: from matrices of sums in that type, through patches in
 * shared memory, and by the epilogue. Called by check_cases.c, which checks the values. */
#include <stdio.h>
#include <string.h>

#include "tests/checkgemm/check.h"

/* What the device is said to have. Without shared memory there are no patches. */
enum way { AS_IT_IS, PATCHES, EPILOGUE, WAY_COUNT };
static const char *const names[WAY_COUNT] = {"as the device is", "without matrices", "by the epilogue"};

static void set_way(struct lava_capabilities *device, const struct lava_kernel *kernel, enum way way) {
    if (way != AS_IT_IS)
        device->shapes[0].narrow = false;
    if (way == EPILOGUE && lava_kernel_shared_bytes(kernel) == 0)
        device->max_shared_bytes = 0;
}

/* NaN is the same whatever its other bits are. */
static bool is_same(const struct check_matrix *a, const struct check_matrix *b) {
    for (int64_t j = 0; j < a->columns; j++)
        for (int64_t i = 0; i < a->rows; i++) {
            double first = check_matrix_get(a, i, j), second = check_matrix_get(b, i, j);
            if (memcmp(&first, &second, sizeof first) != 0 && !(first != first && second != second))
                return false;
        }
    return true;
}

/* Computes C in one way. Both the engine and the code that creates pipelines must see the same device.
 * Returns NULL or what is wrong. */
static const char *compute(struct check_context *context, const struct lava_operation *operation,
                           enum way way) {
    struct lava_capabilities *seen = &context->engine->capabilities;
    struct lava_capabilities *made = &context->engine->device->capabilities;
    const struct lava_capabilities all_seen = *seen, all_made = *made;
    const struct lava_overrides overrides = {.split_k = 1};
    struct lava_plan plan;
    set_way(seen, context->kernel, way);
    set_way(made, context->kernel, way);
    const char *why = check_compute(context, operation, &overrides, &plan);
    if (!why && plan.blocking.epilogue == lava_kernel_narrows(context->kernel, seen))
        why = "FAIL: rounded in another way than planned";
    if (!why && way == EPILOGUE && !plan.blocking.epilogue)
        why = "FAIL: the epilogue was not needed";
    *seen = all_seen;
    *made = all_made;
    return why;
}

static void compare(struct check_context *context, const struct lava_operation *operation,
                    struct check_matrix *c, int entries) {
    struct check_matrix expected = {0};
    char label[CHECK_LABEL_BYTES];
    for (int way = WAY_COUNT; way-- > 0;) {
        check_matrix_poison(c);
        const char *why = compute(context, operation, (enum way)way);
        if (!why && !expected.buffer)
            expected = check_matrix_copy(c);
        if (!why && !is_same(&expected, c))
            why = "FAIL: other bits than the epilogue's";
        if (why || context->verbose)
            printf("%-41s rounded %s, entries %d: %s\n", check_label(context, label), names[way], entries,
                   why ? why : "PASS");
        *(why ? &context->failed : &context->passed) += 1;
    }
    check_matrix_free(&expected);
}

void check_roundings(struct check_context *context) {
    static const struct {
        enum entries entries;
        double alpha; /* the largest makes large sums overflow */
    } cases[] = {
        {ENTRIES_UNIFORM, 0.7f}, {ENTRIES_SUBNORMAL, 1}, {ENTRIES_LARGE, -0x1p100}, {ENTRIES_SPECIAL, 1}};
    const struct lava_kernel *kernel = context->kernel;
    int64_t m = 2 * kernel->tile_m, n = 2 * kernel->tile_n + 3, k = 2 * kernel->tile_k + 1;
    struct check_matrix a = check_matrix_make(context->type, m, k, 0),
                        b = check_matrix_make(context->type, k, n, 0),
                        c = check_matrix_make(context->type_c, m, n, 0);
    uint64_t state = context->seed;
    struct lava_operation operation = {.type = context->type,
                                       .c = {.type = context->type_c, .ld = c.ld, .first = c.data},
                                       .m = m,
                                       .n = n,
                                       .k = k,
                                       .a = {.ld = a.ld, .first = a.data},
                                       .b = {.ld = b.ld, .first = b.data}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_matrix_fill(&a, cases[i].entries, &state);
        check_matrix_fill(&b, cases[i].entries == ENTRIES_SUBNORMAL ? ENTRIES_UNIFORM : cases[i].entries,
                          &state);
        operation.alpha.real = cases[i].alpha;
        compare(context, &operation, &c, (int)cases[i].entries);
    }
    check_matrix_free(&a);
    check_matrix_free(&b);
    check_matrix_free(&c);
}
