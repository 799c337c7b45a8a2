/* What processes have counted that have not told so themselves (lib/base/counters.h): those that still run,
 * and those that a signal, a crash or _exit() has ended. Called by report_sum.c and by commands. */
#include "tools/report_live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/counters.h"
#include "lib/base/report.h"

void report_each_mapped(const char *pid, report_live_use *use, void *context) {
    static const char suffix[] = LAVA_COUNTERS_SUFFIX "\n";
    char name[64], *line = NULL;
    size_t size = 0;
    snprintf(name, sizeof name, "/proc/%.20s/maps", pid);
    FILE *maps = fopen(name, "re");
    while (maps && getline(&line, &size, maps) > 0) {
        const char *path = strchr(line, '/');
        size_t length = strlen(line), tail = sizeof suffix - 1;
        if (!path || length < tail || strcmp(line + length - tail, suffix) != 0)
            continue;
        line[length - 1] = '\0';
        use(path, context);
    }
    free(line);
    if (maps)
        fclose(maps);
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct search {
    const char *base; /* the file's name: a mapped one has its whole path */
    bool found;
};

static void compare(const char *path, void *context) {
    struct search *search = context;
    search->found |= !strcmp(base_of(path), search->base);
}

/* A process of another machine may be there as well. */
static enum report_live_state state_of(const struct lava_counters *counters, const char *path) {
    char host[sizeof counters->host] = "";
    if (gethostname(host, sizeof host - 1) || strcmp(host, counters->host) != 0)
        return REPORT_RUNS;
    char pid[24];
    struct search search = {.base = base_of(path)};
    snprintf(pid, sizeof pid, "%lld", (long long)counters->pid);
    report_each_mapped(pid, compare, &search);
    return search.found ? REPORT_RUNS : REPORT_ENDED;
}

char *report_live_line(const char *path, enum report_live_state *state) {
    *state = REPORT_OTHER;
    struct lava_counters *counters = lava_counters_read(path);
    if (counters)
        *state = state_of(counters, path);
    if (*state == REPORT_ENDED) { /* it may have gone on meanwhile, or told of itself and removed the file */
        free(counters);
        counters = lava_counters_read(path);
    }
    char *text = NULL;
    size_t length = 0;
    FILE *stream = counters ? open_memstream(&text, &length) : NULL;
    if (stream) {
        lava_report_put_counters(stream, counters);
        lava_counters_use(NULL);
        fclose(stream);
    }
    int error = errno;
    free(counters);
    errno = error;
    return text;
}

void report_each_live(const char *reports, report_live_use *use, void *context) {
    static const char suffix[] = LAVA_COUNTERS_SUFFIX;
    const char *base = base_of(reports);
    char *folder = base > reports ? strndup(reports, (size_t)(base - reports)) : strdup("./");
    DIR *entries = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        char path[8192];
        size_t length = strlen(entry->d_name), own = strlen(base), tail = sizeof suffix - 1;
        if (length > own + 1 + tail && !strncmp(entry->d_name, base, own) && entry->d_name[own] == '.' &&
            !strcmp(entry->d_name + length - tail, suffix) &&
            snprintf(path, sizeof path, "%s%s", folder, entry->d_name) < (int)sizeof path)
            use(path, context);
    }
    if (entries)
        closedir(entries);
    free(folder);
}

/* Returns a file that is locked and still has its name; -1: another command tells of it, or has done so. */
static int claim(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat opened, named;
    if (file >= 0 && (flock(file, LOCK_EX | LOCK_NB) || fstat(file, &opened) || stat(path, &named) ||
                      opened.st_ino != named.st_ino || opened.st_dev != named.st_dev)) {
        close(file);
        return -1;
    }
    return file;
}

void report_settle_live(const char *path, const char *reports) {
    enum report_live_state state;
    int claimed = claim(path);
    char *line = claimed >= 0 ? report_live_line(path, &state) : NULL;
    if (line && state == REPORT_ENDED) {
        int file = open(reports, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
        size_t length = strlen(line);
        if (file >= 0 && write(file, line, length) == (ssize_t)length)
            unlink(path);
        else
            fprintf(stderr, "lavablas: %s: %s\n", reports, strerror(errno));
        if (file >= 0)
            close(file);
    }
    if (claimed >= 0)
        close(claimed);
    free(line);
}
