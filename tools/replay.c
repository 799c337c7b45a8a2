/* lavablas replay: times the products of a recorded trace (LAVABLAS_TRACE), each shape once, with LavaBLAS
 * and with the CPU BLAS, and adds up what all its calls would take on either side.
 *
 * The matrices are random, C has its own, nothing is transposed, and triangles are lower: a trace has the
 * sizes alone. Routines that perf/routine.c does not know (LAPACK's, batches) are listed as left out. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "tools/command.h"
#include "tools/json_reader.h"
#include "tools/shapes.h"
#include "tools/sides.h"
#include "tools/whatif.h"

static const char usage[] =
    "usage: lavablas replay [--library PATH ...] [--seconds S] [--top N] [--json] TRACE\n"
    "       lavablas replay --profile NAME LOG...\n"
    "Times the shapes of a trace that `lavablas run` has recorded, on either side.\n"
    "  --library PATH  a library to time; without it LavaBLAS and the CPU BLAS\n"
    "  --seconds S     for each shape and library (0.2)\n"
    "  --top N         only the N shapes that took the most time\n"
    "  --json          one JSON object\n"
    "  --profile NAME  time nothing: estimate what a device that this machine lacks would do for the calls "
    "of\n"
    "                  logs (LAVABLAS_LOG=calls); `lavablas profiles` has the names\n"
    "Exit status: 1: a result is wrong, or nothing can be replayed; 2: wrong arguments.\n";

struct replay {
    struct bench bench;
    struct shapes shapes;
    int top;
    bool json;
    const char *profile;
};

/* The square matrix of ?symm, ?trmm and ?trsm is on the left here. */
static void set_sizes(struct shape *shape) {
    bool is_square =
        shape->routine && (shape->routine->family == FAMILY_SYMM || shape->routine->family == FAMILY_TRMM ||
                           shape->routine->family == FAMILY_TRSM);
    if (is_square && shape->k != shape->m) {
        shape->n = shape->m;
        shape->m = shape->k;
    }
}

static int by_time(const void *a, const void *b) {
    const struct shape *x = a, *y = b;
    return (x->recorded_s < y->recorded_s) - (x->recorded_s > y->recorded_s);
}

/* Times one shape. Libraries without the routine have no time. */
static void time_shape(struct replay *replay, struct shape *shape) {
    struct bench bench = replay->bench;
    const char *ops =
        shape->routine->family == FAMILY_SYRK || shape->routine->family == FAMILY_SYR2K ? "NT" : "NN";
    set_sizes(shape);
    bench.routine = shape->routine;
    if (!bench_find(&bench))
        return;
    struct product product = routine_product(shape->routine, shape->m, shape->n, shape->k, ops);
    shape->right = bench_time(&bench, &product);
    routine_free(&product);
    shape->timed = true;
    for (int i = 0, place = 0; i < bench.library_count; i++, place++) {
        while (replay->bench.libraries[place].blas.path != bench.libraries[i].blas.path)
            place++;
        replay->bench.libraries[place].told = bench.libraries[i].told;
        shape->median_s[place] = bench_median(&bench.libraries[i]);
    }
}

static void print(const struct replay *replay) {
    const struct bench *bench = &replay->bench;
    double sums[BENCH_MAX_LIBRARIES] = {0}, recorded_s = 0, left_out_s = 0, left_out = 0;
    for (int i = 0; i < bench->library_count; i++)
        printf("library %d: %s\n", i + 1, bench->libraries[i].blas.path);
    printf("%-22s %-20s %8s %12s", "routine", "m x n x k", "calls", "recorded s");
    for (int i = 0; i < bench->library_count; i++)
        printf("   library %d s", i + 1);
    printf("\n");
    for (size_t j = 0; j < replay->shapes.count; j++) {
        const struct shape *shape = &replay->shapes.list[j];
        char sizes[48];
        snprintf(sizes, sizeof sizes, "%dx%dx%d", shape->m, shape->n, shape->k);
        if (shape->timed) {
            printf("%-22s %-20s %8.0f %12.6f", shape->name, sizes, shape->calls, shape->recorded_s);
            for (int i = 0; i < bench->library_count; i++) {
                sums[i] += shape->calls * shape->median_s[i];
                printf(" %13.6f", shape->calls * shape->median_s[i]);
            }
            printf("%s\n", shape->right ? "" : "  WRONG");
            recorded_s += shape->recorded_s;
        } else {
            left_out += shape->calls;
            left_out_s += shape->recorded_s;
        }
    }
    printf("%-22s %-20s %8s %12.6f", "all", "", "", recorded_s);
    for (int i = 0; i < bench->library_count; i++)
        printf(" %13.6f", sums[i]);
    printf("\n");
    if (left_out > 0)
        printf("left out: %.0f calls, recorded %.6f s: batches, LAPACK's routines, or beyond --top\n",
               left_out, left_out_s);
}

static void put(const struct replay *replay) {
    printf("{\"libraries\":[");
    for (int i = 0; i < replay->bench.library_count; i++) {
        printf("%s", i ? "," : "");
        lava_json_put(stdout, replay->bench.libraries[i].blas.path);
    }
    printf("],\"shapes\":[");
    for (size_t j = 0; j < replay->shapes.count; j++) {
        const struct shape *shape = &replay->shapes.list[j];
        printf("%s{\"routine\":", j ? ",\n" : "");
        lava_json_put(stdout, shape->name);
        printf(",\"m\":%d,\"n\":%d,\"k\":%d,\"calls\":%.0f,\"recorded_s\":%.9g,\"right\":%s,\"median_s\":[",
               shape->m, shape->n, shape->k, shape->calls, shape->recorded_s,
               shape->right ? "true" : "false");
        for (int i = 0; i < replay->bench.library_count; i++)
            if (shape->median_s[i] > 0)
                printf("%s%.9g", i ? "," : "", shape->median_s[i]);
            else
                printf("%snull", i ? "," : "");
        printf("]}");
    }
    printf("]}\n");
}

static int replay_all(struct replay *replay) {
    bool right = true, any = false;
    int timed = 0, total = 0;
    if (replay->shapes.count > 0)
        qsort(replay->shapes.list, replay->shapes.count, sizeof *replay->shapes.list, by_time);
    for (size_t i = 0; i < replay->shapes.count; i++)
        total += replay->shapes.list[i].routine != NULL;
    total = total < replay->top ? total : replay->top;
    for (size_t i = 0; i < replay->shapes.count; i++) {
        struct shape *shape = &replay->shapes.list[i];
        if (!shape->routine || timed == replay->top)
            continue;
        command_progress(timed++, total, "replaying", shape->name);
        time_shape(replay, shape);
        right &= shape->right;
        any |= shape->timed;
    }
    command_progress(0, 0, NULL, NULL);
    if (!any) {
        fputs("lavablas: the trace has no product that can be replayed\n", stderr);
        return COMMAND_NO;
    }
    if (replay->json)
        put(replay);
    else
        print(replay);
    return right ? COMMAND_DONE : COMMAND_NO;
}

/* Returns -1 if the command goes on with argv[optind - 1], else the exit status. */
static int read_options(int argc, char **argv, struct replay *replay) {
    static const struct option known[] = {{"library", required_argument, NULL, 'l'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"top", required_argument, NULL, 't'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"profile", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option;
    bool right = true;
    optind = 1;
    while ((option = getopt_long(argc + 1, argv - 1, "h", known, NULL)) != -1) {
        switch (option) {
        case 'l':
            right &= bench_open(&replay->bench, optarg);
            break;
        case 's':
            replay->bench.seconds = atof(optarg);
            break;
        case 't':
            replay->top = atoi(optarg);
            break;
        case 'j':
            replay->json = true;
            break;
        case 'p':
            replay->profile = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return COMMAND_DONE;
        default:
            right = false;
        }
    }
    if (right && optind <= argc && replay->profile && !replay->json)
        return -1;
    if (right && optind == argc && !replay->profile && replay->bench.seconds >= 0 && replay->top > 0)
        return -1;
    if (right && optind > argc)
        fputs("lavablas: no trace given\n", stderr);
    else if (right && replay->profile)
        fputs("lavablas: --profile and --json exclude each other\n", stderr);
    else if (right && optind < argc)
        fprintf(stderr, "lavablas: too many arguments: %s\n", argv[optind]);
    else if (right)
        fputs("lavablas: --seconds must be a number from 0, --top one above 0\n", stderr);
    fputs(usage, stderr);
    return COMMAND_WRONG;
}

static int estimate(const char *profile, char *const *paths, int count) {
    static struct profile_device made;
    struct whatif whatif = {0};
    int status = COMMAND_DONE;
    if (!profile_device_find(profile, &made))
        return COMMAND_WRONG;
    for (int i = 0; i < count; i++)
        if (!whatif_read(&whatif, paths[i])) {
            fprintf(stderr, "lavablas: %s: %s\n", paths[i], strerror(errno));
            status = COMMAND_NO;
        }
    if (!whatif_print(stdout, &whatif, &made))
        status = COMMAND_NO;
    whatif_free(&whatif);
    return status;
}

int command_replay(int argc, char **argv) {
    struct replay replay = {.bench = {BENCH_DEFAULTS}, .top = 1000000};
    replay.bench.seconds = 0.2;
    replay.bench.warmup_seconds = 0.05;
    replay.bench.rounds = 1;
    int status = read_options(argc, argv, &replay);
    if (status >= 0)
        return status;
    if (replay.profile)
        return estimate(replay.profile, argv + optind - 1, argc - optind + 1);
    const char *path = argv[optind - 1];
    errno = 0;
    char *text = json_read_file(path);
    if (!text) {
        fprintf(stderr, "lavablas: %s: %s\n", path, errno ? strerror(errno) : "cannot be read");
        bench_close(&replay.bench);
        return COMMAND_NO;
    }
    struct json *trace = json_parse(text);
    free(text);
    if (!trace || trace->kind != JSON_ARRAY) {
        fprintf(stderr, "lavablas: %s: not a trace of LavaBLAS\n", path);
        json_free(trace);
        return COMMAND_NO;
    }
    bool complete = replay.bench.library_count > 0 || sides_open(&replay.bench);
    complete = complete && shapes_read(&replay.shapes, trace);
    status = complete ? replay_all(&replay) : COMMAND_NO;
    bench_close(&replay.bench);
    free(replay.shapes.list);
    json_free(trace);
    return status;
}
