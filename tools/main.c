/* The lavablas command: runs programs with the library, and says what the library would do on this machine,
 * and why. It reads the same tables and asks the same policy as the library.
 *
 * Each command is a function of a file of its own; command.h says what they have in common. */
#include <stdio.h>
#include <string.h>

#include "lib/base/report.h"
#include "tools/command.h"
#include "tools/explain.h"

/* clang-format off */
static const struct command commands[] = {
    {"run",       command_run,       "run a program with the library, and tell what that was good for"},
    {"report",    command_report,    "what the processes of a job have told, also those that were killed"},
    {"top",       command_top,       "what running processes have counted so far"},
    {"info",      command_info,      "the device, the CPU BLAS, kernels, figures and files of this machine"},
    {"doctor",    command_doctor,    "why the GPU is not used, and what to do"},
    {"explain",   explain,           "where a call would run, and why"},
    {"calibrate", command_calibrate, "measure this machine, for the decisions from then on"},
    {"bench",     command_bench,     "time a routine of LavaBLAS and of the CPU BLAS, or of any library"},
    {"verify",    command_verify,    "test every kernel on this device, with errors"},
    {"replay",    command_replay,    "time the products of a recorded trace, on either side"},
    {"device",    command_device,    "the device alone"},
    {"kernels",   command_kernels,   "the kernel table, and which rows the device can run"},
    {"profiles",  command_profiles,  "the device profiles that the policy uses"},
};
/* clang-format on */

static void tell_usage(FILE *stream) {
    fputs("usage: lavablas COMMAND [ARGUMENT...]\n", stream);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs(
        "`lavablas COMMAND --help` tells of the command's arguments, `lavablas --version` the version.\n"
        "Exit status: 0: done; 1: the answer is no, or it failed; 2: wrong arguments; 77: no device to ask;\n"
        "of run: the program's.\n",
        stream);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    lava_report_keep_quiet();
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (!strcmp(commands[i].name, name))
            return commands[i].run(argc - 2, argv + 2);
    if (!strcmp(name, "--version")) {
        puts(LAVA_VERSION);
        return COMMAND_DONE;
    }
    bool is_help = command_asks_for_help(argc - 1, argv + 1);
    if (!is_help && argc > 1)
        fprintf(stderr, "lavablas: no command %s\n", name);
    tell_usage(is_help ? stdout : stderr);
    return is_help ? COMMAND_DONE : COMMAND_WRONG;
}
