/* lavablas run: runs a program with the library preloaded and tells at the end what that was good for.
 *
 *     lavablas run [OPTION...] [--] PROGRAM [ARGUMENT...]
 *
 * The program keeps this command's standard files, and this command ends as the program did: with its status,
 * or by its signal. Signals that somebody sends to this command are passed on. Each process that the program
 * starts inherits the library and adds a line to a file of reports (lib/base/report.h); what those have
 * counted that could not is in files beside it (lib/base/counters.h). */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
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
#include "tools/preloaded_program.h"
#include "tools/profile_device.h"
#include "tools/report_sum.h"
#include "tools/whatif.h"

/* As env and other programs that run programs have it. */
enum { RUN_FAILED = 125, RUN_NOT_STARTED = 126, RUN_NOT_FOUND = 127 };

static const char usage[] =
    "usage: lavablas run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "Runs the program with LavaBLAS before its BLAS, and tells on stderr how much that helped.\n"
    "  --mode auto|cpu|gpu      as LAVABLAS_MODE: where products run (auto)\n"
    "  --device DEVICE          as LAVABLAS_DEVICE: an index, a part of a name, or cpu\n"
    "  --precision PRECISION    as LAVABLAS_PRECISION: ieee, standard or fast\n"
    "  --trace FILE             as LAVABLAS_TRACE: what happened when; `lavablas replay` reads it\n"
    "  --compare                run the program six times, with the CPU alone in turn, and compare the "
    "times\n"
    "  --details                also why calls ran where they did, what was copied, and what each process "
    "did\n"
    "  --stats                  details, and reasons by routine\n"
    "  --json                   one JSON object instead of the table\n"
    "  --profile NAME           also estimate what a device that this machine lacks would have done; list: "
    "the\n"
    "                           names. The program runs on the CPU, unless --mode says otherwise\n"
    "  --output FILE            the report goes there instead of stderr\n"
    "Exit status: the program's; 125 if lavablas failed, 126 if the program cannot be run, 127 if there is\n"
    "none. A program that is ended by a signal ends lavablas by the same.\n";

struct options {
    const char *mode, *device, *precision, *trace, *output, *profile;
    bool compare, details, stats, json;
    char **program;
};

enum { OPTION_MODE = 256, OPTION_DEVICE, OPTION_PRECISION, OPTION_TRACE, OPTION_OUTPUT, OPTION_PROFILE };

static const struct option known[] = {{"mode", required_argument, NULL, OPTION_MODE},
                                      {"device", required_argument, NULL, OPTION_DEVICE},
                                      {"precision", required_argument, NULL, OPTION_PRECISION},
                                      {"trace", required_argument, NULL, OPTION_TRACE},
                                      {"output", required_argument, NULL, OPTION_OUTPUT},
                                      {"profile", required_argument, NULL, OPTION_PROFILE},
                                      {"compare", no_argument, NULL, 'c'},
                                      {"details", no_argument, NULL, 'd'},
                                      {"stats", no_argument, NULL, 's'},
                                      {"json", no_argument, NULL, 'j'},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

static int refuse(const char *option, const char *value, const char *allowed) {
    fprintf(stderr, "lavablas: %s %s: not %s\n", option, value, allowed);
    fputs(usage, stderr);
    return RUN_FAILED;
}

static struct profile_device made; /* --profile */

/* Returns -1 if the program is to be run, else the exit status. */
static int find_profile(const char *name) {
    if (!strcmp(name, "list")) {
        profile_device_list(stdout);
        return COMMAND_DONE;
    }
    return profile_device_find(name, &made) ? -1 : RUN_FAILED;
}

/* The same. The calls' times are to be the CPU's. */
static int settle_profile(struct options *options) {
    if (options->profile && options->json)
        return refuse("--profile", options->profile, "to be had with --json");
    if (options->profile && !options->mode)
        options->mode = "cpu";
    return -1;
}

/* Returns -1 if the program is to be run, else the exit status. */
static int read_options(int argc, char **argv, struct options *options) {
    enum lava_precision precision;
    int option, status;
    optind = 1;
    while ((option = getopt_long(argc, argv, "+h", known, NULL)) != -1) {
        switch (option) {
        case OPTION_MODE:
            options->mode = optarg;
            if (!lava_config_is_mode(optarg))
                return refuse("--mode", optarg, "auto, cpu or gpu");
            break;
        case OPTION_DEVICE:
            options->device = optarg;
            break;
        case OPTION_PRECISION:
            options->precision = optarg;
            if (!lava_config_find_precision(optarg, &precision))
                return refuse("--precision", optarg, "ieee, standard or fast");
            break;
        case OPTION_TRACE:
            options->trace = optarg;
            break;
        case OPTION_OUTPUT:
            options->output = optarg;
            break;
        case OPTION_PROFILE:
            options->profile = optarg;
            if ((status = find_profile(optarg)) >= 0)
                return status;
            break;
        case 'c':
            options->compare = true;
            break;
        case 'd':
            options->details = true;
            break;
        case 's':
            options->details = options->stats = true;
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
        return settle_profile(options);
    fputs("lavablas: no program given\n", stderr);
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

/* In the child. What the program reads and writes counts in the first run alone: later ones of --compare read
 * the same file again, else nothing, and their output goes nowhere. */
static void leave_files(off_t input) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (input < 0 || lseek(STDIN_FILENO, input, SEEK_SET) < 0)
        dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

/* Processes leave their logs of calls beside the reports. */
#define LOG_SUFFIX ".calls-"
#define LOG_BYTES  4400

static void each_log(const char *reports, void (*use)(const char *path, void *context), void *context) {
    char pattern[LOG_BYTES];
    glob_t files = {0};
    snprintf(pattern, sizeof pattern, "%s" LOG_SUFFIX "*", reports);
    if (glob(pattern, 0, NULL, &files) == 0)
        for (size_t i = 0; i < files.gl_pathc; i++)
            use(files.gl_pathv[i], context);
    globfree(&files);
}

static void read_log(const char *path, void *whatif) {
    if (!whatif_read(whatif, path))
        fprintf(stderr, "lavablas: %s: %s\n", path, strerror(errno));
}

static void tell_estimate(const char *reports, FILE *stream) {
    struct whatif whatif = {0};
    each_log(reports, read_log, &whatif);
    whatif_print(stream, &whatif, &made);
    whatif_free(&whatif);
}

/* In the child. preload NULL: the program runs without the library. reports NULL: it does not report. */
static void start(const struct options *options, const char *preload, const char *reports) {
    if (preload && options->profile) {
        char log[LOG_BYTES];
        snprintf(log, sizeof log, "%s" LOG_SUFFIX "%%p", reports);
        setenv("LAVABLAS_LOG", "calls", 1);
        setenv("LAVABLAS_LOG_FILE", log, 1);
    }
    if (preload) {
        setenv("LD_PRELOAD", preload, 1);
        set_unless_null("LAVABLAS_STATS", reports);
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

/* input: where stdin stood before the first run, for a later one; NULL: this is the first. Returns false
 * if there is no process. */
static bool run_once(const struct options *options, const char *preload, const char *reports,
                     const off_t *input, struct report_end *end) {
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
        if (input)
            leave_files(*input);
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

/* Nobody may be reading any more; the status is the program's all the same. */
static void tell(const struct options *options, const char *reports, const struct report_end *end,
                 FILE *stream) {
    struct report report = {.has_details = options->details};
    signal(SIGPIPE, SIG_IGN);
    if (options->profile)
        tell_estimate(reports, stream);
    if (!report_read(reports, options->stats, &report))
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
    if (fflush(stream) && stream != stderr)
        fprintf(stderr, "lavablas: %s: %s\n", options->output, strerror(errno));
    if (stream != stderr)
        fclose(stream);
}

/* Runs the program again and again, without and with the library in turn. The first run with it has been.
 * What these runs would count and record is not told. Nothing
 * is compared if one has ended in another way than the first. */
static void compare(struct options options, const char *preload, const char *reports, off_t input,
                    struct report_end *first) {
    struct compare compare = {.runs = COMPARE_RUNS, .with = {first->seconds}};
    bool same = true;
    options.trace = NULL;
    for (int i = 1; i < 2 * COMPARE_RUNS && same; i++) {
        bool is_plain = (i + 1) / 2 % 2 == 1; /* with, plain, plain, with, with, plain */
        struct report_end end = {0};
        same = run_once(&options, is_plain ? NULL : preload, reports, &input, &end) &&
               end.status == first->status && end.signal == first->signal;
        (is_plain ? compare.plain : compare.with)[i / 2] = end.seconds;
    }
    if (same)
        first->compare = compare;
    else
        fputs("lavablas: nothing is compared: another run ended in another way\n", stderr);
}

/* Opens what the report goes to, before the program runs. */
static FILE *open_output(const char *path) {
    FILE *stream = path ? fopen(path, "we") : stderr;
    if (!stream)
        fprintf(stderr, "lavablas: %s: %s; the report goes to standard error\n", path, strerror(errno));
    return stream ? stream : stderr;
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

static void remove_file(const char *path, void *unused) {
    (void)unused;
    unlink(path);
}

/* What processes have left there, too. */
static void remove_reports(const char *reports) {
    report_each_live(reports, remove_file, NULL);
    each_log(reports, remove_file, NULL);
    unlink(reports);
}

int command_run(int argc, char **argv) {
    struct options options = {0};
    char preload[8192], folder[4096], reports[4200], others[4200];
    const char *temporary = lava_config_environment("TMPDIR");
    struct report_end end = {0};
    int status = read_options(argc + 1, argv - 1, &options);
    if (status >= 0)
        return status;
    if (!beside_find_preload(preload, sizeof preload))
        return RUN_FAILED;
    snprintf(folder, sizeof folder, "%s/lavablas-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "lavablas: no folder for reports in %s%s: %s\n",
                temporary && *temporary ? "TMPDIR, " : "", temporary && *temporary ? temporary : "/tmp",
                strerror(errno));
        return RUN_FAILED;
    }
    FILE *stream = open_output(options.output);
    off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);
    snprintf(reports, sizeof reports, "%s/report.json", folder);
    snprintf(others, sizeof others, "%s/others.json", folder);
    bool ran = run_once(&options, preload, reports, NULL, &end);
    if (!ran)
        perror("lavablas");
    bool is_missing =
        ran && (end.status == RUN_NOT_FOUND || end.status == RUN_NOT_STARTED) && access(reports, F_OK) != 0;
    if (ran && !is_missing && options.compare && !end.signal)
        compare(options, preload, others, input, &end);
    if (ran && !is_missing)
        tell(&options, reports, &end, stream);
    remove_reports(others);
    remove_reports(reports);
    rmdir(folder);
    return ran ? end_like(&end) : RUN_FAILED;
}
