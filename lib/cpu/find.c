/* Finds the CPU BLAS. Called by lava_cpu_blas_get, once, and by tests.
 *
 * dlsym(RTLD_NEXT) would miss a library that was loaded RTLD_LOCAL, as NumPy's and Julia's are: the list of
 * loaded objects is walked instead, each opened again with RTLD_NOLOAD. dlsym on such a handle also looks
 * through the object's dependencies, so an address is judged by the object that holds it (dladdr), never by
 * the handle it came from.
 *
 * Invariant: every handle but the returned one is closed again; nothing found leads back to this library. */
#include "lib/cpu/find.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/cpu/compose.h"
#include "lib/cpu/reference.h"

/* Objects that define one of these hand a product on to a library chosen elsewhere, which may be this one. */
static const char *const forwarder_marks[] = {
    "lavablas_version", /* another copy of this library */
    "lbt_forward",      /* libblastrampoline */
};

enum verdict { USABLE, NO_GEMM, FORWARDS, ILP64 };

static const char *const verdict_texts[] = {
    [USABLE] = "usable",
    [NO_GEMM] = "it has neither cblas_sgemm nor sgemm_",
    [FORWARDS] = "it is LavaBLAS itself or forwards to it",
    [ILP64] = "its integers are 64 bits wide (ILP64)",
};

struct candidate {
    void *handle;
    void *cblas_sgemm; /* NULL: it has none that can be used */
    void *sgemm;
};

/* Where the object that holds the address begins; NULL: in none. */
static const void *object_of(const void *address) {
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Function pointers and object pointers are not interchangeable in ISO C; in POSIX they are. */
static const void *own_object(void) {
    void *(*function)(const struct lava_find_sources *, struct lava_cpu_blas *) = lava_find_blas;
    const void *address;
    memcpy(&address, &function, sizeof address);
    return object_of(address);
}

/* dlsym limited to one object: the handle's dependencies do not count. */
static void *symbol_in(void *handle, const char *name, const void *object) {
    void *address = dlsym(handle, name);
    return address && object_of(address) == object ? address : NULL;
}

static bool forwards(void *handle, const void *object) {
    if (object == own_object())
        return true;
    for (size_t i = 0; i < sizeof forwarder_marks / sizeof forwarder_marks[0]; i++) {
        if (symbol_in(handle, forwarder_marks[i], object))
            return true;
    }
    return false;
}

/* libblastrampoline's probe: read as 32 bits this length is 3 and the answer 2; read as 64 bits it is
 * negative and the answer 0. */
static bool is_ilp64(void *handle, const void *object) {
    typedef int64_t isamax_function(const int64_t *n, const float *x, const int64_t *increment);
    const int64_t length = (int64_t)0xffffffff00000003u, increment = 1;
    const float x[3] = {1, 2, 1};
    isamax_function *isamax;
    void *address = symbol_in(handle, "isamax_", object);
    if (!address)
        return false;
    memcpy(&isamax, &address, sizeof isamax);
    return (isamax(&length, x, &increment) & 0xffffffff) == 0;
}

static enum verdict judge_symbol(void *handle, const char *name, void **address) {
    *address = dlsym(handle, name);
    if (!*address)
        return NO_GEMM;
    const void *object = object_of(*address);
    enum verdict verdict = forwards(handle, object) ? FORWARDS : is_ilp64(handle, object) ? ILP64 : USABLE;
    if (verdict != USABLE)
        *address = NULL;
    return verdict;
}

/* USABLE where at least one of the two symbols is. */
static enum verdict judge(struct candidate *candidate) {
    enum verdict cblas = judge_symbol(candidate->handle, "cblas_sgemm", &candidate->cblas_sgemm);
    enum verdict fortran = judge_symbol(candidate->handle, "sgemm_", &candidate->sgemm);
    if (cblas == USABLE || fortran == USABLE)
        return USABLE;
    return cblas == NO_GEMM ? fortran : cblas;
}

static bool is_complete(const struct candidate *candidate) {
    return candidate->cblas_sgemm && candidate->sgemm;
}

/* Opens and judges; on any verdict but USABLE the candidate is closed again and *why says so. */
static bool open_candidate(const char *name, int flags, struct candidate *candidate, const char **why) {
    candidate->handle = dlopen(name, flags | RTLD_LOCAL);
    if (!candidate->handle) {
        const char *error = dlerror();
        *why = error ? error : "it cannot be opened";
        return false;
    }
    enum verdict verdict = judge(candidate);
    if (verdict == USABLE)
        return true;
    dlclose(candidate->handle);
    candidate->handle = NULL;
    *why = verdict_texts[verdict];
    return false;
}

struct names {
    char **name;
    size_t count, capacity;
};

/* Under the loader's lock: only remembers the name. */
static int remember_name(struct dl_phdr_info *info, size_t size, void *context) {
    struct names *names = context;
    (void)size;
    if (!info->dlpi_name || !*info->dlpi_name)
        return 0; /* the program itself: asking it means asking all it has loaded, this library first */
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? 2 * names->capacity : 64;
        char **grown = realloc(names->name, capacity * sizeof *grown);
        if (!grown)
            return 1;
        names->name = grown;
        names->capacity = capacity;
    }
    char *copy = strdup(info->dlpi_name);
    if (!copy)
        return 1;
    names->name[names->count++] = copy;
    return 0;
}

/* True where one of the two symbols is the named object's own. An object that only depends on a BLAS does not
 * count: keeping it open would keep a plugin from being unloaded. */
static bool is_holder(const struct candidate *candidate, const char *name) {
    Dl_info info;
    return (candidate->sgemm && dladdr(candidate->sgemm, &info) && strcmp(info.dli_fname, name) == 0) ||
           (candidate->cblas_sgemm && dladdr(candidate->cblas_sgemm, &info) &&
            strcmp(info.dli_fname, name) == 0);
}

/* The first object, in load order, that has both symbols; else the first that has one. */
static bool find_loaded(struct candidate *found) {
    struct names names = {0};
    struct candidate partial = {0};
    const char *why;
    dl_iterate_phdr(remember_name, &names);
    for (size_t i = 0; i < names.count; i++) {
        struct candidate candidate = {0};
        if (!is_complete(found) && open_candidate(names.name[i], RTLD_LAZY | RTLD_NOLOAD, &candidate, &why)) {
            bool holder = is_holder(&candidate, names.name[i]);
            if (holder && is_complete(&candidate))
                *found = candidate;
            else if (holder && !partial.handle)
                partial = candidate;
            else
                dlclose(candidate.handle);
        }
        free(names.name[i]);
    }
    free(names.name);
    if (!found->handle)
        *found = partial;
    else if (partial.handle)
        dlclose(partial.handle);
    return found->handle != NULL;
}

static bool find_requested(const char *name, struct candidate *found) {
    const char *why = "";
    if (!name || !*name)
        return false;
    if (open_candidate(name, RTLD_NOW, found, &why))
        return true;
    lava_log_always("LAVABLAS_CPU_BLAS=%s is not used: %s", name, why);
    return false;
}

static bool find_fallback(const char *const *names, struct candidate *found) {
    const char *why;
    for (; *names; names++) {
        if (open_candidate(*names, RTLD_NOW, found, &why))
            return true;
    }
    return false;
}

static void fill_path(struct lava_cpu_blas *blas, const void *address) {
    Dl_info info;
    const char *path = dladdr(address, &info) && info.dli_fname ? info.dli_fname : "unknown";
    snprintf(blas->path, sizeof blas->path, "%s", path);
}

/* Keeps the library that holds the address in the process, without a handle. */
static void keep(const void *address) {
    Dl_info info;
    void *handle = dladdr(address, &info) && info.dli_fname
                       ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)
                       : NULL;
    if (handle)
        dlclose(handle);
}

/* Half precision, each routine apart: libraries have some of them or none. What the chosen library lacks may
 * lie in another that the program is linked with, which it would have called without this one. */
static void find_half(void *handle, struct lava_cpu_blas *blas) {
    for (int routine = LAVA_ROUTINE_FIRST_HALF; routine < LAVA_ROUTINE_COUNT; routine++) {
        const char *name = lava_routine_name((enum lava_routine)routine);
        void *address = NULL;
        if (!handle || judge_symbol(handle, name, &address) != USABLE) {
            if (judge_symbol(RTLD_NEXT, name, &address) != USABLE)
                continue;
            keep(address);
        }
        memcpy(&blas->half[routine], &address, sizeof blas->half[routine]);
    }
    dlerror(); /* that one is missing is not for the program to hear */
}

void *lava_find_blas(const struct lava_find_sources *sources, struct lava_cpu_blas *blas) {
    struct candidate found = {0};
    *blas = (struct lava_cpu_blas){0};
    if (!find_requested(sources->requested, &found) && !find_loaded(&found) &&
        !find_fallback(sources->fallbacks, &found)) {
        lava_log_always("no BLAS library was found, products on the CPU will be slow: "
                        "install OpenBLAS (Debian: libopenblas0) or set LAVABLAS_CPU_BLAS");
        blas->cblas_sgemm = lava_reference_cblas_sgemm;
        blas->sgemm = lava_reference_sgemm;
        snprintf(blas->path, sizeof blas->path, "%s", LAVA_REFERENCE_PATH);
        find_half(NULL, blas);
        return NULL;
    }
    memcpy(&blas->cblas_sgemm, &found.cblas_sgemm, sizeof blas->cblas_sgemm);
    memcpy(&blas->sgemm, &found.sgemm, sizeof blas->sgemm);
    fill_path(blas, found.cblas_sgemm ? found.cblas_sgemm : found.sgemm);
    lava_compose_missing(blas);
    find_half(found.handle, blas);
    return found.handle;
}
