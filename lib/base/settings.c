/* Writes the configuration as JSON, a member for each of its settings. Called by lib/abi/control. */
#include "lib/base/settings.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/config.h"
#include "lib/base/json.h"

void lava_settings_put(FILE *stream, enum lava_precision precision) {
    struct lava_config_value value;
    const char *separator = "{";
    for (size_t index = 0; lava_config_next(&index, &value); separator = ",") {
        fprintf(stream, "%s\"", separator);
        for (const char *letter = value.name + strlen("LAVABLAS_"); *letter; letter++)
            fputc(*letter == '_' ? '_' : *letter | 0x20, stream); /* tolower depends on the locale */
        fputs("\":", stream);
        if (!strcmp(value.name, "LAVABLAS_PRECISION"))
            value.text = lava_config_word(value.name, (int)precision);
        if (value.is_number)
            fprintf(stream, "%" PRIu64, value.number);
        else
            lava_json_put(stream, value.text);
    }
    fputc('}', stream);
}
