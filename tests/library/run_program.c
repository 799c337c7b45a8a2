/* A program for `lavablas run`, by its first argument. Run by test_run.sh and test_left_reports.sh.
 *
 *   run_program multiply          three products
 *   run_program fork              the same, and one more in a child of fork() and in a program it starts
 *   run_program stays             four products of a matrix that stays, and of one that is written
 *   run_program by-address FILE   a product by a routine that dlsym found in the library FILE
 *   run_program status N          ends with that status
 *   run_program signal N          ends by that signal
 *   run_program killed            a product, then SIGKILL
 *   run_program leaves            a product here and in a child of fork(), which both end by _exit()
 *   run_program becomes           a product, then the program starts itself in its place and multiplies
 *   run_program goes-on FILE      a product, writes its PID into the file, then goes on for a minute, and
 * keeps the number of products that have ended in FILE.calls, 8 bytes run_program wait FILE         creates
 * the file, then waits for SIGUSR1; status 5 run_program settings          writes what lavablas_settings
 * tells */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { M = 300, N = 250, K = 200 };

typedef void gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                  const double *beta, double *c, const int *ldc);
gemm dgemm_;

static void multiply(gemm *function) {
    static double a[M * K], b[K * N], c[M * N];
    const int m = M, n = N, k = K;
    const double one = 1, zero = 0;
    function("N", "N", &m, &n, &k, &one, a, &m, b, &k, &zero, c, &m);
}

static int multiply_again(void) {
    enum { ROWS = 520, COLUMNS = 300 };
    static double b[COLUMNS * 3], c[ROWS * 3];
    const int m = ROWS, n = 3, k = COLUMNS;
    const double one = 1, zero = 0;
    double *a[2];
    for (int i = 0; i < 2; i++) {
        void *memory = mmap(NULL, sizeof(double) * ROWS * COLUMNS, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return 1;
        a[i] = memory;
    }
    for (int i = 1; i <= 4; i++)
        for (int j = 0; j < 2; j++) {
            for (int l = 0; l < ROWS * COLUMNS && j == 1; l++)
                a[j][l] = i;
            dgemm_("N", "N", &m, &n, &k, &one, a[j], &m, b, &k, &zero, c, &m);
        }
    return 0;
}

static int fork_and_multiply(const char *self) {
    multiply(dgemm_);
    pid_t child = fork();
    if (child == 0) {
        multiply(dgemm_);
        exit(0);
    }
    waitpid(child, NULL, 0);
    if ((child = fork()) == 0) {
        execl(self, self, "multiply", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    return 0;
}

/* The count is in a page of its file, so that it is whole however the process ends. */
static int go_on(const char *path) {
    char counts[4096];
    snprintf(counts, sizeof counts, "%s.calls", path);
    int counted = open(counts, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (counted < 0 || ftruncate(counted, sizeof(uint64_t)) != 0)
        return 1;
    volatile uint64_t *ended = mmap(NULL, sizeof *ended, PROT_READ | PROT_WRITE, MAP_SHARED, counted, 0);
    if (ended == MAP_FAILED)
        return 1;
    *ended = 1;
    alarm(60);
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file) != 0)
        return 1;
    for (;; (*ended)++)
        multiply(dgemm_);
}

/* Without exit(), so that nothing is told at the end. */
static int leave(const char *way, const char *self, const char *path) {
    multiply(dgemm_);
    if (!strcmp(way, "killed"))
        return raise(SIGKILL);
    if (!strcmp(way, "becomes"))
        return execl(self, self, "multiply", (char *)NULL);
    if (!strcmp(way, "leaves")) {
        pid_t child = fork();
        if (child == 0)
            multiply(dgemm_);
        else
            waitpid(child, NULL, 0);
        _exit(0);
    }
    return go_on(path);
}

static int write_settings(void) {
    static char text[1 << 16];
    size_t (*settings)(char *, size_t);
    void *address = dlsym(RTLD_DEFAULT, "lavablas_settings");
    if (!address)
        return 1;
    memcpy(&settings, &address, sizeof settings);
    return settings(text, sizeof text) >= sizeof text || puts(text) < 0;
}

static int multiply_by_address(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL),
         *address = handle ? dlsym(handle, "scipy_dgemm_") : NULL;
    gemm *function;
    if (!address)
        return 1;
    memcpy(&function, &address, sizeof function);
    multiply(function);
    return 0;
}

static volatile sig_atomic_t has_come;

static void note(int signal) {
    has_come = signal;
}

static int wait_for_signal(const char *path) {
    signal(SIGUSR1, note);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    if (file < 0)
        return 1;
    close(file);
    for (int i = 0; i < 1000 && !has_come; i++)
        usleep(10000);
    return has_come ? 5 : 1;
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "", *with = count > 2 ? arguments[2] : "0";
    if (!strcmp(way, "multiply"))
        for (int i = 0; i < 3; i++)
            multiply(dgemm_);
    else if (!strcmp(way, "fork"))
        return fork_and_multiply(arguments[0]);
    else if (!strcmp(way, "killed") || !strcmp(way, "becomes") || !strcmp(way, "leaves") ||
             !strcmp(way, "goes-on"))
        return leave(way, arguments[0], with);
    else if (!strcmp(way, "stays"))
        return multiply_again();
    else if (!strcmp(way, "by-address"))
        return multiply_by_address(with);
    else if (!strcmp(way, "status"))
        return atoi(with);
    else if (!strcmp(way, "signal"))
        return raise(atoi(with));
    else if (!strcmp(way, "wait"))
        return wait_for_signal(with);
    else if (!strcmp(way, "settings"))
        return write_settings();
    return 0;
}
