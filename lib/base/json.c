/* JSON's strings. */
#include "lib/base/json.h"

void lava_json_put(FILE *stream, const char *text) {
    if (!text) {
        fputs("null", stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\')
            fprintf(stream, "\\%c", letter);
        else if (letter < ' ')
            fprintf(stream, "\\u%04x", letter);
        else
            fputc(letter, stream);
    }
    fputc('"', stream);
}

void lava_json_put_member(FILE *stream, const char *name, const char *text) {
    fprintf(stream, ",\"%s\":", name);
    lava_json_put(stream, text);
}
