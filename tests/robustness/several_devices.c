/* Several devices of one driver. Called by the tests of several devices. */
#include "tests/robustness/several_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool copy_file(const char *from, const char *to) {
    char text[4096];
    FILE *source = fopen(from, "r"), *target = fopen(to, "w");
    size_t bytes = source && target ? fread(text, 1, sizeof text, source) : 0;
    bool copied = bytes > 0 && bytes < sizeof text && fwrite(text, 1, bytes, target) == bytes;
    if (source)
        fclose(source);
    return !target || fclose(target) ? false : copied;
}

/* Has the loader list the driver several times. */
static int run_with_devices(int argument_count, char **arguments, const struct test_case *cases,
                            int devices) {
    char folder[] = "/tmp/lavablas-devices-XXXXXX", paths[SEVERAL_DEVICES_MOST][64],
         list[SEVERAL_DEVICES_MOST * 64] = "";
    const char *manifest = getenv("VK_DRIVER_FILES");
    bool copied = manifest && devices <= SEVERAL_DEVICES_MOST && mkdtemp(folder);
    for (int i = 0; i < devices && copied; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d.json", folder, i);
        copied = copy_file(manifest, paths[i]);
        strcat(strcat(list, i ? ":" : ""), paths[i]);
    }
    if (!copied)
        return CASE_SKIPPED;
    setenv("VK_DRIVER_FILES", list, 1);
    int result = cases_main(argument_count, arguments, cases);
    for (int i = 0; i < devices; i++)
        unlink(paths[i]);
    rmdir(folder);
    return result;
}

int several_devices_main(int argument_count, char **arguments, const struct test_case *cases, int devices) {
    if (argument_count != 2)
        return run_with_devices(argument_count, arguments, cases, devices);
    return cases_main(argument_count, arguments, cases);
}

void several_devices_hold(struct lava_lane_lock *held, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        CASE_CHECK(lava_context_lock_lane(1, 0, &held[i]) && held[i].device == i);
}

void several_devices_give_back(struct lava_lane_lock *held, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        lava_context_unlock_lane(&held[i]);
}
