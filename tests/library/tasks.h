/* The threads of this process, as listed by the kernel. */
#ifndef LAVA_TESTS_TASKS_H
#define LAVA_TESTS_TASKS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* GCC's macro. A child of fork() inherits the address sanitizer's allocator. It stays locked if another
 * thread held its lock, as when a thread was being started. */
#ifdef __SANITIZE_ADDRESS__
#    define TASKS_FORK_WHEN_ASLEEP 1
#else
#    define TASKS_FORK_WHEN_ASLEEP 0
#endif

struct task {
    char name[64];
    char state;                 /* as in ps: R runs, S sleeps */
    unsigned long long blocked; /* signals, the first in bit 0 */
};

static inline struct task task_read(const char *id) {
    struct task task = {.name = ""};
    char path[600], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", id);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "Name: %63s", task.name);
        sscanf(line, "State: %c", &task.state);
        sscanf(line, "SigBlk: %llx", &task.blocked);
    }
    if (file)
        fclose(file);
    return task;
}

/* Finds the tasks with that name, or all if it is NULL. Fills in up to `most` and returns their number. */
static inline int tasks_find(const char *name, struct task *tasks, int most) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        struct task task = task_read(entry->d_name);
        if (name && strcmp(task.name, name) != 0)
            continue;
        if (count < most)
            tasks[count] = task;
        count++;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* Waits until the name is that of all threads but n: a thread gives it to itself when it begins. */
static inline int tasks_await_names(const char *name, int others, struct task *tasks, int most) {
    int count = tasks_find(name, tasks, most);
    for (int i = 0; i < 5000 && count + others < tasks_find(NULL, NULL, 0); i++) {
        usleep(1000);
        count = tasks_find(name, tasks, most);
    }
    return count;
}

/* Call before fork() while threads of that name exist, and no others. */
static inline void tasks_prepare_fork(const char *name) {
    struct task tasks[64];
    bool asleep = !TASKS_FORK_WHEN_ASLEEP;
    for (int i = 0; i < 5000 && !asleep; i++) {
        int count = tasks_await_names(name, 1, tasks, 64);
        asleep = true;
        for (int j = 0; j < count && j < 64; j++)
            asleep &= tasks[j].state == 'S';
        if (!asleep)
            usleep(1000);
    }
}

#endif
