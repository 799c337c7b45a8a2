/* Finds the BLAS that calls reach without LavaBLAS, by the objects that a process had when it ended.
 *
 * A routine is out of reach if the program's own file defines it, because a program comes before every
 * preloaded library. It probably is if no other object looks it up by its name and no call of it has come:
 * then it is called from inside its own library, or by an address that dlsym found. */
#include <stdlib.h>
#include <string.h>

#include "tools/elf_file.h"
#include "tools/report_sum.h"

#define OBJECTS_MAX 4096

static const char in_program[] = "the program contains it, and comes before every preloaded library";
static const char unsought[] =
    "no other object looks it up by name and no call has come: it can only be called "
    "from inside its library or by dlsym";
static const char renamed[] = "its names are not those of any BLAS that LavaBLAS knows";

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* LavaBLAS's own files, and the library that it has opened for its own use. */
static bool is_ours(const struct json *process, const char *path) {
    const char *cpu_blas = json_text(process, "cpu_blas", "");
    return !strncmp(base_name(path), "liblavablas.so", strlen("liblavablas.so")) || !strcmp(path, cpu_blas);
}

/* Returns whether another object looks up a routine that this one defines. */
static bool is_sought(const struct elf_object *object, const int *seekers) {
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        if (object->defines[routine] && seekers[routine] > (object->seeks[routine] ? 1 : 0))
            return true;
    return false;
}

/* Returns whether a call of a routine that this object defines was counted. */
static bool is_called(const struct elf_object *object, const struct json *process) {
    for (const struct json *entry = json_elements(process, "calls"); entry; entry = entry->next)
        for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
            if (object->defines[routine] &&
                !strcmp(lava_routine_name((enum lava_routine)routine), json_text(entry, "routine", "")))
                return true;
    return false;
}

static const char *first_defined(const struct elf_object *object) {
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        if (object->defines[routine])
            return lava_routine_name((enum lava_routine)routine);
    return object->hidden;
}

/* Objects that define or look up a routine of the table, or contain another BLAS. */
struct found {
    const char *path;
    struct elf_object *object;
};

static size_t read_objects(const struct json *process, struct found *found, int *seekers) {
    size_t count = 0;
    struct elf_object object;
    for (const struct json *path = json_elements(process, "objects"); path; path = path->next) {
        if (path->kind != JSON_TEXT || is_ours(process, path->text))
            continue;
        elf_file_read(path->text, &object);
        for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
            seekers[routine] += object.seeks[routine];
        if ((object.defined == 0 && !object.hidden[0]) || count == OBJECTS_MAX)
            continue;
        found[count].path = path->text;
        if (!(found[count].object = malloc(sizeof object)))
            break;
        *found[count++].object = object;
    }
    return count;
}

static void judge_program(const struct json *process, struct report *report, int *seekers) {
    const char *path = json_text(process, "program", "");
    struct elf_object object;
    elf_file_read(path, &object);
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        seekers[routine] += object.seeks[routine];
    if (object.defined > 0 || object.hidden[0])
        report_add_bypass(report, path, first_defined(&object), in_program);
}

void report_find_bypasses(const struct json *process, struct report *report) {
    static struct found found[OBJECTS_MAX];
    static int seekers[LAVA_ROUTINE_COUNT];
    bool any_known = false;
    memset(seekers, 0, sizeof seekers);
    judge_program(process, report, seekers);
    size_t count = read_objects(process, found, seekers);
    for (size_t i = 0; i < count; i++)
        any_known |= found[i].object->defined > 0;
    for (size_t i = 0; i < count; i++) {
        const struct elf_object *object = found[i].object;
        if (object->defined > 0 && !is_sought(object, seekers) && !is_called(object, process))
            report_add_bypass(report, found[i].path, first_defined(object), unsought);
        else if (object->defined == 0 && !any_known)
            report_add_bypass(report, found[i].path, object->hidden, renamed);
        free(found[i].object);
    }
}
