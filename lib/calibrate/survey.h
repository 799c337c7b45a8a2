/* The quick calibration measures everything that the policy can use, within one and a half seconds of work.
 * One thread may use a microbenchmark at a time. */
#ifndef LAVA_CALIBRATE_SURVEY_H
#define LAVA_CALIBRATE_SURVEY_H

#include "lib/calibrate/microbenchmark.h"

/* Returns true if the figures have too little about the CPU, or nothing about the device or its rows for
 * the type. */
bool lava_survey_lacks(const struct lava_figures *figures, const struct lava_capabilities *device,
                       enum lava_type type);

/* Sets how long and how often products are measured, and how large they may be. */
void lava_survey_set_quick(struct lava_microbenchmark *benchmark);
/* Measures what benchmark->figures lacks, each side until its limit of time is reached. `types` is a set of 1
 * << type; the device is measured with products of these. Returns false if benchmark->begin has ended the
 * run, or if the machine has so much other work that little could be measured. */
bool lava_survey_run(struct lava_microbenchmark *benchmark, unsigned types);

/* The positions of m, n and k in the grid of the CPU's figures. Those where CPU and device may break even
 * come first. */
#define LAVA_SURVEY_POINTS (LAVA_FIGURES_SIZES * LAVA_FIGURES_SIZES * LAVA_FIGURES_SIZES)
void lava_survey_points(int points[LAVA_SURVEY_POINTS][3]);

/* What is measured of the CPU's other routines, in this order, as positions. */
#define LAVA_SURVEY_FAMILIES (LAVA_CPU_FAMILY_COUNT * LAVA_FAMILIES_TYPES * LAVA_FAMILIES_ORDERS)
struct lava_survey_family {
    enum lava_cpu_family family;
    int type, order;
};
void lava_survey_families(struct lava_survey_family points[LAVA_SURVEY_FAMILIES]);

#endif
