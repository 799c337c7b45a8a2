/* Reads command lines as interpreters read theirs. Called by lib/offload/program_history.c.
 *
 * The table knows the options that take another argument, so that this is not taken for the script, and those
 * that bring the program's text. An option that it does not know takes none. */
#include "lib/base/program_key.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND_LINE_BYTES 8192
#define ARGUMENTS_MOST     256

struct interpreter {
    const char *prefix;  /* of the executable's name */
    const char *taking;  /* options of one letter that take another argument, or have it at once */
    const char *texts;   /* options of one letter that bring the program's text */
    const char *modules; /* options of one letter that name a module */
    const char *file;    /* a long option that names the script, with its "="; NULL: none */
    const char *long_taking[4], *long_texts[4];
};

// clang-format off
static const struct interpreter interpreters[] = {
    /* prefix    taking     texts  modules  file        long_taking                    long_texts */
    {"python",   "WX",      "c",   "m",     NULL,      {"--check-hash-based-pycs"},   {NULL}},
    {"pypy",     "WX",      "c",   "m",     NULL,      {"--jit"},                     {NULL}},
    {"R",        "gd",      "e",   "",      "--file=", {"--gui", "--encoding"},       {NULL}},
    {"octave",   "p",       "",    "",      NULL,      {"--path", "--image-path"},    {"--eval"}},
    {"julia",    "JCptLgO", "eE",  "",      NULL,      {"--threads"},                 {"--eval", "--print"}},
    {"perl",     "IMm",     "eE",  "",      NULL,      {NULL},                        {NULL}},
    {"ruby",     "rIC",     "e",   "",      NULL,      {NULL},                        {NULL}},
    {"node",     "r",       "ep",  "",      NULL,      {"--require"},                 {"--eval", "--print"}},
    {"lua",      "l",       "e",   "",      NULL,      {NULL},                        {NULL}},
    {"guile",    "Le",      "c",   "",      NULL,      {NULL},                        {NULL}},
    {"scilab",   "",        "e",   "",      NULL,      {NULL},                        {NULL}},
    {"MATLAB",   "",        "rb",  "",      NULL,      {NULL},                        {NULL}},
};
// clang-format on

/* Scripts and modules, with those inside them, that run programs of others. */
static const char *const runners[] = {"ipykernel_launcher",
                                      "ipykernel",
                                      "ipython",
                                      "ipython3",
                                      "IPython",
                                      "jupyter",
                                      "jupyter-lab",
                                      "pytest",
                                      "pytest-3",
                                      "py.test",
                                      "unittest",
                                      "doctest",
                                      "pdb",
                                      "timeit",
                                      "cProfile",
                                      "runpy",
                                      "mpi4py",
                                      "torch",
                                      "torchrun",
                                      "accelerate",
                                      "dask",
                                      "kernprof",
                                      "coverage",
                                      "papermill"};

/* Executables that run programs of others and are not read here. */
static const char *const others[] = {"java", "php",      "tclsh", "wish",   "wine",
                                     "qemu", "ld-linux", "ld.so", "busybox"};

enum found { NOTHING, SCRIPT, MODULE };

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "R" is a whole name; "python" begins python3.12. */
static const struct interpreter *find_interpreter(const char *executable) {
    const char *name = last_part(executable);
    for (size_t i = 0; i < sizeof interpreters / sizeof interpreters[0]; i++) {
        size_t length = strlen(interpreters[i].prefix);
        char next = strncmp(name, interpreters[i].prefix, length) ? 'x' : name[length];
        if (next == 0 || next == '-' || next == '.' || (next >= '0' && next <= '9'))
            return &interpreters[i];
    }
    return NULL;
}

/* "--eval=1" is "--eval", too. */
static bool is_among(const char *const names[4], const char *option) {
    for (int i = 0; i < 4 && names[i]; i++)
        if (!strncmp(names[i], option, strlen(names[i])) && strchr("=", option[strlen(names[i])]))
            return true;
    return false;
}

/* mpi4py.run is of mpi4py. */
static bool is_runner(const char *name, enum found found) {
    for (size_t i = 0; i < sizeof runners / sizeof runners[0]; i++) {
        size_t length = strlen(runners[i]);
        bool begins_so = !strncmp(runners[i], name, length);
        if (begins_so && (!name[length] || (found == MODULE && name[length] == '.')))
            return true;
    }
    return false;
}

static bool runs_others(const char *executable) {
    const char *name = last_part(executable);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strncmp(name, others[i], strlen(others[i])))
            return true;
    return false;
}

/* Reads one argument that begins with "-". Sets *takes if the next argument belongs to it, and *name if
 * it names the program. Returns false if the program's text is among the arguments. */
static bool read_option(const struct interpreter *interpreter, const char *option, bool *takes,
                        enum found *found, const char **name) {
    *takes = is_among(interpreter->long_taking, option) && !strchr(option, '=');
    if (interpreter->file && !strncmp(option, interpreter->file, strlen(interpreter->file))) {
        *name = option + strlen(interpreter->file);
        *found = SCRIPT;
        return true;
    }
    if (*takes || option[1] == '-')
        return *takes || !is_among(interpreter->long_texts, option);
    for (const char *letter = option + 1; *letter; letter++) {
        if (strchr(interpreter->texts, *letter))
            return false;
        if (strchr(interpreter->modules, *letter)) {
            *found = MODULE;
            *name = letter[1] ? letter + 1 : NULL; /* NULL: the next argument */
            return true;
        }
        if (strchr(interpreter->taking, *letter)) {
            *takes = !letter[1];
            return true;
        }
    }
    return true;
}

static enum found find_program(const struct interpreter *interpreter, const char *const *arguments,
                               size_t count, const char **name) {
    for (size_t i = 1; i < count; i++) {
        enum found found = NOTHING;
        bool takes;
        *name = arguments[i];
        if (arguments[i][0] != '-')
            return SCRIPT;
        if (!arguments[i][1] || !read_option(interpreter, arguments[i], &takes, &found, name))
            return NOTHING; /* "-": standard input */
        if (found == MODULE && !*name)
            *name = i + 1 < count ? arguments[i + 1] : "";
        if (found)
            return **name ? found : NOTHING;
        if (!strcmp(arguments[i], "--args"))
            return NOTHING;
        i += takes;
    }
    return NOTHING;
}

/* A script is a regular file. */
static bool resolve(const char *path, char resolved[PATH_MAX]) {
    struct stat info;
    return !stat(path, &info) && S_ISREG(info.st_mode) && realpath(path, resolved);
}

static bool put(struct lava_program_key *key, const char *executable, enum found found, const char *name) {
    int length =
        snprintf(key->text, sizeof key->text, "%s%s%s", executable, found == MODULE ? " -m " : " ", name);
    snprintf(key->name, sizeof key->name, "%.30s%s%.28s", last_part(executable),
             found == MODULE ? " -m "
             : found         ? " "
                             : "",
             last_part(name));
    return length > 0 && (size_t)length < sizeof key->text;
}

static __attribute__((noinline)) bool put_script(struct lava_program_key *key, const char *executable,
                                                 const char *script) {
    char resolved[PATH_MAX];
    return resolve(script, resolved) && put(key, executable, SCRIPT, resolved);
}

bool lava_program_key_make(const char *executable, const char *const *arguments, size_t count,
                           struct lava_program_key *key) {
    const struct interpreter *interpreter = find_interpreter(executable);
    const char *name = "";
    enum found found = interpreter ? find_program(interpreter, arguments, count, &name) : NOTHING;
    if (interpreter ? !found || is_runner(last_part(name), found) : runs_others(executable))
        return false;
    return found == SCRIPT ? put_script(key, executable, name) : put(key, executable, found, name);
}

/* Reads the whole command line, or nothing. Returns how many arguments there are. */
static size_t read_command_line(char *bytes, const char **arguments) {
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    size_t length = 0, count = 0;
    ssize_t got = 0;
    while (file >= 0 && length < COMMAND_LINE_BYTES &&
           (got = read(file, bytes + length, COMMAND_LINE_BYTES - length)) > 0)
        length += (size_t)got;
    if (file >= 0)
        close(file);
    bytes[length] = 0;
    for (size_t at = 0; at < length && count < ARGUMENTS_MOST; at += strlen(bytes + at) + 1)
        arguments[count++] = bytes + at;
    return got < 0 || length == COMMAND_LINE_BYTES ? 0 : count;
}

static __attribute__((noinline)) bool find_interpreted(const char *executable, struct lava_program_key *key) {
    char line[COMMAND_LINE_BYTES + 1];
    const char *arguments[ARGUMENTS_MOST];
    size_t count = read_command_line(line, arguments);
    return count > 0 && lava_program_key_make(executable, arguments, count, key);
}

/* Runs in every program: the less memory it touches, the fewer pages have to be made. */
bool lava_program_key_find(struct lava_program_key *key) {
    char executable[1024];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    if (length <= 0 || length == sizeof executable - 1 || executable[0] != '/')
        return false;
    executable[length] = 0;
    return find_interpreter(executable) ? find_interpreted(executable, key)
                                        : lava_program_key_make(executable, NULL, 0, key);
}
