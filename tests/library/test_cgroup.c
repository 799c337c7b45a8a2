/* cgroup.c: what the limits of control groups leave, in folders that look like /proc and /sys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/cgroup.h"

#define MIB (UINT64_C(1) << 20)

static char root[64];

/* Makes a folder for the file, too. */
static void put(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int begin(void **state) {
    (void)state;
    strcpy(root, "/tmp/lavablas-cgroup-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int end(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static void nothing_limits(void **state) {
    (void)state;
    assert_true(lava_cgroup_left(root) == UINT64_MAX); /* no file at all */
    put("proc/self/cgroup", "0::/\n");
    assert_true(lava_cgroup_left(root) == UINT64_MAX); /* the root has no limits */
    put("proc/self/cgroup", "0::/job\n");
    put("sys/fs/cgroup/job/memory.max", "max\n");
    put("sys/fs/cgroup/job/memory.current", "104857600\n");
    assert_true(lava_cgroup_left(root) == UINT64_MAX);
    put("proc/self/cgroup", "what is this\n:::\n0:\n0::job\n");
    assert_true(lava_cgroup_left(root) == UINT64_MAX);
}

/* Files that the kernel keeps in memory count as left. */
static void own_group(void **state) {
    (void)state;
    put("proc/self/cgroup", "0::/job\n");
    put("sys/fs/cgroup/job/memory.max", "1073741824\n");
    put("sys/fs/cgroup/job/memory.current", "943718400\n");
    assert_true(lava_cgroup_left(root) == 124 * MIB);
    put("sys/fs/cgroup/job/memory.stat",
        "anon 7\nfile 629145600\ninactive_file 104857600\nactive_file 209715200\n");
    assert_true(lava_cgroup_left(root) == 424 * MIB);
    put("sys/fs/cgroup/job/memory.stat", "inactive_file 5368709120\n");
    assert_true(lava_cgroup_left(root) == 1024 * MIB);
    put("sys/fs/cgroup/job/memory.stat", "anon 7\n");
    put("sys/fs/cgroup/job/memory.current", "2147483648\n");
    assert_true(lava_cgroup_left(root) == 0);
}

static void parents_limit(void **state) {
    (void)state;
    put("proc/self/cgroup", "0::/user/job 1/step\n");
    put("sys/fs/cgroup/user/job 1/step/memory.max", "max\n");
    put("sys/fs/cgroup/user/job 1/memory.max", "536870912\n");
    put("sys/fs/cgroup/user/job 1/memory.current", "134217728\n");
    assert_true(lava_cgroup_left(root) == 384 * MIB);
    put("sys/fs/cgroup/user/memory.max", "268435456\n");
    put("sys/fs/cgroup/user/memory.current", "134217728\n");
    assert_true(lava_cgroup_left(root) == 128 * MIB);
    put("sys/fs/cgroup/user/job 1/step/memory.max", "67108864\n");
    assert_true(lava_cgroup_left(root) == 64 * MIB);
}

/* The path is the host's, and the container sees its own group as the root. */
static void container(void **state) {
    (void)state;
    put("proc/self/cgroup", "0::/docker/0123\n");
    put("sys/fs/cgroup/memory.max", "268435456\n");
    put("sys/fs/cgroup/memory.current", "67108864\n");
    assert_true(lava_cgroup_left(root) == 192 * MIB);
}

static void first_version(void **state) {
    (void)state;
    put("proc/self/cgroup", "9:name=systemd:/other\n4:memory:/job\n1:cpu:/\n0::/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "510795776\n");
    put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "536870912\n");
    put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "268435456\n");
    put("sys/fs/cgroup/memory/job/memory.stat",
        "inactive_file 1\ntotal_inactive_file 33554432\ntotal_active_file 33554432\n");
    assert_true(lava_cgroup_left(root) == 320 * MIB);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(nothing_limits, begin, end),
                                       cmocka_unit_test_setup_teardown(own_group, begin, end),
                                       cmocka_unit_test_setup_teardown(parents_limit, begin, end),
                                       cmocka_unit_test_setup_teardown(container, begin, end),
                                       cmocka_unit_test_setup_teardown(first_version, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
