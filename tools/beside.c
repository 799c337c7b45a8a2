/* Finds liblavablas.so beside the command. Called by run.c, info.c and doctor.c. */
#include "tools/beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/config.h"

static const char name[] = "liblavablas.so.0";

/* From the folder of the command: LAVA_LIBRARY_FOLDER is that of the installation, relative to it. */
static const char *const folders[] = {"../lib", LAVA_LIBRARY_FOLDER};

bool beside_find(char *path, size_t size) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof folders / sizeof folders[0]; i++) {
        char folder[8192], *resolved = NULL;
        snprintf(folder, sizeof folder, "%s/%s", self, folders[i]);
        resolved = realpath(folder, NULL);
        int written = resolved ? snprintf(path, size, "%s/%s", resolved, name) : -1;
        free(resolved);
        if (written > 0 && (size_t)written < size && access(path, R_OK) == 0)
            return true;
    }
    fprintf(stderr, "lavablas: there is no %s in %s/%s, nor in %s/%s\n", name, self, folders[0], self,
            folders[1]);
    return false;
}

bool beside_find_preload(char *value, size_t size) {
    char path[8192];
    const char *before = lava_config_environment("LD_PRELOAD");
    bool has_before = before && *before;
    if (!beside_find(path, sizeof path))
        return false;
    if (strpbrk(path, " :")) {
        fprintf(stderr, "lavablas: the loader takes no path with a space or a colon: %s\n", path);
        return false;
    }
    int written = snprintf(value, size, "%s%s%s", path, has_before ? ":" : "", has_before ? before : "");
    return written > 0 && (size_t)written < size;
}
