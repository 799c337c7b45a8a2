/* Fault injection: which passages of a fault point fail. Built with -Dfault_injection=true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/fault.h"

/* Bit i is set if passage i + 1 failed. */
static unsigned hits(enum lava_fault_point point, int passages) {
    unsigned bits = 0;
    for (int i = 0; i < passages; i++)
        bits |= (unsigned)lava_fault_hit(point) << i;
    return bits;
}

static void passages_that_fail(void **state) {
    static const struct {
        const char *specification;
        enum lava_fault_point point;
        unsigned expected;
    } cases[] = {
        {"init", LAVA_FAULT_INIT, 0x01},           {"allocate:3", LAVA_FAULT_ALLOCATE, 0x04},
        {"upload:2:3", LAVA_FAULT_UPLOAD, 0x0e},   {"submit:4:0", LAVA_FAULT_SUBMIT, 0xf8},
        {"wait:1:0", LAVA_FAULT_WAIT, 0xff},       {"device_lost:8", LAVA_FAULT_DEVICE_LOST, 0x80},
        {"download:9", LAVA_FAULT_DOWNLOAD, 0x00}, {"import:6", LAVA_FAULT_IMPORT, 0x20},
        {"vk:1:2", LAVA_FAULT_VK, 0x03},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(lava_fault_set(cases[i].specification));
        for (int point = 0; point < LAVA_FAULT_COUNT; point++) {
            unsigned expected = point == (int)cases[i].point ? cases[i].expected : 0;
            assert_int_equal(hits((enum lava_fault_point)point, 8), expected);
            assert_int_equal(lava_fault_passages((enum lava_fault_point)point), 8);
        }
    }
    assert_true(lava_fault_set(NULL));
    assert_int_equal(hits(LAVA_FAULT_VK, 8), 0);
}

static void specifications_not_understood(void **state) {
    static const char *const wrong[] = {
        "",       "nothing", "init:",   "init:0",     "init:-1",
        "init:x", "ini",     "init:1:", "init:1:1:1", "init:99999999999999999999"};
    (void)state;
    assert_true(lava_fault_set("init:2"));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(lava_fault_set(wrong[i]));
    assert_int_equal(hits(LAVA_FAULT_INIT, 3), 2); /* the previous setting still holds */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passages_that_fail),
        cmocka_unit_test(specifications_not_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
