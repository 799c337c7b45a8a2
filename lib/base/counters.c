/* Holds what is counted. lib/base/stats and lib/base/tally count in it, lib/base/report tells of it, and so
 * do commands that read what other processes have counted. */
#include "lib/base/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/hash.h"
#include "lib/base/log.h"

/* Files of one process number, if it is used again and again. */
#define FILES_MAX 100

struct lava_counters *_Atomic lava_counters_current;

static struct lava_counters own; /* without a file */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *facts[LAVA_REPORT_FACTS]; /* guarded by the lock */
static bool is_alone;                        /* nobody reads them: there is no file */
static char file_path[4096 + 64]; /* "": there is no file. Guarded by the lock until the counters are there */

/* A file of another build has its counts elsewhere. */
static uint64_t layout(void) {
    const size_t sizes[] = {sizeof own,
                            offsetof(struct lava_counters, shapes),
                            offsetof(struct lava_counters, pairs),
                            LAVA_ROUTINE_COUNT,
                            LAVA_REASON_COUNT,
                            LAVA_SIZES};
    return lava_hash_add(LAVA_HASH_BEGIN, sizes, sizeof sizes);
}

/* A write beyond the limit would end the process by a signal, and one to memory without room behind it, too.
 */
static bool make_room(int file) {
    struct rlimit limit;
    bool fits =
        getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= sizeof own;
    errno = EFBIG;
    return fits && !(errno = posix_fallocate(file, 0, sizeof own));
}

/* Returns NULL, with errno, if there can be no file. */
static struct lava_counters *map_file(const char *report) {
    int file = -1;
    for (int i = 0; i < FILES_MAX && file < 0; i++) {
        snprintf(file_path, sizeof file_path, "%s.%d-%d" LAVA_COUNTERS_SUFFIX, report, (int)getpid(), i);
        file = open(file_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
        if (file < 0 && errno != EEXIST)
            break;
    }
    void *memory = MAP_FAILED;
    if (file >= 0 && make_room(file))
        memory = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int error = errno;
    if (file >= 0) {
        if (memory == MAP_FAILED)
            unlink(file_path);
        close(file);
    }
    errno = error;
    return memory == MAP_FAILED ? NULL : memory;
}

static void copy_fact(struct lava_counters *counters, enum lava_report_fact fact) {
    snprintf(counters->facts[fact], sizeof counters->facts[fact], "%s", facts[fact]);
}

/* Says whose they are. */
static void sign(struct lava_counters *counters) {
    snprintf(counters->version, sizeof counters->version, "%s", LAVA_VERSION);
    counters->layout = layout();
    counters->pid = getpid();
    counters->parent = getppid();
    counters->small_reason =
        lava_config_get()->mode == LAVA_MODE_CPU ? LAVA_REASON_MODE_CPU : LAVA_REASON_CUTOFF;
    if (gethostname(counters->host, sizeof counters->host - 1))
        counters->host[0] = '\0';
    ssize_t length = readlink("/proc/self/exe", counters->program, sizeof counters->program - 1);
    counters->program[length > 0 ? length : 0] = '\0';
    for (int fact = 0; fact < LAVA_REPORT_FACTS; fact++)
        if (facts[fact])
            copy_fact(counters, (enum lava_report_fact)fact);
}

struct lava_counters *lava_counters_begin(bool may_have_file) {
    sigset_t all, before;
    int saved_errno = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a handler that counts would wait for its own thread */
    pthread_mutex_lock(&lock);
    struct lava_counters *counters = atomic_load_explicit(&lava_counters_current, memory_order_acquire);
    if (!counters) {
        const char *report = lava_config_get()->stats;
        bool has_file = may_have_file && !is_alone && report && lava_config_is_report(report);
        counters = has_file ? map_file(report) : NULL;
        if (!counters) {
            if (has_file)
                LAVA_LOG(INFO, "LAVABLAS_STATS: what is counted is gone if the process is killed: %s: %s",
                         file_path, strerror(errno));
            file_path[0] = '\0';
            counters = &own;
        }
        sign(counters);
        atomic_store_explicit(&lava_counters_current, counters, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved_errno;
    return counters;
}

void lava_counters_keep_alone(void) {
    is_alone = true;
}

void lava_counters_note(enum lava_report_fact fact, const char *text) {
    pthread_mutex_lock(&lock);
    facts[fact] = text;
    struct lava_counters *counters = atomic_load_explicit(&lava_counters_current, memory_order_acquire);
    if (counters)
        copy_fact(counters, fact);
    pthread_mutex_unlock(&lock);
}

void lava_counters_reset(void) {
    struct lava_counters *counters = atomic_load_explicit(&lava_counters_current, memory_order_relaxed);
    pthread_mutex_init(&lock, NULL);
    if (counters == &own)
        memset(&own, 0, sizeof own);
    else if (counters && file_path[0])
        munmap(counters, sizeof *counters);
    file_path[0] = '\0';
    atomic_store_explicit(&lava_counters_current, NULL, memory_order_relaxed);
}

void lava_counters_remove(void) {
    pthread_mutex_lock(&lock);
    if (file_path[0])
        unlink(file_path);
    file_path[0] = '\0';
    pthread_mutex_unlock(&lock);
}

static bool read_all(int file, void *data, size_t bytes) {
    size_t done = 0;
    ssize_t count = 1;
    while (done < bytes && count > 0) {
        count = read(file, (char *)data + done, bytes - done);
        if (count < 0 && errno == EINTR)
            count = 1;
        else if (count > 0)
            done += (size_t)count;
    }
    if (done < bytes && count == 0)
        errno = EINVAL;
    return done == bytes;
}

struct lava_counters *lava_counters_read(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct lava_counters *counters =
        file >= 0 ? aligned_alloc(_Alignof(struct lava_counters), sizeof own) : NULL;
    if (counters && read_all(file, counters, sizeof own) && counters->layout == layout() &&
        !strncmp(counters->version, LAVA_VERSION, sizeof counters->version)) {
        close(file);
        counters->program[sizeof counters->program - 1] = counters->host[sizeof counters->host - 1] = '\0';
        for (int i = 0; i < LAVA_REPORT_FACTS; i++)
            counters->facts[i][sizeof counters->facts[i] - 1] = '\0';
        return counters;
    }
    int error = counters && errno != EIO ? EINVAL : errno;
    free(counters);
    if (file >= 0)
        close(file);
    errno = error;
    return NULL;
}

void lava_counters_use(struct lava_counters *counters) {
    atomic_store_explicit(&lava_counters_current, counters, memory_order_release);
}
