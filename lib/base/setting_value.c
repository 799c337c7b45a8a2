/* Reads the texts of settings. Called by config.c. */
#include "lib/base/setting_value.h"

#include <stddef.h>
#include <strings.h>

bool lava_setting_value_read_word(const struct lava_setting_word *words, const char *text, int *value) {
    for (; words->name; words++) {
        if (strcasecmp(words->name, text) == 0) {
            *value = words->value;
            return true;
        }
    }
    return false;
}

const char *lava_setting_value_word(const struct lava_setting_word *words, int value) {
    while (words->value != value)
        words++;
    return words->name;
}

/* Reads digits and a fraction and sets *end to what follows them. strtod is no choice: its decimal point
 * depends on the program's locale. The result is negative if there are no digits, and may be NaN if
 * there are very many. */
static double read_number(const char *value, const char **end) {
    double number = 0, place = 1;
    bool digits = false, fraction = false;
    for (; (*value >= '0' && *value <= '9') || (*value == '.' && !fraction); value++) {
        if (*value == '.') {
            fraction = true;
            continue;
        }
        digits = true;
        number = number * 10 + (*value - '0');
        if (fraction)
            place *= 10;
    }
    *end = value;
    return digits ? number / place : -1;
}

bool lava_setting_value_read_bytes(const char *text, uint64_t *bytes) {
    static const char suffixes[] = "kmgt";
    double number = read_number(text, &text);
    for (size_t i = 0; suffixes[i]; i++) {
        if ((*text | 0x20) != suffixes[i])
            continue;
        number *= (double)((uint64_t)1 << (10 * (i + 1)));
        text++;
        if (*text == 'i')
            text++;
        break;
    }
    if ((*text | 0x20) == 'b')
        text++;
    /* !(number >= 1) also rejects NaN */
    if (*text || !(number >= 1) || number >= 9e18)
        return false;
    *bytes = (uint64_t)number;
    return true;
}

bool lava_setting_value_read_ns(const char *text, uint64_t *ns) {
    double seconds = read_number(text, &text);
    if (*text || !(seconds >= 0) || seconds > 1e9)
        return false;
    *ns = (uint64_t)(seconds * 1e9);
    return true;
}
