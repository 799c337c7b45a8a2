/* log.c: which messages are written at which level, and that a message is one line, whatever its length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "capture.h"
#include "lib/base/log.h"

static void levels(void **state) {
    static const char *const texts[] = {"lavablas: error: number 1\n", "lavablas: warning: number 2\n",
                                        "lavablas: number 3\n", "lavablas: number 4\n",
                                        "lavablas: debug: number 5\n"};
    (void)state;
    for (int level = LAVA_LOG_NONE; level <= LAVA_LOG_DEBUG; level++) {
        struct capture capture;
        char expected[256] = "";
        for (int i = 0; i < level; i++)
            strcat(expected, texts[i]);
        strcat(expected, "lavablas: always\n");
        lava_log_set_level((enum lava_log_level)level);
        capture_begin(&capture);
        errno = ERANGE;
        LAVA_LOG(ERROR, "number %d", 1);
        LAVA_LOG(WARN, "number %d", 2);
        LAVA_LOG(INFO, "number %d", 3);
        LAVA_LOG(CALLS, "number %d", 4);
        LAVA_LOG(DEBUG, "number %d", 5);
        lava_log_always("%s", "always");
        int kept = errno;
        capture_end(&capture);
        assert_string_equal(capture.text, expected);
        assert_int_equal(kept, ERANGE);
    }
    lava_log_set_level(LAVA_LOG_NONE);
}

/* A message of any length is one line with its beginning. */
static void lengths(void **state) {
    char text[3000], expected[3100];
    (void)state;
    for (int length = 0; length<(int)sizeof text; length += length> 990 && length < 1040 ? 1 : 97) {
        struct capture capture;
        memset(text, 'x', (size_t)length);
        text[length] = '\0';
        snprintf(expected, sizeof expected, "lavablas: %s", text);
        capture_begin(&capture);
        lava_log_always("%s", text);
        assert_int_equal(capture_end(&capture), 1);
        size_t written = strlen(capture.text);
        assert_true(written == strlen(expected) + 1 || (written == 1024 && strlen(expected) >= 1024));
        assert_int_equal(capture.text[written - 1], '\n');
        assert_memory_equal(capture.text, expected, written - 1);
    }
}

static void origin(void **state) {
    struct capture capture;
    (void)state;
    lava_log_set_origin("rank 3 on node7: ");
    capture_begin(&capture);
    lava_log_always("text");
    capture_end(&capture);
    assert_string_equal(capture.text, "lavablas: rank 3 on node7: text\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels), cmocka_unit_test(lengths),
                                       cmocka_unit_test(origin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
