/* A reader of JSON (RFC 8259) by recursive descent. Called by the commands that read what the library wrote.
 */
#include "tools/json_reader.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deeper values are refused. */
#define DEPTH_MAX 64

static struct json *parse_value(const char **at, int depth);

static void skip_space(const char **at) {
    *at += strspn(*at, " \t\r\n");
}

static bool take(const char **at, char letter) {
    skip_space(at);
    if (**at != letter)
        return false;
    ++*at;
    return true;
}

/* Writes a character of the basic plane as UTF-8; halves of a pair are written like others. */
static char *put_character(char *to, unsigned code) {
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* Reads what follows a backslash. Returns NULL if it is wrong. */
static char *parse_escape(const char **at, char *to) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char letter = **at;
    const char *found = letter ? strchr(letters, letter) : NULL;
    *at += letter != '\0'; /* never behind the end */
    if (found) {
        *to = meanings[found - letters];
        return to + 1;
    }
    unsigned code = 0;
    if (letter != 'u')
        return NULL;
    for (int i = 0; i < 4; i++, ++*at) {
        if (!isxdigit((unsigned char)**at))
            return NULL;
        int digit = tolower((unsigned char)**at);
        code = code * 16 + (unsigned)(isdigit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    return code == 0 ? NULL : put_character(to, code);
}

/* A text is never longer than what it is read from. */
static char *parse_text(const char **at) {
    if (!take(at, '"'))
        return NULL;
    const char *end = *at;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    char *text = malloc((size_t)(end - *at) + 1), *to = text;
    while (text && **at != '"') {
        if ((unsigned char)**at < ' ')
            goto error;
        if (**at != '\\') {
            *to++ = *(*at)++;
            continue;
        }
        ++*at;
        if (!(to = parse_escape(at, to)))
            goto error;
    }
    if (text) {
        *to = '\0';
        ++*at;
    }
    return text;
error:
    free(text);
    return NULL;
}

/* Reads the elements of an array or the members of an object, after the first bracket. */
static bool parse_parts(const char **at, struct json *whole, int depth) {
    char end = whole->kind == JSON_ARRAY ? ']' : '}';
    struct json **place = &whole->first;
    if (take(at, end))
        return true;
    do {
        char *name = NULL;
        if (whole->kind == JSON_OBJECT && (!(name = parse_text(at)) || !take(at, ':'))) {
            free(name);
            return false;
        }
        if (!(*place = parse_value(at, depth + 1))) {
            free(name);
            return false;
        }
        (*place)->name = name;
        place = &(*place)->next;
    } while (take(at, ','));
    return take(at, end);
}

static bool parse_number(const char **at, double *number) {
    double sign = **at == '-' ? -1 : 1, scale = 1;
    int exponent = 0, exponent_sign = 1;
    *at += sign < 0;
    if (!isdigit((unsigned char)**at))
        return false;
    *number = 0;
    for (; isdigit((unsigned char)**at); ++*at)
        *number = *number * 10 + (**at - '0');
    if (**at == '.')
        for (++*at; isdigit((unsigned char)**at); ++*at)
            *number += (**at - '0') * (scale /= 10);
    if (**at == 'e' || **at == 'E') {
        ++*at;
        if (**at == '+' || **at == '-')
            exponent_sign = *(*at)++ == '-' ? -1 : 1;
        for (; isdigit((unsigned char)**at); ++*at)
            exponent = exponent < 1000 ? exponent * 10 + (**at - '0') : exponent;
    }
    for (; exponent > 0; exponent--)
        *number = exponent_sign < 0 ? *number / 10 : *number * 10;
    *number *= sign;
    return true;
}

static bool parse_word(const char **at, struct json *value) {
    static const struct {
        const char *word;
        enum json_kind kind;
        double number;
    } words[] = {{"null", JSON_NULL, 0}, {"true", JSON_BOOL, 1}, {"false", JSON_BOOL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(*at, words[i].word, length) != 0)
            continue;
        *at += length;
        value->kind = words[i].kind;
        value->number = words[i].number;
        return true;
    }
    value->kind = JSON_NUMBER;
    return parse_number(at, &value->number);
}

static struct json *parse_value(const char **at, int depth) {
    struct json *value = depth < DEPTH_MAX ? calloc(1, sizeof *value) : NULL;
    bool right;
    if (!value)
        return NULL;
    skip_space(at);
    if (**at == '"') {
        value->kind = JSON_TEXT;
        right = (value->text = parse_text(at)) != NULL;
    } else if (**at == '[' || **at == '{') {
        value->kind = *(*at)++ == '[' ? JSON_ARRAY : JSON_OBJECT;
        right = parse_parts(at, value, depth);
    } else {
        right = parse_word(at, value);
    }
    if (right)
        return value;
    json_free(value);
    return NULL;
}

struct json *json_parse(const char *text) {
    struct json *value = parse_value(&text, 0);
    if (value)
        skip_space(&text);
    if (value && *text) {
        json_free(value);
        return NULL;
    }
    return value;
}

void json_free(struct json *value) {
    while (value) {
        struct json *next = value->next;
        json_free(value->first);
        free(value->name);
        free(value->text);
        free(value);
        value = next;
    }
}

const struct json *json_member(const struct json *object, const char *name) {
    const struct json *member = object && object->kind == JSON_OBJECT ? object->first : NULL;
    while (member && strcmp(member->name, name) != 0)
        member = member->next;
    return member;
}

const char *json_text(const struct json *object, const char *name, const char *otherwise) {
    const struct json *member = json_member(object, name);
    return member && member->kind == JSON_TEXT ? member->text : otherwise;
}

double json_number(const struct json *object, const char *name) {
    const struct json *member = json_member(object, name);
    return member && member->kind == JSON_NUMBER ? member->number : 0;
}

const struct json *json_elements(const struct json *object, const char *name) {
    const struct json *member = json_member(object, name);
    return member && member->kind == JSON_ARRAY ? member->first : NULL;
}

char *json_read_file(const char *path) {
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t length = 0, size = 0, got = 1;
    while (file && got > 0) {
        if (size - length < 2) {
            char *larger = realloc(text, size = 2 * size + 65536);
            if (!larger)
                break;
            text = larger;
        }
        got = fread(text + length, 1, size - length - 1, file);
        length += got;
    }
    bool complete = file && got == 0 && !ferror(file);
    if (file)
        fclose(file);
    if (complete) {
        text[length] = '\0';
        return text;
    }
    free(text);
    return NULL;
}
