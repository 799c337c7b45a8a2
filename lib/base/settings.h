/* What the configuration has become, for who asks the library (lavablas_settings). Any thread may call this.
 */
#ifndef LAVA_BASE_SETTINGS_H
#define LAVA_BASE_SETTINGS_H

#include <stdio.h>

#include "dispatch/policy.h"

/* Writes the settings as one JSON object: names as in doc/settings.md, in small letters and without
 * LAVABLAS_. precision: that of the calling thread. A setting that is not set has the default; a text that
 * has none is null. */
void lava_settings_put(FILE *stream, enum lava_precision precision);

#endif
