/* Finds a program's file and what keeps a library from being preloaded into it. Called by run.c and doctor.c.
 */
#include "tools/preloaded_program.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/config.h"
#include "tools/elf_file.h"

static bool find(const char *name, char *path, size_t size) {
    const char *folders = lava_config_environment("PATH");
    if (strchr(name, '/'))
        return (size_t)snprintf(path, size, "%s", name) < size && access(path, X_OK) == 0;
    for (const char *at = folders ? folders : "/bin:/usr/bin"; *at;) {
        size_t length = strcspn(at, ":");
        int written = snprintf(path, size, "%.*s%s%s", (int)length, at, length ? "/" : "", name);
        if ((size_t)written < size && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static const char *first_defined(const struct elf_object *object) {
    int routine = 0;
    while (!object->defines[routine])
        routine++;
    return lava_routine_name((enum lava_routine)routine);
}

bool program_judge(const char *name, struct program *program) {
    struct elf_object object;
    struct stat status;
    *program = (struct program){.routine = "everything"};
    if (!find(name, program->path, sizeof program->path))
        return false;
    elf_file_read(program->path, &object);
    bool is_native = object.kind == ELF_STATIC || object.kind == ELF_DYNAMIC;
    if (object.hidden[0])
        memcpy(program->routine, object.hidden, sizeof object.hidden);
    bool is_other_width = object.is_32_bit != (sizeof(void *) == 4);
    if (object.defined > 0)
        snprintf(program->routine, sizeof program->routine, "%s", first_defined(&object));
    program->remedy = NULL;
    if (object.kind == ELF_FOREIGN && is_other_width) {
        program->refusal = object.is_32_bit
                               ? "it is a 32-bit program, and this is a 64-bit build of LavaBLAS"
                               : "it is a 64-bit program, and this is a 32-bit build of LavaBLAS";
        program->remedy = "use a build of the program with the word size of this LavaBLAS";
    } else if (object.kind == ELF_FOREIGN) {
        program->refusal = "it is for another machine than the library";
        program->remedy = "use a build of the program for this machine";
    } else if (is_native && !object.has_interpreter) {
        program->refusal = "the program is linked statically: nothing can be preloaded";
        program->remedy = "link the program with shared libraries, with liblavablas or a shared BLAS "
                          "(doc/interception.md)";
    } else if (!stat(program->path, &status) && (status.st_mode & (S_ISUID | S_ISGID))) {
        program->refusal = "a set-user-ID program takes no preloaded library";
        program->remedy = "none: a set-user-ID program stays on the CPU";
    } else if (object.defined > 0 || object.hidden[0]) {
        program->refusal = "the program contains its BLAS, which comes before every preloaded library";
        program->remedy = "link the program with liblavablas, or with a shared BLAS, instead of a static one "
                          "(doc/interception.md)";
    }
    return true;
}
