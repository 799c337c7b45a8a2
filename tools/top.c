/* lavablas top: what running processes have counted so far. It finds their files by what they have mapped. */
#include <ctype.h>
#include <dirent.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/report_live.h"
#include "tools/report_sum.h"

/* Between two pictures. */
#define SECONDS 1

static const char usage[] =
    "usage: lavablas top [--once] [--stats] [PID...]\n"
    "Shows, once a second, what processes of yours have counted so far: all, or those of these numbers. "
    "They\n"
    "run under `lavablas run`, or with LAVABLAS_STATS set to a file that ends in .json.\n"
    "  --once      one picture\n"
    "  --stats     reasons by routine\n"
    "Exit status: 0; 1 if there is no such process; 2: wrong arguments.\n";

static const struct option known[] = {{"once", no_argument, NULL, 'o'},
                                      {"stats", no_argument, NULL, 's'},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

struct picture {
    struct report report;
    bool is_detailed;
};

static void add_file(const char *path, void *context) {
    struct picture *picture = context;
    report_read_live(path, picture->is_detailed, &picture->report);
}

static void add_all(struct picture *picture) {
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    while (processes && (entry = readdir(processes)))
        if (isdigit((unsigned char)entry->d_name[0]))
            report_each_mapped(entry->d_name, add_file, picture);
    if (processes)
        closedir(processes);
}

/* Returns whether there was a process to show. */
static bool show(char *const *pids, int count, bool is_detailed, bool clears) {
    struct picture picture = {.report = {.has_details = true}, .is_detailed = is_detailed};
    const struct report *report = &picture.report;
    for (int i = 0; i < count; i++)
        report_each_mapped(pids[i], add_file, &picture);
    if (count == 0)
        add_all(&picture);
    bool any = report->process_count > 0;
    if (clears && any)
        fputs("\033[H\033[2J", stdout);
    for (size_t i = 0; i < report->process_count; i++)
        printf("%.0f  %s\n", json_number(report->processes[i].line, "pid"),
               json_text(report->processes[i].line, "program", "?"));
    if (any)
        report_print(stdout, report, NULL);
    fflush(stdout);
    report_free(&picture.report);
    return any;
}

int command_top(int argc, char **argv) {
    bool is_detailed = false, is_once = false;
    int option;
    optind = 1;
    while ((option = getopt_long(argc + 1, argv - 1, "h", known, NULL)) != -1) {
        is_detailed |= option == 's';
        is_once |= option == 'o';
        if (option == 'h' || option == '?') {
            fputs(usage, option == 'h' ? stdout : stderr);
            return option == 'h' ? COMMAND_DONE : COMMAND_WRONG;
        }
    }
    char *const *pids = argv - 1 + optind;
    int count = argc + 1 - optind;
    bool any = show(pids, count, is_detailed, !is_once && isatty(STDOUT_FILENO)), goes_on = any && !is_once;
    while (goes_on && !sleep(SECONDS))
        goes_on = show(pids, count, is_detailed, isatty(STDOUT_FILENO));
    if (!any)
        fputs(
            "lavablas: no process has counted a call in a file that can be read: see `lavablas top --help`\n",
            stderr);
    return any ? COMMAND_DONE : COMMAND_NO;
}
