/* Reads the symbols and relocations of ELF files. Called by report_sum.c for the objects of a process, and by
 * run.c for the program.
 *
 * An object looks a routine up by its name if the symbol is undefined, or if a relocation names it: an
 * object that defines a routine, and calls it, has such a relocation only if it lets others come before.
 *
 * Invariant: nothing outside of the file's bytes is read, whatever the file says. */
#include "tools/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const unsigned char *bytes;
    size_t size;
    const ElfW(Ehdr) * header;
};

struct symbols {
    const ElfW(Sym) * table;
    size_t count;
    const char *names;
    size_t names_bytes;
};

static struct {
    const char *name;
    int routine;
} sorted[LAVA_ROUTINE_COUNT];

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(void) {
    if (sorted[0].name)
        return;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        sorted[i].name = lava_routine_name((enum lava_routine)i);
        sorted[i].routine = i;
    }
    qsort(sorted, LAVA_ROUTINE_COUNT, sizeof sorted[0], by_name);
}

/* Returns -1 if it is no routine of the table. */
static int find_routine(const char *name) {
    size_t low = 0, high = LAVA_ROUTINE_COUNT;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(sorted[middle].name, name);
        if (order == 0)
            return sorted[middle].routine;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* Returns NULL if the file ends before. */
static const void *part(const struct file *file, uint64_t offset, uint64_t bytes) {
    return offset <= file->size && bytes <= file->size - offset ? file->bytes + offset : NULL;
}

/* Returns NULL also if the place is not aligned, as that of every table is. */
static const void *table(const struct file *file, uint64_t offset, uint64_t bytes) {
    return offset % sizeof(ElfW(Addr)) == 0 ? part(file, offset, bytes) : NULL;
}

static const ElfW(Shdr) * section(const struct file *file, size_t index) {
    const ElfW(Ehdr) *header = file->header;
    if (index >= header->e_shnum || header->e_shentsize != sizeof(ElfW(Shdr)))
        return NULL;
    return table(file, header->e_shoff + index * sizeof(ElfW(Shdr)), sizeof(ElfW(Shdr)));
}

static bool find_symbols(const struct file *file, const ElfW(Shdr) * from, struct symbols *symbols) {
    const ElfW(Shdr) *names = section(file, from->sh_link);
    if (!names || from->sh_entsize != sizeof(ElfW(Sym)))
        return false;
    symbols->count = from->sh_size / sizeof(ElfW(Sym));
    symbols->table = table(file, from->sh_offset, from->sh_size);
    symbols->names = part(file, names->sh_offset, names->sh_size);
    symbols->names_bytes = names->sh_size;
    /* with its terminator at the end, every name is inside */
    return symbols->table && symbols->names && symbols->names_bytes > 0 &&
           symbols->names[symbols->names_bytes - 1] == '\0';
}

static const char *name_of(const struct symbols *symbols, size_t i) {
    size_t place = i < symbols->count ? symbols->table[i].st_name : symbols->names_bytes;
    return place < symbols->names_bytes ? symbols->names + place : "";
}

/* Returns whether it is dgemm or the like with a prefix that the table does not have. */
static bool is_another_gemm(const char *name) {
    static const char *const ends[] = {"dgemm", "dgemm_", "dgemm_64_", "dgemm64_", "sgemm", "sgemm_"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t tail = strlen(ends[i]);
        if (length > tail && !strcmp(name + length - tail, ends[i]) && name[length - tail - 1] == '_')
            return true;
    }
    return false;
}

static void note(bool *places, int *count, int routine) {
    *count += !places[routine];
    places[routine] = true;
}

/* exported: the table is that of the loader; else that of the linker, with what is not exported. */
static void read_symbols(const struct symbols *symbols, bool exported, struct elf_object *object) {
    for (size_t i = 1; i < symbols->count; i++) {
        const ElfW(Sym) *symbol = &symbols->table[i];
        const char *name = name_of(symbols, i);
        int kind = ELF64_ST_TYPE(symbol->st_info); /* the same of ELF32 */
        bool is_defined = symbol->st_shndx != SHN_UNDEF && (kind == STT_FUNC || kind == STT_GNU_IFUNC);
        bool is_sought = symbol->st_shndx == SHN_UNDEF && exported;
        if (!is_defined && !is_sought)
            continue;
        int routine = find_routine(name);
        if (routine >= 0 && is_sought)
            note(object->seeks, &object->sought, routine);
        else if (routine >= 0 && exported)
            note(object->defines, &object->defined, routine);
        else if (is_defined && !object->hidden[0] && (routine >= 0 || is_another_gemm(name)) &&
                 (routine < 0 || !object->defines[routine]))
            snprintf(object->hidden, sizeof object->hidden, "%s", name);
    }
}

static void read_relocations(const struct file *file, const ElfW(Shdr) * from, struct elf_object *object) {
    const ElfW(Shdr) *linked = section(file, from->sh_link);
    struct symbols symbols;
    size_t each = from->sh_type == SHT_RELA ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
    const unsigned char *bytes = part(file, from->sh_offset, from->sh_size);
    if (!linked || linked->sh_type != SHT_DYNSYM || !find_symbols(file, linked, &symbols) || !bytes ||
        from->sh_entsize != each)
        return;
    for (size_t at = 0; at + each <= from->sh_size; at += each) {
        ElfW(Rel) relocation; /* a Rela begins like it */
        memcpy(&relocation, bytes + at, sizeof relocation);
        size_t symbol =
            sizeof(ElfW(Addr)) == 8 ? (size_t)((uint64_t)relocation.r_info >> 32) : relocation.r_info >> 8;
        int routine = symbol ? find_routine(name_of(&symbols, symbol)) : -1;
        if (routine >= 0)
            note(object->seeks, &object->sought, routine);
    }
}

/* The loader's symbols come first: what the linker's have besides is not exported. */
static void read_sections(const struct file *file, struct elf_object *object) {
    struct symbols symbols;
    const ElfW(Shdr) * at;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; (at = section(file, i)); i++)
            if (at->sh_type == (pass == 0 ? SHT_DYNSYM : SHT_SYMTAB) && find_symbols(file, at, &symbols))
                read_symbols(&symbols, pass == 0, object);
    for (size_t i = 0; (at = section(file, i)); i++)
        if (at->sh_type == SHT_RELA || at->sh_type == SHT_REL)
            read_relocations(file, at, object);
}

static bool has_segment(const struct file *file, uint32_t type) {
    const ElfW(Ehdr) *header = file->header;
    for (size_t i = 0; i < header->e_phnum && header->e_phentsize == sizeof(ElfW(Phdr)); i++) {
        const ElfW(Phdr) *segment = table(file, header->e_phoff + i * sizeof(ElfW(Phdr)), sizeof(ElfW(Phdr)));
        if (segment && segment->p_type == type)
            return true;
    }
    return false;
}

/* This program is for the machine that the objects must be for. */
static uint16_t own_machine(void) {
    static uint16_t machine;
    int file = machine ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ElfW(Ehdr) header;
    if (file >= 0 && read(file, &header, sizeof header) == (ssize_t)sizeof header)
        machine = header.e_machine;
    if (file >= 0)
        close(file);
    return machine;
}

static void judge(struct file *file, struct elf_object *object) {
    const unsigned char class = sizeof(ElfW(Addr)) == 8 ? ELFCLASS64 : ELFCLASS32;
    file->header = table(file, 0, sizeof *file->header);
    object->kind = ELF_OTHER;
    if (!part(file, 0, EI_NIDENT) || memcmp(file->bytes, ELFMAG, SELFMAG) != 0)
        return;
    object->kind = ELF_FOREIGN;
    object->is_32_bit = file->size > EI_CLASS && file->bytes[EI_CLASS] == ELFCLASS32;
    if (!file->header || file->bytes[EI_CLASS] != class || file->header->e_machine != own_machine())
        return;
    object->has_interpreter = has_segment(file, PT_INTERP);
    object->kind = has_segment(file, PT_DYNAMIC) ? ELF_DYNAMIC : ELF_STATIC;
    read_sections(file, object);
}

void elf_file_read(const char *path, struct elf_object *object) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    *object = (struct elf_object){.kind = ELF_UNREADABLE};
    sort_names();
    if (descriptor >= 0 && !fstat(descriptor, &status) && S_ISREG(status.st_mode)) {
        struct file file = {.size = (size_t)status.st_size};
        void *bytes = file.size ? mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
        object->kind = ELF_OTHER;
        if (bytes != MAP_FAILED) {
            file.bytes = bytes;
            judge(&file, object);
            munmap(bytes, file.size);
        }
    }
    if (descriptor >= 0)
        close(descriptor);
}
