/* The commands of lavablas. Each is a function that takes the words after its name and returns the exit
 * status. --help prints the command's usage on stdout. */
#ifndef LAVA_TOOLS_COMMAND_H
#define LAVA_TOOLS_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of all commands but run, whose status is the program's. */
enum {
    COMMAND_DONE = 0,
    COMMAND_NO = 1,      /* the answer is no, or the work failed: said on stderr or in the output */
    COMMAND_WRONG = 2,   /* wrong arguments: usage on stderr */
    COMMAND_SKIPPED = 77 /* there is no device, or nothing could be measured */
};

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; /* what it does, in one line */
};

int command_run(int argc, char **argv);
int command_report(int argc, char **argv);
int command_top(int argc, char **argv);
int command_info(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_calibrate(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_device(int argc, char **argv);
int command_kernels(int argc, char **argv);
int command_profiles(int argc, char **argv);

/* Returns whether the only word is --help. */
bool command_asks_for_help(int argc, char **argv);
/* Reads the words of a command that has no other options than --json and --help. Returns -1 if the command
 * goes on; else the exit status, with the usage printed. */
int command_read_json(int argc, char **argv, const char *usage, bool *json);

/* Shows how much of something is done, on a line of its own, if stderr is a terminal. total 0 removes the
 * line. */
void command_progress(int done, int total, const char *round, const char *name);

#endif
