/* What this program's earlier runs say (dispatch/history.h), and what this one adds: a small file in the
 * cache for each program that has prepared a device (lib/base/program_key.h tells programs apart).
 *
 * A history is of the process that was started: a child of fork() adds nothing. The library is loaded into
 * every program that inherits LD_PRELOAD. In one without a history this costs two system calls, and begins no
 * thread and makes no file. */
#ifndef LAVA_OFFLOAD_PROGRAM_HISTORY_H
#define LAVA_OFFLOAD_PROGRAM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/history.h"
#include "lib/base/file_cache.h"
#include "lib/base/program_key.h"

#define LAVA_PROGRAM_HISTORY_FILES 256 /* at most; the oldest ones are deleted */

/* Reads the program's file. Called once, before main(); a process that does not call it has no history, and
 * adds to none. */
void lava_program_history_look(void);
/* Called at the first call. A program that changes the library's settings after its start, as by os.environ,
 * has no history: what is prepared before would not know them. */
void lava_program_history_open(void);
/* Returns the rule of this process, which stays. */
enum lava_history_rule lava_program_history_rule(void);
/* Returns how many times the usual this process has to count for a preparation, now (lava_history_patience).
 */
double lava_program_history_patience(void);
/* Returns what the last run that won needed of the device (lib/offload/steps.h). */
uint64_t lava_program_history_needs(void);
/* The preparation begins at the load. */
void lava_program_history_set_early(void);

/* Returns whether calls are counted. */
bool lava_program_history_is_kept(void);
/* Counts a call that is large enough for a device: what it needs of one, what it saved there, and what it
 * lost because none was ready. Any thread. */
void lava_program_history_count(uint64_t needs, double saved_ns, double missed_ns);
/* Counts what a call took the CPU that a device would have won, and its estimate. Any thread. */
void lava_program_history_count_cpu(double elapsed_ns, double expected_ns);
/* Returns how many times its estimates the CPU took in earlier runs; 1 if that is not known. A run that is
 * early has few calls on the CPU to learn it from. */
double lava_program_history_cpu_factor(void);
/* Notes what copies of matrices have saved this run, less what they cost, and returns whether they won in the
 * last run that had some. */
void lava_program_history_note_copies(double earned_ns);
bool lava_program_history_have_copies_won(void);
/* Adds the run to the file. exit() calls this; prepared: a device was opened, or is being opened; has_device:
 * there is one, as far as is known: else none would have won. */
void lava_program_history_end(bool prepared, bool has_device);

/* Sets the place of a program's file. A home may be shared by machines without a device, so it is one for
 * each. */
void lava_program_history_place(const char *cache_home, const struct lava_program_key *key,
                                struct lava_file_cache_place *place);

/* A file, as `lavablas info` shows it. */
struct lava_program_history_entry {
    struct lava_history history;
    int64_t written_s; /* of the epoch */
    char name[64];
};
typedef void lava_program_history_show(void *context, const struct lava_program_history_entry *entry);
void lava_program_history_each(const char *cache_home, lava_program_history_show *show, void *context);

#endif
