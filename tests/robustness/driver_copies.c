/* A driver that the loader lists several times. Called by several_devices.c and checkgemm. */
#include "tests/robustness/driver_copies.h"

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

bool driver_copies_begin(struct driver_copies *copies, int count) {
    char list[DRIVER_COPIES_MOST * sizeof copies->paths[0]] = "";
    const char *manifest = getenv("VK_DRIVER_FILES");
    *copies = (struct driver_copies){.folder = "/tmp/lavablas-devices-XXXXXX"};
    bool copied = manifest && count <= DRIVER_COPIES_MOST && mkdtemp(copies->folder);
    for (int i = 0; i < count && copied; i++) {
        char path[sizeof copies->paths[0]]; /* within *copies some compilers see two overlap */
        snprintf(path, sizeof path, "%s/%d.json", copies->folder, i);
        strcpy(copies->paths[i], path);
        copied = copy_file(manifest, path);
        strcat(strcat(list, i ? ":" : ""), path);
        copies->count = i + 1;
    }
    return copied && setenv("VK_DRIVER_FILES", list, 1) == 0;
}

void driver_copies_end(const struct driver_copies *copies) {
    for (int i = 0; i < copies->count; i++)
        unlink(copies->paths[i]);
    if (copies->folder[0])
        rmdir(copies->folder);
}
