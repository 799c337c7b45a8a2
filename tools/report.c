/* lavablas report: what the processes of a job have told, or left, in files of reports. */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/report_sum.h"

static const char usage[] =
    "usage: lavablas report [OPTION...] FILE...\n"
    "Sums up the reports of all processes that ran with LAVABLAS_STATS=FILE, a name that ends in .json:\n"
    "those that ended, those that were killed, and those that still run.\n"
    "  --details   also why calls ran where they did, what was copied, and what each process did\n"
    "  --stats     details, and reasons by routine\n"
    "  --json      one JSON object instead of the table\n"
    "  --settle    add what killed processes have left to FILE, and remove their files\n"
    "Exit status: 0; 1 if a file cannot be read or tells of no process; 2: wrong arguments.\n";

static const struct option known[] = {{"details", no_argument, NULL, 'd'}, {"stats", no_argument, NULL, 's'},
                                      {"json", no_argument, NULL, 'j'},    {"settle", no_argument, NULL, 'e'},
                                      {"help", no_argument, NULL, 'h'},    {NULL, 0, NULL, 0}};

static void settle(const char *path, void *reports) {
    report_settle_live(path, reports);
}

/* Returns whether the file tells of a process. */
static bool add_file(char *path, bool is_detailed, bool settles, struct report *report) {
    size_t before = report->process_count;
    if (settles)
        report_each_live(path, settle, path);
    if (!report_read(path, is_detailed, report)) {
        fprintf(stderr, "lavablas: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (report->process_count > before)
        return true;
    fprintf(stderr, "lavablas: %s: %s\n", path, access(path, F_OK) ? strerror(errno) : "tells of no process");
    return false;
}

int command_report(int argc, char **argv) {
    bool is_detailed = false, is_json = false, settles = false, is_right = true;
    struct report report = {0};
    int option;
    optind = 1;
    while ((option = getopt_long(argc + 1, argv - 1, "h", known, NULL)) != -1) {
        is_detailed |= option == 's';
        report.has_details |= option == 's' || option == 'd';
        is_json |= option == 'j';
        settles |= option == 'e';
        if (option == 'h' || option == '?') {
            fputs(usage, option == 'h' ? stdout : stderr);
            return option == 'h' ? COMMAND_DONE : COMMAND_WRONG;
        }
    }
    if (optind > argc) {
        fputs("lavablas: no file given\n", stderr);
        fputs(usage, stderr);
        return COMMAND_WRONG;
    }
    for (int i = optind; i <= argc; i++)
        is_right &= add_file(argv[i - 1], is_detailed, settles, &report);
    for (size_t i = 0; i < report.process_count; i++)
        report_find_bypasses(report.processes[i].line, &report);
    if (report.process_count > 0)
        (is_json ? report_print_json : report_print)(stdout, &report, NULL);
    report_free(&report);
    return is_right ? COMMAND_DONE : COMMAND_NO;
}
