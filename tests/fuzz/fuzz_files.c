/* Fuzzes the readers of stored files: a cache file of any bytes, one that was stored and then changed, and
 * the text of figures. What was changed must be refused, and what is read must be what was stored. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/figures.h"
#include "lib/base/file_cache.h"
#include "tests/fuzz/input.h"

static char home[] = "/tmp/lavablas-fuzz-XXXXXX";
static struct lava_file_cache_place place;

static void remove_files(void) {
    unlink(place.path);
    rmdir(place.folder);
    rmdir(home);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    if (!mkdtemp(home))
        exit(2);
    lava_file_cache_place_init(&place, home, "fuzz", "key", 3);
    if (!lava_file_cache_prepare(&place))
        exit(2);
    atexit(remove_files);
    return 0;
}

/* A file of any bytes: only its checksum could make it right, and no fuzzer finds that by chance. */
static void read_any(const struct fuzz_input *input) {
    size_t bytes;
    int file = open(place.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_require(file >= 0 && write(file, input->bytes, input->left) == (ssize_t)input->left,
                 "no file was written");
    close(file);
    free(lava_file_cache_load(&place, &bytes));
}

/* Changes one byte, or cuts the file, or makes it longer. */
static void change_file(struct fuzz_input *input, unsigned *change) {
    int file = open(place.path, O_RDWR | O_CLOEXEC);
    off_t size = lseek(file, 0, SEEK_END), where = (off_t)(fuzz_byte(input) * 256 + fuzz_byte(input)) % size;
    unsigned char byte = 0;
    fuzz_require(file >= 0 && pread(file, &byte, 1, where) == 1, "the stored file is gone");
    *change = fuzz_byte(input);
    byte ^= (unsigned char)*change;
    if (*change == 255)
        fuzz_require(ftruncate(file, where) == 0, "cannot be cut");
    else if (*change == 254)
        fuzz_require(pwrite(file, &byte, 1, size) == 1, "cannot be made longer");
    else
        fuzz_require(pwrite(file, &byte, 1, where) == 1, "cannot be changed");
    close(file);
}

static void store_and_change(struct fuzz_input *input) {
    unsigned change;
    size_t bytes = 0, stored = input->left;
    const uint8_t *data = input->bytes;
    fuzz_require(lava_file_cache_store(&place, data, stored) == (stored > 0),
                 "not stored, or stored without a byte");
    if (stored == 0)
        return;
    void *loaded = lava_file_cache_load(&place, &bytes);
    fuzz_require(loaded && bytes == stored && memcmp(loaded, data, bytes) == 0, "not what was stored");
    free(loaded);
    change_file(input, &change);
    loaded = lava_file_cache_load(&place, &bytes);
    fuzz_require(change == 0 ? loaded != NULL : loaded == NULL, "a changed file was believed");
    free(loaded);
}

/* What is understood is printed, and understood again as the same. */
static void read_figures(const struct fuzz_input *input) {
    static char first[1 << 16], second[1 << 16];
    struct lava_figures figures, again;
    char *text = malloc(input->left + 1);
    fuzz_require(text != NULL, "out of memory");
    memcpy(text, input->bytes, input->left);
    text[input->left] = '\0';
    memset(&figures, 0, sizeof figures);
    memset(&again, 0, sizeof again);
    if (lava_figures_parse(text, &figures)) {
        int length = lava_figures_print(&figures, first, sizeof first);
        fuzz_require(length >= 0 && (size_t)length < sizeof first, "the text is too long");
        fuzz_require(lava_figures_parse(first, &again), "its own text is refused");
        lava_figures_print(&again, second, sizeof second);
        fuzz_require(strcmp(first, second) == 0, "another text the second time");
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct fuzz_input input = {bytes, size};
    switch (fuzz_below(&input, 3)) {
    case 0:
        read_any(&input);
        break;
    case 1:
        store_and_change(&input);
        break;
    default:
        read_figures(&input);
    }
    return 0;
}
