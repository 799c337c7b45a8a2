/* Writes the configuration as JSON, a row for each setting. Called by lib/abi/control. */
#include "lib/base/settings.h"

#include <inttypes.h>

#include "lib/base/config.h"
#include "lib/base/json.h"

static const char *mode_name(enum lava_mode mode) {
    return mode == LAVA_MODE_CPU ? "cpu" : mode == LAVA_MODE_GPU ? "gpu" : "auto";
}

static const char *precision_name(enum lava_precision precision) {
    return precision == LAVA_PRECISION_IEEE ? "ieee" : precision == LAVA_PRECISION_FAST ? "fast" : "standard";
}

static const char *history_name(enum lava_history_use use) {
    return use == LAVA_HISTORY_OFF ? "off" : use == LAVA_HISTORY_READ ? "read" : "on";
}

void lava_settings_put(FILE *stream, enum lava_precision precision) {
    const struct lava_config *config = lava_config_get();
    const struct {
        const char *name, *text;
    } texts[] = {{"device", config->device},
                 {"cpu_blas", config->cpu_blas},
                 {"init", config->init_sync ? "sync" : "async"},
                 {"precision", precision_name(precision)},
                 {"resident", lava_config_resident_name(config->resident)},
                 {"history", history_name(config->history)},
                 {"learn", config->learn ? "on" : "off"},
                 {"calibrate", config->calibrate ? "auto" : "off"},
                 {"cache", config->cache ? "1" : "0"},
                 {"stats", config->stats},
                 {"trace", config->trace},
                 {"log_file", config->log_file},
                 {"off", config->off}};
    const struct {
        const char *name;
        uint64_t number;
    } numbers[] = {{"memory", config->memory_bytes},
                   {"pinned", config->pinned_bytes},
                   {"lanes", (uint64_t)config->lanes},
                   {"idle", config->idle_ns / 1000000000u}};
    fprintf(stream, "{\"mode\":\"%s\"", mode_name(config->mode));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        lava_json_put_member(stream, texts[i].name, texts[i].text);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        fprintf(stream, ",\"%s\":%" PRIu64, numbers[i].name, numbers[i].number);
    fputc('}', stream);
}
