/* Reads the dynamic symbols of the loaded objects (System V gABI; DT_GNU_HASH as in binutils and glibc).
 * Called by lib/host/find.
 *
 * Invariant: nothing is opened, and under the loader's lock nothing but names is stored. */
#include "lib/host/objects.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS (8 * sizeof(ElfW(Addr)))

struct table {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash; /* NULL: there is none */
};

/* Some loaders leave addresses as they are in the file, relative to the object's. */
static const void *address_of(const struct dl_phdr_info *info, const ElfW(Dyn) * entry) {
    ElfW(Addr) address = entry->d_un.d_ptr;
    if (address < info->dlpi_addr)
        address += info->dlpi_addr;
    return (const void *)(uintptr_t)address;
}

static struct table table_of(const struct dl_phdr_info *info) {
    struct table table = {0};
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_SYMTAB)
                table.symbols = address_of(info, entry);
            else if (entry->d_tag == DT_STRTAB)
                table.strings = address_of(info, entry);
            else if (entry->d_tag == DT_GNU_HASH)
                table.hash = address_of(info, entry);
        }
    }
    return table;
}

static uint32_t hash_of(const char *symbol) {
    uint32_t hash = 5381;
    for (; *symbol; symbol++)
        hash = 33 * hash + (unsigned char)*symbol;
    return hash;
}

/* Whether the table's Bloom filter may have it. */
static bool may_have(const uint32_t *table, uint32_t hash) {
    const ElfW(Addr) *filter = (const void *)&table[4];
    ElfW(Addr) word = filter[hash / WORD_BITS % table[2]], one = 1;
    return (word >> hash % WORD_BITS & one) && (word >> (hash >> table[3]) % WORD_BITS & one);
}

/* The header is: number of buckets, first symbol, words of the filter, its shift. A bucket has the first of
 * its symbols, and a chain their hashes, of which the last one is odd. */
static bool defines(const struct table *table, const char *symbol, uint32_t hash) {
    const uint32_t *header = table->hash;
    const uint32_t *buckets = (const void *)((const ElfW(Addr) *)(const void *)&header[4] + header[2]);
    const uint32_t *chains = &buckets[header[0]];
    if (header[0] == 0 || header[2] == 0 || !may_have(header, hash))
        return false;
    uint32_t at = buckets[hash % header[0]];
    if (at < header[1])
        return false;
    for (;; at++) {
        uint32_t other = chains[at - header[1]];
        const ElfW(Sym) *found = &table->symbols[at];
        if ((other | 1) == (hash | 1) && found->st_shndx != SHN_UNDEF &&
            strcmp(table->strings + found->st_name, symbol) == 0)
            return true;
        if (other & 1)
            return false;
    }
}

static bool contains(const struct dl_phdr_info *info, uintptr_t address) {
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
            return true;
    }
    return false;
}

struct place {
    uintptr_t address;
    const void *object;
};

static int look_for(struct dl_phdr_info *info, size_t size, void *context) {
    struct place *place = context;
    (void)size;
    if (contains(info, place->address))
        place->object = info->dlpi_phdr;
    return place->object != NULL;
}

const void *lava_objects_holder(const void *address) {
    struct place place = {.address = (uintptr_t)address};
    dl_iterate_phdr(look_for, &place);
    return place.object;
}

/* memcpy, because ISO C does not allow casts between function and object pointers. POSIX does. */
const void *lava_objects_own(void) {
    const void *(*function)(void) = lava_objects_own, *address;
    memcpy(&address, &function, sizeof address);
    return lava_objects_holder(address);
}

struct search {
    const void *own;
    const char *const *symbols;
    size_t count;
    struct lava_objects found;
};

static bool is_wanted(const struct search *search, const struct dl_phdr_info *info) {
    const struct table table = table_of(info);
    if (!table.symbols || !table.strings)
        return false;
    for (size_t i = 0; i < search->count; i++)
        if (!table.hash || defines(&table, search->symbols[i], hash_of(search->symbols[i])))
            return true;
    return false;
}

/* Returns false without memory. */
static bool append(struct lava_objects *objects, const char *name) {
    if (objects->count == objects->capacity) {
        size_t capacity = objects->capacity ? 2 * objects->capacity : 8;
        char **grown = realloc(objects->names, capacity * sizeof *grown);
        if (!grown)
            return false;
        objects->names = grown;
        objects->capacity = capacity;
    }
    char *copy = strdup(name);
    if (copy)
        objects->names[objects->count++] = copy;
    return copy != NULL;
}

/* Runs under the loader's lock. */
static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    struct search *search = context;
    (void)size;
    if (!info->dlpi_name || !*info->dlpi_name || info->dlpi_phdr == search->own || !is_wanted(search, info))
        return 0;
    return !append(&search->found, info->dlpi_name);
}

struct lava_objects lava_objects_defining(const char *const *symbols, size_t count) {
    struct search search = {.own = lava_objects_own(), .symbols = symbols, .count = count};
    dl_iterate_phdr(look_at, &search);
    return search.found;
}

void lava_objects_free(struct lava_objects *objects) {
    for (size_t i = 0; i < objects->count; i++)
        free(objects->names[i]);
    free(objects->names);
}
