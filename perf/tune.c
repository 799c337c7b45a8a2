/* perf/tune: finds the best kernel rows of a device for a type. Prints them in the form of dispatch/kernels.c
 * and dispatch/profiles.c, with the measurements.
 *
 *   tune [--type fp16|bf16|fp32] [--algorithm fragments|shared|SIMT] [--sizes 1024,4096x16x4096] [--keep N]
 *        [--seconds S] [--limit S] [--budget S] [--registers N] [--quick]
 *   tune --compile-only [--type T] [--subgroup N] [--assembly FOLDER] [--peak TFLOPS] [--simds N]
 *
 * Successive halving: every tile and part is timed briefly at one size of each kind of product it is meant
 * for. The best are tried with other depths and stages, the best of those at all sizes, and the best of those
 * again, for the longest time. Variants that the driver spills, that give wrong results or that take too long
 * are refused. The device is that of LAVABLAS_DEVICE. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "tests/checkgemm/measure.h"
#include "tune.h"

#define COMMAND_BYTES 512
/* Shares of the longest timing that the earlier rounds use. */
#define SCREENING_SHARE 0.1
#define MIDDLE_SHARE    0.3

static const char usage[] =
    "usage: tune [--type fp32|fp16|bf16] [--algorithm fragments|shared|SIMT] [--sizes N,MxNxK...] [--keep "
    "N]\n"
    "            [--seconds S] [--limit S] [--budget S] [--registers N] [--quick]\n"
    "  --keep N       rows for each of square products, few columns and few rows of C (4)\n"
    "  --seconds S    of the longest timing of a variant at a size (0.3)\n"
    "  --limit S      refuse a variant that needs longer for one product (2)\n"
    "  --budget S     try no new variants after so long (600)\n"
    "  --registers N  of a multiprocessor, 32 bits each (65536)\n"
    "  --compile-only what the driver's compiler makes of every row, of all types without --type;\n"
    "                 --assembly FOLDER keeps its assembly, --subgroup N compiles for this size,\n"
    "                 --peak TFLOPS and --simds N (2) of a multiprocessor are for the profile's rows\n"
    "  --quick        a handful of variants at small sizes: for software devices\n";

static enum tune_group group_of(const struct tune_size *size) {
    if (size->n <= 128 && size->m >= 4 * size->n)
        return TUNE_FEW_COLUMNS;
    return size->m <= 128 && size->n >= 4 * size->m ? TUNE_FEW_ROWS : TUNE_SQUARE;
}

static bool parse_sizes(struct tune *tune, const char *text) {
    tune->size_count = 0;
    while (*text) {
        struct tune_size size = {0};
        int length = 0;
        if (sscanf(text, "%" SCNd64 "x%" SCNd64 "x%" SCNd64 "%n", &size.m, &size.n, &size.k, &length) != 3) {
            if (sscanf(text, "%" SCNd64 "%n", &size.m, &length) != 1)
                return false;
            size.n = size.k = size.m;
        }
        if (size.m < 1 || size.n < 1 || size.k < 1 || tune->size_count == TUNE_MAX_SIZES ||
            (text[length] != ',' && text[length] != '\0'))
            return false;
        size.group = group_of(&size);
        tune->sizes[tune->size_count++] = size;
        text += length + (text[length] == ',');
    }
    return tune->size_count > 0;
}

static bool parse_option(struct tune *tune, int option, const char **sizes) {
    switch (option) {
    case 't':
        tune->all_types = false;
        return lava_type_from_name(optarg, &tune->type);
    case 'a':
        tune->algorithm = optarg;
        return true;
    case 'n':
        *sizes = optarg;
        return true;
    case 'k':
        tune->keep = (uint32_t)atoi(optarg);
        return tune->keep > 0;
    case 's':
        tune->seconds = atof(optarg);
        return true;
    case 'l':
        tune->limit_seconds = atof(optarg);
        return true;
    case 'b':
        tune->budget_seconds = atof(optarg);
        return true;
    case 'r':
        tune->registers_per_multiprocessor = (uint32_t)atoi(optarg);
        return true;
    case 'c':
        tune->compile_only = true;
        return true;
    case 'y':
        tune->assembly_folder = optarg;
        return true;
    case 'g':
        tune->subgroup = (uint32_t)atoi(optarg);
        return true;
    case 'm':
        tune->simds = (uint32_t)atoi(optarg);
        return true;
    case 'p':
        tune->peak_tflops = atof(optarg);
        return true;
    case 'q':
        tune->quick = true;
        return true;
    default:
        return false;
    }
}

static bool parse(struct tune *tune, int argc, char **argv) {
    static const struct option known[] = {
        {"type", required_argument, NULL, 't'},
        {"algorithm", required_argument, NULL, 'a'},
        {"sizes", required_argument, NULL, 'n'},
        {"keep", required_argument, NULL, 'k'},
        {"seconds", required_argument, NULL, 's'},
        {"limit", required_argument, NULL, 'l'},
        {"budget", required_argument, NULL, 'b'},
        {"quick", no_argument, NULL, 'q'},
        {"compile-only", no_argument, NULL, 'c'},
        {"assembly", required_argument, NULL, 'y'},
        {"subgroup", required_argument, NULL, 'g'},
        {"simds", required_argument, NULL, 'm'},
        {"peak", required_argument, NULL, 'p'},
        {"registers", required_argument, NULL, 'r'},
        {NULL, 0, NULL, 0},
    };
    const char *sizes = NULL;
    int option;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
        if (!parse_option(tune, option, &sizes))
            return false;
    if (!sizes)
        sizes = tune->quick
                    ? "128,128x16x128,16x128x128"
                    : "4096,1024,2048,8192,4096x16x4096,4096x1x4096,4096x64x4096,16x4096x4096,64x4096x4096";
    return optind == argc && parse_sizes(tune, sizes);
}

static bool out_of_time(const struct tune *tune) {
    return (double)(lava_clock_now_ns() - tune->start_ns) * 1e-9 > tune->budget_seconds;
}

/* Times a variant briefly, at the first size of each group it takes part in. */
static void screen(struct tune *tune, struct tune_variant *variant) {
    bool done[TUNE_GROUPS] = {false};
    tune_admit(tune, variant);
    for (size_t i = 0; i < tune->size_count && !variant->refused; i++) {
        enum tune_group group = tune->sizes[i].group;
        uint32_t split = 0;
        if (done[group] || !tune_takes_part(variant, group))
            continue;
        done[group] = true;
        variant->screened[group] =
            tune_rate(tune, variant, &tune->sizes[i], tune->seconds * SCREENING_SHARE, &split);
    }
}

static void screen_all(struct tune *tune, const char *round) {
    for (size_t i = 0; i < tune->variant_count && !out_of_time(tune); i++) {
        if (tune->variants[i].tried)
            continue;
        tune_progress(i, tune->variant_count, round, tune->variants[i].name);
        screen(tune, &tune->variants[i]);
    }
    tune_progress(0, 0, NULL, NULL);
}

/* Times a variant at every size of its groups. If K is split, also with half and twice the slices. */
static void time_sizes(struct tune *tune, struct tune_variant *variant, double seconds) {
    for (size_t i = 0; i < tune->size_count && !variant->refused; i++) {
        struct tune_size *size = &tune->sizes[i];
        uint32_t split = 0;
        if (!tune_takes_part(variant, size->group))
            continue;
        variant->rates[i] = tune_rate(tune, variant, size, seconds, &split);
        variant->splits[i] = split;
        for (int other = 0; other < 2 && split > 1 && !variant->refused; other++) {
            uint32_t tried = other ? split * 2 : split / 2;
            double rate = tune_rate(tune, variant, size, seconds, &tried);
            if (rate > variant->rates[i]) {
                variant->rates[i] = rate;
                variant->splits[i] = tried;
            }
        }
    }
}

/* Geometric mean over the group's sizes. Sizes not timed yet use the result of screening. */
static double score(const struct tune *tune, const struct tune_variant *variant, enum tune_group group) {
    double sum = 0;
    int count = 0;
    if (!variant->tried || variant->refused)
        return 0;
    for (size_t i = 0; i < tune->size_count; i++)
        if (tune->sizes[i].group == group && variant->rates[i] > 0) {
            sum += log(variant->rates[i]);
            count++;
        }
    return count > 0 ? exp(sum / count) : variant->screened[group];
}

static bool is_timed(const struct tune *tune, const struct tune_variant *variant) {
    for (size_t i = 0; i < tune->size_count; i++)
        if (variant->rates[i] > 0)
            return true;
    return false;
}

static bool is_among(struct tune_variant *const *variants, size_t count, const struct tune_variant *variant) {
    for (size_t i = 0; i < count; i++)
        if (variants[i] == variant)
            return true;
    return false;
}

/* The best `most` of each group, best first, without duplicates. timed: only those that were timed at all
 * sizes. */
static size_t best_of(const struct tune *tune, size_t most, bool timed, struct tune_variant **best) {
    size_t count = 0;
    for (int group = 0; group < TUNE_GROUPS; group++)
        for (size_t rank = 0; rank < most; rank++) {
            struct tune_variant *found = NULL;
            double found_score = 0;
            for (size_t i = 0; i < tune->variant_count; i++) {
                struct tune_variant *variant = &tune->variants[i];
                double its_score = score(tune, variant, (enum tune_group)group);
                if (its_score > found_score && (!timed || is_timed(tune, variant)) &&
                    !is_among(best, count, variant)) {
                    found = variant;
                    found_score = its_score;
                }
            }
            if (!found)
                break;
            best[count++] = found;
        }
    return count;
}

static void time_best(struct tune *tune, size_t most, bool timed, double seconds, const char *round) {
    struct tune_variant **best = calloc(most * TUNE_GROUPS, sizeof *best);
    size_t count = best ? best_of(tune, most, timed, best) : 0;
    for (size_t i = 0; i < count; i++) {
        tune_progress(i, count, round, best[i]->name);
        time_sizes(tune, best[i], seconds);
    }
    tune_progress(0, 0, NULL, NULL);
    free(best);
}

static void add_siblings_of_best(struct tune *tune, size_t most) {
    struct tune_variant **best = calloc(most * TUNE_GROUPS, sizeof *best);
    size_t count = best ? best_of(tune, most, false, best) : 0;
    for (size_t i = 0; i < count; i++)
        tune_add_siblings(tune, best[i]);
    free(best);
}

/* Returns true if there is any result. */
static bool run(struct tune *tune) {
    struct tune_variant **best = calloc((size_t)tune->keep * TUNE_GROUPS, sizeof *best);
    if (!best)
        return false;
    tune_add_bases(tune);
    screen_all(tune, "tiles and parts");
    add_siblings_of_best(tune, 2 * tune->keep);
    screen_all(tune, "depths and stages");
    time_best(tune, 2 * tune->keep, false, tune->seconds * MIDDLE_SHARE, "all sizes");
    time_best(tune, tune->keep, true, tune->seconds, "again, longer");
    size_t count = best_of(tune, tune->keep, true, best);
    for (size_t i = 0; i < count; i++) {
        tune_progress(i, count, "profile", best[i]->name);
        tune_profile(tune, best[i]);
    }
    tune_progress(0, 0, NULL, NULL);
    if (count > 0)
        tune_print(tune, best, count);
    free(best);
    return count > 0;
}

static void join_command(int argc, char **argv, char command[COMMAND_BYTES]) {
    size_t length = (size_t)snprintf(command, COMMAND_BYTES, "tune");
    for (int i = 1; i < argc && length < COMMAND_BYTES; i++)
        length += (size_t)snprintf(command + length, COMMAND_BYTES - length, " %s", argv[i]);
}

int main(int argc, char **argv) {
    char command[COMMAND_BYTES];
    struct tune tune = {.type = LAVA_TYPE_FP16,
                        .all_types = true,
                        .simds = 2,
                        .peak_tflops = 1,
                        .keep = 4,
                        .seconds = 0.3,
                        .limit_seconds = 2,
                        .budget_seconds = 600,
                        .registers_per_multiprocessor = 65536,
                        .command = command,
                        .start_ns = lava_clock_now_ns()};
    join_command(argc, argv, command);
    if (!parse(&tune, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    tune.variants = calloc(TUNE_MAX_VARIANTS, sizeof *tune.variants);
    if (!tune.variants || !tune_open(&tune))
        return 77;
    bool found = tune.compile_only ? tune_compile(&tune) : run(&tune);
    if (!found)
        printf("no variant of %s runs on this device\n", lava_type_name(tune.type));
    for (size_t i = 0; i < tune.size_count; i++)
        measure_free(&tune.sizes[i].operation);
    tune_close(&tune);
    free(tune.variants);
    return found ? 0 : 77;
}
