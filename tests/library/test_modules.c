/* A device gets each module without the requests of floating-point arithmetic that it does not keep, and with
 * all else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/module_ids.h"
#include "lib/vk/modules.h"

enum {
    HEAD_WORDS = 5,
    OP_EXTENSION = 10,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    CAPABILITY_FLOAT64 = 10
};

struct requests {
    int special, subnormals, extensions; /* what is there: a capability and an execution mode for each */
};

static struct requests count(const uint32_t *words, size_t bytes) {
    struct requests found = {0, 0, 0};
    size_t total = bytes / sizeof(uint32_t), i = HEAD_WORDS;
    for (; i < total; i += words[i] >> 16) {
        uint32_t opcode = words[i] & 0xffff;
        assert_true(words[i] >> 16 > 0);
        found.special += (opcode == OP_CAPABILITY && words[i + 1] == 4466) ||
                         (opcode == OP_EXECUTION_MODE && words[i + 2] == 4461);
        found.subnormals += (opcode == OP_CAPABILITY && words[i + 1] == 4464) ||
                            (opcode == OP_EXECUTION_MODE && words[i + 2] == 4459);
        found.extensions +=
            opcode == OP_EXTENSION && !strcmp((const char *)(words + i + 1), "SPV_KHR_float_controls");
    }
    assert_int_equal(i, total);
    return found;
}

/* Words of what is taken out: two for a capability, four for an execution mode, seven for the extension. */
static void compare(const struct lava_code *code, struct lava_float_controls controls) {
    struct requests whole = count(code->words, code->bytes);
    uint32_t *words = malloc(code->bytes);
    assert_non_null(words);
    size_t bytes = lava_modules_copy(code, controls, words);
    struct requests left = count(words, bytes);
    assert_int_equal(left.special, controls.special ? whole.special : 0);
    assert_int_equal(left.subnormals, controls.subnormals ? whole.subnormals : 0);
    assert_int_equal(left.extensions, controls.special ? whole.extensions : 0);
    int gone = 3 * (whole.special - left.special) + 3 * (whole.subnormals - left.subnormals) +
               7 * (whole.extensions - left.extensions);
    assert_int_equal(bytes + (size_t)gone * sizeof(uint32_t), code->bytes);
    if (gone == 0)
        assert_memory_equal(words, code->words, bytes);
    free(words);
}

static void test_copies(void **state) {
    (void)state;
    int computing = 0;
    for (int module = 0; module < LAVA_MODULE_COUNT; module++) {
        if (!lava_modules_has((enum lava_module)module))
            continue;
        const struct lava_capabilities gpu = {.kind = LAVA_DEVICE_DISCRETE};
        const struct lava_code *code = lava_modules_code((enum lava_module)module, &gpu);
        struct requests whole = count(code->words, code->bytes);
        assert_true(whole.special == 0 || whole.special == 2);
        assert_int_equal(whole.special, whole.subnormals);
        computing += whole.special > 0;
        compare(code, (struct lava_float_controls){false, false});
        compare(code, (struct lava_float_controls){true, false});
        compare(code, (struct lava_float_controls){true, true});
    }
    assert_true(computing > 50);
}

/* No module needs fp64 but those that the table says. pack_fp64 does not, because it moves bits. */
static void test_fp64(void **state) {
    (void)state;
    static const bool wide[LAVA_MODULE_COUNT] = {
#define MODULE_WIDE(name, is_fp64) [LAVA_MODULE_##name] = (is_fp64),
        LAVA_MODULES(MODULE_WIDE)
#undef MODULE_WIDE
    };
    int all = 0;
    for (int module = 0; module < LAVA_MODULE_COUNT; module++) {
        if (!lava_modules_has((enum lava_module)module))
            continue;
        const struct lava_capabilities gpu = {.kind = LAVA_DEVICE_DISCRETE};
        const struct lava_code *code = lava_modules_code((enum lava_module)module, &gpu);
        bool needs = false;
        for (const uint32_t *word = code->words + HEAD_WORDS; (*word & 0xffff) == OP_CAPABILITY; word += 2)
            needs |= word[1] == CAPABILITY_FLOAT64;
        assert_true(wide[module] || !needs);
        all += needs;
    }
    assert_true(all > 50);
}

/* Each width's capabilities are its own, and subnormals are kept only beside Inf and NaN. */
static void test_controls(void **state) {
    (void)state;
    struct lava_capabilities capabilities = {.special_preserve_fp32 = true, .denorm_preserve_fp64 = true};
    struct lava_float_controls narrow = lava_modules_controls(LAVA_MODULE_MULTIPLY_FP32, &capabilities);
    struct lava_float_controls wide = lava_modules_controls(LAVA_MODULE_MULTIPLY_FP64, &capabilities);
    assert_true(narrow.special && !narrow.subnormals);
    assert_true(!wide.special && !wide.subnormals);
    capabilities.special_preserve_fp64 = true;
    wide = lava_modules_controls(LAVA_MODULE_MULTIPLY_FP64, &capabilities);
    assert_true(wide.special && wide.subnormals);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_fp64),
                                       cmocka_unit_test(test_controls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
