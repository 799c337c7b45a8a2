/* Which objects define a symbol, compared with the loader's own answers, over all objects of this process. */
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/host/objects.h"

#define MOST 200

static struct {
    char names[MOST][512];
    size_t count;
} all;

static int note(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (*info->dlpi_name && all.count < MOST && strlen(info->dlpi_name) < sizeof all.names[0])
        strcpy(all.names[all.count++], info->dlpi_name);
    return 0;
}

/* dlsym also searches the object's dependencies. */
static bool loader_says(const char *object, const char *symbol) {
    void *handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD), *address = handle ? dlsym(handle, symbol) : NULL;
    Dl_info info;
    bool is_there = address && dladdr(address, &info) && strcmp(info.dli_fname, object) == 0;
    if (handle)
        dlclose(handle);
    return is_there;
}

static bool has(const struct lava_objects *objects, const char *name) {
    for (size_t i = 0; i < objects->count; i++)
        if (strcmp(objects->names[i], name) == 0)
            return true;
    return false;
}

static void as_the_loader(void **state) {
    static const char *const symbols[] = {
        "malloc", "strtod",  "cos",         "pthread_create",          "dlopen",          "stdout",
        "sgemm_", "dgetrf_", "cblas_dgemm", "_cmocka_run_group_tests", "__errno_location"};
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    size_t found = 0;
    (void)state;
    dl_iterate_phdr(note, NULL);
    assert_true(all.count > 2);
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        struct lava_objects objects = lava_objects_defining(&symbols[i], 1);
        for (size_t j = 0; j < all.count; j++) {
            bool is_expected = loader_says(all.names[j], symbols[i]);
            if (has(&objects, all.names[j]) != is_expected)
                fail_msg("%s in %s: %s", symbols[i], all.names[j], is_expected ? "missed" : "not there");
        }
        assert_true(objects.count > 0 || !blas);
        found += objects.count;
        lava_objects_free(&objects);
    }
    print_message("%zu symbols in %zu objects\n", found, all.count);
    if (blas)
        dlclose(blas);
}

static void several_and_none(void **state) {
    static const char *const one[] = {"malloc"}, *const both[] = {"no_such_symbol", "malloc"};
    (void)state;
    struct lava_objects some = lava_objects_defining(one, 1), same = lava_objects_defining(both, 2),
                        none = lava_objects_defining(both, 1), nothing = lava_objects_defining(NULL, 0);
    assert_true(some.count > 0);
    assert_int_equal(some.count, same.count);
    assert_int_equal(none.count, 0);
    assert_int_equal(nothing.count, 0);
    lava_objects_free(&some);
    lava_objects_free(&same);
    lava_objects_free(&none);
    lava_objects_free(&nothing);
}

static void holders(void **state) {
    static const int constant = 1;
    int variable = 1;
    void *on_heap = malloc(1), *function = dlsym(RTLD_DEFAULT, "strtod"),
         *other = dlsym(RTLD_DEFAULT, "malloc");
    (void)state;
    assert_non_null(lava_objects_own());
    assert_ptr_equal(lava_objects_holder(&constant), lava_objects_own());
    assert_null(lava_objects_holder(&variable));
    assert_null(lava_objects_holder(on_heap));
    assert_null(lava_objects_holder(NULL));
    assert_non_null(function);
    assert_ptr_not_equal(lava_objects_holder(function), lava_objects_own());
    assert_non_null(lava_objects_holder(other));
    free(on_heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_loader),
        cmocka_unit_test(several_and_none),
        cmocka_unit_test(holders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
