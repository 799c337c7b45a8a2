/* The cache's files against everything that can happen to a file: what is read back is what was stored, or
 * nothing. No device. Each case has its own folder under TMPDIR. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file_cache.h"

#define NOBODY        65534
#define PAYLOAD_BYTES 300

static const unsigned char key[] = {0xde, 0x10, 0, 0, 0x35, 0x23, 0, 0, 7, 1, 2, 3};
static char home[256];
static struct lava_file_cache_place place;
static unsigned char payload[PAYLOAD_BYTES];

static int set_up(void **state) {
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(home, sizeof home, "%s/lavablas-cache-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(home))
        return -1;
    lava_file_cache_place_init(&place, home, "test", key, sizeof key);
    for (int i = 0; i < PAYLOAD_BYTES; i++)
        payload[i] = (unsigned char)(i * 7);
    alarm(20); /* ends the test if an open waits for the other end of a FIFO */
    return 0;
}

static int tear_down(void **state) {
    char command[700];
    (void)state;
    alarm(0);
    snprintf(command, sizeof command, "chmod -R u+rwX '%s'; rm -rf '%s'", home, home);
    return system(command);
}

static void store(void) {
    assert_true(lava_file_cache_store(&place, payload, sizeof payload));
}

/* Returns whether the cache returns something. It must then be the payload. */
static bool loads(void) {
    size_t bytes = 1;
    void *data = lava_file_cache_load(&place, &bytes);
    if (data) {
        assert_int_equal(bytes, sizeof payload);
        assert_memory_equal(data, payload, sizeof payload);
    } else {
        assert_int_equal(bytes, 0);
    }
    free(data);
    return data != NULL;
}

static size_t file_bytes(void) {
    struct stat info;
    assert_int_equal(lstat(place.path, &info), 0);
    return (size_t)info.st_size;
}

static int entries_of(const char *path) {
    int count = 0;
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(folder);
    return count;
}

/* Sets the byte at the offset. */
static void patch(size_t offset, unsigned char value) {
    int file = open(place.path, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, &value, 1, (off_t)offset), 1);
    close(file);
}

static void round_trip(void **state) {
    struct stat info;
    (void)state;
    assert_false(loads());
    store();
    assert_true(loads());
    assert_int_equal(stat(place.folder, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    assert_int_equal(stat(place.path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);

    payload[0] ^= 1;
    store(); /* replaces the old one, and no temporary file remains */
    assert_true(loads());
    assert_int_equal(entries_of(place.folder), 1);
}

static void home_is_made(void **state) {
    char missing[300];
    (void)state;
    snprintf(missing, sizeof missing, "%s/.cache", home);
    lava_file_cache_place_init(&place, missing, "test", key, sizeof key);
    store();
    assert_true(loads());
    snprintf(missing, sizeof missing, "%s/not/there", home);
    lava_file_cache_place_init(&place, missing, "test", key, sizeof key);
    assert_false(lava_file_cache_store(&place, payload, sizeof payload));
    assert_false(loads());
}

static void no_home(void **state) {
    static const char *const homes[] = {NULL, "", "relative", "./x"};
    char long_home[4096];
    (void)state;
    memset(long_home, 'x', sizeof long_home);
    long_home[0] = '/';
    long_home[sizeof long_home - 1] = 0;
    for (size_t i = 0; i <= sizeof homes / sizeof homes[0]; i++) {
        lava_file_cache_place_init(&place, i < 4 ? homes[i] : long_home, "test", key, sizeof key);
        assert_int_equal(place.folder[0], 0);
        assert_false(lava_file_cache_prepare(&place));
        assert_false(lava_file_cache_store(&place, payload, sizeof payload));
        assert_false(loads());
    }
}

static void truncated(void **state) {
    (void)state;
    store();
    for (size_t bytes = file_bytes(); bytes-- > 0;) {
        assert_int_equal(truncate(place.path, (off_t)bytes), 0);
        assert_false(loads());
    }
    store();
    assert_true(loads());
}

static void lengthened(void **state) {
    (void)state;
    store();
    patch(file_bytes(), 0);
    assert_false(loads());
}

/* Magic, version, key, lengths, checksum and payload: every bit counts. */
static void each_bit_flipped(void **state) {
    unsigned char whole[PAYLOAD_BYTES + 256];
    (void)state;
    store();
    size_t bytes = file_bytes();
    assert_true(bytes > PAYLOAD_BYTES && bytes <= sizeof whole);
    int file = open(place.path, O_RDONLY);
    assert_int_equal(read(file, whole, sizeof whole), bytes);
    close(file);
    for (size_t i = 0; i < bytes; i++) {
        for (int bit = 0; bit < 8; bit++) {
            patch(i, (unsigned char)(whole[i] ^ (1 << bit)));
            if (loads())
                fail_msg("byte %zu, bit %d: accepted", i, bit);
        }
        patch(i, whole[i]);
    }
    assert_true(loads());
}

static void init_with(struct lava_file_cache_place *other, const char *name, const void *bytes,
                      size_t count) {
    lava_file_cache_place_init(other, home, name, bytes, count);
    assert_string_not_equal(other->path, place.path);
}

/* Stored there, nothing is found here; nor is it under our name. */
static void refuse(const struct lava_file_cache_place *other) {
    assert_true(lava_file_cache_store(other, payload, sizeof payload));
    assert_false(loads());
    assert_int_equal(rename(other->path, place.path), 0);
    assert_false(loads());
    unlink(place.path);
}

/* Another device's or driver's file has another name. Under this name it is refused. */
static void foreign_key(void **state) {
    unsigned char bytes[sizeof key + 1] = {0};
    struct lava_file_cache_place other;
    (void)state;
    for (size_t i = 0; i < sizeof key; i++) {
        memcpy(bytes, key, sizeof key);
        bytes[i]++;
        init_with(&other, "test", bytes, sizeof key);
        refuse(&other);
    }
    memcpy(bytes, key, sizeof key);
    init_with(&other, "test", bytes, sizeof key - 1);
    refuse(&other);
    init_with(&other, "test", bytes, sizeof key + 1);
    refuse(&other);
}

/* Content of another kind is stored separately, whatever its key. */
static void other_name(void **state) {
    struct lava_file_cache_place other;
    (void)state;
    init_with(&other, "other", key, sizeof key);
    store();
    payload[0] ^= 1;
    assert_true(lava_file_cache_store(&other, payload, sizeof payload));
    payload[0] ^= 1;
    assert_true(loads());
    assert_int_equal(entries_of(place.folder), 2);
}

/* The longest allowed key and name, and longer ones. */
static void long_keys(void **state) {
    static char bytes[LAVA_FILE_CACHE_MAX_KEY_BYTES + 1], name[LAVA_FILE_CACHE_MAX_NAME + 2];
    (void)state;
    memset(bytes, 'k', sizeof bytes);
    memset(name, 'n', sizeof name - 1);
    lava_file_cache_place_init(&place, home, "test", bytes, sizeof bytes);
    assert_int_equal(place.folder[0], 0);
    lava_file_cache_place_init(&place, home, name, bytes, sizeof bytes - 1);
    assert_int_equal(place.folder[0], 0);
    name[LAVA_FILE_CACHE_MAX_NAME] = 0;
    lava_file_cache_place_init(&place, home, name, bytes, sizeof bytes - 1);
    store();
    assert_true(loads());
    place.key[sizeof place.key - 1] ^= 1;
    assert_false(loads());
    lava_file_cache_place_init(&place, home, "test", bytes, 0);
    store();
    assert_true(loads());
}

static void not_a_file(void **state) {
    char elsewhere[300];
    (void)state;
    store();
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", home);
    assert_int_equal(rename(place.path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, place.path), 0);
    assert_false(loads());
    store(); /* replaces the link, not its target */
    assert_true(loads());
    struct stat info;
    assert_int_equal(lstat(place.path, &info), 0);
    assert_true(S_ISREG(info.st_mode));

    unlink(place.path);
    assert_int_equal(mkfifo(place.path, 0600), 0);
    assert_false(loads());
    store();
    assert_true(loads());

    unlink(place.path);
    assert_int_equal(mkdir(place.path, 0700), 0);
    assert_false(loads());
    assert_false(lava_file_cache_store(&place, payload, sizeof payload));
    assert_int_equal(entries_of(place.folder), 1); /* the temporary file is gone */
}

static void writable_by_others(void **state) {
    (void)state;
    store();
    for (int bit = 0; bit < 2; bit++) {
        assert_int_equal(chmod(place.path, bit ? 0620 : 0602), 0);
        assert_false(loads());
    }
    assert_int_equal(chmod(place.path, 0644), 0);
    assert_true(loads());
    if (geteuid() == 0) {
        assert_int_equal(chown(place.path, NOBODY, NOBODY), 0);
        assert_false(loads());
    }
}

static void folder_of_others(void **state) {
    char elsewhere[300];
    (void)state;
    store();
    unlink(place.path);
    assert_true(lava_file_cache_prepare(&place));
    assert_int_equal(chmod(place.folder, 0707), 0);
    assert_false(lava_file_cache_prepare(&place));
    assert_false(lava_file_cache_store(&place, payload, sizeof payload));
    assert_int_equal(entries_of(place.folder), 0);
    assert_int_equal(rmdir(place.folder), 0);

    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", home);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(symlink(elsewhere, place.folder), 0);
    assert_false(lava_file_cache_store(&place, payload, sizeof payload));
    assert_int_equal(entries_of(elsewhere), 0);
    unlink(place.folder);

    assert_int_equal(mknod(place.folder, S_IFREG | 0600, 0), 0);
    assert_false(lava_file_cache_store(&place, payload, sizeof payload));
}

/* Root may write anywhere, so the child becomes another user. */
static void folder_unwritable(void **state) {
    int status;
    (void)state;
    store();
    if (geteuid() == 0 && (chown(home, NOBODY, NOBODY) || chown(place.folder, NOBODY, NOBODY) ||
                           chown(place.path, NOBODY, NOBODY)))
        skip();
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && seteuid(NOBODY))
            _exit(0);
        size_t bytes;
        bool fine = chmod(place.folder, 0500) == 0 &&
                    !lava_file_cache_store(&place, payload, sizeof payload) &&
                    lava_file_cache_load(&place, &bytes);
        fine = fine && chmod(place.folder, 0000) == 0 && !lava_file_cache_load(&place, &bytes);
        _exit(fine ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void size_limits(void **state) {
    size_t bytes;
    (void)state;
    assert_false(lava_file_cache_store(&place, payload, 0));
    unsigned char *large = calloc(LAVA_FILE_CACHE_MAX_BYTES + 1, 1);
    assert_non_null(large);
    assert_false(lava_file_cache_store(&place, large, LAVA_FILE_CACHE_MAX_BYTES + 1));
    free(large);
    store();
    /* nothing that large is read, nor is memory allocated for it */
    struct rusage before, after;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    for (int bits = 29; bits <= 40; bits += 11) {
        assert_int_equal(truncate(place.path, (off_t)1 << bits), 0);
        assert_null(lava_file_cache_load(&place, &bytes));
    }
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 << 10); /* in KiB */
}

static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int signals;

static void count_signal(int number) {
    (void)number;
    signals++;
}

/* A disk with room for a part of the file, as the limit on the size of files makes it. Its signal, SIGXFSZ,
 * would end the program; neither that nor the program's own handler is called. */
static void disk_full(void **state) {
    void (*const actions[])(int) = {SIG_DFL, SIG_IGN, count_signal};
    struct rlimit limit;
    sigset_t blocked;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    store();
    size_t bytes = file_bytes();
    for (size_t room = 0; room <= bytes; room++) {
        signal(SIGXFSZ, actions[room % 3]);
        limit_files(room);
        payload[0] ^= 1;
        bool stored = lava_file_cache_store(&place, payload, sizeof payload);
        payload[0] ^= !stored;
        limit_files(limit.rlim_cur);
        assert_int_equal(stored, room == bytes);
        assert_true(loads());
        assert_int_equal(entries_of(place.folder), 1);
    }
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &blocked), 0);
    assert_false(sigismember(&blocked, SIGXFSZ));
    assert_int_equal(signals, 0);
    signal(SIGXFSZ, SIG_DFL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(home_is_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_home, set_up, tear_down),
        cmocka_unit_test_setup_teardown(truncated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lengthened, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_bit_flipped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(foreign_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(writable_by_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folder_of_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folder_unwritable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(size_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(disk_full, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
