/* The objects in the process, by what they define and contain. */
#ifndef LAVA_HOST_ELF_OBJECTS_H
#define LAVA_HOST_ELF_OBJECTS_H

#include <stddef.h>

struct lava_elf_objects {
    char **names; /* paths for dlopen, in load order */
    size_t count, capacity;
};

/* Returns the shared objects of the process that define one of the symbols, by reading their hash tables:
 * with hundreds of objects, as Python programs have, opening each and asking dlsym takes 5 to 20 ms. An
 * object without a GNU hash table, or with one that cannot be read, may define any. Fewer are returned if
 * memory is short. The program itself is left out, because dlsym on it
 * searches all loaded objects, and so is this library. */
struct lava_elf_objects lava_elf_objects_defining(const char *const *symbols, size_t count);
void lava_elf_objects_free(struct lava_elf_objects *objects);

/* Returns a pointer that stands for the object which contains the address; NULL: none. dladdr, which also
 * searches the object's symbols, takes up to 0.1 ms. */
const void *lava_elf_objects_holder(const void *address);
/* Returns that of this library. */
const void *lava_elf_objects_own(void);

#endif
