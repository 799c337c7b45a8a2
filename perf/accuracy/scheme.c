/* The tables of schemes and units. Called by accuracy.c. */
#include "scheme.h"

#include <stdio.h>
#include <string.h>

// clang-format off
const struct scheme schemes[] = {
    /* name    listed        planes bits quantum top       nearest apart shift products */
    {"S1",     LISTED_NOT,      2, 11,  -24, 14,         false, false,  0, 3, {{0, 1}, {1, 0}, {0, 0}}},
    {"S1b",    LISTED_SCREENED, 2, 11,  -24, 14,         true,  false,  0, 3, {{0, 1}, {1, 0}, {0, 0}}},
    {"S1b-hi", LISTED_NOT,      2, 11,  -24, 14,         true,  false,  0, 3, {{0, 0}, {0, 1}, {1, 0}}},
    {"S1c",    LISTED_NOT,      2, 11,  -24, 14,         true,  true,  11, 3, {{0, 1}, {1, 0}, {0, 0}}},
    {"S2",     LISTED_NOT,      2, 11,  -24, 14,         true,  false,  0, 4, {{1, 1}, {0, 1}, {1, 0}, {0, 0}}},
    {"S3",     LISTED_NOT,      3,  8, -133, NOT_SCALED, true,  false,  0, 6, {{0, 2}, {2, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}}},
    {"S3s",    LISTED_NOT,      3,  8, -133, 14,         true,  false,  0, 6, {{0, 2}, {2, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}}},
    {"S3a",    LISTED_ALONE,    3,  8, -133, 14,         true,  true,   0, 6, {{0, 2}, {2, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}}},
    {"S4",     LISTED_NOT,      3,  8, -133, NOT_SCALED, true,  false,  0, 9, {{2, 2}, {1, 2}, {2, 1}, {0, 2}, {2, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}}},
    {"S4s",    LISTED_NOT,      3,  8, -133, 14,         true,  false,  0, 9, {{2, 2}, {1, 2}, {2, 1}, {0, 2}, {2, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}}},
    {"S5",     LISTED_NOT,      3, 11,  -24, 14,         true,  false,  0, 6, {{0, 2}, {2, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}}},
};

const struct unit units[] = {
    /* name    length fraction */
    {"hopper",  16, 25}, /* MMA-Sim, arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004 */
    {"ampere",   8, 24}, /* and Ada: 16 of K in two halves; Fasi et al., PeerJ CS 7:e330 */
    {"nearest",  1,  0}, /* lavapipe; stands for units that round to nearest */
};
// clang-format on

const size_t scheme_count = sizeof schemes / sizeof schemes[0];
const size_t unit_count = sizeof units / sizeof units[0];

const struct scheme *scheme_find(const char *name, size_t length) {
    for (size_t i = 0; i < scheme_count; i++)
        if (strlen(schemes[i].name) == length && strncmp(schemes[i].name, name, length) == 0)
            return &schemes[i];
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
