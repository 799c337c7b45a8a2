/* A complaint by the xerbla_ of a BLAS with 64-bit integers: the number must be right in all of its 64 bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lib/abi/xerbla.h"

static int64_t told;
static char told_name[16];

/* The library's declaration has an int, as the reference. */
void xerbla_(const char *routine, const void *argument, size_t length);

void xerbla_(const char *routine, const void *argument, size_t length) {
    memcpy(&told, argument, sizeof told);
    memcpy(told_name, routine, length < sizeof told_name ? length : sizeof told_name - 1);
}

static void all_of_the_number(void **state) {
    (void)state;
    for (int number = 1; number < 20; number++) {
        lava_xerbla(LAVA_ROUTINE_dgemm_64_, number);
        assert_true(told == number);
        assert_string_equal(told_name, "DGEMM ");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_of_the_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
