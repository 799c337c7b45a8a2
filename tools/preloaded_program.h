/* Whether a preloaded library can reach a program. For one thread only. */
#ifndef LAVA_TOOLS_PRELOADED_PROGRAM_H
#define LAVA_TOOLS_PRELOADED_PROGRAM_H

#include <stdbool.h>

struct program {
    char path[4096];
    char routine[64];    /* a routine that it contains, or "everything" */
    const char *refusal; /* why nothing can be preloaded into it; NULL: it can */
    const char *remedy;  /* of that */
};

/* Finds the file that execvp would run, and judges it. Returns false if there is none. */
bool program_judge(const char *name, struct program *program);

#endif
