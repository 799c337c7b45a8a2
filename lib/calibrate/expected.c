/* Reads and writes the note of the device that was opened last. Called by calibration.c.
 *
 * Invariant: what is read has been written by this version of the library since the machine was started. */
#include "lib/calibrate/expected.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/config.h"
#include "lib/calibrate/figures_file.h"

/* More than any device has. */
#define AMPLE_BYTES (UINT64_C(1) << 42)

struct note {
    char boot[64]; /* Linux's name for the time since the machine was started */
    struct lava_capabilities device;
};

/* Returns false if the system has no such name. */
static bool read_boot(char boot[64]) {
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    bool is_read = file && fgets(boot, 64, file);
    if (file)
        fclose(file);
    return is_read;
}

static void find_place(struct lava_file_cache_place *place) {
    const struct lava_config *config = lava_config_get();
    char key[512];
    int length = snprintf(key, sizeof key, "last device, %zu bytes\nchosen by %s\n", sizeof(struct note),
                          config->device ? config->device : "");
    lava_file_cache_place_init(place, config->cache ? config->cache_home : NULL, "device", key,
                               (size_t)length);
}

/* Returns false if there is no note, or an old one. */
static bool read_note(const struct lava_file_cache_place *place, struct note *note) {
    char boot[sizeof note->boot] = "";
    size_t bytes = 0;
    void *data = lava_file_cache_load(place, &bytes);
    bool is_whole = data && bytes == sizeof *note;
    if (is_whole)
        memcpy(note, data, sizeof *note);
    free(data);
    return is_whole && read_boot(boot) && memcmp(boot, note->boot, sizeof boot) == 0;
}

bool lava_expected_read(const struct lava_figures *starting, struct lava_expected *expected) {
    struct lava_file_cache_place place, shared;
    struct note note;
    find_place(&place);
    if (!read_note(&place, &note))
        return false;
    expected->device = note.device;
    expected->figures = *starting;
    lava_figures_file_place(&expected->device, lava_config_get()->cache_home, &place);
    lava_figures_file_shared_place(&expected->device, lava_config_get(), &shared);
    return lava_figures_file_read_newer(&place, &shared, &expected->figures) != NULL;
}

void lava_expected_note(const struct lava_capabilities *device) {
    struct lava_file_cache_place place;
    struct note note, before;
    find_place(&place);
    memset(&note, 0, sizeof note);
    /* Without the refused kernels: those that are not tested yet are among them, and they change. So does the
     * memory that is free, or that this process may use. */
    memcpy(&note.device, device, offsetof(struct lava_capabilities, refused_kernels));
    note.device.memory_bytes = AMPLE_BYTES;
    if (!read_boot(note.boot))
        return;
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): all bytes of both were set, the padding, too */
    if (read_note(&place, &before) && memcmp(&before, &note, sizeof note) == 0)
        return;
    if (lava_file_cache_prepare(&place))
        lava_file_cache_store(&place, &note, sizeof note);
}
