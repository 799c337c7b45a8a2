/* The machine's configuration: a file with a line NAME=VALUE for each setting, with the names and values of
 * the environment variables. Blanks around names and values do not count. Empty lines and comments, which a
 * "#" begins, do not count either. config.c says which lines are right. */
#ifndef LAVA_BASE_CONFIG_FILE_H
#define LAVA_BASE_CONFIG_FILE_H

#include <stddef.h>

#define LAVA_CONFIG_FILE_BYTES 16384
#define LAVA_CONFIG_FILE_LINES 64

struct lava_config_line {
    const char *name; /* "": the line has no = */
    const char *value;
    int number; /* from 1 */
};

struct lava_config_file {
    const char *path;    /* NULL: there is none */
    const char *refusal; /* why it is not read; NULL: it is, or it is not there */
    int count;
    struct lava_config_line lines[LAVA_CONFIG_FILE_LINES];
    char text[LAVA_CONFIG_FILE_BYTES]; /* the lines point into it */
};

/* Reads the file. It must be a regular one that not everybody may write. The path must stay. Returns errno if
 * it cannot be opened, else 0. */
int lava_config_file_read(struct lava_config_file *file, const char *path);

#endif
