/* Reads what a setting's text says: a word, a size or a time. Each function that reads returns false, and
 * changes nothing, if the text is not understood. Any thread may call these functions. */
#ifndef LAVA_BASE_SETTING_VALUE_H
#define LAVA_BASE_SETTING_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* A word that a setting may be. A table of them ends with a name that is NULL. */
struct lava_setting_word {
    const char *name;
    int value;
};

/* Upper and lower case are alike. */
bool lava_setting_value_read_word(const struct lava_setting_word *words, const char *text, int *value);
/* Returns the word of a value, which is in the table. */
const char *lava_setting_value_word(const struct lava_setting_word *words, int value);

/* Reads a size of at least one byte, such as 1.5G or 200 MiB without the blank. */
bool lava_setting_value_read_bytes(const char *text, uint64_t *bytes);
/* Reads a number of seconds. */
bool lava_setting_value_read_ns(const char *text, uint64_t *ns);

#endif
