/* status.c: each status has a name of its own, and what is none has one, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lib/base/status.h"

static void names(void **state) {
    (void)state;
    for (int i = LAVA_OK; i <= LAVA_ERROR_DRIVER; i++) {
        const char *name = lava_status_name((enum lava_status)i);
        assert_non_null(name);
        assert_true(*name && strcmp(name, "unknown status") != 0);
        for (int j = LAVA_OK; j < i; j++)
            assert_string_not_equal(name, lava_status_name((enum lava_status)j));
    }
    for (int i = LAVA_ERROR_DRIVER + 1; i < 100; i++)
        assert_string_equal(lava_status_name((enum lava_status)i), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
