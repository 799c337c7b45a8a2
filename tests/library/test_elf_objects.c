/* Which objects define a symbol, compared with the loader's own answers, over all objects of this process. */
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/host/elf_objects.h"

#define COPIES 250

/* Paths of libraries that the test is called with. */
static const char *with_all_names, *with_reference, *without_gnu_hash, *smallest;
static char **linked_high; /* ended by NULL */
static char folder[] = "/tmp/lavablas-objects-XXXXXX";

static struct {
    char **names;
    size_t count, capacity;
} all;

static int note(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (!*info->dlpi_name)
        return 0;
    if (all.count == all.capacity) {
        all.capacity = 2 * all.capacity + 8;
        all.names = realloc(all.names, all.capacity * sizeof *all.names);
        assert_non_null(all.names);
    }
    all.names[all.count] = strdup(info->dlpi_name);
    assert_non_null(all.names[all.count++]);
    return 0;
}

static void note_all(void) {
    dl_iterate_phdr(note, NULL);
    assert_true(all.count > 2);
}

static void forget_all(void) {
    while (all.count > 0)
        free(all.names[--all.count]);
}

static void *opened(const char *name) {
    void *handle = dlopen(name, RTLD_NOW);
    if (!handle)
        fail_msg("%s", dlerror());
    return handle;
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

static bool has(const struct lava_elf_objects *objects, const char *name) {
    for (size_t i = 0; i < objects->count; i++)
        if (strcmp(objects->names[i], name) == 0)
            return true;
    return false;
}

static bool is_found(const char *object, const char *symbol) {
    struct lava_elf_objects objects = lava_elf_objects_defining(&symbol, 1);
    bool is_there = has(&objects, object);
    lava_elf_objects_free(&objects);
    return is_there;
}

/* Whether the object's hash table is read: else it would be found for any symbol. */
static void assert_read(const char *object, const char *symbol) {
    assert_true(loader_says(object, symbol));
    assert_true(is_found(object, symbol));
    assert_false(is_found(object, "no_such_symbol"));
}

static void as_the_loader(void **state) {
    static const char *const symbols[] = {
        "malloc", "strtod",  "cos",         "pthread_create",          "dlopen",          "stdout",
        "sgemm_", "dgetrf_", "cblas_dgemm", "_cmocka_run_group_tests", "__errno_location"};
    void *stub = opened(with_all_names), *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    size_t found = 0;
    (void)state;
    note_all();
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        struct lava_elf_objects objects = lava_elf_objects_defining(&symbols[i], 1);
        for (size_t j = 0; j < all.count; j++) {
            bool is_expected = loader_says(all.names[j], symbols[i]);
            if (has(&objects, all.names[j]) != is_expected)
                fail_msg("%s in %s: %s", symbols[i], all.names[j], is_expected ? "missed" : "not there");
        }
        assert_true(objects.count > 0);
        found += objects.count;
        lava_elf_objects_free(&objects);
    }
    print_message("%zu symbols in %zu objects\n", found, all.count);
    forget_all();
    dlclose(stub);
    if (blas)
        dlclose(blas);
}

static void references(void **state) {
    void *handle = opened(with_reference);
    (void)state;
    assert_non_null(dlsym(handle, "sgemm_")); /* of a library that it is linked with */
    assert_false(is_found(with_reference, "sgemm_"));
    assert_read(with_reference, "stub_user");
    dlclose(handle);
}

static void without_a_gnu_hash_table(void **state) {
    void *handle = opened(without_gnu_hash);
    (void)state;
    assert_true(is_found(without_gnu_hash, "sgemm_"));
    assert_true(is_found(without_gnu_hash, "no_such_symbol"));
    dlclose(handle);
}

/* Copies a library. With a dynamic section that is not writable, glibc leaves the addresses in it as they
 * are. */
static void copy(const char *from, const char *to, bool is_relocated) {
    struct stat info;
    FILE *input = fopen(from, "rb"), *output = fopen(to, "wb");
    assert_true(input && output && fstat(fileno(input), &info) == 0);
    size_t bytes = (size_t)info.st_size;
    char *file = malloc(bytes);
    assert_non_null(file);
    assert_int_equal(fread(file, 1, bytes, input), bytes);
    const ElfW(Ehdr) *header = (const void *)file;
    ElfW(Phdr) *segments = (void *)(file + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_DYNAMIC && !is_relocated)
            segments[i].p_flags = PF_R;
    assert_int_equal(fwrite(file, 1, bytes, output), bytes);
    assert_int_equal(fclose(input) | fclose(output), 0);
    free(file);
}

static void check_addresses(const char *library) {
    for (int is_relocated = 0; is_relocated < 2; is_relocated++) {
        char path[sizeof folder + 16];
        snprintf(path, sizeof path, "%s/addresses.so", folder);
        copy(library, path, is_relocated);
        void *handle = opened(path);
        assert_read(path, "sgemm_");
        dlclose(handle);
        assert_int_equal(unlink(path), 0);
    }
}

static void addresses(void **state) {
    (void)state;
    check_addresses(smallest);
    for (int i = 0; linked_high[i]; i++)
        check_addresses(linked_high[i]);
}

static void vdso(void **state) {
    const char *const symbol = "__vdso_clock_gettime";
    size_t found = 0;
    (void)state;
    note_all();
    for (size_t i = 0; i < all.count; i++)
        if (loader_says(all.names[i], symbol)) {
            assert_read(all.names[i], symbol);
            found++;
        }
    forget_all();
    if (found == 0)
        skip();
}

static void many(void **state) {
    static const char *const symbol = "sgemm_";
    static char paths[COPIES][sizeof folder + 16];
    static void *handles[COPIES];
    (void)state;
    for (int i = 0; i < COPIES; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d.so", folder, i);
        copy(smallest, paths[i], true);
        handles[i] = opened(paths[i]);
    }
    struct lava_elf_objects objects = lava_elf_objects_defining(&symbol, 1);
    for (int i = 0; i < COPIES; i++) {
        assert_true(has(&objects, paths[i]));
        dlclose(handles[i]);
        assert_int_equal(unlink(paths[i]), 0);
    }
    lava_elf_objects_free(&objects);
}

/* The hash table of a library that the loader has read, made writable. */
static uint32_t *hash_of_loaded(void *handle) {
    struct link_map *map;
    uintptr_t address = 0, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_GNU_HASH)
            address = entry->d_un.d_ptr;
    assert_true(address > map->l_addr); /* glibc has moved it */
    uintptr_t first = address / page * page;
    assert_int_equal(mprotect((void *)first, page, PROT_READ | PROT_WRITE), 0);
    uint32_t *header = (uint32_t *)address;
    /* filter and buckets lie in the page */
    assert_true(address + 4 * (4 + header[0]) + header[2] * sizeof(ElfW(Addr)) <= first + page);
    return header;
}

/* A header that the loader would not have got through: the object counts as one that may define any symbol.
 */
static void damaged_header(void **state) {
    static const struct {
        const char *what;
        size_t word;
        uint32_t value;
    } damages[] = {{"no buckets", 0, 0},
                   {"more buckets than bytes", 0, UINT32_MAX},
                   {"no filter", 2, 0},
                   {"a filter past the segment", 2, UINT32_MAX},
                   {"a shift of 32", 3, 32}};
    void *handle = opened(smallest);
    uint32_t *header = hash_of_loaded(handle);
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        uint32_t *word = &header[damages[i].word], before = *word;
        assert_false(is_found(smallest, "no_such_symbol"));
        *word = damages[i].value;
        if (!is_found(smallest, "no_such_symbol"))
            fail_msg("%s: read as if it were whole", damages[i].what);
        *word = before;
    }
    dlclose(handle);
}

/* Chains that begin outside the segment, or before the first symbol that has a hash. The filter lets all
 * pass. */
static void damaged_chains(void **state) {
    void *handle = opened(smallest);
    uint32_t *header = hash_of_loaded(handle), first = header[1];
    ElfW(Addr) *filter = (void *)&header[4];
    uint32_t *buckets = (void *)&filter[header[2]];
    const struct {
        uint32_t from;
        bool may_define;
    } begins[] = {{UINT32_MAX, true}, {1u << 24, true}, {first - 1, false}, {0, false}};
    (void)state;
    assert_true(first > 0);
    memset(filter, 0xff, header[2] * sizeof *filter);
    assert_false(is_found(smallest, "no_such_symbol"));
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        for (uint32_t bucket = 0; bucket < header[0]; bucket++)
            buckets[bucket] = begins[i].from;
        assert_int_equal(is_found(smallest, "no_such_symbol"), begins[i].may_define);
    }
    dlclose(handle);
}

static void several_and_none(void **state) {
    static const char *const one[] = {"malloc"}, *const both[] = {"no_such_symbol", "malloc"};
    (void)state;
    struct lava_elf_objects some = lava_elf_objects_defining(one, 1),
                            same = lava_elf_objects_defining(both, 2),
                            none = lava_elf_objects_defining(both, 1),
                            nothing = lava_elf_objects_defining(NULL, 0);
    assert_true(some.count > 0);
    assert_int_equal(some.count, same.count);
    assert_int_equal(none.count, 0);
    assert_int_equal(nothing.count, 0);
    lava_elf_objects_free(&some);
    lava_elf_objects_free(&same);
    lava_elf_objects_free(&none);
    lava_elf_objects_free(&nothing);
}

static void holders(void **state) {
    static const int constant = 1;
    int variable = 1;
    void *on_heap = malloc(1), *function = dlsym(RTLD_DEFAULT, "strtod"),
         *other = dlsym(RTLD_DEFAULT, "malloc");
    (void)state;
    assert_non_null(lava_elf_objects_own());
    assert_ptr_equal(lava_elf_objects_holder(&constant), lava_elf_objects_own());
    assert_null(lava_elf_objects_holder(&variable));
    assert_null(lava_elf_objects_holder(on_heap));
    assert_null(lava_elf_objects_holder(NULL));
    assert_non_null(function);
    assert_ptr_not_equal(lava_elf_objects_holder(function), lava_elf_objects_own());
    assert_non_null(lava_elf_objects_holder(other));
    free(on_heap);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    free(all.names);
    return rmdir(folder);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_loader),
        cmocka_unit_test(references),
        cmocka_unit_test(without_a_gnu_hash_table),
        cmocka_unit_test(addresses),
        cmocka_unit_test(vdso),
        cmocka_unit_test(many),
        cmocka_unit_test(damaged_header),
        cmocka_unit_test(damaged_chains),
        cmocka_unit_test(several_and_none),
        cmocka_unit_test(holders),
    };
    if (count < 5)
        return 2;
    with_all_names = arguments[1];
    with_reference = arguments[2];
    without_gnu_hash = arguments[3];
    smallest = arguments[4];
    linked_high = &arguments[5];
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
