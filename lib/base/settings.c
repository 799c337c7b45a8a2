/* Writes the configuration as JSON, a row for each setting. Called by lib/abi/control. */
#include "lib/base/settings.h"

#include <inttypes.h>

#include "lib/base/config.h"
#include "lib/base/json.h"

void lava_settings_put(FILE *stream, enum lava_precision precision) {
    const struct lava_config *config = lava_config_get();
    const struct {
        const char *name, *text;
    } texts[] = {{"device", config->device},
                 {"cpu_blas", config->cpu_blas},
                 {"init", lava_config_word("LAVABLAS_INIT", config->init_sync)},
                 {"precision", lava_config_word("LAVABLAS_PRECISION", precision)},
                 {"resident", lava_config_word("LAVABLAS_RESIDENT", config->resident)},
                 {"history", lava_config_word("LAVABLAS_HISTORY", config->history)},
                 {"learn", lava_config_word("LAVABLAS_LEARN", config->learn)},
                 {"calibrate", lava_config_word("LAVABLAS_CALIBRATE", config->calibrate)},
                 {"cache", lava_config_word("LAVABLAS_CACHE", config->cache)},
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
    fprintf(stream, "{\"mode\":\"%s\"", lava_config_word("LAVABLAS_MODE", config->mode));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        lava_json_put_member(stream, texts[i].name, texts[i].text);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        fprintf(stream, ",\"%s\":%" PRIu64, numbers[i].name, numbers[i].number);
    fputc('}', stream);
}
