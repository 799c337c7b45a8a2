/* Figures that were measured with the CPU BLAS's kernels for one processor are not read with those for
 * another: OPENBLAS_CORETYPE chooses them. The program runs itself with each, to print the key of its file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/calibrate/figures_file.h"
#include "lib/host/openblas.h"

#if defined(__x86_64__)
static const char *const core_types[2] = {"Prescott", "Nehalem"};
#else
static const char *const core_types[2] = {"ARMV8", "CortexA53"};
#endif

#define NO_CHOICE 77

/* Returns NO_CHOICE if the CPU BLAS is no OpenBLAS with kernels for several processors. */
static int print_key(void) {
    static const struct lava_capabilities gpu = {.name = "some", .vendor_id = 0x10de, .device_id = 0x2335};
    struct lava_file_cache_place place;
    char core[32];
    bool chooses;
    lava_figures_file_place(&gpu, "/tmp", &place);
    if (!lava_openblas_core(lava_cpu_blas_get()->path, core, sizeof core, &chooses) || !chooses)
        return NO_CHOICE;
    return fwrite(place.key, 1, place.key_bytes, stdout) == place.key_bytes ? 0 : 1;
}

/* Returns the status of a process with that core type. */
static int read_key_with(const char *core_type, char *key, size_t bytes) {
    char program[1024], command[2048];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(length > 0);
    program[length] = '\0';
    snprintf(command, sizeof command, "OPENBLAS_CORETYPE=%s '%s' key", core_type, program);
    FILE *child = popen(command, "r");
    assert_non_null(child);
    key[fread(key, 1, bytes - 1, child)] = '\0';
    return WEXITSTATUS(pclose(child));
}

static void kernels_have_figures_of_their_own(void **state) {
    char key[LAVA_FILE_CACHE_MAX_KEY_BYTES + 1], line[64];
    (void)state;
    for (int i = 0; i < 2; i++) {
        int status = read_key_with(core_types[i], key, sizeof key);
        if (status == NO_CHOICE)
            skip();
        assert_int_equal(status, 0);
        snprintf(line, sizeof line, "\ncore %s\n", core_types[i]);
        assert_non_null(strcasestr(key, line));
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_have_figures_of_their_own)};
    return argc > 1 && !strcmp(argv[1], "key") ? print_key() : cmocka_run_group_tests(tests, NULL, NULL);
}
