/* Draws rates by gnuplot. Called by perf/bench.c.
 *
 * gnuplot's input is a program. So it gets only numbers that are printed here, and texts that are reduced to
 * harmless letters. It reads no file of settings, and it never learns the picture's path, because it takes
 * one that begins with "|" for a command: its output is the file. posix_spawn runs no handlers of fork(),
 * which libraries that were timed may have. */
#include "perf/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM       "gnuplot"
#define LEAST_MAJOR   5
#define LEAST_MINOR   2
#define NEEDED        "gnuplot 5.2 or later (Debian: gnuplot-nox)"
#define LABEL_LETTERS 120

extern char **environ;

/* Starts a program with these as its input and output. Returns -1 where there is none. */
static pid_t start(const char *const *arguments, int input, int output) {
    pid_t process;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions))
        return -1;
    int error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    error = error ? error
                  : posix_spawnp(&process, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error ? -1 : process;
}

static bool ends_well(pid_t process) {
    int status = -1;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Returns whether there is a gnuplot that is new enough; major 0: there is none. */
static bool find_program(int *major, int *minor) {
    static const char *const arguments[] = {PROGRAM, "--version", NULL};
    int ends[2];
    *major = *minor = 0;
    if (pipe2(ends, O_CLOEXEC))
        return false;
    pid_t process = start(arguments, ends[0], ends[1]);
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    if (!answer)
        close(ends[0]);
    if (process > 0 && (!answer || fscanf(answer, "gnuplot %d.%d", major, minor) != 2))
        *major = *minor = 0;
    if (answer)
        fclose(answer);
    return process > 0 && ends_well(process) &&
           (*major > LEAST_MAJOR || (*major == LEAST_MAJOR && *minor >= LEAST_MINOR));
}

bool picture_open(struct picture *picture, const char *name, const char *path) {
    int major, minor;
    if (!find_program(&major, &minor)) {
        if (major > 0)
            fprintf(stderr, "%s: --png needs " NEEDED "; this is %d.%d\n", name, major, minor);
        else
            fprintf(stderr, "%s: --png needs " NEEDED ", which is not installed\n", name);
        return false;
    }
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (file < 0) {
        fprintf(stderr, "%s: %s cannot be written: %s\n", name, path, strerror(errno));
        return false;
    }
    picture_close(picture);
    *picture = (struct picture){.path = path, .file = file};
    return true;
}

void picture_add(struct picture *picture, int line, double order, double flops_per_s) {
    if (!picture->path || !(isfinite(flops_per_s) && flops_per_s > 0))
        return;
    struct picture_point *points = realloc(picture->points, (picture->count + 1) * sizeof *points);
    if (!points)
        abort();
    points[picture->count++] = (struct picture_point){line, order, flops_per_s};
    picture->points = points;
}

static int compare_points(const void *left, const void *right) {
    const struct picture_point *a = left, *b = right;
    int by_line = (a->line > b->line) - (a->line < b->line);
    return by_line ? by_line : (a->order > b->order) - (a->order < b->order);
}

/* A text in gnuplot's single quotes, in which nothing but such a quote has a meaning, in one line. */
static void put_text(FILE *stream, const char *text) {
    fputc('\'', stream);
    for (int i = 0; text[i] && i < LABEL_LETTERS; i++) {
        bool plain = text[i] >= ' ' && text[i] <= '~' && !strchr("'\"`\\", text[i]);
        fputc(plain ? text[i] : '?', stream);
    }
    fputc('\'', stream);
}

struct range {
    double least, most;
};

/* The marks of an axis of logarithms are 1, 2 and 5 times powers of ten, so that there are several. The axis
 * begins and ends with one. */
static void put_rates(FILE *stream, struct range rate) {
    static const double digits[] = {1, 2, 5};
    struct range shown = {0, 0};
    int marks = 0;
    fprintf(stream, "set logscale y 10\nset ytics (");
    for (double power = pow(10, floor(log10(rate.least))); shown.most <= rate.most; power *= 10)
        for (size_t i = 0; i < sizeof digits / sizeof digits[0] && shown.most <= rate.most; i++) {
            shown.most = power * digits[i];
            shown.least = shown.least <= 0 || shown.most <= rate.least ? shown.most : shown.least;
            fprintf(stream, "%s%g", marks++ ? ", " : "", shown.most);
        }
    fprintf(stream, ")\nset yrange [%.17g:%.17g]\n", shown.least, shown.most);
}

static void put_orders(FILE *stream, struct range order) {
    fprintf(stream, "set logscale x 2\nset xrange [%.17g:%.17g]\n", order.least / 1.2, order.most * 1.2);
}

/* Each line's points are a block of data with a name. */
static void put_points(FILE *stream, const struct picture *picture, int lines, double unit) {
    size_t i = 0;
    for (int line = 0; line < lines; line++) {
        fprintf(stream, "$line%d << END\n", line);
        for (; i < picture->count && picture->points[i].line == line; i++)
            fprintf(stream, "%.17g %.17g\n", picture->points[i].order, picture->points[i].flops_per_s / unit);
        fprintf(stream, "END\n");
    }
}

static void put_program(FILE *stream, const struct picture *picture, const char *title,
                        const char *const *labels, int lines) {
    static const char *const colours[] = {"#d95f02", "#636363", "#7570b3", "#1b9e77",
                                          "#e7298a", "#66a61e", "#a6761d", "#e6ab02"};
    struct range order = {INFINITY, 0}, rate = {INFINITY, 0};
    for (size_t i = 0; i < picture->count; i++) {
        order.least = fmin(order.least, picture->points[i].order);
        order.most = fmax(order.most, picture->points[i].order);
        rate.least = fmin(rate.least, picture->points[i].flops_per_s);
        rate.most = fmax(rate.most, picture->points[i].flops_per_s);
    }
    double unit = rate.most >= 1e12 ? 1e12 : 1e9;
    rate = (struct range){rate.least / unit, rate.most / unit};
    fprintf(stream,
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) set terminal pngcairo noenhanced size 900,540; else "
            "set terminal png noenhanced size 900,540\n");
    fprintf(stream, "set title ");
    put_text(stream, title);
    fprintf(stream, "\nset xlabel 'n (the cube root of m n k)'\nset ylabel '%s'\n",
            unit > 1e9 ? "TFLOP/s" : "GFLOP/s");
    fprintf(stream, "set grid\nset key left top\n");
    put_orders(stream, order);
    put_rates(stream, rate);
    put_points(stream, picture, lines, unit);
    for (int line = 0; line < lines; line++) {
        fprintf(stream, "%s $line%d with linespoints linewidth 2 pointtype 7 linecolor rgb '%s' title ",
                line ? ", \\\n" : "plot", line, colours[(size_t)line % (sizeof colours / sizeof colours[0])]);
        put_text(stream, labels[line]);
    }
    fprintf(stream, "\n");
}

/* gnuplot may end before it has read everything. */
static bool feed(int end, const struct picture *picture, const char *title, const char *const *labels,
                 int lines) {
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    FILE *stream = fdopen(end, "w");
    if (!stream)
        return close(end) != 0;
    sigaction(SIGPIPE, &ignore, &before);
    put_program(stream, picture, title, labels, lines);
    bool written = !ferror(stream);
    written = fclose(stream) == 0 && written;
    sigaction(SIGPIPE, &before, NULL);
    return written;
}

bool picture_draw(struct picture *picture, const char *name, const char *title, const char *const *labels,
                  int lines) {
    static const char *const arguments[] = {PROGRAM, "-d", NULL}; /* without the user's settings */
    int ends[2];
    if (picture->count == 0) {
        fprintf(stderr, "%s: there is no rate to draw\n", name);
        return false;
    }
    qsort(picture->points, picture->count, sizeof *picture->points, compare_points);
    bool drawn = false;
    (void)!ftruncate(picture->file, 0); /* a device has no length */
    if (pipe2(ends, O_CLOEXEC) == 0) {
        pid_t process = start(arguments, ends[0], picture->file);
        close(ends[0]);
        drawn = feed(ends[1], picture, title, labels, lines);
        drawn = process > 0 && ends_well(process) && drawn;
    }
    if (!drawn)
        fprintf(stderr, "%s: gnuplot could not draw %s\n", name, picture->path);
    return drawn;
}

void picture_close(struct picture *picture) {
    if (picture->path)
        close(picture->file);
    free(picture->points);
    *picture = (struct picture){.path = NULL};
}
