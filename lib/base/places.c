/* The folders of this build. lib/meson.build sets them. */
#include "lib/base/places.h"

const char *lava_places_config(void) {
    return LAVA_SYSCONFDIR "/lavablas.conf";
}

const char *lava_places_state(void) {
    return LAVA_STATEDIR;
}
