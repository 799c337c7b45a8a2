/* Replaces the code of a driver's objects, in a child of fork() that ends, by instructions that return.
 * Called by process.c.
 *
 * Invariant: the tables are written only between lava_silence_begin and lava_silence_end. An object is
 * replaced only if it still is what was noted: at the same address, under the same name. No lock is taken
 * in the child, because another thread of the parent may have held it. */
#include "lib/offload/silence.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Mesa's driver brings about 30 objects, and Python programs have hundreds. */
#define MOST_DRIVERS 256
#define MOST_OBJECTS 4096
#define MOST_SPANS   4
#define NAME_BYTES   256
/* One block of instructions is mapped wherever the driver's code was: LLVM's alone is 60 MiB. */
#define BLOCK_BYTES ((size_t)1 << 20)

#if defined(__x86_64__) || defined(__i386__)
static const uint8_t return_code[] = {0xc3}; /* ret */
#elif defined(__aarch64__)
static const uint8_t return_code[] = {0xc0, 0x03, 0x5f, 0xd6}; /* ret */
#elif defined(__riscv)
static const uint8_t return_code[] = {0x82, 0x80}; /* ret, compressed */
#else
static const uint8_t return_code[] = {0};
#    define CANNOT_RETURN 1
#endif

/* These serve the program without being named by its objects: the C library opens libgcc_s for threads that
 * end, and a program may open the others by name. Their destructors know no thread. */
static const char *const runtimes[] = {"libc.so",      "libm.so", "ld-",           "libgcc_s.so",
                                       "libstdc++.so", "libc++",  "libpthread.so", "libdl.so"};

struct object {
    ElfW(Addr) address;
    char name[NAME_BYTES];
    struct {
        uintptr_t begin, end;
    } spans[MOST_SPANS]; /* of code */
    int span_count;
};

static struct {
    ElfW(Addr) known[MOST_OBJECTS]; /* what was there before a driver was loaded */
    size_t known_count;
    struct object drivers[MOST_DRIVERS];
    size_t driver_count;
    bool is_full, is_silent;
} silence;

static int note_known(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    if (silence.known_count == MOST_OBJECTS)
        return 1;
    silence.known[silence.known_count++] = info->dlpi_addr;
    return 0;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_runtime(const char *path) {
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++)
        if (!strncmp(base_name(path), runtimes[i], strlen(runtimes[i])))
            return true;
    return false;
}

static bool is_known(ElfW(Addr) address) {
    for (size_t i = 0; i < silence.known_count; i++)
        if (silence.known[i] == address)
            return true;
    return false;
}

static const struct object *driver_at(ElfW(Addr) address, const char *name) {
    for (size_t i = 0; i < silence.driver_count; i++)
        if (silence.drivers[i].address == address && !strncmp(silence.drivers[i].name, name, NAME_BYTES - 1))
            return &silence.drivers[i];
    return NULL;
}

/* Some loaders leave addresses as they are in the file. */
static uintptr_t moved(ElfW(Addr) base, ElfW(Addr) address) {
    return (uintptr_t)(address < base ? base + address : address);
}

/* Returns where the tables of symbols and relocations end. The loader reads them when a library of the
 * program's calls another for the first time: it may look into a driver's objects. */
static uintptr_t end_of_tables(const struct dl_phdr_info *info) {
    static const struct {
        ElfW(Sxword) address, bytes;
    } tables[] = {
        {DT_STRTAB, DT_STRSZ}, {DT_RELA, DT_RELASZ}, {DT_REL, DT_RELSZ}, {DT_JMPREL, DT_PLTRELSZ},
        {DT_HASH, 0},          {DT_GNU_HASH, 0},     {DT_SYMTAB, 0},     {DT_VERSYM, 0},
        {DT_VERNEED, 0},       {DT_VERDEF, 0},
    };
    uintptr_t last = 0;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *first = (const void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++) {
            uintptr_t begin = 0, bytes = 1;
            for (const ElfW(Dyn) *entry = first; entry->d_tag != DT_NULL; entry++) {
                if (entry->d_tag == tables[table].address)
                    begin = moved(info->dlpi_addr, entry->d_un.d_ptr);
                else if (tables[table].bytes && entry->d_tag == tables[table].bytes)
                    bytes = (uintptr_t)entry->d_un.d_val;
            }
            last = begin + bytes > last ? begin + bytes : last;
        }
    }
    return last;
}

/* Some linkers put an object's headers and tables before its code, into the same segment. These pages stay.
 */
static void note_code(struct object *object, const struct dl_phdr_info *info) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uintptr_t begin = (info->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
        uintptr_t tables = (end_of_tables(info) + page - 1) & ~(page - 1);
        if (segment->p_offset == 0)
            begin += page;
        if (tables > begin && tables <= end)
            begin = tables;
        if (object->span_count == MOST_SPANS || segment->p_flags & PF_W)
            silence.is_full = true;
        else if (begin < end) {
            object->spans[object->span_count].begin = begin;
            object->spans[object->span_count++].end = end;
        }
    }
}

static int note_driver(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    if (is_known(info->dlpi_addr) || driver_at(info->dlpi_addr, info->dlpi_name) ||
        is_runtime(info->dlpi_name))
        return 0;
    if (silence.driver_count == MOST_DRIVERS) {
        silence.is_full = true;
        return 1;
    }
    struct object *object = &silence.drivers[silence.driver_count];
    *object = (struct object){.address = info->dlpi_addr};
    strncpy(object->name, info->dlpi_name, NAME_BYTES - 1);
    note_code(object, info);
    silence.driver_count++;
    return 0;
}

void lava_silence_begin(void) {
    silence.known_count = 0;
    silence.is_full = silence.is_full || dl_iterate_phdr(note_known, NULL);
}

void lava_silence_end(void) {
    dl_iterate_phdr(note_driver, NULL);
}

/* The loader's list of objects. `_r_debug` is what debuggers read. */
static const struct link_map *objects(void) {
    return _r_debug.r_map;
}

static const ElfW(Dyn) * entry_of(const struct link_map *object, ElfW(Sxword) tag) {
    for (const ElfW(Dyn) *entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag)
            return entry;
    return NULL;
}

static const char *strings_of(const struct link_map *object) {
    const ElfW(Dyn) *entry = entry_of(object, DT_STRTAB);
    return entry ? (const char *)moved(object->l_addr, entry->d_un.d_ptr) : NULL;
}

static bool names(const struct link_map *object, const char *needed) {
    const ElfW(Dyn) *own = entry_of(object, DT_SONAME);
    const char *strings = strings_of(object);
    return !strcmp(base_name(object->l_name), base_name(needed)) ||
           (own && strings && !strcmp(strings + own->d_un.d_val, needed));
}

/* An object of the driver's list, and whether it is the program's, too. */
struct candidate {
    const struct link_map *map;
    const struct object *object;
    bool is_shared;
};

/* Marks what this object needs. Returns whether any was not yet marked. */
static bool share_needed(const struct link_map *map, struct candidate *candidates, size_t count) {
    const char *strings = strings_of(map);
    bool any = false;
    for (const ElfW(Dyn) *entry = map->l_ld; strings && entry && entry->d_tag != DT_NULL; entry++)
        for (size_t i = 0; i < count && entry->d_tag == DT_NEEDED; i++)
            if (!candidates[i].is_shared && names(candidates[i].map, strings + entry->d_un.d_val))
                any = candidates[i].is_shared = true;
    return any;
}

/* Returns the number of objects that came with a driver and are still there. */
static size_t find_candidates(struct candidate *candidates) {
    size_t count = 0;
    for (const struct link_map *map = objects(); map && count < MOST_DRIVERS; map = map->l_next) {
        const struct object *object = driver_at(map->l_addr, map->l_name);
        if (object)
            candidates[count++] = (struct candidate){map, object, false};
    }
    for (const struct link_map *map = objects(); map; map = map->l_next)
        if (!driver_at(map->l_addr, map->l_name))
            share_needed(map, candidates, count);
    for (bool any = true; any;) {
        any = false;
        for (size_t i = 0; i < count; i++)
            any = (candidates[i].is_shared && share_needed(candidates[i].map, candidates, count)) || any;
    }
    return count;
}

static void *make_block(void) {
    uint8_t *block = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    for (size_t i = 0; i < BLOCK_BYTES; i++)
        block[i] = return_code[i % sizeof return_code];
    __builtin___clear_cache((char *)block, (char *)block + BLOCK_BYTES);
    return mprotect(block, BLOCK_BYTES, PROT_READ | PROT_EXEC) ? NULL : block;
}

/* A size of 0 maps the block a second time. */
static bool replace(uintptr_t begin, uintptr_t end, void *block) {
    for (; begin < end; begin += BLOCK_BYTES) {
        size_t bytes = end - begin < BLOCK_BYTES ? end - begin : BLOCK_BYTES;
        if (mremap(block, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)begin) == MAP_FAILED)
            return false;
    }
    return true;
}

bool lava_silence_driver(void) {
    static struct candidate candidates[MOST_DRIVERS];
    if (silence.is_silent)
        return true;
#ifdef CANNOT_RETURN
    return silence.driver_count == 0;
#endif
    if (silence.is_full)
        return false;
    size_t count = find_candidates(candidates);
    void *block = count > 0 ? make_block() : NULL;
    for (size_t i = 0; i < count; i++)
        for (int span = 0; !candidates[i].is_shared && span < candidates[i].object->span_count; span++)
            if (!block || !replace(candidates[i].object->spans[span].begin,
                                   candidates[i].object->spans[span].end, block))
                return false;
    silence.is_silent = true;
    return true;
}
