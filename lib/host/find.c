/* Finds the CPU BLAS, and routines by name. Called by lib/host/cpu_blas, once for each, and by tests.
 *
 * dlsym(RTLD_NEXT) would miss a library that was loaded RTLD_LOCAL, as NumPy's and Julia's are. Instead the
 * list of loaded objects is walked, and each that defines a name is opened again with RTLD_NOLOAD. dlsym on
 * such a handle also searches the object's dependencies, so an address is attributed to the object that
 * contains it, never to the handle it came from.
 *
 * Invariant: every handle except that of the result is closed again, and no result leads back to this
 * library. */
#include "lib/host/find.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/host/elf_objects.h"
#include "lib/host/reference_blas.h"

/* Objects that define one of these forward a product to another library, which may be this one. */
static const char *const forwarder_marks[] = {
    "lavablas_version", /* another copy of this library */
    "lbt_forward",      /* libblastrampoline */
    "flexiblas_avail",  /* FlexiBLAS */
};

enum verdict { USABLE, NO_GEMM, FORWARDS, ILP64 };

static const char *const verdict_texts[] = {
    [USABLE] = "usable",
    [NO_GEMM] = "it has neither cblas_sgemm nor sgemm_, nor scipy_sgemm_, sgemm_64_ or the like",
    [FORWARDS] = "it is LavaBLAS itself or forwards to it",
    [ILP64] = "its integers are 64 bits wide (ILP64)",
};

/* Rank: prefer the library whose exported names most callers use. */
enum rank { UNUSABLE, OTHER_NAMES, ONE_PLAIN_NAME, BOTH_PLAIN_NAMES };

struct candidate {
    void *handle;
    enum rank rank;
    void *fortran, *cblas; /* addresses of the plain names; NULL: not usable */
    void *other;           /* used if there is neither */
};

/* dlsym limited to one object, without the handle's dependencies. */
static void *symbol_in(void *handle, const char *name, const void *object) {
    void *address = dlsym(handle, name);
    return address && lava_elf_objects_holder(address) == object ? address : NULL;
}

static bool forwards(void *handle, const void *object) {
    if (object == lava_elf_objects_own())
        return true;
    for (size_t i = 0; i < sizeof forwarder_marks / sizeof forwarder_marks[0]; i++) {
        if (symbol_in(handle, forwarder_marks[i], object))
            return true;
    }
    return false;
}

static const char *isamax_name(const char *prefix) {
    return strncmp(prefix, "scipy_", 6) == 0 ? "scipy_isamax_" : "isamax_";
}

/* libblastrampoline's probe. Read as 32 bits, this length is 3 and the answer is 2. Read as 64 bits, it is
 * negative and the answer is 0. NULL: false. */
static bool is_isamax_wide(void *address) {
    typedef int64_t isamax_function(const int64_t *n, const float *x, const int64_t *increment);
    const int64_t length = (int64_t)0xffffffff00000003u, increment = 1;
    const float x[3] = {1, 2, 1};
    isamax_function *isamax;
    if (!address)
        return false;
    memcpy(&isamax, &address, sizeof isamax);
    return (isamax(&length, x, &increment) & 0xffffffff) == 0;
}

static bool is_ilp64(void *handle, const void *object, const char *prefix) {
    return is_isamax_wide(symbol_in(handle, isamax_name(prefix), object));
}

/* A name without prefix and suffix may belong to something other than a BLAS. */
static bool is_ambiguous(const struct lava_routine_row *row) {
    return !*row->prefix && !*row->suffix;
}

/* Returns whether an ambiguous name in a library is the routine: the library must also have Fortran's name
 * for it. */
static bool has_fortran_name(void *handle, const struct lava_routine_row *row, const void *object) {
    char name[32];
    snprintf(name, sizeof name, "%s_", row->routine);
    return symbol_in(handle, name, object) != NULL;
}

/* Sets *address to NULL unless the verdict is USABLE. */
static enum verdict judge_symbol(void *handle, enum lava_routine routine, void **address) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    enum verdict verdict = USABLE;
    *address = row->convention == LAVA_CONVENTION_OWN ? NULL : dlsym(handle, row->name);
    if (!*address)
        return NO_GEMM;
    const void *object = lava_elf_objects_holder(*address);
    if (forwards(handle, object))
        verdict = FORWARDS;
    else if (is_ambiguous(row) && !has_fortran_name(handle, row, object))
        verdict = NO_GEMM;
    else if (!row->is_ilp64 && !lava_routine_is_lapack(routine) && is_ilp64(handle, object, row->prefix))
        verdict = ILP64;
    if (verdict != USABLE)
        *address = NULL;
    return verdict;
}

/* Finds the first product of the type, in table order, skipping ambiguous names. Returns its routine or
 * LAVA_ROUTINE_COUNT. */
static enum lava_routine find_product(void *handle, enum lava_type type, void **address) {
    *address = NULL;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (row->family == LAVA_FAMILY_GEMM && row->type == type && !is_ambiguous(row) &&
            judge_symbol(handle, (enum lava_routine)i, address) == USABLE)
            return (enum lava_routine)i;
    }
    return LAVA_ROUTINE_COUNT;
}

static enum verdict judge(struct candidate *candidate) {
    enum verdict fortran = judge_symbol(candidate->handle, LAVA_ROUTINE_sgemm_, &candidate->fortran);
    enum verdict cblas = judge_symbol(candidate->handle, LAVA_ROUTINE_cblas_sgemm, &candidate->cblas);
    if (fortran == USABLE || cblas == USABLE)
        candidate->rank = fortran == cblas ? BOTH_PLAIN_NAMES : ONE_PLAIN_NAME;
    else if (find_product(candidate->handle, LAVA_TYPE_FP32, &candidate->other) != LAVA_ROUTINE_COUNT)
        candidate->rank = OTHER_NAMES;
    if (candidate->rank)
        return USABLE;
    return cblas == NO_GEMM ? fortran : cblas;
}

/* Opens and judges a candidate. On any verdict except USABLE it is closed again and *why gives the reason. */
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

static bool is_held_by(const void *address, const char *name) {
    Dl_info info;
    return address && dladdr(address, &info) && strcmp(info.dli_fname, name) == 0;
}

static struct lava_elf_objects objects_with_product(enum lava_type type) {
    const char *names[LAVA_ROUTINE_COUNT];
    size_t count = 0;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (row->family == LAVA_FAMILY_GEMM && row->type == type && row->convention != LAVA_CONVENTION_OWN)
            names[count++] = row->name;
    }
    return lava_elf_objects_defining(names, count);
}

/* Prefers the first object, in load order, with both plain names; then the first with one; then the first
 * with other names. An object that only depends on a BLAS does not count: keeping it open would keep a plugin
 * from being unloaded. */
static bool find_loaded(struct candidate *found) {
    struct lava_elf_objects objects = objects_with_product(LAVA_TYPE_FP32);
    const char *why;
    for (size_t i = 0; i < objects.count && found->rank < BOTH_PLAIN_NAMES; i++) {
        const char *name = objects.names[i];
        struct candidate candidate = {0};
        if (!open_candidate(name, RTLD_LAZY | RTLD_NOLOAD, &candidate, &why))
            continue;
        bool is_holder = is_held_by(candidate.fortran, name) || is_held_by(candidate.cblas, name) ||
                         is_held_by(candidate.other, name);
        void *unused = candidate.handle;
        if (is_holder && candidate.rank > found->rank) {
            unused = found->handle;
            *found = candidate;
        }
        if (unused)
            dlclose(unused);
    }
    lava_elf_objects_free(&objects);
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

/* Keeps the library that contains the address in the process, without a handle. */
static void keep(const void *address) {
    Dl_info info;
    void *handle = dladdr(address, &info) && info.dli_fname
                       ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)
                       : NULL;
    if (handle)
        dlclose(handle);
}

/* Libraries have some half-precision routines or none. If the chosen library lacks one, another that the
 * program is linked with may have it; the program would have called that one without this library. */
static bool has_product(void *handle, enum lava_type type) {
    void *address;
    struct lava_elf_objects objects = objects_with_product(type);
    bool is_there =
        objects.count > 0 && ((handle && find_product(handle, type, &address) != LAVA_ROUTINE_COUNT) ||
                              find_product(RTLD_NEXT, type, &address) != LAVA_ROUTINE_COUNT);
    lava_elf_objects_free(&objects);
    return is_there;
}

static void fill_gemms(struct lava_cpu_blas *blas) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct lava_cpu_gemm *gemm = &blas->gemm[types[i]];
        void *address;
        enum lava_routine routine = find_product(blas->handle, types[i], &address);
        if (routine == LAVA_ROUTINE_COUNT)
            continue;
        memcpy(&gemm->function, &address, sizeof gemm->function);
        gemm->convention = lava_routine_row(routine)->convention;
        gemm->is_ilp64 = lava_routine_row(routine)->is_ilp64;
        if (types[i] == LAVA_TYPE_FP32)
            fill_path(blas, address);
    }
}

void *lava_find_blas(const struct lava_find_sources *sources, struct lava_cpu_blas *blas) {
    struct candidate found = {0};
    *blas = (struct lava_cpu_blas){.path = LAVA_REFERENCE_PATH};
    bool requested = find_requested(sources->requested, &found);
    if (requested || find_loaded(&found) || find_fallback(sources->fallbacks, &found)) {
        blas->handle = found.handle;
        blas->serves_plain_names = requested || found.rank >= ONE_PLAIN_NAME;
        fill_gemms(blas);
    } else {
        lava_log_always("no BLAS library was found, products on the CPU will be slow: "
                        "install OpenBLAS (Debian: libopenblas0) or set LAVABLAS_CPU_BLAS");
    }
    for (int type = LAVA_TYPE_FP16; type <= LAVA_TYPE_BF16; type++)
        blas->has_half[type] = has_product(blas->handle, (enum lava_type)type);
    dlerror(); /* clears the error of a missing name, which the program must not see */
    return blas->handle;
}

static void *find_loaded_routine(enum lava_routine routine) {
    const char *name = lava_routine_name(routine);
    struct lava_elf_objects objects = lava_elf_objects_defining(&name, 1);
    void *found = NULL;
    for (size_t i = 0; i < objects.count && !found; i++) {
        void *address, *handle = dlopen(objects.names[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!handle)
            continue;
        if (judge_symbol(handle, routine, &address) == USABLE && is_held_by(address, objects.names[i])) {
            keep(address);
            found = address;
        }
        dlclose(handle);
    }
    lava_elf_objects_free(&objects);
    return found;
}

static void *find_fallback_routine(const char *const *names, enum lava_routine routine) {
    struct candidate found = {0};
    void *address = NULL;
    if (find_fallback(names, &found) && judge_symbol(found.handle, routine, &address) != USABLE)
        dlclose(found.handle);
    return address;
}

lava_function *lava_find_routine(const struct lava_cpu_blas *blas, const char *const *fallbacks,
                                 enum lava_routine routine) {
    lava_function *function = NULL;
    bool loaded_first = lava_routine_is_lapack(routine);
    void *address = loaded_first ? find_loaded_routine(routine) : NULL;
    if (!address && blas->handle)
        judge_symbol(blas->handle, routine, &address);
    if (!address && !loaded_first)
        address = find_loaded_routine(routine);
    if (!address && lava_routine_is_plain(routine) && !blas->serves_plain_names)
        address = find_fallback_routine(fallbacks, routine);
    memcpy(&function, &address, sizeof function);
    dlerror(); /* as above */
    return function;
}

/* If a LAPACK is a library of its own, the BLAS among its dependencies is asked. */
bool lava_find_is_wide(enum lava_routine routine, lava_function *function) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    void *address;
    Dl_info info;
    memcpy(&address, &function, sizeof address);
    if (row->is_ilp64 || !lava_routine_is_lapack(routine) || !address || !dladdr(address, &info))
        return false;
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    bool is_wide = is_isamax_wide(dlsym(handle, isamax_name(row->prefix)));
    dlclose(handle);
    dlerror(); /* as above */
    return is_wide;
}
