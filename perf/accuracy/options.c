/* Options. Called by accuracy.c. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_K 1048576

static const char *const commands[] = {"table", "screened", "chunks", "shares", "quick"};

static const int64_t usual_depths[] = {1, 2, 3, 16, 32, 33, 64, 128, 256, 1000, 4096, 65536};
static const int64_t quick_depths[] = {1, 2, 3, 16, 33, 128, 256, 1000};

static const char usage[] =
    "usage: accuracy [table|screened|chunks|shares|quick] [--schemes S1b,S3a,...] [--depths 128,4096,...]\n"
    "                [--unit hopper|ampere|nearest|all] [--chunk K] [--slab K] [--seed N]\n"
    "                [--library PATH|none]\n"
    "How accurate sgemm by fp16 or bf16 planes would be. Matrix units are emulated on the CPU: nothing runs "
    "on\n"
    "a GPU, and no kernel of the library computes so. doc/numerics.md explains the schemes and the "
    "criteria.\n"
    "  table     every scheme, kind of data and K: the largest error of C in u G; by the CPU BLAS's; by "
    "that\n"
    "            of sequential fp32; and the criterion missed: g (K + 3) u G, s 4 sqrt(K + 2) u G, r twice "
    "the\n"
    "            CPU BLAS's error. Fails where S3a misses g or s, or r from K = 128 on\n"
    "  screened  what the tests before and after accept of each kind of data, its error, and that of the\n"
    "            rest. Fails where S1b misses a criterion on what is accepted\n"
    "  chunks    errors by chunk and slab, the depths of K after which sums leave the unit, and are added "
    "up\n"
    "            once more; only from K = 256 on, and it never fails\n"
    "  shares    weak elements in a thousand rows of the largest K, and rows that pass; it never fails\n"
    "  quick     table of S3a and screened S1b on all units, to K = 1000\n"
    "  --chunk   16; --slab 1024; multiples of 16, 0 for one at the end\n"
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

/* A chunk or a slab. */
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
        return parse_step(&options->sums.slab, value);
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

/* What was not said depends on the command. */
static void fill_in(struct options *options) {
    bool quick = options->command == COMMAND_QUICK;
    const int64_t *depths = quick ? quick_depths : usual_depths;
    size_t depth_count =
        quick ? sizeof quick_depths / sizeof quick_depths[0] : sizeof usual_depths / sizeof usual_depths[0];
    for (size_t i = 0; options->depth_count == 0 && i < depth_count; i++)
        options->depths[i] = depths[i];
    if (options->depth_count == 0)
        options->depth_count = (int)depth_count;
    if (options->unit_count == 0)
        parse_units(options, quick || options->command == COMMAND_CHUNKS ? "all" : "hopper");
    if (options->scheme_count == 0 && options->command == COMMAND_SCREENED)
        parse_schemes(options, "S1b");
    else if (options->scheme_count == 0 && options->command != COMMAND_TABLE)
        parse_schemes(options, "S1b,S3a");
    for (size_t i = 0; options->command == COMMAND_TABLE && options->scheme_count == 0 && i < scheme_count;
         i++)
        options->schemes[i] = &schemes[i];
    if (options->scheme_count == 0)
        options->scheme_count = (int)scheme_count;
}

bool options_parse(struct options *options, int count, char **arguments) {
    static const struct option known[] = {
        {"schemes", required_argument, NULL, 's'},
        {"depths", required_argument, NULL, 'd'},
        {"unit", required_argument, NULL, 'u'},
        {"chunk", required_argument, NULL, 'c'},
        {"slab", required_argument, NULL, 'l'},
        {"seed", required_argument, NULL, 'r'},
        {"library", required_argument, NULL, 'b'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    bool right = true;
    *options = (struct options){.sums = {.chunk = 16, .slab = 1024}};
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
