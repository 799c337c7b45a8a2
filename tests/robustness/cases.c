/* Runs cases, and what they share. Called by the tests of this folder. */
#include "tests/robustness/cases.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lavablas.h"
#include "lavablas_cblas.h"

/* From case_ends on, if a case names no other time: what is in flight gets 1.5 s, and other work may keep
 * the processors busy. A process that hangs never ends. */
#define END_S        6
#define LIMIT_S      180.0 /* of one case, which has a driver compile beside other work */
#define END_VARIABLE "LAVABLAS_TEST_END"

static atomic_int failures;

/* No look for leaks at exit: what a driver's threads hold looks lost in a child of fork(), and in a process
 * that ends with threads at work. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
    return 1;
}

double case_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void case_sleep(double seconds) {
    struct timespec left = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) && left.tv_nsec + left.tv_sec > 0)
        ;
}

/* The descriptor is the driver's: it reads the time. */
void case_ends(void) {
    const char *descriptor = getenv(END_VARIABLE);
    double now = case_now();
    if (descriptor && write(atoi(descriptor), &now, sizeof now) != sizeof now)
        _exit(99);
}

bool case_check(bool condition, const char *text, const char *file, int line) {
    if (!condition) {
        failures++;
        fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
    }
    return condition;
}

int case_result(void) {
    return failures ? 1 : 0;
}

static uint16_t bf16_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* A product's arguments as CBLAS has them. */
struct arguments {
    CBLAS_LAYOUT layout;
    CBLAS_TRANSPOSE ta, tb;
    int m, n, k, lda, ldb, ldc;
    const void *a, *b;
    float alpha[2], beta[2];
};

static CBLAS_TRANSPOSE operation(enum lava_op op, bool conjugate) {
    return op == LAVA_OP_N ? CblasNoTrans : conjugate ? CblasConjTrans : CblasTrans;
}

static struct arguments arguments_of(const struct product *product) {
    const struct lava_operation p = product_operation(product, NULL);
    struct arguments given = {.layout = CblasColMajor,
                              .ta = operation(p.a.op, p.a.conjugate),
                              .tb = operation(p.b.op, p.b.conjugate),
                              .m = (int)p.m,
                              .n = (int)p.n,
                              .k = (int)p.k,
                              .lda = (int)p.a.ld,
                              .ldb = (int)p.b.ld,
                              .ldc = (int)p.c.ld,
                              .a = p.a.first,
                              .b = p.b.first,
                              .alpha = {(float)p.alpha.real, (float)p.alpha.imaginary},
                              .beta = {(float)p.beta.real, (float)p.beta.imaginary}};
    struct arguments swapped = given;
    if (!product->row_major)
        return given;
    /* the same memory: the product of the swapped operands */
    swapped.layout = CblasRowMajor;
    swapped.ta = given.tb;
    swapped.tb = given.ta;
    swapped.m = given.n;
    swapped.n = given.m;
    swapped.lda = given.ldb;
    swapped.ldb = given.lda;
    swapped.a = given.b;
    swapped.b = given.a;
    return swapped;
}

static void call_half(enum lava_type type, enum lava_type type_c, const struct arguments *x, void *c) {
    if (type == LAVA_TYPE_FP16 && type_c == LAVA_TYPE_FP32)
        cblas_shgemm(x->layout, x->ta, x->tb, x->m, x->n, x->k, x->alpha[0], x->a, x->lda, x->b, x->ldb,
                     x->beta[0], c, x->ldc);
    else if (type == LAVA_TYPE_FP16)
        lavablas_hgemm((int)x->layout, (int)x->ta, (int)x->tb, x->m, x->n, x->k, x->alpha[0], x->a, x->lda,
                       x->b, x->ldb, x->beta[0], c, x->ldc);
    else if (type_c == LAVA_TYPE_FP32)
        cblas_sbgemm(x->layout, x->ta, x->tb, x->m, x->n, x->k, x->alpha[0], x->a, x->lda, x->b, x->ldb,
                     x->beta[0], c, x->ldc);
    else
        cblas_bgemm(x->layout, x->ta, x->tb, x->m, x->n, x->k, bf16_of(x->alpha[0]), x->a, x->lda, x->b,
                    x->ldb, bf16_of(x->beta[0]), c, x->ldc);
}

void case_call(const struct product *product, void *c) {
    const struct arguments x = arguments_of(product);
    const double alpha[] = {product->alpha, product->alpha_imaginary};
    const double beta[] = {product->beta, product->beta_imaginary};
    switch (product->type) {
    case LAVA_TYPE_FP32:
        cblas_sgemm(x.layout, x.ta, x.tb, x.m, x.n, x.k, x.alpha[0], x.a, x.lda, x.b, x.ldb, x.beta[0], c,
                    x.ldc);
        break;
    case LAVA_TYPE_FP64:
        cblas_dgemm(x.layout, x.ta, x.tb, x.m, x.n, x.k, alpha[0], x.a, x.lda, x.b, x.ldb, beta[0], c, x.ldc);
        break;
    case LAVA_TYPE_CFP32:
        cblas_cgemm(x.layout, x.ta, x.tb, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, c, x.ldc);
        break;
    case LAVA_TYPE_CFP64:
        cblas_zgemm(x.layout, x.ta, x.tb, x.m, x.n, x.k, alpha, x.a, x.lda, x.b, x.ldb, beta, c, x.ldc);
        break;
    default:
        call_half(product->type, product->type_c, &x, c);
    }
}

const char *case_place(const char **reason) {
    struct lavablas_call last = {.size = sizeof last};
    bool known = lavablas_last_call(&last) == 0;
    if (reason)
        *reason = known ? last.reason : "";
    return known ? last.place : "none";
}

bool case_multiply(const struct product *product, const char *place) {
    const char *reason;
    void *c = product_new_c(product);
    case_call(product, c);
    const char *there = case_place(&reason);
    bool right = product_check(product, c, there);
    free(c);
    if (place && strcmp(place, there)) {
        fprintf(stderr, "computed on the %s (%s), expected the %s\n", there, reason, place);
        right = false;
    }
    failures += !right;
    return right;
}

bool case_use_plain_cpu_blas(void) {
    const char *path = getenv("LAVABLAS_TEST_CPU_BLAS");
    return path && setenv("LAVABLAS_CPU_BLAS", path, 1) == 0;
}

int case_threads_named(const char *name) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], line[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        if (fgets(line, sizeof line, file))
            line[strcspn(line, "\n")] = 0;
        count += !strcmp(line, name);
        fclose(file);
    }
    if (folder)
        closedir(folder);
    return count;
}

static void set_environment(const struct test_case *test) {
    const char *device = getenv("LAVA_TEST_DEVICE");
    setenv("LAVABLAS_DEVICE", device ? device : "cpu", 1);
    setenv("LAVABLAS_MODE", "gpu", 1);
    setenv("LAVABLAS_STATS", "/dev/null", 1); /* every call is remembered */
    for (int i = 0; i < CASE_VARIABLES && test->variables[i]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s", test->variables[i]);
        char *value = strchr(text, '=');
        if (!value) {
            unsetenv(text);
            continue;
        }
        *value = 0;
        setenv(text, value + 1, 1);
    }
}

/* The process of a case, as its driver sees it. */
struct process {
    pid_t id;
    int end;       /* where case_ends writes to */
    int errors;    /* what it wrote to stderr */
    double ending; /* when it said so; 0: not yet */
};

static void start(struct process *process, const struct test_case *test) {
    int ends[2];
    if (pipe(ends))
        abort();
    process->errors = memfd_create("stderr", 0);
    process->ending = 0;
    fflush(NULL);
    process->id = fork();
    if (process->id == 0) {
        char descriptor[16];
        close(ends[0]);
        snprintf(descriptor, sizeof descriptor, "%d", ends[1]);
        setenv(END_VARIABLE, descriptor, 1);
        set_environment(test);
        dup2(process->errors, STDERR_FILENO);
        execl("/proc/self/exe", program_invocation_short_name, test->name, (char *)NULL);
        _exit(98);
    }
    close(ends[1]);
    process->end = ends[0];
}

/* Waits for the end; false, with the process killed, if it takes too long. */
static bool wait_for(struct process *process, const struct test_case *test, int *status) {
    double begin = case_now();
    for (;;) {
        if (waitpid(process->id, status, WNOHANG) == process->id)
            return true;
        struct pollfd poller = {.fd = process->end, .events = POLLIN};
        if (process->ending == 0 && poll(&poller, 1, 5) == 1 && (poller.revents & POLLIN) &&
            read(process->end, &process->ending, sizeof process->ending) != sizeof process->ending)
            process->ending = case_now();
        else
            case_sleep(0.002);
        double limit = process->ending > 0 ? process->ending + (test->end_s ? test->end_s : END_S)
                                           : begin + (test->limit_s ? test->limit_s : LIMIT_S);
        if (case_now() > limit)
            break;
    }
    kill(process->id, SIGKILL);
    waitpid(process->id, status, 0);
    return false;
}

/* Copies what the case printed; returns the number of lines. */
static int show_errors(const struct process *process, bool print) {
    char text[4096];
    ssize_t bytes;
    int lines = 0;
    lseek(process->errors, 0, SEEK_SET);
    while ((bytes = read(process->errors, text, sizeof text)) > 0) {
        for (ssize_t i = 0; i < bytes; i++)
            lines += text[i] == '\n';
        if (print)
            fwrite(text, 1, (size_t)bytes, stdout);
    }
    return lines;
}

enum outcome { RIGHT, WRONG, SKIPPED, OUTCOME_COUNT };

static enum outcome run_once(const struct test_case *test) {
    struct process process;
    int status = 0;
    start(&process, test);
    bool ended = wait_for(&process, test, &status);
    bool skipped = ended && WIFEXITED(status) && WEXITSTATUS(status) == CASE_SKIPPED;
    bool fine = skipped || (ended && (status & ~0x80) == test->status); /* 0x80: a core was dumped */
    int lines = show_errors(&process, !fine);
    if (fine && test->lines >= 0 && lines > test->lines) {
        fine = false;
        show_errors(&process, true);
        printf("%s: %d lines on stderr\n", test->name, lines);
    } else if (!fine) {
        printf("%s: %s, status 0x%x\n", test->name, ended ? "failed" : "did not end in time",
               (unsigned)status);
    }
    close(process.end);
    close(process.errors);
    return !fine ? WRONG : skipped ? SKIPPED : RIGHT;
}

static enum outcome attempt(const struct test_case *test) {
    enum outcome outcome = run_once(test);
    for (int i = 1; outcome == WRONG && i < test->attempts; i++)
        outcome = run_once(test);
    return outcome;
}

/* A sanitizer's process is slow to begin and to end. */
#if defined(__SANITIZE_ADDRESS__)
#    define REPEATS_SHARE 3
#else
#    define REPEATS_SHARE 1
#endif

/* All repeats of a case: wrong if one was, skipped if none ran. */
static enum outcome run_case(const struct test_case *test) {
    const char *times = getenv("LAVA_TEST_REPEATS");
    int repeats = (test->repeats + REPEATS_SHARE - 1) / REPEATS_SHARE * (times ? atoi(times) : 1);
    int counts[OUTCOME_COUNT] = {0};
    repeats = repeats ? repeats : 1;
    double begin = case_now();
    for (int i = 0; i < repeats; i++)
        counts[attempt(test)]++;
    printf("%-28s %d of %d right, %d skipped, %.1f s\n", test->name, counts[RIGHT], repeats, counts[SKIPPED],
           case_now() - begin);
    fflush(stdout);
    return counts[WRONG] ? WRONG : counts[RIGHT] ? RIGHT : SKIPPED;
}

static bool is_among(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Whether another run has the case: it is one of several with this function. */
static bool is_others_turn(const struct test_case *test, const struct test_case *cases, unsigned seed) {
    unsigned before = 0, all = 0;
    for (const struct test_case *other = cases; other->name; other++)
        if (other->run == test->run) {
            before += other < test;
            all++;
        }
    return all > 1 && (before + seed) % 2;
}

/* Runs the cases with these names, or all if there are no names. */
static int run_named(int count, char **names, const struct test_case *cases) {
    int counts[OUTCOME_COUNT] = {0};
    const char *given = getenv("LAVA_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    bool take_turns = getenv("LAVA_TEST_TURNS") != NULL;
    if (take_turns)
        printf("LAVA_TEST_SEED=%u\n", seed);
    for (const struct test_case *test = cases; test->name; test++)
        if ((count == 0 || is_among(test->name, count, names)) &&
            !(take_turns && is_others_turn(test, cases, seed)))
            counts[run_case(test)]++;
    int ran = counts[RIGHT] + counts[WRONG];
    printf("%d cases ran, %d failed, %d were skipped\n", ran, counts[WRONG], counts[SKIPPED]);
    return counts[WRONG] ? 1 : ran ? 0 : CASE_SKIPPED;
}

int cases_main(int argument_count, char **arguments, const struct test_case *cases) {
    if (argument_count != 2)
        return run_named(argument_count - 1, arguments + 1, cases);
    for (const struct test_case *test = cases; test->name; test++) {
        if (strcmp(test->name, arguments[1]))
            continue;
        /* by hand, without the driver */
        if (!getenv(END_VARIABLE))
            set_environment(test);
        int result = test->run();
        return result == CASE_SKIPPED && failures ? 1 : result;
    }
    fprintf(stderr, "no such case: %s\n", arguments[1]);
    return 2;
}
