/* Reads JSON: reports and traces of the library. For one thread only. */
#ifndef LAVA_TOOLS_JSON_READER_H
#define LAVA_TOOLS_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    char *name;         /* of a member of an object, else NULL */
    char *text;         /* of a text, else NULL */
    double number;      /* of a number; 1 of true */
    struct json *first; /* of an array's elements or an object's members */
    struct json *next;  /* of the same array or object */
};

/* Reads one value that fills the text. Returns NULL if it is not JSON, or there is no memory. The caller
 * frees it by json_free, which accepts NULL. */
struct json *json_parse(const char *text);
void json_free(struct json *value);

/* Return a member of an object; NULL, or the default, if there is none of this kind, or object is NULL. */
const struct json *json_member(const struct json *object, const char *name);
const char *json_text(const struct json *object, const char *name, const char *otherwise);
double json_number(const struct json *object, const char *name);
/* Returns the first element of a member that is an array. */
const struct json *json_elements(const struct json *object, const char *name);

/* Reads a whole file, with a terminator behind it. Returns NULL, and sets errno, if it cannot be read. The
 * caller frees it. */
char *json_read_file(const char *path);

#endif
