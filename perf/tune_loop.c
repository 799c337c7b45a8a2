/* Finds the main loop in the assembly of Mesa's drivers. Called by tune_compile.c.
 *
 * A loop is what lies between a label and a branch back to it. The syntaxes and mnemonics are of Mesa 26.1.
 */
#include "tune_loop.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LABELS       1024
#define MAX_LOOPS        256
#define LABEL_CHARACTERS 16
#define COUNT(array)     (sizeof(array) / sizeof(array)[0])

/* The first group is the label's name. */
static const struct syntax {
    const char *label, *branch, *instruction;
} syntaxes[] = {
    /* RADV */ {"^(BB[0-9]+):", "^\ts_c?branch.* (BB[0-9]+)", "^\t[a-z]"},
    /* ANV */ {"^(LABEL[0-9]+):", "^while.*(LABEL[0-9]+)", "^(\\([^)]*\\) )?[a-z][a-z0-9.]*\\("},
    /* NVK */ {"^block.* (L[0-9]+) \\[", " bra .*(L[0-9]+)", "^ .*[a-z]"},
};

enum class { CLASS_FMA, CLASS_MATRIX, CLASS_SHARED, CLASS_MEMORY, CLASSES };
/* RADV's, ANV's and NVK's mnemonics differ, so one pattern serves all. A dual instruction of RDNA3 counts
 * once. */
static const char *const patterns[CLASSES] = {
    [CLASS_FMA] =
        "(v_(dual_)?(pk_)?(fma|fmac|mad|mac|fmamk|fmaak)_(f32|f64|legacy))|^(\\(.*\\) )?mad\\(.*>D?F|[fd]fma",
    [CLASS_MATRIX] = "v_wmma|v_mfma|^(\\(.*\\) )?dpas|[hi]mma",
    [CLASS_SHARED] = "\tds_(load|read|store|write)|slm MsgDesc|(ld|st)\\.shared",
    [CLASS_MEMORY] = "(global|flat|buffer|scratch)_(load|store)|[ut]gm MsgDesc|(ld|st)\\.global",
};

struct loop_lines {
    size_t first, last;
    unsigned multiplications;
};

struct reader {
    regex_t label, branch, instruction, classes[CLASSES];
    const char **lines;
    size_t count;
    struct {
        char name[LABEL_CHARACTERS];
        size_t line;
    } labels[MAX_LABELS];
    size_t label_count;
    struct loop_lines loops[MAX_LOOPS];
    size_t loop_count;
};

static bool matches(const regex_t *pattern, const char *line) {
    return regexec(pattern, line, 0, NULL, 0) == 0;
}

/* Copies the first group. */
static bool find_name(const regex_t *pattern, const char *line, char name[LABEL_CHARACTERS]) {
    regmatch_t groups[2];
    if (regexec(pattern, line, 2, groups, 0) || groups[1].rm_so < 0)
        return false;
    size_t length = (size_t)(groups[1].rm_eo - groups[1].rm_so);
    length = length < LABEL_CHARACTERS ? length : LABEL_CHARACTERS - 1;
    memcpy(name, line + groups[1].rm_so, length);
    name[length] = 0;
    return true;
}

/* ANV writes what a message is for into the next line, which then counts for the message. */
static bool is_class(const struct reader *reader, size_t line, enum class class) {
    return matches(&reader->classes[class], reader->lines[line]);
}

static void find_loops(struct reader *reader) {
    char name[LABEL_CHARACTERS];
    for (size_t i = 0; i < reader->count; i++) {
        if (find_name(&reader->label, reader->lines[i], name) && reader->label_count < MAX_LABELS) {
            memcpy(reader->labels[reader->label_count].name, name, sizeof name);
            reader->labels[reader->label_count++].line = i;
        } else if (find_name(&reader->branch, reader->lines[i], name)) {
            for (size_t l = 0; l < reader->label_count && reader->loop_count < MAX_LOOPS; l++)
                if (!strcmp(reader->labels[l].name, name))
                    reader->loops[reader->loop_count++] = (struct loop_lines){reader->labels[l].line, i, 0};
        }
    }
}

static bool is_innermost(const struct reader *reader, size_t index) {
    const struct loop_lines *loop = &reader->loops[index];
    for (size_t i = 0; i < reader->loop_count; i++)
        if (i != index && reader->loops[i].first >= loop->first && reader->loops[i].last <= loop->last &&
            reader->loops[i].multiplications > 0)
            return false;
    return true;
}

static const struct loop_lines *main_loop(struct reader *reader) {
    const struct loop_lines *best = NULL;
    for (size_t i = 0; i < reader->loop_count; i++)
        for (size_t line = reader->loops[i].first; line <= reader->loops[i].last; line++)
            reader->loops[i].multiplications +=
                is_class(reader, line, CLASS_FMA) || is_class(reader, line, CLASS_MATRIX);
    for (size_t i = 0; i < reader->loop_count; i++)
        if (is_innermost(reader, i) && (!best || reader->loops[i].multiplications > best->multiplications))
            best = &reader->loops[i];
    return best && best->multiplications > 0 ? best : NULL;
}

static void count_lines(const struct reader *reader, const struct loop_lines *lines, struct tune_loop *loop) {
    unsigned counts[CLASSES] = {0};
    *loop = (struct tune_loop){0};
    for (size_t line = lines->first; line <= lines->last; line++) {
        loop->instructions += matches(&reader->instruction, reader->lines[line]);
        for (int class = 0; class < CLASSES; class ++)
            counts[class] += is_class(reader, line, (enum class) class);
    }
    loop->fma = counts[CLASS_FMA];
    loop->matrix = counts[CLASS_MATRIX];
    loop->shared = counts[CLASS_SHARED];
    loop->memory = counts[CLASS_MEMORY];
}

/* Cuts the text into lines. */
static bool split(char *text, struct reader *reader) {
    size_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == '\n';
    reader->lines = malloc(count * sizeof *reader->lines);
    if (!reader->lines)
        return false;
    for (char *line = text, *end; line; line = end) {
        if ((end = strchr(line, '\n')))
            *end++ = 0;
        reader->lines[reader->count++] = line;
    }
    return true;
}

static bool read_with(const struct syntax *syntax, struct reader *reader, struct tune_loop *loop) {
    const int flags = REG_EXTENDED;
    if (regcomp(&reader->label, syntax->label, flags) || regcomp(&reader->branch, syntax->branch, flags) ||
        regcomp(&reader->instruction, syntax->instruction, flags))
        abort(); /* the patterns are constants */
    reader->label_count = reader->loop_count = 0;
    find_loops(reader);
    const struct loop_lines *lines = main_loop(reader);
    if (lines)
        count_lines(reader, lines, loop);
    regfree(&reader->label);
    regfree(&reader->branch);
    regfree(&reader->instruction);
    return lines != NULL;
}

bool tune_loop_count(const char *assembly, struct tune_loop *loop) {
    struct reader *reader = calloc(1, sizeof *reader);
    char *text = strdup(assembly);
    bool found = false;
    if (reader && text && split(text, reader)) {
        for (int class = 0; class < CLASSES; class ++)
            if (regcomp(&reader->classes[class], patterns[class], REG_EXTENDED | REG_NOSUB))
                abort();
        for (size_t i = 0; i < COUNT(syntaxes) && !found; i++)
            found = read_with(&syntaxes[i], reader, loop);
        for (int class = 0; class < CLASSES; class ++)
            regfree(&reader->classes[class]);
    }
    if (reader)
        free(reader->lines);
    free(reader);
    free(text);
    return found;
}
