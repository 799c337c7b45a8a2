/* A program without BLAS: ends with 0 as soon as a preparation's thread is there, and with 3 if none comes in
 * the seconds that it is given. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_US 10000

static bool is_preparing(void) {
    char path[300], name[32];
    bool found = false;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *task; tasks && !found && (task = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        found = file && fgets(name, sizeof name, file) && !strncmp(name, "lava-", 5);
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

int main(int argument_count, char **arguments) {
    double left_s = argument_count > 1 ? atof(arguments[1]) : 0;
    for (; left_s >= 0; left_s -= LOOK_US * 1e-6) {
        if (is_preparing())
            return 0;
        usleep(LOOK_US);
    }
    return 3;
}
