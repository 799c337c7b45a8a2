/* What a launcher of MPI jobs has put into the environment. The variables belong to others, so a value that
 * is not understood is not reported: the next name is tried. Any thread. */
#ifndef LAVA_BASE_LAUNCHER_H
#define LAVA_BASE_LAUNCHER_H

struct lava_launcher {
    int local_rank; /* on this host; -1: none */
    int local_size; /* how many ranks there are on this host; 0: not known */
    int rank;       /* in the whole job; -1: not known */
};

/* A source of variables. */
typedef const char *lava_launcher_getter(const char *name, void *context);
struct lava_launcher lava_launcher_find(lava_launcher_getter *get, void *context);

#endif
