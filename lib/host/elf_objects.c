/* Reads the dynamic symbols of the loaded objects (System V gABI; DT_GNU_HASH as in binutils and glibc).
 * Called by lib/host/find.
 *
 * Invariant: nothing is opened, nothing outside an object's readable segments is read, and under the loader's
 * lock nothing but names is stored. */
#include "lib/host/elf_objects.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS (8 * sizeof(ElfW(Addr)))

/* Memory of an object, up to the end of the segment that it is in. */
struct span {
    const void *first; /* NULL: there is none */
    size_t bytes;
};

/* The counts are how many fit into the segments. The loader knows no others. */
struct table {
    bool is_dynamic, is_readable;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *header, *buckets, *chains;
    const ElfW(Addr) * filter;
    size_t symbol_count, string_bytes, chain_count;
};

struct wanted {
    const char *name;
    size_t bytes; /* with the zero */
    uint32_t hash;
};

static struct span span_at(const struct dl_phdr_info *info, ElfW(Addr) address, size_t alignment) {
    for (ElfW(Half) i = 0; i < info->dlpi_phnum && address % alignment == 0; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        ElfW(Addr) offset = address - info->dlpi_addr - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && offset < segment->p_filesz)
            return (struct span){(const void *)(uintptr_t)address, (size_t)(segment->p_filesz - offset)};
    }
    return (struct span){NULL, 0};
}

/* Some loaders leave addresses as they are in the file, relative to the object's; glibc does so if they
 * are read-only, as in the vdso. The object's own address is a difference modulo 2^64, so that no comparison
 * with it tells which one this is. Of both readings, the one in a segment is taken. Both are where an object
 * lies within its size of where it was linked to be; then none is taken. */
static struct span span_of(const struct dl_phdr_info *info, const ElfW(Dyn) * entry, size_t alignment) {
    struct span as_is = span_at(info, entry->d_un.d_ptr, alignment),
                moved = span_at(info, info->dlpi_addr + entry->d_un.d_ptr, alignment);
    if (as_is.first && moved.first && as_is.first != moved.first)
        return (struct span){NULL, 0};
    return as_is.first ? as_is : moved;
}

/* The header is: number of buckets, first symbol, words of the filter, its shift. */
static bool read_hash(struct table *table, const struct span *hash) {
    const size_t header_bytes = 4 * sizeof(uint32_t);
    if (hash->bytes < header_bytes)
        return false;
    table->header = hash->first;
    uint64_t words = table->header[2], buckets = table->header[0],
             bytes = header_bytes + words * sizeof(ElfW(Addr)) + buckets * sizeof(uint32_t);
    if (bytes > hash->bytes || words == 0 || buckets == 0 || table->header[3] >= 32)
        return false;
    table->filter = (const void *)&table->header[4];
    table->buckets = (const void *)&table->filter[words];
    table->chains = &table->buckets[buckets];
    table->chain_count = (hash->bytes - (size_t)bytes) / sizeof(uint32_t);
    return true;
}

static struct table table_of(const struct dl_phdr_info *info) {
    struct table table = {0};
    struct span dynamic = {0}, symbols = {0}, strings = {0}, hash = {0};
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            table.is_dynamic = true;
            dynamic = span_at(info, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, sizeof(ElfW(Addr)));
        }
    const ElfW(Dyn) *entry = dynamic.first;
    for (size_t left = dynamic.bytes / sizeof *entry; left > 0 && entry->d_tag != DT_NULL; left--, entry++) {
        if (entry->d_tag == DT_SYMTAB)
            symbols = span_of(info, entry, sizeof(ElfW(Addr)));
        else if (entry->d_tag == DT_STRTAB)
            strings = span_of(info, entry, 1);
        else if (entry->d_tag == DT_GNU_HASH)
            hash = span_of(info, entry, sizeof(ElfW(Addr)));
    }
    table.symbols = symbols.first;
    table.symbol_count = symbols.bytes / sizeof(ElfW(Sym));
    table.strings = strings.first;
    table.string_bytes = strings.bytes;
    table.is_readable = symbols.first && strings.first && read_hash(&table, &hash);
    return table;
}

static uint32_t hash_of(const char *symbol) {
    uint32_t hash = 5381;
    for (; *symbol; symbol++)
        hash = 33 * hash + (unsigned char)*symbol;
    return hash;
}

/* Returns whether the table's Bloom filter may have it. */
static bool may_have(const struct table *table, uint32_t hash) {
    ElfW(Addr) word = table->filter[hash / WORD_BITS % table->header[2]], one = 1;
    return (word >> hash % WORD_BITS & one) && (word >> (hash >> table->header[3]) % WORD_BITS & one);
}

static bool is_named(const struct table *table, const ElfW(Sym) * symbol, const struct wanted *wanted) {
    return symbol->st_name < table->string_bytes && wanted->bytes <= table->string_bytes - symbol->st_name &&
           memcmp(table->strings + symbol->st_name, wanted->name, wanted->bytes) == 0;
}

/* A bucket has the first of its symbols, and a chain their hashes, of which the last one is odd. Returns true
 * for a chain that leaves the segment. */
static bool may_define(const struct table *table, const struct wanted *wanted) {
    if (!may_have(table, wanted->hash))
        return false;
    uint32_t at = table->buckets[wanted->hash % table->header[0]], first = table->header[1];
    if (at < first)
        return false;
    for (; at - first < table->chain_count && at < table->symbol_count; at++) {
        uint32_t other = table->chains[at - first];
        const ElfW(Sym) *found = &table->symbols[at];
        if ((other | 1) == (wanted->hash | 1) && found->st_shndx != SHN_UNDEF &&
            is_named(table, found, wanted))
            return true;
        if (other & 1)
            return false;
    }
    return true;
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

const void *lava_elf_objects_holder(const void *address) {
    struct place place = {.address = (uintptr_t)address};
    dl_iterate_phdr(look_for, &place);
    return place.object;
}

/* memcpy, because ISO C does not allow casts between function and object pointers. POSIX does. */
const void *lava_elf_objects_own(void) {
    const void *(*function)(void) = lava_elf_objects_own, *address;
    memcpy(&address, &function, sizeof address);
    return lava_elf_objects_holder(address);
}

struct search {
    const void *own;
    const struct wanted *wanted;
    size_t count;
    struct lava_elf_objects found;
};

static bool is_wanted(const struct search *search, const struct dl_phdr_info *info) {
    const struct table table = table_of(info);
    for (size_t i = 0; i < search->count && table.is_dynamic; i++)
        if (!table.is_readable || may_define(&table, &search->wanted[i]))
            return true;
    return false;
}

/* Returns false without memory. */
static bool append(struct lava_elf_objects *objects, const char *name) {
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

struct lava_elf_objects lava_elf_objects_defining(const char *const *symbols, size_t count) {
    struct wanted *wanted = calloc(count, sizeof *wanted);
    struct search search = {.own = lava_elf_objects_own(), .wanted = wanted, .count = wanted ? count : 0};
    for (size_t i = 0; i < search.count; i++)
        wanted[i] = (struct wanted){symbols[i], strlen(symbols[i]) + 1, hash_of(symbols[i])};
    if (search.count > 0)
        dl_iterate_phdr(look_at, &search);
    free(wanted);
    return search.found;
}

void lava_elf_objects_free(struct lava_elf_objects *objects) {
    for (size_t i = 0; i < objects->count; i++)
        free(objects->names[i]);
    free(objects->names);
}
