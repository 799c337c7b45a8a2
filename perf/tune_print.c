/* Prints tune's results as table rows, and its progress. Called by tune.c. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tune.h"

#define BAR_CHARACTERS 30

void tune_progress(size_t done, size_t total, const char *round, const char *name) {
    if (!isatty(STDERR_FILENO))
        return;
    if (total == 0) {
        fprintf(stderr, "\r\033[K");
        return;
    }
    size_t filled = done * BAR_CHARACTERS / total;
    fprintf(stderr, "\r\033[K%s [%.*s%.*s] %zu/%zu %s", round, (int)filled, "##############################",
            (int)(BAR_CHARACTERS - filled), "..............................", done, total, name);
}

/* The row of the table with the same numbers, or NULL. */
static const struct lava_kernel *row_of(const struct lava_kernel *kernel) {
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    for (size_t i = 0; i < rows; i++)
        if (table[i].module == kernel->module && table[i].tile_m == kernel->tile_m &&
            table[i].tile_n == kernel->tile_n && table[i].tile_k == kernel->tile_k &&
            table[i].part_m == kernel->part_m && table[i].part_n == kernel->part_n &&
            table[i].stages == kernel->stages)
            return &table[i];
    return NULL;
}

/* A name like "fp16_shared_128x64", with a suffix if another variant has that name. */
static const char *row_name(const struct tune *tune, struct tune_variant *const *chosen, size_t index,
                            char text[TUNE_TEXT_BYTES]) {
    const struct lava_kernel *kernel = &chosen[index]->kernel, *row = row_of(kernel);
    bool matrix = kernel->type != LAVA_TYPE_FP32;
    if (row) {
        snprintf(text, TUNE_TEXT_BYTES, "%s", row->name);
        return text;
    }
    int length =
        snprintf(text, TUNE_TEXT_BYTES, "%s%s%s_%ux%u", lava_type_name(tune->type), matrix ? "_" : "",
                 matrix ? lava_kernel_algorithm(kernel) : "", kernel->tile_m, kernel->tile_n);
    bool taken = lava_kernels_find(text) != NULL;
    for (size_t i = 0; i < index; i++)
        taken = taken ||
                (chosen[i]->kernel.module == kernel->module && chosen[i]->kernel.tile_m == kernel->tile_m &&
                 chosen[i]->kernel.tile_n == kernel->tile_n);
    if (taken)
        snprintf(text + length, TUNE_TEXT_BYTES - (size_t)length, "_%ux%u_k%u_%u", kernel->part_m,
                 kernel->part_n, kernel->tile_k, kernel->stages);
    return text;
}

static void print_upper(const char *text) {
    for (; *text; text++)
        putchar(toupper((unsigned char)*text));
}

static void print_module(const struct lava_kernel *kernel) {
    printf("LAVA_MODULE_MULTIPLY_");
    if (kernel->type != LAVA_TYPE_FP32) {
        print_upper(lava_kernel_algorithm(kernel));
        putchar('_');
    }
    print_upper(lava_type_name(kernel->type));
}

/* In the form of the tables: quoted, with a comma, padded. */
static void print_name(const struct tune *tune, struct tune_variant *const *chosen, size_t index) {
    char name[TUNE_TEXT_BYTES], quoted[TUNE_TEXT_BYTES + 4];
    snprintf(quoted, sizeof quoted, "\"%s\",", row_name(tune, chosen, index, name));
    printf("{%-27s", quoted);
}

static void print_kernel_rows(const struct tune *tune, struct tune_variant *const *chosen, size_t count) {
    printf("\n/* dispatch/kernels.c */\n");
    for (size_t i = 0; i < count; i++) {
        const struct lava_kernel *kernel = &chosen[i]->kernel;
        printf("    ");
        print_name(tune, chosen, i);
        printf(" LAVA_TYPE_");
        print_upper(lava_type_name(kernel->type));
        printf(", ");
        print_module(kernel);
        printf(", %3u, %3u, %2u, %4u, %3u, %u},%s\n", kernel->tile_m, kernel->tile_n, kernel->tile_k,
               kernel->part_m, kernel->part_n, kernel->stages,
               row_of(kernel) ? " /* is there already */" : "");
    }
}

static void print_profile_rows(const struct tune *tune, struct tune_variant *const *chosen, size_t count) {
    static const char *const orders[LAVA_TILE_ORDER_COUNT] = {"LINEAR", "GROUPED", "HILBERT"};
    printf("\n/* dispatch/profiles.c: row, flop/s, wg/mp, lone, start, order, workgroups */\n");
    for (size_t i = 0; i < count; i++) {
        const struct tune_variant *variant = chosen[i];
        printf("            ");
        print_name(tune, chosen, i);
        printf(" %8.4ge12, %2u, %.2f, %3u, %s, %s},", variant->flops_per_s * 1e-12,
               variant->workgroups_per_multiprocessor, variant->lone_share, variant->start_k,
               orders[variant->order], variant->persistent ? "PERSISTENT" : "PER_TILE");
        if (variant->figures.registers)
            printf(" /* %u registers */", variant->figures.registers);
        printf("\n");
    }
}

/* TFLOP/s of each variant at each size it was timed at, and the slices of K. */
static void print_rates(const struct tune *tune, struct tune_variant *const *chosen, size_t count) {
    printf(" * TFLOP/s of multiply and finish, x slices of a split K; thin products with operands no cache "
           "holds:\n");
    for (size_t i = 0; i < count; i++) {
        printf(" *   %-34s", chosen[i]->name);
        for (size_t s = 0; s < tune->size_count; s++)
            if (chosen[i]->rates[s] > 0)
                printf("  %lldx%lldx%lld: %.4g x%u", (long long)tune->sizes[s].m, (long long)tune->sizes[s].n,
                       (long long)tune->sizes[s].k, chosen[i]->rates[s] * 1e-12, chosen[i]->splits[s]);
        printf("\n");
    }
}

static void print_refusals(const struct tune *tune) {
    size_t tried = 0;
    for (size_t i = 0; i < tune->variant_count; i++)
        tried += tune->variants[i].tried;
    printf(" * %zu of %zu variants tried;", tried, tune->variant_count);
    for (size_t i = 0; i < tune->variant_count; i++) {
        const char *why = tune->variants[i].refused;
        size_t same = 0;
        bool first = why != NULL;
        for (size_t j = 0; why && j < tune->variant_count; j++) {
            bool equal = tune->variants[j].refused && !strcmp(tune->variants[j].refused, why);
            first = first && !(equal && j < i);
            same += equal;
        }
        if (first)
            printf(" %zu: %s (as %s);", same, why, tune->variants[i].name);
    }
    printf("\n");
}

void tune_print(const struct tune *tune, struct tune_variant *const *chosen, size_t count) {
    const struct lava_capabilities *capabilities = &tune->capabilities;
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("/* %s, driver %#x, %s, %s\n", capabilities->name, capabilities->driver_version, date,
           tune->command);
    print_refusals(tune);
    print_rates(tune, chosen, count);
    printf(" */\n");
    print_kernel_rows(tune, chosen, count);
    print_profile_rows(tune, chosen, count);
}
