/* Who could write unseen: a watch is refused, or lost at the question that sees the pages written, while
 * io_uring, aio, RDMA or a GPU's runtime may do so. And where the kernel's part is refused: a container whose
 * seccomp profile has no userfaultfd, one that was given /dev/userfaultfd, an ordinary user.
 *
 *     test_page_trust FOLDER */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>

#include "lib/host/page_trust.h"
#include "page_place.h"

static const char *folder;

/* Lines of /proc/self/maps that are read before reading fails; -1: all. Link options put these before the C
 * library's own: getline is __getdelim in optimized code. */
static int lines_left = -1;

ssize_t __real_getline(char **line, size_t *capacity, FILE *file);
ssize_t __wrap_getline(char **line, size_t *capacity, FILE *file);
ssize_t __real___getdelim(char **line, size_t *capacity, int end, FILE *file);
ssize_t __wrap___getdelim(char **line, size_t *capacity, int end, FILE *file);

static bool fails(void) {
    if (lines_left > 0)
        lines_left--;
    return lines_left == 0;
}

ssize_t __wrap_getline(char **line, size_t *capacity, FILE *file) {
    return fails() ? -1 : __real_getline(line, capacity, file);
}

ssize_t __wrap___getdelim(char **line, size_t *capacity, int end, FILE *file) {
    return fails() ? -1 : __real___getdelim(line, capacity, end, file);
}

static void assert_refused(const char *why) {
    struct place *place = place_make(false);
    const char *refusal = place_watch(place);
    if (!refusal || !strstr(refusal, why))
        fail_msg("\"%s\" instead of \"%s\"", refusal ? refusal : "watched", why);
    place_free(place);
}

static void assert_trusted(void) {
    struct place *place = place_make(false);
    assert_null(place_watch(place));
    place_free(place);
}

/* Their files are mapped as the loader does; nothing of them runs. */
static void runtimes_of_devices(void **state) {
    static const struct {
        const char *file, *why;
    } libraries[] = {{"libcuda.so.1", "CUDA"},
                     {"libcudart-d0da41ae.so.11.0", "CUDA"},
                     {"libcudart.so.12", "CUDA"},
                     {"libOpenCL.so.1", "OpenCL"},
                     {"libnvidia-opencl.so.550", "OpenCL"},
                     {"libamdhip64.so.6", "ROCm"},
                     {"libhsa-runtime64.so.1", "ROCm"}};
    (void)state;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, libraries[i].file);
        int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        assert_int_equal(ftruncate(file, 4096), 0);
        void *mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
        assert_ptr_not_equal(mapped, MAP_FAILED);
        assert_refused(libraries[i].why);
        munmap(mapped, 4096);
        close(file);
        unlink(path);
        assert_trusted();
    }
}

/* What was not read may be what writes. */
static void mappings_unread(void **state) {
    (void)state;
    for (int lines = 1; lines <= 3; lines++) {
        lines_left = lines;
        const char *refusal = lava_page_trust_check();
        lines_left = -1;
        assert_non_null(refusal);
    }
    assert_trusted();
}

static void aio(void **state) {
    unsigned long context = 0;
    (void)state;
    if (syscall(SYS_io_setup, 8, &context) != 0)
        skip();
    assert_refused("aio");
    syscall(SYS_io_destroy, context);
    assert_trusted();
}

/* A ring's files and memory. */
struct ring {
    int file;
    struct io_uring_params parameters;
    char *rings;
    struct io_uring_sqe *entries;
    size_t bytes;
};

static bool open_ring(struct ring *ring) {
    *ring = (struct ring){.file = -1};
    ring->file = (int)syscall(SYS_io_uring_setup, 4, &ring->parameters);
    return ring->file >= 0;
}

static void map_ring(struct ring *ring) {
    const struct io_uring_params *parameters = &ring->parameters;
    size_t done_bytes = parameters->cq_off.cqes + parameters->cq_entries * sizeof(struct io_uring_cqe);
    ring->bytes = parameters->sq_off.array + parameters->sq_entries * sizeof(unsigned);
    ring->bytes = done_bytes > ring->bytes ? done_bytes : ring->bytes;
    ring->rings = mmap(NULL, ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->file, IORING_OFF_SQ_RING);
    ring->entries = mmap(NULL, 4 * sizeof *ring->entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring->file,
                         IORING_OFF_SQES);
    assert_ptr_not_equal(ring->rings, MAP_FAILED);
    assert_ptr_not_equal(ring->entries, MAP_FAILED);
}

static void unmap_ring(struct ring *ring) {
    munmap(ring->rings, ring->bytes);
    munmap(ring->entries, 4 * sizeof *ring->entries);
}

static void ring_read(struct ring *ring, int file, void *to, unsigned bytes) {
    unsigned *tail = (unsigned *)(void *)(ring->rings + ring->parameters.sq_off.tail);
    unsigned *array = (unsigned *)(void *)(ring->rings + ring->parameters.sq_off.array);
    ring->entries[0] =
        (struct io_uring_sqe){.opcode = IORING_OP_READ, .fd = file, .addr = (uintptr_t)to, .len = bytes};
    array[0] = 0;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    assert_int_equal(syscall(SYS_io_uring_enter, ring->file, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0), 1);
}

static void io_uring_reads(void **state) {
    struct ring ring;
    struct lava_page_range written[PLACE_RANGES];
    int ends[2];
    (void)state;
    struct place *place = place_make(false);
    assert_null(place_watch(place));
    assert_int_equal(place_ask(place, written), 0);
    if (!open_ring(&ring))
        skip();
    assert_refused("io_uring"); /* it need not be mapped */
    map_ring(&ring);
    assert_refused("io_uring");
    assert_int_equal(place_ask(place, written), 0); /* nothing was read by it yet */
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "\377uring", 7), 7);
    ring_read(&ring, ends[0], target_of(place), 7);
    assert_memory_equal(target_of(place), "\377uring", 7);
    assert_int_equal(place_ask(place, written), -1);
    assert_int_equal(place_ask(place, written), -1);
    place_free(place);
    unmap_ring(&ring);
    close(ring.file);
    close(ends[0]);
    close(ends[1]);
    assert_trusted();
}

/* Pinned pages are made writable first. */
static void pinned_pages(void **state) {
    struct ring ring;
    struct lava_page_range written[PLACE_RANGES];
    (void)state;
    struct place *place = place_make(false), *other = place_make(false);
    struct iovec buffer = {target_of(place), place->page_bytes};
    assert_null(place_watch(place));
    assert_null(place_watch(other));
    assert_int_equal(place_ask(place, written), 0);
    assert_int_equal(place_ask(other, written), 0);
    if (!open_ring(&ring) ||
        syscall(SYS_io_uring_register, ring.file, IORING_REGISTER_BUFFERS, &buffer, 1) != 0) {
        print_message("no page can be pinned\n");
        skip();
    }
    assert_refused("pinned");
    assert_int_equal(place_ask(place, written), -1);
    assert_int_equal(place_ask(other, written), 0); /* its pages are not among them */
    other->first[0] = 0;
    assert_int_equal(place_ask(other, written), -1); /* they might be, as far as can be told */
    syscall(SYS_io_uring_register, ring.file, IORING_UNREGISTER_BUFFERS, NULL, 0);
    assert_int_equal(place_ask(place, written), -1);
    close(ring.file);
    place_free(place);
    place_free(other);
    assert_trusted();
}

/* A read that was begun before a question may end after it. */
static void direct_files(void **state) {
    char path[512];
    struct lava_page_range written[PLACE_RANGES];
    int ends[2];
    (void)state;
    snprintf(path, sizeof path, "%s/page-trust-direct", folder);
    struct place *place = place_make(false);
    assert_null(place_watch(place));
    assert_int_equal(place_ask(place, written), 0);
    assert_int_equal(pipe2(ends, O_DIRECT), 0); /* of packets: harmless */
    assert_trusted();
    int file = open(path, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
    if (file < 0)
        skip();
    unlink(path);
    assert_refused("O_DIRECT");
    assert_int_equal(place_ask(place, written), 0);
    *target_of(place) ^= 1;
    assert_int_equal(place_ask(place, written), -1);
    close(file);
    close(ends[0]);
    close(ends[1]);
    place_free(place);
    assert_trusted();
}

/* Their pages are pinned, and no counter of the process tells. */
static void express_sockets(void **state) {
    (void)state;
    int file = socket(44, SOCK_RAW | SOCK_CLOEXEC, 0); /* AF_XDP */
    if (file < 0)
        skip();
    assert_refused("AF_XDP");
    close(file);
    assert_trusted();
}

/* As in a container, whose profile refuses the system call, or as of systemd, whose filter kills. */
static void filter_userfaultfd(unsigned action) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(2);
}

static void be_ordinary(void) {
    if (getuid() == 0 && setresuid(65534, 65534, 65534) != 0)
        _exit(2);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* as a program is that was started by this user */
}

static volatile int *handled; /* shared with children */

static void count_signal(int signal) {
    (void)signal;
    ++*handled;
}

/* Opens the kernel's part in a child. Returns 0: it opens, 1: it is refused with this reason, 3: another. */
static int open_in_child(unsigned action, bool is_ordinary, const char *why) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct lava_page_kernel kernel;
        signal(SIGSYS, count_signal);
        if (is_ordinary)
            be_ordinary();
        if (action)
            filter_userfaultfd(action);
        const char *refusal = lava_page_kernel_open(&kernel);
        _exit(!refusal ? 0 : strstr(refusal, why) ? 1 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip();
    return WEXITSTATUS(status);
}

static void containers(void **state) {
    (void)state;
    static const unsigned refusing[] = {SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_KILL_PROCESS,
                                        SECCOMP_RET_TRAP};
    assert_int_equal(open_in_child(0, false, ""), 0);
    assert_int_equal(open_in_child(0, true, ""), 0);
    assert_int_equal(open_in_child(SECCOMP_RET_ALLOW, true, ""), 0); /* a profile that has it */
    struct stat device;
    handled = mmap(NULL, sizeof *handled, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(handled, MAP_FAILED);
    for (size_t i = 0; i < sizeof refusing / sizeof refusing[0]; i++) {
        if (stat("/dev/userfaultfd", &device) != 0 || (device.st_mode & 0006) != 0006)
            assert_int_equal(open_in_child(refusing[i], true, "seccomp"), 1);
        if (access("/dev/userfaultfd", R_OK | W_OK) == 0)
            assert_int_equal(open_in_child(refusing[i], false, ""), 0);
    }
    assert_int_equal(*handled, 0); /* the program hears nothing of it */
    munmap((void *)handled, sizeof *handled);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runtimes_of_devices),
        cmocka_unit_test(mappings_unread),
        cmocka_unit_test(aio),
        cmocka_unit_test(io_uring_reads),
        cmocka_unit_test(pinned_pages),
        cmocka_unit_test(direct_files),
        cmocka_unit_test(express_sockets),
        cmocka_unit_test(containers),
    };
    const char *refusal = lava_page_watch_open();
    folder = argc > 1 ? argv[1] : ".";
    if (!refusal)
        refusal = lava_page_trust_check();
    if (refusal) {
        printf("skipped: %s\n", refusal);
        return 77;
    }
    return cmocka_run_group_tests_name("page_trust", tests, NULL, NULL);
}
