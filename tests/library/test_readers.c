/* The readers of lavablas's commands: JSON and ELF files. What is right is read right, and nothing that is
 * cut or changed at random makes them read outside of it: a build with sanitizers would tell.
 *
 *   test_readers LIBRARY_WITH_FORTRAN_NAMES [seed] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/random.h"
#include "tools/elf_file.h"
#include "tools/json_reader.h"
#include "tools/shapes.h"

static const char *library;
static uint64_t seed;

static uint64_t next_random(void) {
    return lava_random_next(&seed) >> 33;
}

static const char document[] =
    "{\"a\": [1, -2.5, 3e2, 12e-1], \"b\\n\\u00e9\\\"\": {\"c\": \"x\\\\y\", \"d\": true},\n"
    " \"e\": null, \"f\": [], \"g\": {}, \"n\": 90000000001}";

static void json_is_read(void **state) {
    struct json *value = json_parse(document);
    (void)state;
    assert_non_null(value);
    const struct json *element = json_elements(value, "a");
    const double numbers[] = {1, -2.5, 300, 1.2};
    for (int i = 0; i < 4; i++, element = element->next) {
        double off = element->number - numbers[i];
        assert_true(off < 1e-12 && off > -1e-12);
    }
    assert_null(element);
    const struct json *inner = json_member(value, "b\n\xc3\xa9\"");
    assert_non_null(inner);
    assert_string_equal(json_text(inner, "c", ""), "x\\y");
    assert_true(json_member(inner, "d")->kind == JSON_BOOL && json_member(inner, "d")->number == 1);
    assert_true(json_member(value, "e")->kind == JSON_NULL);
    assert_null(json_elements(value, "f"));
    assert_null(json_member(value, "nosuch"));
    assert_string_equal(json_text(value, "n", "otherwise"), "otherwise");
    assert_true(json_number(value, "n") == 90000000001.0);
    json_free(value);
}

static void wrong_json_is_refused(void **state) {
    static const char *const texts[] = {"",      "{",   "[1,]",    "[1 2]",     "{\"a\"}",   "{\"a\":}",
                                        "{1:2}", "\"a", "\"\\x\"", "\"\\u12\"", "nul",       "tru",
                                        "-",     "1 1", "\"\n\"",  "[1}",       "{\"a\":1]", "\"\\u0000\""};
    char deep[400];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct json *value = json_parse(texts[i]);
        if (value)
            fail_msg("accepted: %s", texts[i]);
    }
    memset(deep, '[', 200);
    memset(deep + 200, ']', 199);
    deep[399] = '\0';
    assert_null(json_parse(deep));
    json_free(NULL);
}

/* Each copy is as long as its text, so that a sanitizer sees what is read behind it. */
static void changed_json_is_harmless(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t length = next_random() % sizeof document;
        char *text = malloc(length + 1);
        assert_non_null(text);
        memcpy(text, document, length);
        text[length] = '\0';
        for (int change = 0; change < 3 && length > 0; change++)
            text[next_random() % length] = (char)(1 + next_random() % 255);
        json_free(json_parse(text));
        free(text);
    }
}

/* Sizes that are no integers, or of matrices that cannot be, are not to be timed. */
static void sizes_of_traces_are_checked(void **state) {
    static const char text[] =
        "[{\"name\":\"dgemm_\",\"dur\":1,\"args\":{\"m\":4,\"n\":5,\"k\":6,\"where\":\"gpu\"}},"
        "{\"name\":\"dgemm_\",\"dur\":1,\"args\":{\"m\":4,\"n\":5,\"k\":6,\"where\":\"cpu\"}},"
        "{\"name\":\"dgemm_\",\"args\":{\"m\":1e300,\"n\":5,\"k\":6,\"where\":\"gpu\"}},"
        "{\"name\":\"dgemm_\",\"args\":{\"m\":4,\"n\":-1,\"k\":4294967297,\"where\":\"gpu\"}},"
        "{\"name\":\"dgemm_\",\"args\":{\"m\":2e9,\"n\":2e9,\"k\":6,\"where\":\"gpu\"}},"
        "{\"name\":\"dsyrk_\",\"args\":{\"m\":1,\"n\":2147483647,\"k\":1,\"where\":\"gpu\"}},"
        "{\"name\":\"dgemm_\",\"args\":{\"m\":2147483647,\"n\":1,\"k\":1,\"where\":\"gpu\"}}]";
    struct json *trace = json_parse(text);
    struct shapes shapes = {NULL, 0};
    (void)state;
    assert_non_null(trace);
    assert_true(shapes_read(&shapes, trace));
    assert_int_equal(shapes.count, 4);
    assert_true(shapes.list[0].calls > 1.5 && shapes.list[0].m == 4 && shapes.list[0].routine);
    assert_null(shapes.list[1].routine);
    assert_null(shapes.list[2].routine);
    assert_non_null(shapes.list[3].routine);
    free(shapes.list);
    json_free(trace);
}

static void elf_is_read(void **state) {
    struct elf_object object;
    (void)state;
    elf_file_read(library, &object);
    assert_true(object.kind == ELF_DYNAMIC && object.defined >= 4);
    assert_true(object.defines[LAVA_ROUTINE_dgemm_] && !object.defines[LAVA_ROUTINE_cblas_dgemm]);
    elf_file_read("/proc/self/exe", &object);
    assert_true(object.kind == ELF_DYNAMIC && object.has_interpreter && !object.defines[LAVA_ROUTINE_dgemm_]);
    elf_file_read("/nonexistent", &object);
    assert_true(object.kind == ELF_UNREADABLE);
    elf_file_read("/proc/self", &object);
    assert_true(object.kind == ELF_UNREADABLE);
}

static size_t read_library(unsigned char **bytes) {
    int file = open(library, O_RDONLY);
    off_t size = lseek(file, 0, SEEK_END);
    assert_true(file >= 0 && size > 0 && (*bytes = malloc((size_t)size)));
    assert_true(pread(file, *bytes, (size_t)size, 0) == size);
    close(file);
    return (size_t)size;
}

static void write_copy(const char *path, const unsigned char *bytes, size_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

/* Changes are made where they do most: in the header and among the headers of sections, at the end. */
static void changed_elf_is_harmless(void **state) {
    char path[] = "/tmp/lavablas-elf-XXXXXX";
    struct elf_object object;
    unsigned char *bytes = NULL, *copy;
    (void)state;
    size_t size = read_library(&bytes);
    close(mkstemp(path));
    assert_non_null(copy = malloc(size));
    for (int i = 0; i < 300; i++) {
        size_t length = i % 3 == 0 ? next_random() % size : size, near = i % 2 ? 64 : 2048;
        memcpy(copy, bytes, size);
        for (int change = 0; change < 4 && i % 3 != 0; change++) {
            size_t at = next_random() % near;
            copy[i % 2 ? at : size - 1 - at] = (unsigned char)next_random();
        }
        write_copy(path, copy, length);
        elf_file_read(path, &object);
    }
    write_copy(path, bytes, size);
    elf_file_read(path, &object);
    assert_true(object.defines[LAVA_ROUTINE_dgemm_]);
    unlink(path);
    free(bytes);
    free(copy);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_read),
        cmocka_unit_test(wrong_json_is_refused),
        cmocka_unit_test(changed_json_is_harmless),
        cmocka_unit_test(sizes_of_traces_are_checked),
        cmocka_unit_test(elf_is_read),
        cmocka_unit_test(changed_elf_is_harmless),
    };
    if (count < 2)
        return 2;
    library = arguments[1];
    seed = count > 2 ? strtoull(arguments[2], NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
