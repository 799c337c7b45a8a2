/* The quick calibration: everything that the policy can use, within a second of work. */
#ifndef LAVA_CALIBRATE_SURVEY_H
#define LAVA_CALIBRATE_SURVEY_H

#include "lib/calibrate/microbenchmark.h"

/* True where figures have too little of the CPU, or nothing of the device or of its rows for the type. */
bool lava_survey_lacks(const struct lava_figures *figures, const struct lava_capabilities *device,
                       enum lava_type type);

/* Sets how long and how often things are measured, and how large they may be. */
void lava_survey_set_quick(struct lava_microbenchmark *gauge);
/* Measures what gauge->figures lacks, the device with products of the types in the set (1 << type), each
 * side until its limit of time is reached. False: begin has ended it before, or the machine has so much
 * other work that little could be measured. */
bool lava_survey_run(struct lava_microbenchmark *gauge, unsigned types);

/* The positions of m, n and k in the grid of the CPU's figures, those near which CPU and device break even
 * first. */
#define LAVA_SURVEY_POINTS (LAVA_FIGURES_SIZES * LAVA_FIGURES_SIZES * LAVA_FIGURES_SIZES)
void lava_survey_points(int points[LAVA_SURVEY_POINTS][3]);

#endif
