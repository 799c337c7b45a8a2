/* Drivers, folders and files that are missing, broken or in the way: products are right, and stderr has at
 * most one line. The cases of the driver folder also cover preloading without any device. */
#include "tests/robustness/cases.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* Returns the number of files in the folder of the library's cache; -1 if there is no folder. */
static int files_in(const char *home) {
    char path[96];
    int count = 0;
    snprintf(path, sizeof path, "%s/lavablas", home);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    return folder && closedir(folder) == 0 ? count : -1;
}

/* Multiplies in a process and waits for its end. The cache is then written. */
static bool multiplies_to_the_end(void) {
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(multiply_on("gpu"));
    return waitpid(child, &status, 0) == child && status == 0;
}

/* Mounts a disk of a page, seen by this process alone, and fills it. (A limit on the size of files would be
 * another way, but lavapipe's memory is a file.) Returns false if that is not permitted. */
static bool mount_full(const char *home, const char *filler) {
    static const char page[4096];
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("full", home, "tmpfs", 0, "size=4096"))
        return false;
    int file = open(filler, O_CREAT | O_WRONLY, 0600);
    CASE_CHECK(file >= 0 && write(file, page, sizeof page) == sizeof page);
    CASE_CHECK(write(file, page, 1) < 0);
    close(file);
    return true;
}

/* Nothing is left half-written. When there is room, the cache is written. */
static int disk_is_full(void) {
    char home[] = "/tmp/lavablas-full-XXXXXX", filler[64];
    if (!mkdtemp(home))
        return CASE_SKIPPED;
    snprintf(filler, sizeof filler, "%s/filler", home);
    if (!mount_full(home, filler)) {
        rmdir(home);
        return CASE_SKIPPED;
    }
    setenv("XDG_CACHE_HOME", home, 1);
    CASE_CHECK(multiplies_to_the_end());
    CASE_CHECK(files_in(home) == 0);
    CASE_CHECK(unlink(filler) == 0 && mount(NULL, home, NULL, MS_REMOUNT, "size=64m") == 0);
    CASE_CHECK(multiplies_to_the_end());
    CASE_CHECK(files_in(home) == 1);
    CASE_CHECK(umount(home) == 0 && rmdir(home) == 0);
    return case_result();
}

static const struct test_case cases[] = {
    {.name = "plain", .run = on_device},
    {.name = "driver_file_missing", .run = on_cpu, .lines = 1, .variables = {"VK_DRIVER_FILES=/nonexistent"}},
    {.name = "driver_file_broken", .run = driver_file_broken, .lines = 1},
    {.name = "driver_file_empty", .run = driver_file_empty, .lines = 1},
    {.name = "driver_is_no_library", .run = driver_is_no_library, .lines = 1},
    {.name = "device_unknown", .run = on_cpu, .lines = 1, .variables = {"LAVABLAS_DEVICE=no such device"}},
    {.name = "home_unset", .run = on_device, .variables = {"HOME", "XDG_CACHE_HOME"}},
    {.name = "home_nonexistent", .run = on_device, .variables = {"HOME=/nonexistent/x", "XDG_CACHE_HOME"}},
    {.name = "home_relative", .run = on_device, .variables = {"HOME=relative", "XDG_CACHE_HOME=relative"}},
    {.name = "home_read_only", .run = home_read_only},
    {.name = "home_unreadable", .run = home_unreadable},
    {.name = "home_cache_is_a_file", .run = home_cache_is_a_file},
    {.name = "cache_off", .run = on_device, .variables = {"LAVABLAS_CACHE=0"}},
    {.name = "cache_in_no_folder", .run = on_device, .variables = {"XDG_CACHE_HOME=/dev/full"}},
    {.name = "disk_is_full", .run = disk_is_full},
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
