/* Options. Called by accuracy.c. */
#include "study_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_K 1048576

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *const commands[] = {"table", "screened", "chunks", "shares", "quick", "device"};

static const int64_t usual_depths[] = {1, 2, 3, 16, 32, 33, 64, 128, 256, 1000, 4096, 65536};
static const int64_t device_depths[] = {128, 256, 1000, 4096, 65536};
static const int64_t quick_depths[] = {1, 2, 3, 16, 33, 128, 256, 1000};

static const char usage[] =
    "usage: accuracy [table|screened|chunks|shares|quick|device] [--schemes S1b,bf16x3,...]\n"
    "                [--depths 128,4096,...] [--data KIND]... [--unit hopper|ampere|nearest|all]\n"
    "                [--chunk K] [--span K] [--every-row] [--strict] [--seed N]\n"
    "                [--library PATH|none]\n"
    "How accurate sgemm by fp16 or bf16 planes is. All but `device` emulate matrix units on the CPU:\n"
    "nothing runs on a GPU. doc/numerics.md explains the schemes and the criteria.\n"
    "  table     every scheme, kind of data and K: the largest error of C in u G; by the CPU BLAS's; by\n"
    "            that of sequential fp32; the criterion missed: g (K + 3) u G, s 4 sqrt(K + 2) u G, r twice\n"
    "            the CPU BLAS's error; and of how much of C: the rest is screened out. Fails where a scheme\n"
    "            that the precision standard admits misses g or s, or r from K = 128 on\n"
    "  device    the same of the library's kernels, on the device of LAVABLAS_DEVICE, else a GPU, else\n"
    "            lavapipe, with the kernels' own fp32 arithmetic as the first column. Fails as well where a\n"
    "            tile that is screened out has not the fallback's bits. Exits with 77 where there is no\n"
    "            device, or no row by planes for it\n"
    "  screened  what the tests before and after accept of each kind of data, its error, and that of the\n"
    "            rest. Fails where S1b misses a criterion on what is accepted\n"
    "  chunks    errors by chunk and span, the depths of K after which sums leave the unit, and are added\n"
    "            up once more; only from K = 256 on, and it never fails\n"
    "  shares    weak elements in a thousand rows of the largest K, and rows that pass; it never fails\n"
    "  quick     table of what standard admits, and screened S1b, on all units, to K = 1000\n"
    "  --data    that kind alone, as the tables call it; may be repeated\n"
    "  --chunk   32, screened 16; --span that of dispatch/schemes.c; multiples of 16, 0 for one at the end\n"
    "  --every-row  device: all rows of a scheme, not the first that the device can run\n"
    "  --strict  table, device: fails where any scheme misses a criterion\n"
    "  --library the CPU BLAS to compare with, none for sequential fp32 in its place; else OpenBLAS\n";

static bool parse_schemes(struct options *options, const char *text) {
    for (options->scheme_count = 0; options->scheme_count < MAX_LIST;) {
        size_t length = strcspn(text, ",");
        const struct scheme *scheme = scheme_find(text, length);
        if (!scheme)
            return false;
        options->schemes[options->scheme_count++] = scheme;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
    return false;
}

static bool parse_depths(struct options *options, const char *text) {
    for (options->depth_count = 0; options->depth_count < MAX_LIST;) {
        char *end;
        long long depth = strtoll(text, &end, 10);
        if (end == text || depth < 1 || depth > MOST_K || (*end && *end != ','))
            return false;
        options->depths[options->depth_count++] = depth;
        if (*end == '\0')
            return true;
        text = end + 1;
    }
    return false;
}

static bool parse_data(struct options *options, const char *name) {
    for (int data = 0; data < DATA_COUNT; data++)
        if (strcmp(name, problem_data_name((enum data)data)) == 0)
            return options->data[data] = true;
    fprintf(stderr, "no data called %s\n", name);
    return false;
}

static bool parse_units(struct options *options, const char *name) {
    options->unit_count = 0;
    if (strcmp(name, "all") == 0) {
        for (size_t i = 0; i < unit_count; i++)
            options->units[options->unit_count++] = &units[i];
        return true;
    }
    options->units[options->unit_count++] = scheme_find_unit(name);
    return options->units[0] != NULL;
}

/* A chunk or a span. */
static bool parse_step(int64_t *step, const char *text) {
    char *end;
    *step = strtoll(text, &end, 10);
    return end != text && !*end && *step >= 0 && *step % 16 == 0;
}

static bool parse_command(struct options *options, const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(name, commands[i]) == 0) {
            options->command = (enum command)i;
            return true;
        }
    return false;
}

static bool parse_option(struct options *options, int option, const char *value) {
    switch (option) {
    case 's':
        return parse_schemes(options, value);
    case 'd':
        return parse_depths(options, value);
    case 'u':
        return parse_units(options, value);
    case 'c':
        return parse_step(&options->sums.chunk, value);
    case 'l':
        return parse_step(&options->sums.span, value);
    case 't':
        return parse_data(options, value);
    case 'x':
        return options->strict = true;
    case 'e':
        return options->every_row = true;
    case 'r':
        options->seed = strtoull(value, NULL, 0);
        return true;
    case 'b':
        options->library = value;
        return true;
    case 'h':
        fputs(usage, stdout);
        exit(0);
    default:
        return false;
    }
}

static void fill_in_depths(struct options *options) {
    const int64_t *depths = usual_depths;
    size_t count = COUNT(usual_depths);
    if (options->command == COMMAND_QUICK) {
        depths = quick_depths;
        count = COUNT(quick_depths);
    } else if (options->command == COMMAND_DEVICE) {
        depths = device_depths;
        count = COUNT(device_depths);
    }
    options->usual_depths = options->depth_count == 0;
    if (!options->usual_depths)
        return;
    memcpy(options->depths, depths, count * sizeof *depths);
    options->depth_count = (int)count;
}

static void fill_in_schemes(struct options *options) {
    size_t count;
    const struct scheme *table = scheme_table(&count);
    if (options->scheme_count > 0)
        return;
    if (options->command == COMMAND_SCREENED)
        parse_schemes(options, "S1b");
    else if (options->command == COMMAND_CHUNKS || options->command == COMMAND_SHARES)
        parse_schemes(options, "S1b,bf16x3");
    else
        for (size_t i = 0; i < count; i++)
            if (options->command != COMMAND_QUICK || table[i].listed != LISTED_NOT)
                options->schemes[options->scheme_count++] = &table[i];
}

/* Sets the defaults, which depend on the command. */
static void fill_in(struct options *options) {
    bool all = options->command == COMMAND_QUICK || options->command == COMMAND_CHUNKS, any = false;
    fill_in_depths(options);
    fill_in_schemes(options);
    if (options->unit_count == 0)
        parse_units(options, all ? "all" : "hopper");
    for (int data = 0; data < DATA_COUNT; data++)
        any |= options->data[data];
    for (int data = 0; data < DATA_COUNT && !any; data++)
        options->data[data] = true;
}

bool options_parse(struct options *options, int count, char **arguments) {
    // clang-format off
    static const struct option known[] = {
        {"schemes",   required_argument, NULL, 's'},
        {"depths",    required_argument, NULL, 'd'},
        {"data",      required_argument, NULL, 't'},
        {"unit",      required_argument, NULL, 'u'},
        {"chunk",     required_argument, NULL, 'c'},
        {"span",      required_argument, NULL, 'l'},
        {"every-row", no_argument,       NULL, 'e'},
        {"strict",    no_argument,       NULL, 'x'},
        {"seed",      required_argument, NULL, 'r'},
        {"library",   required_argument, NULL, 'b'},
        {"help",      no_argument,       NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    // clang-format on
    int option;
    bool right = true;
    *options = (struct options){.sums = {.chunk = OPTIONS_USUAL, .span = OPTIONS_USUAL}};
    while (right && (option = getopt_long(count, arguments, "", known, NULL)) != -1)
        right = parse_option(options, option, optarg);
    if (right && optind < count)
        right = parse_command(options, arguments[optind++]);
    if (!right || optind != count) {
        fputs(usage, stderr);
        return false;
    }
    fill_in(options);
    return true;
}

int64_t options_largest(const struct options *options) {
    int64_t largest = 0;
    for (int i = 0; i < options->depth_count; i++)
        largest = options->depths[i] > largest ? options->depths[i] : largest;
    return largest;
}
