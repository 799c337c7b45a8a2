/* The tables of schemes and units. Called by accuracy.c and study_options.c. */
#include "scheme.h"

#include <stdio.h>
#include <string.h>

/* Significand and smallest subnormal number. */
#define BF16_BITS    8
#define BF16_QUANTUM (-133)
#define FP16_BITS    11
#define FP16_QUANTUM (-24)

/* Schemes that are compared with the library's, described in the same way. */
static const struct study {
    const char *name;
    enum listed listed;
    enum lava_type type;
    int planes, levels;
    bool apart;
} studied[] = {
    {"S1b", LISTED_SCREENED, LAVA_TYPE_FP16, 2, 1, false}, /* half the products of bf16x3 */
    {"S2", LISTED_NOT, LAVA_TYPE_FP16, 2, 2, false},       /* adds the product that S1b leaves out */
    {"S3s", LISTED_NOT, LAVA_TYPE_BF16, 3, 2, false},      /* bf16x3 scaled, all sums in one accumulator */
    {"S3a", LISTED_NOT, LAVA_TYPE_BF16, 3, 2, true},       /* bf16x3 scaled */
};

#define STUDIED    (sizeof studied / sizeof studied[0])
#define MOST_COUNT (LAVA_SCHEME_COUNT + STUDIED)

// clang-format off
const struct unit units[] = {
    /* name    length fraction */
    {"hopper",  16, 25}, /* MMA-Sim, arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004 */
    {"ampere",   8, 24}, /* and Ada: 16 of K in two halves; Fasi et al., PeerJ CS 7:e330 */
    {"nearest",  1,  0}, /* stands for units that round to nearest */
};
// clang-format on

const size_t unit_count = sizeof units / sizeof units[0];

/* Lists products in the order of shaders/multiply_planes.comp. */
static void list_products(struct scheme *s, int levels) {
    for (int level = levels; level >= 0; level--)
        for (int plane = s->planes - 1; plane >= 0; plane--)
            if (plane <= level && level - plane < s->planes) {
                s->pair[s->products][0] = plane;
                s->pair[s->products++][1] = level - plane;
            }
}

static struct scheme of_type(enum lava_type type) {
    bool bf16 = type == LAVA_TYPE_BF16;
    return (struct scheme){.bits = bf16 ? BF16_BITS : FP16_BITS,
                           .quantum = bf16 ? BF16_QUANTUM : FP16_QUANTUM};
}

const struct scheme *scheme_table(size_t *count) {
    static struct scheme table[MOST_COUNT];
    static size_t filled;
    for (int i = LAVA_SCHEME_NONE + 1; filled < LAVA_SCHEME_COUNT - 1; i++) {
        const struct lava_scheme_row *row = lava_scheme((enum lava_scheme)i);
        struct scheme *s = &table[filled++];
        *s = of_type(row->type);
        s->name = row->name;
        s->listed = row->standard ? LISTED_ALONE : LISTED_NOT;
        s->row = (enum lava_scheme)i;
        s->planes = (int)row->planes;
        s->apart = true;
        s->shift = (int)row->shift;
        list_products(s, (int)row->levels);
    }
    for (size_t i = 0; filled < LAVA_SCHEME_COUNT - 1 + STUDIED; i++) {
        struct scheme *s = &table[filled++];
        *s = of_type(studied[i].type);
        s->name = studied[i].name;
        s->listed = studied[i].listed;
        s->planes = studied[i].planes;
        s->scaled = true;
        s->apart = studied[i].apart;
        list_products(s, studied[i].levels);
    }
    *count = filled;
    return table;
}

const struct scheme *scheme_find_row(enum lava_scheme row) {
    size_t count;
    return &scheme_table(&count)[row - 1];
}

const struct scheme *scheme_find(const char *name, size_t length) {
    size_t count;
    const struct scheme *table = scheme_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
            return &table[i];
    fprintf(stderr, "no scheme %.*s\n", (int)length, name);
    return NULL;
}

const struct unit *scheme_find_unit(const char *name) {
    for (size_t i = 0; i < unit_count; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    fprintf(stderr, "no unit %s\n", name);
    return NULL;
}
