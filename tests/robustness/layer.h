/* Asks the layer of tests/layer/, for tests whose driver it is. */
#ifndef LAVA_TESTS_ROBUSTNESS_LAYER_H
#define LAVA_TESTS_ROBUSTNESS_LAYER_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Has the loader find the layer, which it uses if VK_INSTANCE_LAYERS says so; false: there is none. */
static inline bool layer_offer(void) {
    const char *folder = getenv("LAVABLAS_TEST_LAYER_PATH");
    return folder && setenv("VK_LAYER_PATH", folder, 1) == 0;
}

/* The same, and has it used. */
static inline bool layer_use(void) {
    return layer_offer() && setenv("VK_INSTANCE_LAYERS", "VK_LAYER_LAVABLAS_test", 1) == 0;
}

/* Stores a function of the layer, whose type the caller knows; false: there is no layer. The layer is loaded
 * from then on, even if its instance fails. */
static inline bool layer_find(const char *name, void *function) {
    char path[512];
    snprintf(path, sizeof path, "%s/liblavablas_test_layer.so", getenv("VK_LAYER_PATH"));
    void *library = dlopen(path, RTLD_NOW), *address = library ? dlsym(library, name) : NULL;
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

#endif
