/* What the commands of lavablas have in common. */
#include "tools/command.h"

#include <string.h>
#include <unistd.h>

#define BAR_CHARACTERS 30

bool command_asks_for_help(int argc, char **argv) {
    return argc == 1 && (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"));
}

int command_read_json(int argc, char **argv, const char *usage, bool *json) {
    *json = argc == 1 && !strcmp(argv[0], "--json");
    if (argc == 0 || *json)
        return -1;
    bool is_help = command_asks_for_help(argc, argv);
    if (!is_help)
        fprintf(stderr, "lavablas: not an option, or one too many: %s\n",
                argv[*json || !strcmp(argv[0], "--json")]);
    fputs(usage, is_help ? stdout : stderr);
    return is_help ? COMMAND_DONE : COMMAND_WRONG;
}

void command_progress(int done, int total, const char *round, const char *name) {
    static const char full[] = "##############################", empty[] = "..............................";
    if (!isatty(STDERR_FILENO))
        return;
    if (total == 0) {
        fprintf(stderr, "\r\033[K");
        return;
    }
    int filled = done * BAR_CHARACTERS / total;
    fprintf(stderr, "\r\033[K%s [%.*s%.*s] %d/%d %s", round, filled, full, BAR_CHARACTERS - filled, empty,
            done, total, name);
}
