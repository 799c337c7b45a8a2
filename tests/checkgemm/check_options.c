/* Options, and kernel rows given by numbers. Called by checkgemm.c. */
#include "tests/checkgemm/check_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that --rotate cycles through: more than four times the cache of any GPU. */
#define ROTATE_BYTES (512ull << 20)

static const char usage[] =
    "usage: checkgemm [--kernel NAME|FIGURES|all] [--type TYPE] [--quick] [--sample N] [--rows N]\n"
    "                 [--verbose] [--seed N] [--discrete] [--patches] [--complete] [--least]\n"
    "                 [--planes | --no-planes | --simt] [--subgroup N] [--devices N]\n"
    "       checkgemm --ceilings [--type TYPE]\n"
    "       checkgemm --bench [--kernel NAME|FIGURES|all] [--type TYPE] [--c-type fp32|half]\n"
    "                 [--order linear|grouped|hilbert|all] [--persistent 0|1] [--split N]\n"
    "                 [--column-blocks N] [--later-parts N] [--pieces N] [--at-once 0|1]\n"
    "                 [--copy-threads N] [--seconds S]\n"
    "                 [--device-only] [--rotate]\n"
    "                 [--no-ceilings] [N | MxNxK]...\n"
    "  FIGURES         a row that is not in the table: [TYPE:ALGORITHM:]MxNxK/MxN/STAGES, tile, part, "
    "stages,\n"
    "                  as fp16:fragments:128x128x32/64x64/2; without type and algorithm: fp32. Rows by "
    "planes "
    "have\n"
    "                  their scheme's name for a type, as bf16x3:planes:128x64x32/32x64/2\n"
    "  --type          fp32, fp16, bf16, fp64, or complex cfp32, cfp64: the rows that serve it alone;\n"
    "                  --bench without --kernel: the policy's choice for it\n"
    "  --discrete      as on a discrete GPU: uploads are copied first, and the modules that keep subnormals\n"
    "  --patches       as on a device without matrices of sums in half types: shared memory serves instead\n"
    "  --complete      the modules of a type that the device cannot run have to be in the library all the "
    "same\n"
    "  --planes        of all rows, those by planes alone; --no-planes none of them\n"
    "  --simt          of all rows, those without matrices alone\n"
    "  --sample        one of so many cases, which differ with the seed\n"
    "  --rows          of each so many rows that the device can run, one; which, differs with the seed\n"
    "  --least         of each type, the rows with the smallest tile alone\n"
    "  --subgroup      fails if the device's subgroups have another size\n"
    "  --devices       the library computes, with so many devices of the driver (2 or 3), by the row that it "
    "chooses\n"
    "  --later-parts   the column blocks after the first are so many times narrower\n"
    "  --pieces        of op(A) as it arrives, where the product is streamed; --at-once 0 has it streamed\n"
    "  --device-only   no host-to-host times\n"
    "  --rotate        each multiply reads another copy of the operands, which no cache holds then\n"
    "  --no-ceilings   do not measure what the device can do at most first\n";

void options_usage(void) {
    fputs(usage, stderr);
    exit(2);
}

/* Returns an option's argument, or exits with the usage. */
static const char *argument(int argc, char **argv, int *i) {
    if (++*i >= argc)
        options_usage();
    return argv[*i];
}

static void parse_order(const char *name, struct options *options) {
    enum lava_tile_order order;
    options->all_orders = !strcmp(name, "all");
    if (options->all_orders)
        return;
    if (!lava_tile_order_from_name(name, &order))
        options_usage();
    options->timing.order = 1 + (int)order;
}

static void parse_type(const char *name, struct options *options) {
    options->has_type = true;
    if (!lava_type_from_name(name, &options->timing.type))
        options_usage();
}

/* 0, also what is no number, would accept every device. */
static void parse_subgroup(const char *size, struct options *options) {
    options->subgroup = (unsigned)atoi(size);
    if (!options->subgroup)
        options_usage();
}

/* Any half type stands for "the type of A and B": see bench_run. */
static void parse_c_type(const char *name, struct options *options) {
    if (strcmp(name, "fp32") && strcmp(name, "half"))
        options_usage();
    options->timing.type_c = strcmp(name, "half") ? LAVA_TYPE_FP32 : LAVA_TYPE_FP16;
}

/* Returns false if it is not a flag. */
static bool parse_flag(const char *name, struct options *options, struct check_context *context) {
    const struct {
        const char *name;
        bool *value;
    } flags[] = {
        {"--quick", &options->quick},
        {"--bench", &options->bench},
        {"--verbose", &context->verbose},
        {"--discrete", &options->discrete},
        {"--patches", &options->patches},
        {"--complete", &options->complete},
        {"--planes", &options->planes},
        {"--no-planes", &options->no_planes},
        {"--simt", &options->simt},
        {"--least", &options->least},
        {"--device-only", &options->timing.device_only},
        {"--ceilings", &options->only_ceilings},
        {"--no-ceilings", &options->no_ceilings},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (!strcmp(name, flags[i].name)) {
            *flags[i].value = true;
            return true;
        }
    if (strcmp(name, "--rotate"))
        return false;
    options->timing.rotate_bytes = ROTATE_BYTES;
    return true;
}

int options_parse(int argc, char **argv, struct options *options, struct check_context *context) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (parse_flag(argv[i], options, context))
            continue;
        if (!strcmp(argv[i], "--kernel"))
            options->kernel = argument(argc, argv, &i);
        else if (!strcmp(argv[i], "--type"))
            parse_type(argument(argc, argv, &i), options);
        else if (!strcmp(argv[i], "--c-type"))
            parse_c_type(argument(argc, argv, &i), options);
        else if (!strcmp(argv[i], "--sample"))
            context->sample = (unsigned)atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--rows"))
            options->rows = (unsigned)atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--order"))
            parse_order(argument(argc, argv, &i), options);
        else if (!strcmp(argv[i], "--persistent"))
            options->timing.persistent = 1 + atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--split"))
            options->timing.split_k = (uint32_t)atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--column-blocks"))
            options->timing.column_blocks = atoll(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--later-parts"))
            options->timing.later_parts = atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--pieces"))
            options->timing.pieces = (uint32_t)atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--at-once"))
            options->timing.at_once = 1 + atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--copy-threads"))
            options->copy_threads = (unsigned)atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--subgroup"))
            parse_subgroup(argument(argc, argv, &i), options);
        else if (!strcmp(argv[i], "--devices"))
            options->devices = atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--seconds"))
            options->timing.seconds = atof(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--seed"))
            context->seed = strtoull(argument(argc, argv, &i), NULL, 0);
        else
            options_usage();
    }
    return i;
}

/* A row's type, or its scheme if it has planes. */
static const char *type_of(const struct lava_kernel *kernel) {
    return kernel->scheme == LAVA_SCHEME_NONE ? lava_type_name(kernel->type)
                                              : lava_scheme(kernel->scheme)->name;
}

/* Finds the module for a type and an algorithm, from a row of the table. */
static bool find_module(const char *type, const char *algorithm, struct lava_kernel *kernel) {
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    for (size_t i = 0; i < rows; i++)
        if (!strcmp(type_of(&table[i]), type) && !strcmp(lava_kernel_algorithm(&table[i]), algorithm)) {
            kernel->type = table[i].type;
            kernel->scheme = table[i].scheme;
            kernel->module = table[i].module;
            return true;
        }
    return false;
}

/* Finds a row of fp32 arithmetic with the same tile. */
static const char *find_fallback(const struct lava_kernel *kernel) {
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    for (size_t i = rows; i-- > 0;)
        if (table[i].module == LAVA_MODULE_MULTIPLY_FP32 && table[i].tile_m == kernel->tile_m &&
            table[i].tile_n == kernel->tile_n)
            return table[i].name;
    return NULL;
}

const struct lava_kernel *options_find_kernel(const char *name) {
    static struct lava_kernel made;
    const struct lava_kernel *row = lava_kernels_find(name);
    char type[16] = "fp32", algorithm[16] = "SIMT";
    int length = 0;
    if (row)
        return row;
    if (sscanf(name, "%15[^:]:%15[^:]:%n", type, algorithm, &length) != 2 || length == 0) {
        strcpy(type, "fp32");
        strcpy(algorithm, "SIMT");
        length = 0;
    }
    if (!find_module(type, algorithm, &made) ||
        sscanf(name + length, "%ux%ux%u/%ux%u/%u", &made.tile_m, &made.tile_n, &made.tile_k, &made.part_m,
               &made.part_n, &made.stages) != 6 ||
        !made.tile_m || !made.tile_n || !made.tile_k || !made.part_m || !made.part_n) {
        fprintf(stderr, "checkgemm: no kernel row is named %s\n", name);
        exit(2);
    }
    made.name = name;
    made.fallback = lava_scheme(made.scheme)->screened ? find_fallback(&made) : NULL;
    return &made;
}

bool options_serves(const struct lava_kernel *kernel, enum lava_type type) {
    return kernel->type == lava_type_real(type);
}

enum lava_type options_type(const struct options *options, const struct lava_kernel *kernel) {
    if (!options->has_type)
        return kernel->type;
    if (!options_serves(kernel, options->timing.type)) {
        fprintf(stderr, "checkgemm: %s does not multiply %s\n", kernel->name,
                lava_type_name(options->timing.type));
        exit(2);
    }
    return options->timing.type;
}
