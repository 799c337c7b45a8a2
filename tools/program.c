/* Finds a program's file and what keeps a library from being preloaded into it. Called by run.c and doctor.c.
 */
#include "tools/program.h"

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
    if (object.kind == ELF_FOREIGN)
        program->refusal = "it is for another machine or word size than the library";
    else if (is_native && !object.has_interpreter)
        program->refusal = "the program is linked statically: nothing can be preloaded";
    else if (!stat(program->path, &status) && (status.st_mode & (S_ISUID | S_ISGID)))
        program->refusal = "a set-user-ID program takes no preloaded library";
    return true;
}
