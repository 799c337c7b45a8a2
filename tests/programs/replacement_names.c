/* Opens a libblas.so.3 as FlexiBLAS opens a backend and looks up every name of the standard BLAS. None may be
 * missing, and the routines that LavaBLAS has must be LavaBLAS's.
 *
 *   replacement_names LIBRARY NAMES_FILE ROUTINE... */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_among(const char *name, char **names, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* File name of the library that contains the name, without its folder; NULL: none. */
static const char *holder_of(void *handle, const char *name) {
    Dl_info info;
    void *address = dlsym(handle, name);
    if (!address || !dladdr(address, &info) || !info.dli_fname)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static bool is_right(void *handle, const char *name, bool ours) {
    const char *holder = holder_of(handle, name);
    if (!holder) {
        printf("missing: %s\n", name);
        return false;
    }
    if ((strncmp(holder, "liblavablas.so", strlen("liblavablas.so")) == 0) != ours) {
        printf("%s is %s's\n", name, holder);
        return false;
    }
    return true;
}

int main(int count, char **arguments) {
    char name[64];
    int names = 0, ours = 0, failed = 0;
    FILE *file = count > 3 ? fopen(arguments[2], "r") : NULL;
    if (!file)
        return 2;
    void *handle = dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        printf("%s\n", dlerror());
        return 1;
    }
    while (fscanf(file, "%63s", name) == 1) {
        bool intercepted = is_among(name, arguments + 3, count - 3);
        names++;
        ours += intercepted;
        failed += !is_right(handle, name, intercepted);
    }
    fclose(file);
    printf("%d names, %d of them LavaBLAS's, %d wrong\n", names, ours, failed);
    return failed || ours != count - 3 || names < 250;
}
