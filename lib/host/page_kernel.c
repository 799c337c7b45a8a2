/* The system calls of watching memory (Linux Documentation/admin-guide/mm/pagemap.rst and userfaultfd.rst).
 * Called by page_watch.c.
 *
 * Invariant: a write that comes after a collect is reported by the next one. Memory that is read in between
 * may have it or not. */
#include "lib/host/page_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/userfaultfd.h>

/* What older headers lack (Debian 12's, for one). */
#ifndef UFFD_USER_MODE_ONLY
#    define UFFD_USER_MODE_ONLY 1
#endif
#ifndef USERFAULTFD_IOC_NEW
#    define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif
#define FEATURE_WP_UNPOPULATED ((uint64_t)1 << 13)
#define FEATURE_WP_ASYNC       ((uint64_t)1 << 15)

/* As in linux/fs.h of Linux 6.7, where the names begin with PM_SCAN_ and PAGE_IS_. */
struct region {
    uint64_t start, end, categories;
};
struct scan {
    uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define PAGEMAP_SCAN_REQUEST _IOWR('f', 16, struct scan)
enum { PROTECT_MATCHING = 1 << 0, CHECK_WATCHED = 1 << 1 };
enum { IS_WRITTEN = 1 << 1, IS_PRESENT = 1 << 3 };

#define REGIONS 256

/* Returns whether the process may be killed for a system call: seccomp filters are there, or it is not known.
 */
static bool is_filtered(void) {
    FILE *status = fopen("/proc/thread-self/status", "re");
    char line[256];
    int mode = 2;
    while (status && fgets(line, sizeof line, status) && sscanf(line, "Seccomp: %d", &mode) != 1)
        ;
    if (status)
        fclose(status);
    return mode != 0;
}

static int open_by_call(void) {
    return (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
}

/* Lets a child try it: a bare one, of which no handler of fork() or of a signal knows, and that leaves no
 * core. SIGSYS is blocked, too: a filter that raises it ends the child instead of running the program's
 * handler. */
static bool is_survived(void) {
    int status = -1;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t child = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
    if (child == 0) {
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
        open_by_call();
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, __WALL) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child > 0 && status == 0;
}

/* A container whose seccomp profile refuses the system call may have been given the device. */
static int open_by_device(void) {
    int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC), faults = -1;
    if (device >= 0) {
        faults = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
        close(device);
    }
    return faults;
}

static int open_faults(void) {
    int faults = is_filtered() ? open_by_device() : open_by_call(), refusal = errno;
    if (faults < 0 && !is_filtered())
        faults = open_by_device();
    else if (faults < 0 && is_survived()) {
        faults = open_by_call();
        refusal = errno;
    } else if (faults < 0)
        refusal = EPERM;
    errno = refusal;
    return faults;
}

/* A program that started without standard files, and opens them later, takes the first three numbers. */
static int above_standard(int file) {
    if (file < 0 || file > 2)
        return file;
    int above = fcntl(file, F_DUPFD_CLOEXEC, 3);
    close(file);
    return above;
}

static const char *open_both(struct lava_page_kernel *kernel) {
    kernel->faults = above_standard(open_faults());
    if (kernel->faults < 0)
        return errno == ENOSYS  ? "the kernel has no userfaultfd"
               : errno == EPERM ? "userfaultfd is refused, as by Docker's default seccomp profile"
                                : "userfaultfd cannot be opened";
    struct uffdio_api api = {.api = UFFD_API, .features = FEATURE_WP_ASYNC | FEATURE_WP_UNPOPULATED};
    if (ioctl(kernel->faults, UFFDIO_API, &api) != 0)
        return "userfaultfd has no asynchronous write protection (Linux 6.7)";
    kernel->pages = above_standard(open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC));
    if (kernel->pages < 0 || fstat(kernel->faults, &kernel->faults_opened) != 0 ||
        fstat(kernel->pages, &kernel->pages_opened) != 0)
        return "/proc/self/pagemap cannot be opened";
    struct scan nothing = {.size = sizeof nothing};
    if (ioctl(kernel->pages, PAGEMAP_SCAN_REQUEST, &nothing) != 0)
        return "the kernel does not tell which pages were written (PAGEMAP_SCAN, Linux 6.7)";
    return NULL;
}

const char *lava_page_kernel_open(struct lava_page_kernel *kernel) {
    *kernel = (struct lava_page_kernel){.faults = -1, .pages = -1};
    const char *refusal = open_both(kernel);
    if (refusal)
        lava_page_kernel_close(kernel);
    return refusal;
}

void lava_page_kernel_close(struct lava_page_kernel *kernel) {
    if (kernel->faults >= 0)
        close(kernel->faults);
    if (kernel->pages >= 0)
        close(kernel->pages);
    kernel->faults = kernel->pages = -1;
}

static bool is_same(int file, const struct stat *opened) {
    struct stat now;
    return fstat(file, &now) == 0 && now.st_dev == opened->st_dev && now.st_ino == opened->st_ino;
}

bool lava_page_kernel_is_open(const struct lava_page_kernel *kernel) {
    return is_same(kernel->faults, &kernel->faults_opened) && is_same(kernel->pages, &kernel->pages_opened);
}

int lava_page_kernel_register(const struct lava_page_kernel *kernel, struct lava_page_range mappings) {
    struct uffdio_register request = {.range = {mappings.first, mappings.bytes},
                                      .mode = UFFDIO_REGISTER_MODE_WP};
    return ioctl(kernel->faults, UFFDIO_REGISTER, &request) == 0 ? 0 : errno;
}

void lava_page_kernel_unregister(const struct lava_page_kernel *kernel, struct lava_page_range mappings) {
    struct uffdio_range request = {mappings.first, mappings.bytes};
    ioctl(kernel->faults, UFFDIO_UNREGISTER, &request);
}

void lava_page_kernel_unprotect(const struct lava_page_kernel *kernel, struct lava_page_range pages) {
    struct uffdio_writeprotect request = {.range = {pages.first, pages.bytes}, .mode = 0};
    ioctl(kernel->faults, UFFDIO_WRITEPROTECT, &request);
}

/* A scan passes over what is not mapped, and msync looks at mappings alone. */
static bool is_mapped(struct lava_page_range pages) {
    return msync((void *)(uintptr_t)pages.first, pages.bytes, MS_ASYNC) == 0;
}

/* Returns the number of regions, or -1; *at is where the next part begins.
 *
 * Kernels of before July 2026 do not count as written what has no page table: a huge page that MADV_DONTNEED
 * took away (its fix is "fs/proc/task_mmu: fix PAGEMAP_SCAN written state for PMD holes"). So whatever is not
 * present is asked for, too: swapped-out pages among them, until somebody reads them. Asking for IS_WRITTEN
 * alone takes 0.3 ms instead of 0.5 for 512 MiB of small pages. */
static int scan_some(const struct lava_page_kernel *kernel, uint64_t flags, uint64_t *at, uint64_t end,
                     struct region *regions) {
    struct scan scan = {.size = sizeof scan,
                        .flags = flags | CHECK_WATCHED,
                        .start = *at,
                        .end = end,
                        .regions = (uint64_t)(uintptr_t)regions,
                        .region_count = REGIONS,
                        .category_inverted = IS_PRESENT,
                        .category_anyof_mask = IS_WRITTEN | IS_PRESENT,
                        .return_mask = IS_WRITTEN};
    int count = ioctl(kernel->pages, PAGEMAP_SCAN_REQUEST, &scan);
    if (count >= 0 && scan.walk_end <= *at)
        return -1;
    *at = count < 0 ? end : scan.walk_end;
    return count;
}

bool lava_page_kernel_collect(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                              lava_page_range_visitor *visit, void *context) {
    struct region regions[REGIONS];
    uint64_t end = pages.first + pages.bytes;
    for (uint64_t at = pages.first; at < end;) {
        int count = scan_some(kernel, PROTECT_MATCHING, &at, end, regions);
        if (count < 0)
            return false;
        for (int i = 0; i < count; i++)
            visit(context, (struct lava_page_range){regions[i].start, regions[i].end - regions[i].start});
    }
    return is_mapped(pages);
}

static void forget(void *context, struct lava_page_range written) {
    (void)context;
    (void)written;
}

/* A collect protects pages that are not protected. Until Linux 6.13, pages keep the mark of protection when
 * mremap moves them, but not the protection itself. Protecting whatever there is takes three times as long
 * with small pages, so only these kernels do. */
bool lava_page_kernel_protect(const struct lava_page_kernel *kernel, struct lava_page_range pages) {
    struct uffdio_writeprotect request = {.range = {pages.first, pages.bytes},
                                          .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    if (kernel->moves_protection && ioctl(kernel->faults, UFFDIO_WRITEPROTECT, &request) != 0)
        return false;
    return lava_page_kernel_collect(kernel, pages, forget, NULL);
}

/* The scan tells that somebody registered the pages. It visits mappings alone, as no page can lack the
 * category that these have: bit 0, PAGE_IS_WPALLOWED. Registering them once more changes nothing if it was
 * this userfaultfd, and is refused if it was another. */
bool lava_page_kernel_is_registered(const struct lava_page_kernel *kernel, struct lava_page_range pages) {
    struct scan scan = {.size = sizeof scan,
                        .flags = CHECK_WATCHED,
                        .start = pages.first,
                        .end = pages.first + pages.bytes,
                        .category_inverted = 1 << 0,
                        .category_mask = 1 << 0};
    return is_mapped(pages) && ioctl(kernel->pages, PAGEMAP_SCAN_REQUEST, &scan) >= 0 &&
           lava_page_kernel_register(kernel, pages) == 0;
}
