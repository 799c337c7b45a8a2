/* Finds a process's rank. Called by config.c. */
#include "lib/base/launcher.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Launchers put the rank of a process on its machine into one of these, and the number of ranks there into
 * another, and the rank in the whole job into a third. Slurm writes the latter with the number of nodes that
 * it holds for: 4(x2). */
static const struct {
    const char *rank, *size, *world_rank;
} local_names[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_RANK"}, /* Open MPI */
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_RANK"},    /* MVAPICH */
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_RANK"},             /* MPICH's and Intel's Hydra */
    {"SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_PROCID"}, /* srun */
    {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", "PMI_RANK"},               /* Cray's and other PMI launchers */
};

/* Reads digits and sets *end to what follows them. Returns -1 if there are none. */
static int read_count(const char *value, const char **end) {
    int count = 0;
    for (*end = value; **end >= '0' && **end <= '9' && count < 1000000; ++*end)
        count = count * 10 + (**end - '0');
    return *end > value ? count : -1;
}

/* Returns how many ranks there are on this host; 0 if that is not said, or not the same on every node. */
static int find_local_size(lava_launcher_getter *get, void *context, const char *name) {
    const char *value = get(name, context), *end;
    int size = value ? read_count(value, &end) : -1;
    if (size <= 0 || !*end)
        return size > 0 ? size : 0;
    bool of_nodes = !strncmp(end, "(x", 2) && read_count(end + 2, &end) > 0 && !strcmp(end, ")");
    return of_nodes ? size : 0;
}

struct lava_launcher lava_launcher_find(lava_launcher_getter *get, void *context) {
    struct lava_launcher launcher = {.local_rank = -1, .rank = -1};
    for (size_t i = 0; i < sizeof local_names / sizeof local_names[0]; i++) {
        const char *value = get(local_names[i].rank, context), *end;
        int rank = value ? read_count(value, &end) : -1;
        if (rank < 0 || *end)
            continue;
        launcher.local_rank = rank;
        launcher.local_size = find_local_size(get, context, local_names[i].size);
        value = get(local_names[i].world_rank, context);
        if (value && (rank = read_count(value, &end)) >= 0 && !*end)
            launcher.rank = rank;
        break;
    }
    return launcher;
}
