/* lavablas run: runs a program with the library preloaded and tells at the end what that was good for.
 *
 *     lavablas run [OPTION...] [--] PROGRAM [ARGUMENT...]
 *
 * The program keeps this command's standard files, and this command ends as the program did: with its status,
 * or by its signal. Signals that somebody sends to this command are passed on. Each process that the program
 * starts inherits the library and adds a line to a file of reports (lib/base/report.h). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "tools/beside.h"
#include "tools/command.h"
#include "tools/program.h"
#include "tools/report.h"

/* As env and other programs that run programs have it. */
enum { RUN_FAILED = 125, RUN_NOT_STARTED = 126, RUN_NOT_FOUND = 127 };

static const char usage[] =
    "usage: lavablas run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "Runs the program with LavaBLAS before its BLAS, and tells on stderr how much that helped.\n"
    "  --mode auto|cpu|gpu      as LAVABLAS_MODE: where products run (auto)\n"
    "  --device DEVICE          as LAVABLAS_DEVICE: an index, a part of a name, or cpu\n"
    "  --precision PRECISION    as LAVABLAS_PRECISION: ieee, standard or fast\n"
    "  --trace FILE             as LAVABLAS_TRACE: what happened when; `lavablas replay` reads it\n"
    "  --compare                run the program with the CPU alone before, and compare the times\n"
    "  --stats                  reasons by routine\n"
    "  --json                   one JSON object instead of the table\n"
    "  --output FILE            the report goes there instead of stderr\n"
    "Exit status: the program's; 125 if lavablas failed, 126 if the program cannot be run, 127 if there is\n"
    "none. A program that is ended by a signal ends lavablas by the same.\n";

struct options {
    const char *mode, *device, *precision, *trace, *output;
    bool compare, stats, json;
    char **program;
};

enum { OPTION_MODE = 256, OPTION_DEVICE, OPTION_PRECISION, OPTION_TRACE, OPTION_OUTPUT };

static const struct option known[] = {{"mode", required_argument, NULL, OPTION_MODE},
                                      {"device", required_argument, NULL, OPTION_DEVICE},
                                      {"precision", required_argument, NULL, OPTION_PRECISION},
                                      {"trace", required_argument, NULL, OPTION_TRACE},
                                      {"output", required_argument, NULL, OPTION_OUTPUT},
                                      {"compare", no_argument, NULL, 'c'},
                                      {"stats", no_argument, NULL, 's'},
                                      {"json", no_argument, NULL, 'j'},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* Returns -1 where the program is to be run, else the exit status. */
static int read_options(int argc, char **argv, struct options *options) {
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "+h", known, NULL)) != -1) {
        switch (option) {
        case OPTION_MODE:
            options->mode = optarg;
            break;
        case OPTION_DEVICE:
            options->device = optarg;
            break;
        case OPTION_PRECISION:
            options->precision = optarg;
            break;
        case OPTION_TRACE:
            options->trace = optarg;
            break;
        case OPTION_OUTPUT:
            options->output = optarg;
            break;
        case 'c':
            options->compare = true;
            break;
        case 's':
            options->stats = true;
            break;
        case 'j':
            options->json = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return COMMAND_DONE;
        default:
            fputs(usage, stderr);
            return RUN_FAILED;
        }
    }
    options->program = argv + optind;
    if (optind < argc)
        return -1;
    fputs(usage, stderr);
    return RUN_FAILED;
}

static volatile sig_atomic_t child; /* 0: none */

/* From the terminal the program gets these as well, and has to decide. */
static const int from_terminal[] = {SIGINT, SIGQUIT};
static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT};

static void pass_on(int signal, siginfo_t *info, void *context) {
    (void)context;
    bool is_from_process = info->si_code <= 0;
    if (child > 0 && is_from_process)
        kill((pid_t)child, signal);
}

struct handlers {
    struct sigaction of_terminal[sizeof from_terminal / sizeof from_terminal[0]];
    struct sigaction others[sizeof passed_on / sizeof passed_on[0]];
};

/* A signal that was ignored before stays so, in the program as well: nohup counts on that. */
static void set_handlers(struct handlers *before) {
    struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigemptyset(&pass.sa_mask);
    for (size_t i = 0; i < sizeof from_terminal / sizeof from_terminal[0]; i++) {
        sigaction(from_terminal[i], NULL, &before->of_terminal[i]);
        if (before->of_terminal[i].sa_handler != SIG_IGN)
            sigaction(from_terminal[i], &pass, NULL);
    }
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++) {
        sigaction(passed_on[i], NULL, &before->others[i]);
        if (before->others[i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &pass, NULL);
    }
}

static void restore_handlers(const struct handlers *before) {
    for (size_t i = 0; i < sizeof from_terminal / sizeof from_terminal[0]; i++)
        sigaction(from_terminal[i], &before->of_terminal[i], NULL);
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++)
        sigaction(passed_on[i], &before->others[i], NULL);
}

static void set_unless_null(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
}

/* In the child. preload NULL: the program runs without the library. */
static void start(const struct options *options, const char *preload, const char *reports) {
    if (preload) {
        setenv("LD_PRELOAD", preload, 1);
        setenv("LAVABLAS_STATS", reports, 1);
        set_unless_null("LAVABLAS_MODE", options->mode);
        set_unless_null("LAVABLAS_DEVICE", options->device);
        set_unless_null("LAVABLAS_PRECISION", options->precision);
        set_unless_null("LAVABLAS_TRACE", options->trace);
    }
    execvp(options->program[0], options->program);
    int status = errno == ENOENT ? RUN_NOT_FOUND : RUN_NOT_STARTED;
    fprintf(stderr, "lavablas: %s: %s\n", options->program[0], strerror(errno));
    _exit(status);
}

/* Returns false where there is no process. */
static bool run_once(const struct options *options, const char *preload, const char *reports,
                     struct report_end *end) {
    struct handlers before;
    sigset_t passed, mask;
    int status = 0;
    sigemptyset(&passed);
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++)
        sigaddset(&passed, passed_on[i]);
    sigprocmask(SIG_BLOCK, &passed, &mask); /* until the child is known, and has the old handlers */
    set_handlers(&before);
    uint64_t begin_ns = lava_clock_now_ns();
    pid_t process = fork();
    if (process == 0) {
        restore_handlers(&before);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        start(options, preload, reports);
    }
    child = process > 0 ? process : 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    restore_handlers(&before);
    *end = (struct report_end){.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                               .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                               .seconds = (double)(lava_clock_now_ns() - begin_ns) * 1e-9};
    return process > 0;
}

/* Says why the loader would not preload anything into the program. */
static void judge_program(const char *name, struct report *report) {
    struct program program;
    if (program_judge(name, &program) && program.refusal)
        report_add_bypass(report, program.path, program.routine, program.refusal);
}

static void tell(const struct options *options, const char *reports, const struct report_end *end) {
    struct report report;
    FILE *stream = options->output ? fopen(options->output, "we") : stderr;
    if (!stream)
        fprintf(stderr, "lavablas: %s: %s\n", options->output, strerror(errno));
    else if (!report_read(reports, options->stats, &report))
        fprintf(stderr, "lavablas: %s: %s\n", reports, strerror(errno));
    else {
        for (size_t i = 0; i < report.process_count; i++)
            report_find_bypasses(report.processes[i].line, &report);
        judge_program(options->program[0], &report);
        if (options->json)
            report_print_json(stream, &report, end);
        else
            report_print(stream, &report, end);
        report_free(&report);
    }
    if (stream && stream != stderr)
        fclose(stream);
}

/* Ends as the program did. A core file of this command would tell nothing. */
static int end_like(const struct report_end *end) {
    const struct rlimit none = {0, 0};
    if (!end->signal)
        return end->status;
    setrlimit(RLIMIT_CORE, &none);
    signal(end->signal, SIG_DFL);
    raise(end->signal);
    return 128 + end->signal; /* the signal is blocked */
}

int command_run(int argc, char **argv) {
    struct options options = {0};
    char preload[8192], folder[4096], reports[4200];
    const char *temporary = lava_config_environment("TMPDIR");
    struct report_end end = {0}, plain = {0};
    int status = read_options(argc + 1, argv - 1, &options);
    if (status >= 0)
        return status;
    if (!beside_find_preload(preload, sizeof preload))
        return RUN_FAILED;
    snprintf(folder, sizeof folder, "%s/lavablas-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "lavablas: %s: %s\n", folder, strerror(errno));
        return RUN_FAILED;
    }
    snprintf(reports, sizeof reports, "%s/report.json", folder);
    bool ran = (!options.compare || run_once(&options, NULL, NULL, &plain)) &&
               run_once(&options, preload, reports, &end);
    if (!ran)
        perror("lavablas");
    end.plain_seconds = plain.seconds;
    bool is_missing =
        ran && (end.status == RUN_NOT_FOUND || end.status == RUN_NOT_STARTED) && access(reports, F_OK) != 0;
    if (ran && !is_missing)
        tell(&options, reports, &end);
    unlink(reports);
    rmdir(folder);
    return ran ? end_like(&end) : RUN_FAILED;
}
