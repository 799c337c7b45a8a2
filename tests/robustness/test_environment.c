/* Drivers, folders and files that are missing, broken or in the way: products are right, and stderr has at
 * most one line. The cases of the driver folder also cover preloading without any device. */
#include "tests/robustness/cases.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

static struct product product = {.m = 200, .n = 150, .k = 64, .alpha = 1.25f, .beta = 0.5f};

static int multiply_on(const char *place) {
    const char *reason;
    product_make(&product, 1);
    for (int i = 0; i < 3; i++)
        case_multiply(&product, place);
    case_place(&reason);
    if (!strcmp(place, "cpu"))
        CASE_CHECK(!strcmp(reason, "no usable device"));
    product_free(&product);
    return case_result();
}

static int on_device(void) {
    return multiply_on("gpu");
}

static int on_cpu(void) {
    return multiply_on("cpu");
}

/* A file of the driver list with this text. */
static int driver_file(const char *text) {
    char path[] = "/tmp/lavablas-driver-XXXXXX";
    int file = mkstemp(path);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
        return CASE_SKIPPED;
    close(file);
    setenv("VK_DRIVER_FILES", path, 1);
    int result = multiply_on("cpu");
    unlink(path);
    return result;
}

static int driver_file_broken(void) {
    return driver_file("{ \"file_format_version\": \"1.0.1\", \"ICD\": { \"library_pa");
}

static int driver_file_empty(void) {
    return driver_file("");
}

static int driver_is_no_library(void) {
    return driver_file("{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": \"/etc/passwd\", "
                       "\"api_version\": \"1.4.0\"}}");
}

/* Home folders of each kind, as a user to whom their modes apply. */
static int with_home(mode_t mode, bool is_file) {
    char home[] = "/tmp/lavablas-home-XXXXXX", cache[64];
    if (!mkdtemp(home))
        return CASE_SKIPPED;
    if (is_file) {
        snprintf(cache, sizeof cache, "%s/.cache", home);
        close(open(cache, O_CREAT | O_WRONLY, 0600));
    }
    chmod(home, mode);
    setenv("HOME", home, 1);
    unsetenv("XDG_CACHE_HOME");
    if (geteuid() == 0 && (setegid(NOBODY) || seteuid(NOBODY)))
        return CASE_SKIPPED;
    int result = multiply_on("gpu");
    if (getuid() == 0 && seteuid(0))
        result = 1;
    chmod(home, 0700);
    if (is_file)
        unlink(cache);
    return rmdir(home) ? 1 : result; /* fails if anything was left in it */
}

static int home_read_only(void) {
    return with_home(0555, false);
}

static int home_unreadable(void) {
    return with_home(0, false);
}

static int home_cache_is_a_file(void) {
    return with_home(0555, true);
}

static int folder_gone(void) {
    char folder[] = "/tmp/lavablas-gone-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) || rmdir(folder))
        return CASE_SKIPPED;
    return multiply_on("gpu");
}

static int no_descriptors(void) {
    int result;
    product_make(&product, 1);
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
        ;
    /* the CPU BLAS cannot be opened then either */
    for (int i = 0; i < 2; i++)
        case_multiply(&product, "cpu");
    result = case_result();
    product_free(&product);
    return result;
}

static const struct test_case cases[] = {
    {.name = "plain", .run = on_device},
    {.name = "driver_file_missing", .run = on_cpu, .lines = 1, .variables = {"VK_DRIVER_FILES=/nonexistent"}},
    {.name = "driver_file_broken", .run = driver_file_broken, .lines = 1},
    {.name = "driver_file_empty", .run = driver_file_empty, .lines = 1},
    {.name = "driver_is_no_library", .run = driver_is_no_library, .lines = 1},
    {.name = "device_unknown", .run = on_cpu, .variables = {"LAVABLAS_DEVICE=no such device"}},
    {.name = "home_unset", .run = on_device, .variables = {"HOME", "XDG_CACHE_HOME"}},
    {.name = "home_nonexistent", .run = on_device, .variables = {"HOME=/nonexistent/x", "XDG_CACHE_HOME"}},
    {.name = "home_relative", .run = on_device, .variables = {"HOME=relative", "XDG_CACHE_HOME=relative"}},
    {.name = "home_read_only", .run = home_read_only},
    {.name = "home_unreadable", .run = home_unreadable},
    {.name = "home_cache_is_a_file", .run = home_cache_is_a_file},
    {.name = "cache_off", .run = on_device, .variables = {"LAVABLAS_CACHE=0"}},
    {.name = "cache_is_full", .run = on_device, .variables = {"XDG_CACHE_HOME=/dev/full"}},
    {.name = "stats_unwritable",
     .run = on_device,
     .lines = 1,
     .variables = {"LAVABLAS_STATS=/nonexistent/x"}},
    {.name = "values_unknown",
     .run = on_device,
     .lines = 2,
     .variables = {"LAVABLAS_MEMORY=much", "LAVABLAS_INIT=soon"}},
    {.name = "folder_gone", .run = folder_gone},
    {.name = "no_descriptors", .run = no_descriptors, .lines = 2 /* the statistics fail too */},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    /* Mesa's own cache complains about homes that it cannot write to. The test suite gives it a folder. */
    if (!getenv("MESA_SHADER_CACHE_DIR"))
        setenv("MESA_SHADER_CACHE_DISABLE", "1", 1);
    return cases_main(argument_count, arguments, cases);
}
