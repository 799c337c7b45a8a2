/* lavablas explain: where a call would run, why, and how. Called by main.c.
 *
 *     lavablas explain [--plan] [--precision P] ROUTINE ARGUMENT...   dgemm N T 8192 8192 4096
 *     lavablas explain [OPTION...] M N K                              ?gemm of those types, not transposed
 *     lavablas explain --from FILE                                    a line of JSON for each line of words
 *
 * The first line is the answer in words (verdict.c). --plan adds the plan, in one line, and the device's
 * program (explain_plan.c), one line per task, even if the CPU would compute the call.
 *
 * The routines and their types are those of lib/base/routines.h, what they take is in explain_makers.c. The
 * decision is lib/offload's own. */
#include "tools/explain.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/config.h"
#include "lib/blas/by_products.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/context.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/vectors.h"
#include "tools/chosen_device.h"
#include "tools/command.h"
#include "tools/explain_makers.h"
#include "tools/profile_device.h"
#include "tools/verdict.h"

static const struct argument {
    const char *name;
    size_t offset;
    const char *letters; /* allowed letters; NULL: the argument is a size */
} arguments_known[] = {
    {"ITYPE", offsetof(struct explain_arguments, itype), "123"},
    {"JOBZ", offsetof(struct explain_arguments, job), "NV"},
    {"COMPZ", offsetof(struct explain_arguments, job), "NIV"},
    {"JOB", offsetof(struct explain_arguments, job), "NSAO"},
    {"JOBU", offsetof(struct explain_arguments, job), "NSAO"},
    {"JOBVT", offsetof(struct explain_arguments, second_job), "NSAO"},
    {"VECT", offsetof(struct explain_arguments, job), "QP"},
    {"SIDE", offsetof(struct explain_arguments, side), "LR"},
    {"UPLO", offsetof(struct explain_arguments, uplo), "UL"},
    {"TRANSA", offsetof(struct explain_arguments, transa), "NTC"},
    {"TRANS", offsetof(struct explain_arguments, transa), "NTC"},
    {"TRANSB", offsetof(struct explain_arguments, transb), "NTC"},
    {"DIAG", offsetof(struct explain_arguments, diag), "NU"},
    {"M", offsetof(struct explain_arguments, m), NULL},
    {"N", offsetof(struct explain_arguments, n), NULL},
    {"K", offsetof(struct explain_arguments, k), NULL},
    {"NRHS", offsetof(struct explain_arguments, nrhs), NULL},
    {"COUNT", offsetof(struct explain_arguments, count), NULL},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char sizes_alone[] = "M N K ";

/* Finds a routine by its plain name, or by an exported name as statistics print it. Returns -1 if there is
 * none. */
static int find_routine(const char *name) {
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (!strcasecmp(row->routine, name) || !strcasecmp(row->name, name))
            return i;
    }
    return -1;
}

/* Returns the first ?gemm with these types, or -1 if there is none. LAVA_TYPE_COUNT means any type of C. */
static int find_gemm(enum lava_type type, enum lava_type type_c) {
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (row->family == LAVA_FAMILY_GEMM && row->type == type &&
            (type_c == LAVA_TYPE_COUNT || row->type_c == type_c))
            return i;
    }
    return -1;
}

static const char *profile; /* --profile; NULL: the device of this machine */

static void tell_usage(FILE *stream) {
    fputs("usage: lavablas explain [--plan | --json] [--precision ieee|standard|fast] [--stays A|B|AB]\n"
          "         [--profile NAME] ROUTINE ARGUMENT...\n",
          stream);
    const struct explain_shape *shape;
    for (size_t i = 0; (shape = explain_shape_at(i)); i++) {
        const char *before = "", *family = "";
        fprintf(stream, "         %sof ", shape->arguments);
        for (int j = 0; j < LAVA_ROUTINE_COUNT; j++) {
            const struct lava_routine_row *row = lava_routine_row((enum lava_routine)j);
            if (row->family != shape->family || !strcmp(row->routine, family))
                continue;
            family = row->routine;
            fprintf(stream, "%s%s", before, family);
            before = ", ";
        }
        fputc('\n', stream);
    }
    fputs("       lavablas explain --from FILE\n"
          "         a line of JSON for each call; FILE has one in each line, - is the standard input\n",
          stream);
    fputs("       lavablas explain [--plan | --json] [--type TYPE] [--c-type TYPE] [--precision ...] M N K\n"
          "         TYPE: fp32, the default, fp16, bf16, fp64, cfp32, cfp64; C has A's and B's, or fp32 by\n"
          "         default where they are fp16 or bf16\n"
          "       --stays: as if these operands were on the device already (LAVABLAS_RESIDENT=auto)\n"
          "       --profile: for a device that this machine lacks; `lavablas profiles` has the names\n"
          "       (the environment variables of the library count)\n",
          stream);
}

static bool read_letter(const char *word, const char *letters, char *letter) {
    *letter = (char)toupper((unsigned char)word[0]);
    return word[0] && !word[1] && strchr(letters, *letter);
}

static bool read_size(const char *word, int64_t *size) {
    char *end;
    errno = 0;
    *size = strtoll(word, &end, 10);
    return isdigit((unsigned char)word[0]) && !*end && !errno;
}

static bool read_argument(const char *name, size_t length, const char *word, struct explain_arguments *x) {
    for (size_t i = 0; i < COUNT(arguments_known); i++) {
        const struct argument *known = &arguments_known[i];
        void *place = (char *)x + known->offset;
        if (strlen(known->name) == length && !strncmp(known->name, name, length))
            return known->letters ? read_letter(word, known->letters, place) : read_size(word, place);
    }
    return false;
}

/* Reads the arguments in the order of `names`, which has the format of a shape's. */
static bool read_arguments(const char *names, int argc, char **argv, struct explain_arguments *x) {
    *x = (struct explain_arguments){.transa = 'N', .transb = 'N'};
    for (; *names; argc--, argv++) {
        size_t length = strcspn(names, " ");
        if (argc < 1 || !read_argument(names, length, *argv, x)) {
            fprintf(stderr, "lavablas: %.*s: %s\n", (int)length, names, argc < 1 ? "missing" : *argv);
            return false;
        }
        names += length + 1;
    }
    if (argc > 0)
        fprintf(stderr, "lavablas: too many arguments: %s\n", *argv);
    return argc == 0;
}

/* Reads the options. Returns how many words they are, or -1 if one is wrong. Types that are not given stay
 * LAVA_TYPE_COUNT. */
static int read_options(int argc, char **argv, enum lava_type *type, enum lava_type *type_c,
                        struct lava_operation *operation) {
    int read = 0;
    for (; read < argc && !strncmp(argv[read], "--", 2); read += 2) {
        const char *name = argv[read], *value = read + 1 < argc ? argv[read + 1] : "";
        enum lava_precision precision;
        bool right = (!strcmp(name, "--type") && lava_type_from_name(value, type)) ||
                     (!strcmp(name, "--c-type") && lava_type_from_name(value, type_c));
        if (!right && !strcmp(name, "--precision") && lava_config_find_precision(value, &precision)) {
            lava_offload_set_precision(precision);
            right = true;
        }
        if (!right && !strcmp(name, "--stays") && *value && strspn(value, "AB") == strlen(value)) {
            operation->a.is_resident = strchr(value, 'A') != NULL;
            operation->b.is_resident = strchr(value, 'B') != NULL;
            right = true;
        }
        if (!right && !strcmp(name, "--profile") && *value) {
            profile = value;
            right = true;
        }
        if (!right) {
            fprintf(stderr, "lavablas: not an option and its value: %s %s\n", name, value);
            return -1;
        }
    }
    return read;
}

/* Finds the routine that the words name, and the names of the arguments that follow. Returns NULL if there is
 * none. */
static const struct explain_shape *find_shape(const char *word, enum lava_type type, enum lava_type type_c,
                                              struct lava_call *call, const char **names) {
    bool is_named = isalpha((unsigned char)word[0]);
    bool has_types = type != LAVA_TYPE_COUNT || type_c != LAVA_TYPE_COUNT;
    enum lava_type type_a = type == LAVA_TYPE_COUNT ? LAVA_TYPE_FP32 : type;
    int found = is_named ? find_routine(word) : find_gemm(type_a, type_c);
    const struct explain_shape *shape =
        found < 0 ? NULL : explain_shape_of(lava_routine_row((enum lava_routine)found)->family);
    if (!shape) {
        fprintf(stderr, "lavablas: no routine %s\n", is_named ? word : "of these types");
        return NULL;
    }
    if (is_named && has_types) {
        fprintf(stderr, "lavablas: %s has types of its own\n", word);
        return NULL;
    }
    call->routine = (enum lava_routine)found;
    *names = is_named ? shape->arguments : sizes_alone;
    return shape;
}

/* Makes the call of its routine's arguments. */
static void make_call(const struct explain_shape *shape, struct explain_arguments *x,
                      struct lava_call *call) {
    const struct lava_routine_row *row = lava_routine_row(call->routine);
    x->family = row->family;
    x->is_hermitian = lava_type_is_complex(row->type) && !lava_type_is_complex(row->scalar);
    call->operation.type = lava_routine_type(call->routine);
    call->operation.c.type = lava_routine_type_c(call->routine);
    call->valid = shape->make(x, &call->operation);
    call->products = call->operation.series ? call->operation.series->count : 0;
}

bool explain_call_of_sizes(const char *routine, const struct explain_sizes *sizes, struct lava_call *call) {
    int found = find_routine(routine);
    const struct explain_shape *shape =
        found < 0 ? NULL : explain_shape_of(lava_routine_row((enum lava_routine)found)->family);
    if (!shape)
        return false;
    call->routine = (enum lava_routine)found;
    struct explain_arguments x;
    explain_arguments_of_sizes(shape, sizes, &x);
    make_call(shape, &x, call);
    return true;
}

static const struct explain_shape *read_call(int argc, char **argv, struct lava_call *call) {
    enum lava_type type = LAVA_TYPE_COUNT, type_c = LAVA_TYPE_COUNT;
    struct explain_arguments x;
    const char *names;
    struct lava_operation stays = {0};
    int options = read_options(argc, argv, &type, &type_c, &stays);
    if (options < 0 || options >= argc)
        return NULL;
    const struct explain_shape *shape = find_shape(argv[options], type, type_c, call, &names);
    if (!shape)
        return NULL;
    int first = options + (names == sizes_alone ? 0 : 1);
    if (!read_arguments(names, argc - first, argv + first, &x))
        return NULL;
    make_call(shape, &x, call);
    if (lava_routine_is_lapack(call->routine))
        lava_vectors_adopt(call);
    bool may_stay = call->valid && !call->operation.series &&
                    (!stays.a.is_resident || lava_operation_reads(&call->operation, false).rows > 0) &&
                    (!stays.b.is_resident || lava_operation_reads(&call->operation, true).rows > 0);
    if (lava_operation_has_resident(&stays) && call->valid && !may_stay) {
        fprintf(stderr, "lavablas: --stays: no matrix of %s stays on the device\n",
                lava_routine_name(call->routine));
        return NULL;
    }
    call->operation.a.is_resident = stays.a.is_resident;
    call->operation.b.is_resident = stays.b.is_resident;
    return shape;
}

/* What the estimate of the CPU's time is made of. */
static void show_cpu_source(const struct lava_operation *operation) {
    const struct lava_cpu_figures *figures = &lava_calibration_figures()->cpu;
    const char *scaled_by = lava_figures_scaled_by(figures, operation);
    if (scaled_by)
        printf("CPU's time: scaled to the measured times of %s\n", scaled_by);
    else if (lava_families_of(operation) == LAVA_CPU_FAMILY_GEMM &&
             lava_figures_cpu_measured(figures, operation))
        printf("CPU's time: between measured times of sgemm\n");
    else
        printf("CPU's time: estimated from %s\n",
               lava_figures_least_work(figures, 0) > 0 ? "the measured times of sgemm" : "the processor");
}

/* Most words of a line: more than any call has. */
#define LINE_WORDS 24
#define LINE_BYTES 512

/* Explains the calls of a file by the figures of this moment, each as a line of JSON. The device is opened
 * once. A wrong line ends it. */
static int explain_lines(const char *path) {
    char line[LINE_BYTES], *words[LINE_WORDS];
    int status = COMMAND_DONE;
    FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (!file) {
        fprintf(stderr, "lavablas: %s: %s\n", path, strerror(errno));
        return COMMAND_WRONG;
    }
    while (status != COMMAND_WRONG && fgets(line, sizeof line, file)) {
        struct lava_call call = {0};
        struct lava_plan plan;
        int count = 0;
        for (char *word = strtok(line, " \t\n"); word && count < LINE_WORDS; word = strtok(NULL, " \t\n"))
            words[count++] = word;
        if (count == 0 || words[0][0] == '#')
            continue;
        if (!read_call(count, words, &call)) {
            status = COMMAND_WRONG;
            continue;
        }
        lava_offload_explain(&call, &plan);
        lava_by_products_explain(&call, &plan);
        status = explain_put(&call, &plan);
        fflush(stdout);
    }
    if (file != stdin)
        fclose(file);
    return status;
}

/* The same for a device of a profile. */
static int explain_profile(struct lava_call *call, bool with_plan, bool json) {
    static struct profile_device made;
    struct lava_plan plan;
    char text[512];
    if (json) {
        fputs("lavablas: --profile and --json exclude each other\n", stderr);
        return COMMAND_WRONG;
    }
    if (!profile_device_find(profile, &made))
        return COMMAND_WRONG;
    call->operation.precision = lava_offload_precision();
    profile_device_choose(&made, call, 0, &plan);
    const struct verdict verdict = {&call->operation, &plan, &made.device, &made.figures, ""};
    verdict_of_call(&verdict, text, sizeof text);
    printf("An estimate for %s with %.0f GiB of memory: %s\n", made.label,
           (double)made.device.memory_bytes / 0x1p30, text);
    if (with_plan) {
        lava_policy_describe(&call->operation, &plan, text, sizeof text);
        puts(text);
        explain_plan(&call->operation, &plan);
    }
    puts("figures: the profile's, and of this machine's CPU BLAS the starting values");
    return COMMAND_DONE;
}

/* Takes the word out of the others. Returns whether it was among them. */
static bool take_word(int *argc, char **argv, const char *word) {
    int kept = 0, before = *argc;
    for (int i = 0; i < before; i++)
        if (strcmp(argv[i], word) != 0)
            argv[kept++] = argv[i];
    *argc = kept;
    return kept < before;
}

int explain(int argc, char **argv) {
    struct lava_call call = {0};
    struct lava_plan plan;
    char text[512];
    if (command_asks_for_help(argc, argv)) {
        tell_usage(stdout);
        return COMMAND_DONE;
    }
    if (argc == 2 && !strcmp(argv[0], "--from"))
        return explain_lines(argv[1]);
    bool json = take_word(&argc, argv, "--json"), with_plan = take_word(&argc, argv, "--plan") && !json;
    const struct explain_shape *shape = read_call(argc, argv, &call);
    if (!shape) {
        tell_usage(stderr);
        return 2;
    }
    if (profile)
        return explain_profile(&call, with_plan, json);
    lava_offload_explain(&call, &plan);
    lava_by_products_explain(&call, &plan);
    if (json)
        return explain_put(&call, &plan);
    const struct verdict verdict = {&call.operation, &plan, lava_context_capabilities(),
                                    lava_calibration_figures(), lava_readiness_explanation()};
    verdict_of_call(&verdict, text, sizeof text);
    puts(text);
    if (call.reason == LAVA_REASON_NO_DEVICE)
        puts("`lavablas doctor` says what is missing; --profile H200 estimates what such a device would do");
    if (with_plan) {
        lava_policy_describe(&call.operation, &plan, text, sizeof text);
        puts(text);
        explain_plan(&call.operation, &plan);
    }
    if (plan.cpu_ns > 0) {
        show_cpu_source(&call.operation);
        device_print_source("figures: ");
    }
    return call.reason == LAVA_REASON_NO_DEVICE;
}
