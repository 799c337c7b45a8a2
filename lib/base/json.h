/* Writes texts into JSON. Called by lib/base/report and by commands. */
#ifndef LAVA_BASE_JSON_H
#define LAVA_BASE_JSON_H

#include <stdio.h>

/* Writes the text as a JSON string with its quotation marks; null if text is NULL. */
void lava_json_put(FILE *stream, const char *text);
/* The same as a member that follows another one: ,"name":"text". */
void lava_json_put_member(FILE *stream, const char *name, const char *text);

#endif
