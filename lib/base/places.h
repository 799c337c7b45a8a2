/* Where an installation keeps what is not its own: constant texts that the build has set. Any thread. */
#ifndef LAVA_BASE_PLACES_H
#define LAVA_BASE_PLACES_H

/* Returns the path of the machine's configuration. */
const char *lava_places_config(void);
/* Returns the folder with the folder of figures for all users. */
const char *lava_places_state(void);

#endif
