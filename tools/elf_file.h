/* What an ELF file has to do with BLAS: which routines of the library's table it defines, and which it looks
 * up by their names, so that a preloaded library can come before. For one thread only. */
#ifndef LAVA_TOOLS_ELF_FILE_H
#define LAVA_TOOLS_ELF_FILE_H

#include <stdbool.h>

#include "lib/base/routines.h"

enum elf_kind {
    ELF_UNREADABLE, /* no such file, or no permission */
    ELF_OTHER,      /* no ELF file: a script, for example */
    ELF_FOREIGN,    /* ELF for another machine or word size */
    ELF_STATIC,     /* without anything for a loader */
    ELF_DYNAMIC
};

struct elf_object {
    enum elf_kind kind;
    bool is_32_bit;
    bool has_interpreter;             /* names a loader: a program without one takes no preloaded library */
    bool defines[LAVA_ROUTINE_COUNT]; /* exports the routine */
    bool seeks[LAVA_ROUTINE_COUNT];   /* looks it up by name */
    int defined, sought;              /* how many those are */
    char hidden[64]; /* a routine that it contains but does not export, or that has a name of its own, such as
                      * mkl_blas_dgemm; "": none was seen */
};

/* Fills *object. */
void elf_file_read(const char *path, struct elf_object *object);

#endif
