/* Multiplies fp64 matrices that stay on the device by residues (doc/notes/fp64-by-integers.md), checks
 * elements bit by bit with the model of perf/residues, and times the steps.
 *
 *   residues_device [--whole | --narrow] [--tile MxN] [--part MxN] [--invocations I] [--group G] [--counts N]
 * [--panel K] [--seconds S]
 *                   [--ops nn|nt|tn|tt] [--normal] MxNxK ...
 *
 * C <- alpha op(A) op(B) + beta C. --whole: the tile is one matrix of the workgroup
 * (VK_NV_cooperative_matrix2); --narrow: its sums are
 * stored as residues, too. Longer K than --panel is multiplied panel by panel. Times are the device's,
 * the least of several runs. Exits with 1 if a result is wrong, with 77 if there is no device, or it has no
 * matrices of int8 or no fp64. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/engine/engine.h"
#include "lib/vk/gpu.h"
#include "lib/vk/queue.h"
#include "perf/residues/model.h"

#include "shaders/interface.h"

#include "shaders/residue_names.h"
#include "shaders/residues.h"

#define TIMEOUT_NS       60000000000ull
#define WARM_S           0.3
#define CHECKED_ELEMENTS 400
#define PERIOD           1000003 /* numbers in which a matrix repeats */

enum residue_module {
#define RESIDUE_ENUMERATOR(name, is_fp64) LAVA_##name,
    LAVA_RESIDUE_MODULES(RESIDUE_ENUMERATOR)
#undef RESIDUE_ENUMERATOR
        LAVA_RESIDUE_COUNT
};
/* As in lib/vk/modules.c. */
enum variant { PLAIN, ROLLED, VARIANT_COUNT };

// clang-format off
#include "shaders/residues.inc"
// clang-format on

struct options {
    bool whole, narrow, normal;
    bool transposed[2];
    uint32_t tile_m, tile_n, part_m, part_n, invocations, group, count;
    int64_t panel;
    double seconds, alpha, beta;
};

enum step { STEP_CONVERT, STEP_MULTIPLY, STEP_COMBINE, STEP_COUNT };

enum {
    BUFFER_A,
    BUFFER_B,
    BUFFER_C,
    BUFFER_C0,
    BUFFER_RESIDUES_A,
    BUFFER_RESIDUES_B,
    BUFFER_SUMS,
    BUFFER_LINES,
    BUFFER_NUMBERS,
    BUFFER_COUNT
};

/* One product; its host matrices are column-major, as tight as the operands allow. */
struct bench {
    const struct options *options;
    struct lava_device *device;
    struct lava_residues residues;
    int64_t m, n, k;
    uint32_t padded[2], tiles;
    double *host[4]; /* A, B, C0, C */
    struct lava_buffer buffers[BUFFER_COUNT];
    struct lava_buffer staging;
    const struct lava_pipeline *scan[2], *convert[2], *screen[2], *multiply, *combine;
};

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "residues_device: out of memory\n");
        exit(1);
    }
    return memory;
}

static uint32_t rounded_up(int64_t value, uint32_t unit) {
    return (uint32_t)((value + unit - 1) / unit) * unit;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Pipelines */

static enum lava_status get(struct bench *x, enum residue_module module,
                            const uint32_t constants[LAVA_CONSTANT_COUNT],
                            const struct lava_pipeline **pipeline) {
    const struct lava_code *code = residue_modules[module];
    bool software = x->device->capabilities.kind == LAVA_DEVICE_CPU;
    struct lava_pipeline_specification specification = {
        .code = software && code[ROLLED].words ? &code[ROLLED] : &code[PLAIN]};
    if (!specification.code->words)
        return LAVA_ERROR_DRIVER;
    memcpy(specification.constants, constants, sizeof specification.constants);
    return lava_pipelines_get(x->device, &specification, pipeline);
}

static enum lava_status get_multiply(struct bench *x) {
    const struct options *o = x->options;
    const struct lava_integer_shape *shape = &x->device->integer_shape;
    uint32_t subgroup = x->device->capabilities.matrix_subgroup_size, constants[LAVA_CONSTANT_COUNT] = {0};
    uint32_t parts = o->tile_m / o->part_m * (o->tile_n / o->part_n);
    constants[LAVA_CONSTANT_INVOCATIONS] = o->whole ? o->invocations : parts * subgroup;
    constants[LAVA_CONSTANT_TILE_M] = o->tile_m;
    constants[LAVA_CONSTANT_TILE_N] = o->tile_n;
    constants[LAVA_CONSTANT_PART_M] = o->part_m;
    constants[LAVA_CONSTANT_PART_N] = o->part_n;
    constants[LAVA_CONSTANT_SHAPE_M] = shape->m;
    constants[LAVA_CONSTANT_SHAPE_N] = shape->n;
    constants[LAVA_CONSTANT_SHAPE_K] = shape->k;
    constants[LAVA_CONSTANT_STAGES] = o->group;
    constants[LAVA_CONSTANT_SUBGROUP] = subgroup;
    return get(x,
               o->narrow  ? LAVA_RESIDUES_MULTIPLY_NARROW
               : o->whole ? LAVA_RESIDUES_MULTIPLY_WHOLE
                          : LAVA_RESIDUES_MULTIPLY,
               constants, &x->multiply);
}

static enum lava_status get_pipelines(struct bench *x) {
    const struct options *o = x->options;
    enum lava_status status = get_multiply(x);
    for (int side = 0; side < 2 && !status; side++) {
        uint32_t constants[LAVA_CONSTANT_COUNT] = {0};
        constants[LAVA_CONSTANT_PANEL] = side == 0 ? o->tile_m : o->tile_n;
        status = get(x, LAVA_RESIDUES_SCREEN, constants, &x->screen[side]);
        constants[LAVA_CONSTANT_PANEL] = 0;
        constants[LAVA_CONSTANT_TRANSPOSE] = (side == 0) == o->transposed[side];
        if (!status)
            status = get(x, LAVA_RESIDUES_SCAN, constants, &x->scan[side]);
        if (!status)
            status = get(x, LAVA_RESIDUES_CONVERT, constants, &x->convert[side]);
    }
    uint32_t constants[LAVA_CONSTANT_COUNT] = {0};
    constants[LAVA_CONSTANT_TILE_M] = o->tile_m;
    constants[LAVA_CONSTANT_TILE_N] = o->tile_n;
    return status ? status
                  : get(x, o->narrow ? LAVA_RESIDUES_COMBINE_NARROW : LAVA_RESIDUES_COMBINE, constants,
                        &x->combine);
}

/* Matrices */

static double random_number(unsigned *seed, bool normal) {
    double x = ((double)rand_r(seed) + 0.5) / ((double)RAND_MAX + 1) + (double)rand_r(seed) * 0x1p-62;
    double y = ((double)rand_r(seed) + 0.5) / ((double)RAND_MAX + 1);
    return normal ? sqrt(-2 * log(y)) * cos(6.283185307179586 * x) : 2 * x - 1;
}

static double *new_matrix(int64_t numbers, unsigned seed, bool normal) {
    double *matrix = allocate((size_t)numbers * sizeof *matrix);
    int64_t made = least(numbers, PERIOD);
    for (int64_t i = 0; i < made; i++)
        matrix[i] = random_number(&seed, normal);
    for (int64_t i = PERIOD; i < numbers; i += PERIOD)
        memcpy(matrix + i, matrix, (size_t)least(numbers - i, PERIOD) * sizeof *matrix);
    return matrix;
}

/* Moves a host matrix through the staging buffer. */
static enum lava_status move(struct bench *x, struct lava_buffer *buffer, void *host, uint64_t bytes,
                             bool up) {
    enum lava_status status = LAVA_OK;
    for (uint64_t at = 0; at < bytes && !status; at += x->staging.bytes) {
        uint64_t piece = bytes - at < x->staging.bytes ? bytes - at : x->staging.bytes;
        struct lava_commands commands;
        struct lava_point done;
        if (up)
            memcpy(x->staging.mapped, (char *)host + at, piece);
        status = lava_queue_begin(x->device, LAVA_ROLE_COMPUTE, &commands);
        if (status)
            break;
        lava_queue_copy(x->device, &commands, up ? &x->staging : buffer, up ? 0 : at,
                        up ? buffer : &x->staging, up ? at : 0, piece);
        lava_queue_barrier(x->device, &commands);
        status = lava_queue_submit(x->device, &commands, NULL, 0, &done);
        if (!status)
            status = lava_queue_wait(x->device, done, TIMEOUT_NS);
        if (!up && !status)
            memcpy((char *)host + at, x->staging.mapped, piece);
    }
    return status;
}

static int64_t panel_of(const struct bench *x) {
    return least(x->k, x->options->panel);
}

static uint32_t slabs_of(int64_t k) {
    return rounded_up(k, LAVA_RESIDUES_SLAB) / LAVA_RESIDUES_SLAB;
}

/* Lines are padded to whole tiles, and to what a workgroup converts. */
static uint32_t lines_of(uint32_t tile) {
    return tile < LAVA_RESIDUES_LINES ? LAVA_RESIDUES_LINES : tile;
}

static bool is_tile(uint32_t tile) {
    return tile >= LAVA_RESIDUES_COLUMNS && lines_of(tile) % tile == 0 &&
           lines_of(tile) % LAVA_RESIDUES_LINES == 0;
}

static enum lava_status create(struct bench *x) {
    const struct options *o = x->options;
    x->padded[0] = rounded_up(x->m, lines_of(o->tile_m));
    x->padded[1] = rounded_up(x->n, lines_of(o->tile_n));
    x->tiles = x->padded[0] / o->tile_m * (x->padded[1] / o->tile_n);
    uint64_t lines = (uint64_t)x->padded[0] + x->padded[1],
             depth = (uint64_t)slabs_of(panel_of(x)) * LAVA_RESIDUES_SLAB;
    const uint64_t bytes[BUFFER_COUNT] = {
        [BUFFER_A] = (uint64_t)(x->m * x->k) * 8,
        [BUFFER_B] = (uint64_t)(x->k * x->n) * 8,
        [BUFFER_C] = (uint64_t)(x->m * x->n) * 8,
        [BUFFER_C0] = (uint64_t)(x->m * x->n) * 8,
        [BUFFER_RESIDUES_A] = o->count * x->padded[0] * depth,
        [BUFFER_RESIDUES_B] = o->count * x->padded[1] * depth,
        [BUFFER_SUMS] = (uint64_t)o->count * x->padded[0] * x->padded[1] * 4,
        [BUFFER_LINES] = 2 * lines * LAVA_RESIDUES_WORDS * 4, /* and panels, of which there are fewer */
        [BUFFER_NUMBERS] = sizeof(struct lava_residues),
    };
    enum lava_status status = lava_memory_allocate(x->device, LAVA_MEMORY_STAGING, 16u << 20, &x->staging);
    for (int i = 0; i < BUFFER_COUNT && !status; i++)
        status = lava_memory_allocate(x->device, LAVA_MEMORY_DEVICE, bytes[i], &x->buffers[i]);
    for (int i = 0; i < 3 && !status; i++) {
        static const int of[3] = {BUFFER_A, BUFFER_B, BUFFER_C0};
        x->host[i] = new_matrix((int64_t)bytes[of[i]] / 8, (unsigned)i + 1, o->normal);
        status = move(x, &x->buffers[of[i]], x->host[i], bytes[of[i]], true);
    }
    x->host[3] = allocate(bytes[BUFFER_C]);
    double numbers[LAVA_RESIDUES_MOST + 2][LAVA_RESIDUES_PARTS];
    memcpy(numbers, x->residues.weights, sizeof x->residues.weights);
    memcpy(numbers[LAVA_RESIDUES_MOST], x->residues.product, sizeof x->residues.product);
    numbers[LAVA_RESIDUES_MOST + 1][0] = x->residues.inverse;
    return status ? status
                  : move(x, &x->buffers[BUFFER_NUMBERS], numbers,
                         sizeof numbers[0] * (LAVA_RESIDUES_MOST + 1) + 8, true);
}

static void destroy(struct bench *x) {
    for (int i = 0; i < BUFFER_COUNT; i++)
        lava_memory_free(x->device, &x->buffers[i]);
    lava_memory_free(x->device, &x->staging);
    for (int i = 0; i < 4; i++)
        free(x->host[i]);
}

/* The product */

static uint64_t lines_address(const struct bench *x, int side, bool panels) {
    uint64_t lines = (side == 0 ? 0 : x->padded[0]) + (panels ? (uint64_t)x->padded[0] + x->padded[1] : 0);
    return x->buffers[BUFFER_LINES].address + lines * LAVA_RESIDUES_WORDS * 4;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Constants of all steps for the panel of K that begins at `first`. */
static struct lava_residues_constants constants_of(const struct bench *x, int64_t first) {
    int64_t k = least(panel_of(x), x->k - first);
    return (struct lava_residues_constants){.lines_a = lines_address(x, 0, false),
                                            .lines_b = lines_address(x, 1, false),
                                            .panels_a = lines_address(x, 0, true),
                                            .panels_b = lines_address(x, 1, true),
                                            .alpha_fp64 = bits_of(x->options->alpha),
                                            .beta_fp64 = bits_of(first == 0 ? x->options->beta : 1),
                                            .k = (uint32_t)k,
                                            .padded_lines = x->padded[0],
                                            .padded_lines_b = x->padded[1],
                                            .slabs = slabs_of(k),
                                            .level = lava_residues_level(&x->residues, k),
                                            .columns = (uint32_t)x->n,
                                            .least_weight = lava_residues_least_weight(&x->residues, k),
                                            .limit = x->residues.limit,
                                            .limit_exponent = x->residues.limit_exponent,
                                            .count = x->residues.count};
}

/* Where op(A) (side 0) or op(B) at this K begins, and its leading dimension. */
static uint64_t operand_at(const struct bench *x, int side, int64_t first, uint32_t *ld) {
    bool along = (side == 0) == x->options->transposed[side]; /* K runs along the rows */
    int64_t lines = side == 0 ? x->m : x->n;
    *ld = (uint32_t)(along ? x->k : lines);
    return x->buffers[side == 0 ? BUFFER_A : BUFFER_B].address +
           (uint64_t)(along ? first : first * lines) * 8;
}

static void record_convert(struct bench *x, struct lava_commands *commands, int side, int64_t first) {
    struct lava_residues_constants constants = constants_of(x, first);
    uint32_t groups_x = x->padded[side] / LAVA_RESIDUES_LINES;
    uint32_t groups_y =
        rounded_up((int64_t)constants.slabs * LAVA_RESIDUES_SLAB, LAVA_RESIDUES_DEPTH) / LAVA_RESIDUES_DEPTH;
    constants.source = operand_at(x, side, first, &constants.ld);
    constants.target = x->buffers[side == 0 ? BUFFER_RESIDUES_A : BUFFER_RESIDUES_B].address;
    constants.lines = (uint32_t)(side == 0 ? x->m : x->n);
    constants.lines_a = lines_address(x, side, false);
    constants.panels_a = lines_address(x, side, true);
    constants.padded_lines = x->padded[side];
    for (constants.step = LAVA_RESIDUES_CLEARS; constants.step <= LAVA_RESIDUES_NORM; constants.step++) {
        lava_queue_dispatch(x->device, commands, x->scan[side], &constants, sizeof constants, groups_x,
                            constants.step == LAVA_RESIDUES_CLEARS ? 1 : groups_y);
        lava_queue_barrier_dispatch(x->device, commands);
    }
    lava_queue_dispatch(x->device, commands, x->convert[side], &constants, sizeof constants, groups_x,
                        groups_y);
    lava_queue_barrier_dispatch(x->device, commands);
    lava_queue_dispatch(x->device, commands, x->screen[side], &constants, sizeof constants,
                        x->padded[side] / (side == 0 ? x->options->tile_m : x->options->tile_n), 1);
    lava_queue_barrier_dispatch(x->device, commands);
}

static void record_panel(struct bench *x, struct lava_commands *commands, int64_t first, uint32_t *stamp) {
    struct lava_residues_constants constants = constants_of(x, first);
    lava_queue_stamp(x->device, commands, 2 * *stamp);
    record_convert(x, commands, 0, first);
    record_convert(x, commands, 1, first);
    lava_queue_stamp(x->device, commands, 2 * (*stamp)++ + 1);
    constants.source = x->buffers[BUFFER_RESIDUES_A].address;
    constants.other = x->buffers[BUFFER_RESIDUES_B].address;
    constants.target = x->buffers[BUFFER_SUMS].address;
    lava_queue_stamp(x->device, commands, 2 * *stamp);
    lava_queue_dispatch(x->device, commands, x->multiply, &constants, sizeof constants, x->tiles,
                        x->residues.count);
    lava_queue_barrier_dispatch(x->device, commands);
    lava_queue_stamp(x->device, commands, 2 * (*stamp)++ + 1);
    constants.source = x->buffers[BUFFER_SUMS].address;
    constants.other = x->buffers[BUFFER_NUMBERS].address;
    constants.target = x->buffers[BUFFER_C].address;
    constants.lines = constants.ld = (uint32_t)x->m;
    lava_queue_stamp(x->device, commands, 2 * *stamp);
    lava_queue_dispatch(x->device, commands, x->combine, &constants, sizeof constants, x->tiles,
                        x->options->tile_n / LAVA_RESIDUES_COLUMNS);
    lava_queue_barrier_dispatch(x->device, commands);
    lava_queue_stamp(x->device, commands, 2 * (*stamp)++ + 1);
}

/* C <- alpha op(A) op(B) + beta C0. ms: of each step, and of all */
static enum lava_status multiply(struct bench *x, double ms[STEP_COUNT + 1]) {
    struct lava_commands commands;
    struct lava_point done;
    static struct lava_interval intervals[LAVA_QUEUE_STAMP_PAIRS];
    uint32_t stamps = 0;
    enum lava_status status = lava_queue_begin(x->device, LAVA_ROLE_COMPUTE, &commands);
    if (status)
        return status;
    lava_queue_reset_stamps(x->device, &commands);
    lava_queue_copy(x->device, &commands, &x->buffers[BUFFER_C0], 0, &x->buffers[BUFFER_C], 0,
                    x->buffers[BUFFER_C].bytes);
    lava_queue_barrier(x->device, &commands);
    for (int64_t first = 0; first < x->k; first += x->options->panel)
        record_panel(x, &commands, first, &stamps);
    lava_queue_barrier(x->device, &commands);
    status = lava_queue_submit(x->device, &commands, NULL, 0, &done);
    if (!status)
        status = lava_queue_wait(x->device, done, TIMEOUT_NS);
    memset(ms, 0, sizeof *ms * (STEP_COUNT + 1));
    if (!status && lava_queue_read_stamps(x->device, LAVA_ROLE_COMPUTE, stamps, intervals)) {
        for (uint32_t i = 0; i < stamps; i++)
            ms[i % STEP_COUNT] += 1e-6 * (double)(intervals[i].end_ns - intervals[i].begin_ns);
        ms[STEP_COUNT] = 1e-6 * (double)(intervals[stamps - 1].end_ns - intervals[0].begin_ns);
    }
    return status;
}

/* Checks */

static void read_line(const struct bench *x, int side, int64_t line, int64_t first, int64_t k,
                      double *elements) {
    bool along = (side == 0) == x->options->transposed[side];
    int64_t lines = side == 0 ? x->m : x->n;
    for (int64_t l = 0; l < k; l++)
        elements[l] = x->host[side][along ? line * x->k + first + l : (first + l) * lines + line];
}

/* Element (i, j) as the kernels compute it, without a screen. */
static double expected(const struct bench *x, int64_t i, int64_t j) {
    int64_t panel = panel_of(x);
    double *elements = allocate((size_t)panel * sizeof *elements), c = x->host[2][j * x->m + i];
    int8_t *converted[2] = {allocate((size_t)(x->residues.count * panel)),
                            allocate((size_t)(x->residues.count * panel))};
    for (int64_t first = 0; first < x->k; first += x->options->panel) {
        int64_t k = least(panel, x->k - first);
        int32_t scale = 0;
        for (int side = 0; side < 2; side++) {
            read_line(x, side, side == 0 ? i : j, first, k, elements);
            struct lava_residues_line line = model_line(&x->residues, elements, k);
            model_convert(&x->residues, elements, k, model_scale(&x->residues, &line), converted[side]);
            scale += model_scale(&x->residues, &line);
        }
        double beta = first == 0 ? x->options->beta : 1;
        double product =
            x->options->alpha * model_product(&x->residues, converted[0], converted[1], k, scale);
        c = beta == 0 ? product : product + beta * c;
    }
    free(elements);
    free(converted[0]);
    free(converted[1]);
    return c;
}

static bool is_right(struct bench *x) {
    unsigned seed = 7;
    if (move(x, &x->buffers[BUFFER_C], x->host[3], x->buffers[BUFFER_C].bytes, false))
        return false;
    for (int q = 0; q < CHECKED_ELEMENTS; q++) {
        int64_t i = rand_r(&seed) % x->m, j = rand_r(&seed) % x->n;
        i = q == 0 ? 0 : q == 1 ? x->m - 1 : i;
        j = q == 0 ? 0 : q == 1 ? x->n - 1 : j;
        double got = x->host[3][j * x->m + i], wanted = expected(x, i, j);
        if (bits_of(got) != bits_of(wanted)) {
            printf("C(%" PRId64 ", %" PRId64 ") is %a, not %a\n", i, j, got, wanted);
            return false;
        }
    }
    return true;
}

/* Times */

static bool run(const struct options *options, struct lava_device *device, const char *size) {
    struct bench x = {.options = options, .device = device};
    double best[STEP_COUNT + 1] = {0}, ms[STEP_COUNT + 1];
    if (sscanf(size, "%" SCNd64 "x%" SCNd64 "x%" SCNd64, &x.m, &x.n, &x.k) != 3 || x.m < 1 || x.n < 1 ||
        x.k < 1) {
        fprintf(stderr, "residues_device: %s is not MxNxK\n", size);
        exit(2);
    }
    lava_residues_prepare(options->count, &x.residues);
    bool fine = !create(&x) && !get_pipelines(&x) && !multiply(&x, best) && is_right(&x);
    uint64_t start_ns = lava_clock_now_ns();
    while (fine && options->seconds > 0 &&
           1e-9 * (double)(lava_clock_now_ns() - start_ns) < options->seconds + WARM_S) {
        fine = !multiply(&x, ms);
        if (ms[STEP_COUNT] < best[STEP_COUNT])
            memcpy(best, ms, sizeof best);
    }
    double flop = 2.0 * (double)x.m * (double)x.n * (double)x.k;
    printf("%-20s %9.3f %8.2f | %9.3f %9.3f %9.3f | %8.1f | %s\n", size, best[STEP_COUNT],
           1e-9 * flop / best[STEP_COUNT], best[STEP_CONVERT], best[STEP_MULTIPLY], best[STEP_COMBINE],
           1e-9 * flop * options->count / best[STEP_MULTIPLY], fine ? "ok" : "FAIL");
    fflush(stdout);
    destroy(&x);
    return fine;
}

static bool parse_ops(const char *text, struct options *options) {
    for (int side = 0; side < 2; side++) {
        if (text[side] != 'n' && text[side] != 't')
            return false;
        options->transposed[side] = text[side] == 't';
    }
    return text[2] == '\0';
}

static bool parse(int argc, char **argv, struct options *options) {
    static const struct option names[] = {{"whole", no_argument, NULL, 'w'},
                                          {"narrow", no_argument, NULL, 'n'},
                                          {"normal", no_argument, NULL, 'r'},
                                          {"tile", required_argument, NULL, 't'},
                                          {"part", required_argument, NULL, 'p'},
                                          {"ops", required_argument, NULL, 'o'},
                                          {"invocations", required_argument, NULL, 'i'},
                                          {"group", required_argument, NULL, 'g'},
                                          {"counts", required_argument, NULL, 'c'},
                                          {"panel", required_argument, NULL, 'k'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {0}};
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (option == 'w')
            options->whole = true;
        else if (option == 'n')
            options->whole = options->narrow = true;
        else if (option == 'r')
            options->normal = true;
        else if (option == 'i')
            options->invocations = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'g')
            options->group = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'c')
            options->count = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'k')
            options->panel = strtoll(optarg, NULL, 10);
        else if (option == 's')
            options->seconds = strtod(optarg, NULL);
        else if (!(option == 'o' && parse_ops(optarg, options)) &&
                 !(option == 't' && sscanf(optarg, "%ux%u", &options->tile_m, &options->tile_n) == 2) &&
                 !(option == 'p' && sscanf(optarg, "%ux%u", &options->part_m, &options->part_n) == 2))
            return false;
    }
    return options->count >= LAVA_RESIDUES_LEAST && options->count <= LAVA_RESIDUES_MOST &&
           options->panel >= 1 && options->panel <= LAVA_RESIDUES_MOST_K && options->group >= 1 &&
           is_tile(options->tile_m) && is_tile(options->tile_n);
}

int main(int argc, char **argv) {
    struct options options = {.tile_m = 256,
                              .tile_n = 128,
                              .part_m = 64,
                              .part_n = 64,
                              .invocations = 256,
                              .group = 8,
                              .count = LAVA_RESIDUES_STANDARD,
                              .panel = LAVA_RESIDUES_STANDARD_K,
                              .seconds = 0.5,
                              .alpha = 1};
    const char *why;
    struct lava_device *device;
    bool right = true;
    if (!parse(argc, argv, &options))
        return 2;
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        printf("no device: %s\n", why);
        return 77;
    }
    if (!device->integer_shape.m || !device->capabilities.fp64 ||
        (options.whole && !device->has_whole_matrices)) {
        printf("%s lacks matrices of int8, or fp64\n", device->capabilities.name);
        return 77;
    }
    lava_device_set_timeout(device, TIMEOUT_NS);
    printf("%s, %u moduli, %s, tile %ux%u, times in ms\n", device->capabilities.name, options.count,
           options.narrow  ? "matrices of a workgroup, narrow"
           : options.whole ? "matrices of a workgroup"
                           : "matrices of a subgroup",
           options.tile_m, options.tile_n);
    printf("%-20s %9s %8s | %9s %9s %9s | %8s\n", "m x n x k", "all", "TFLOP/s", "convert", "multiply",
           "combine", "TOP/s");
    for (int beta = 0; optind < argc && options.seconds == 0 && beta < 2; beta++) {
        options.beta = beta ? -0.7 : 0;
        options.alpha = beta ? 1.3 : 1;
        for (int i = optind; i < argc; i++)
            right = run(&options, device, argv[i]) && right;
    }
    for (int i = optind; options.seconds > 0 && i < argc; i++)
        right = run(&options, device, argv[i]) && right;
    lava_gpu_close(device);
    return right ? 0 : 1;
}
