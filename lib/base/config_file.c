/* Reads the machine's configuration. Called by config.c, once in a process: three system calls if there is a
 * file, one if there is none. */
#include "lib/base/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_blank(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r';
}

/* Ends the text before its last blanks, and returns where its first letter is. */
static char *trim(char *text) {
    size_t length = strlen(text);
    while (length > 0 && is_blank(text[length - 1]))
        text[--length] = '\0';
    while (is_blank(*text))
        text++;
    return text;
}

/* Returns false if there are too many lines. */
static bool add_line(struct lava_config_file *file, char *text, int number) {
    static char none[] = "";
    char *line = trim(text), *equals = strchr(line, '=');
    if (!*line || *line == '#')
        return true;
    if (file->count == LAVA_CONFIG_FILE_LINES)
        return false;
    if (equals)
        *equals = '\0';
    file->lines[file->count++] = (struct lava_config_line){
        .name = equals ? trim(line) : none, .value = equals ? trim(equals + 1) : line, .number = number};
    return true;
}

static const char *parse(struct lava_config_file *file) {
    int number = 0;
    for (char *line = file->text, *end; *line; line = end) {
        size_t length = strcspn(line, "\n");
        end = line + length + (line[length] == '\n');
        line[length] = '\0';
        if (!add_line(file, line, ++number))
            return "it has too many lines";
    }
    return NULL;
}

static const char *read_text(struct lava_config_file *file, int descriptor) {
    struct stat info;
    if (fstat(descriptor, &info) || !S_ISREG(info.st_mode))
        return "it is no regular file";
    if (info.st_mode & S_IWOTH)
        return "everybody may write it";
    if (info.st_size >= LAVA_CONFIG_FILE_BYTES)
        return "it is too long";
    size_t length = 0;
    ssize_t got;
    while ((got = read(descriptor, file->text + length, sizeof file->text - 1 - length)) > 0 ||
           (got < 0 && errno == EINTR))
        length += got > 0 ? (size_t)got : 0;
    file->text[length] = '\0';
    return got < 0 ? "it cannot be read" : NULL;
}

int lava_config_file_read(struct lava_config_file *file, const char *path) {
    file->path = path;
    file->refusal = NULL;
    file->count = 0;
    /* O_NONBLOCK: a FIFO in the file's place must not hang the program */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return errno;
    file->refusal = read_text(file, descriptor);
    close(descriptor);
    if (!file->refusal)
        file->refusal = parse(file);
    return 0;
}
