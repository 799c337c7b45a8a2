/* Which command lines are the same program, and which have no key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/program_key.h"

#define PYTHON "/usr/bin/python3.12"

static char folder[] = "/tmp/lavablas-key-XXXXXX";

struct line {
    const char *executable;
    const char *arguments[8]; /* after the program's name */
    const char *name;         /* NULL: no key */
};

static const struct line lines[] = {
    /* a program of its own: no argument belongs to it */
    {"/opt/bin/solver", {"input.dat", "-c", "1"}, "solver"},
    {"/opt/bin/Rtool", {"-e", "x"}, "Rtool"},
    {"/opt/bin/pythonic", {"-c", "x"}, "pythonic"},
    /* scripts */
    {PYTHON, {"a.py"}, "python3.12 a.py"},
    {PYTHON, {"a.py", "-c", "x", "b.py"}, "python3.12 a.py"},
    {PYTHON, {"-u", "-W", "ignore", "a.py"}, "python3.12 a.py"},
    {PYTHON, {"-Wignore", "-Xdev", "a.py"}, "python3.12 a.py"},
    {PYTHON, {"-OuX", "dev", "a.py"}, "python3.12 a.py"},
    {PYTHON, {"--check-hash-based-pycs", "never", "a.py"}, "python3.12 a.py"},
    {"/usr/lib/R/bin/exec/R", {"--no-echo", "--file=a.R", "--args", "3"}, "R a.R"},
    {"/usr/lib/R/bin/exec/R", {"-f", "a.R"}, "R a.R"},
    {"/usr/bin/octave-cli-7.3.0", {"--path", "lib", "a.m"}, "octave-cli-7.3.0 a.m"},
    {"/usr/bin/octave-cli-7.3.0", {"--path=lib", "a.m"}, "octave-cli-7.3.0 a.m"},
    {"/opt/julia", {"-t", "4", "a.jl"}, "julia a.jl"},
    {"/usr/bin/perl", {"-MTime::HiRes", "a.pl"}, "perl a.pl"},
    /* modules */
    {PYTHON, {"-m", "train.main", "--epochs", "3"}, "python3.12 -m train.main"},
    {PYTHON, {"-um", "train"}, "python3.12 -m train"},
    {PYTHON, {"-mtrain"}, "python3.12 -m train"},
    /* text, standard input, interactive sessions, what runs others' programs, what is not there */
    {PYTHON, {"-c", "import numpy"}, NULL},
    {PYTHON, {"-Ec", "import numpy", "a.py"}, NULL},
    {PYTHON, {"-", "a.py"}, NULL},
    {PYTHON, {NULL}, NULL},
    {PYTHON, {"-i"}, NULL},
    {PYTHON, {"-m"}, NULL},
    {PYTHON, {"-m", "ipykernel_launcher", "-f", "kernel-1.json"}, NULL},
    {PYTHON, {"-m", "pytest", "a.py"}, NULL},
    {PYTHON, {"pytest"}, NULL},
    {PYTHON, {"-m", "mpi4py.run", "a.py"}, NULL},
    {PYTHON, {"-m", "timeit", "1"}, NULL},
    {PYTHON, {"-m", "torchvision.train"}, "python3.12 -m torchvision.train"},
    {"/usr/bin/java", {"-jar", "a.jar"}, NULL},
    {"/usr/bin/qemu-aarch64", {"a"}, NULL},
    {PYTHON, {"missing.py"}, NULL},
    {PYTHON, {"."}, NULL},
    {"/usr/lib/R/bin/exec/R", {"--no-save"}, NULL},
    {"/usr/lib/R/bin/exec/R", {"-e", "1"}, NULL},
    {"/usr/bin/octave-cli-7.3.0", {"--eval", "1"}, NULL},
    {"/usr/bin/octave-cli-7.3.0", {"--eval=1", "a.m"}, NULL},
    {"/opt/julia", {"--eval", "1"}, NULL},
};

static bool make(const struct line *line, struct lava_program_key *key) {
    const char *arguments[9] = {"name"};
    size_t count = 1;
    while (count < 9 && line->arguments[count - 1]) {
        arguments[count] = line->arguments[count - 1];
        count++;
    }
    return lava_program_key_make(line->executable, arguments, count, key);
}

static void command_lines_are_read(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct lava_program_key key;
        bool has_key = make(&lines[i], &key);
        if (has_key != !!lines[i].name || (has_key && strcmp(key.name, lines[i].name) != 0))
            fail_msg("line %zu (%s %s): %s", i, lines[i].executable, lines[i].arguments[0],
                     has_key ? key.name : "no key");
    }
}

static void the_path_tells_scripts_apart(void **state) {
    const char *const script[] = {"python", "a.py"}, *const same[] = {"python", "sub/../a.py", "1"},
                      *const link[] = {"python", "link.py"}, *const other[] = {"python", "sub/a.py"};
    struct lava_program_key keys[5];
    (void)state;
    assert_true(lava_program_key_make(PYTHON, script, 2, &keys[0]));
    assert_true(lava_program_key_make(PYTHON, same, 3, &keys[1]));
    assert_true(lava_program_key_make(PYTHON, link, 2, &keys[2]));
    assert_true(lava_program_key_make(PYTHON, other, 2, &keys[3]));
    assert_true(lava_program_key_make("/opt/bin/python3", script, 2, &keys[4]));
    assert_string_equal(keys[1].text, keys[0].text);
    assert_string_equal(keys[2].text, keys[0].text);
    assert_string_not_equal(keys[3].text, keys[0].text);
    assert_string_not_equal(keys[4].text, keys[0].text);
    assert_string_equal(keys[3].name, keys[0].name);
}

/* A script and a module of one name are two programs. */
static void modules_are_no_scripts(void **state) {
    const char *const module[] = {"python", "-m", "pkg"}, *const other[] = {"python", "-m", "pkg2"};
    struct lava_program_key keys[2];
    (void)state;
    assert_true(lava_program_key_make(PYTHON, module, 3, &keys[0]));
    assert_true(lava_program_key_make(PYTHON, other, 3, &keys[1]));
    assert_string_equal(keys[0].text, PYTHON " -m pkg");
    assert_string_not_equal(keys[1].text, keys[0].text);
}

static void long_names_have_no_key(void **state) {
    char executable[2000];
    const char *const arguments[] = {"x"};
    struct lava_program_key key;
    (void)state;
    memset(executable, 'a', sizeof executable);
    executable[0] = '/';
    executable[sizeof executable - 1] = 0;
    assert_false(lava_program_key_make(executable, arguments, 1, &key));
}

static void this_process_has_one(void **state) {
    struct lava_program_key key;
    char path[PATH_MAX];
    (void)state;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(length > 0);
    path[length] = 0;
    assert_true(lava_program_key_find(&key));
    assert_int_equal(strncmp(key.text, path, (size_t)length), 0);
    assert_string_equal(key.name, "test_program_key");
}

static int make_files(void **state) {
    static const char *const names[] = {"a.py", "a.R",    "a.m",       "a.jl",    "a.pl",
                                        "b.py", "pytest", "input.dat", "sub/a.py"};
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) || mkdir("sub", 0700) || symlink("a.py", "link.py"))
        return -1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int file = open(names[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0 || close(file))
            return -1;
    }
    return 0;
}

static int remove_files(void **state) {
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") || system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_lines_are_read), cmocka_unit_test(the_path_tells_scripts_apart),
        cmocka_unit_test(modules_are_no_scripts), cmocka_unit_test(long_names_have_no_key),
        cmocka_unit_test(this_process_has_one),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
