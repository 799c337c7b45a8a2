/* Writes and reads the text form of figures. Called by lib/calibrate/figures_file.c and tools/calibrate.c.
 * Invariants: what was not measured is not written; no function here depends on the locale, because host
 * programs may set one. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/figures.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SIZES        LAVA_FIGURES_SIZES
/* Longest line of text, including its end. A longer line is invalid. */
#define LINE_MAX_CHARACTERS 128
/* Digits written per number: more than the precision of any measurement. */
#define DIGITS 7
/* Digits read per number: what an int64_t and a double's exponent can hold. */
#define MOST_DIGITS          17
#define MOST_EXPONENT_DIGITS 2

// clang-format off
static const struct { const char *name; size_t offset; } device_figures[] = {
    {"device_call_latency_ns",      offsetof(struct lava_device_figures, call_latency_ns)},
    {"device_upload_bytes_per_s",   offsetof(struct lava_device_figures, upload_bytes_per_s)},
    {"device_download_bytes_per_s", offsetof(struct lava_device_figures, download_bytes_per_s)},
    {"device_memory_bytes_per_s",   offsetof(struct lava_device_figures, memory_bytes_per_s)},
    {"device_import_ns",            offsetof(struct lava_device_figures, import_ns)},
    {"device_import_bytes_per_s",   offsetof(struct lava_device_figures, import_bytes_per_s)},
    {"device_copy_bytes_per_s",     offsetof(struct lava_device_figures, copy_bytes_per_s)},
};
// clang-format on
static const char product_name[] = "cpu_product_ns";
static const char family_name[] = "cpu_family_ns";
static const char families_name[] = "cpu_families";
static const char kernel_name[] = "device_kernel_flops_per_s";

/* Text being written. Characters that do not fit are counted but not stored. */
struct text {
    char *start;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...) {
    char *end = text->length < text->size ? text->start + text->length : NULL;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(end, end ? text->size - text->length : 0, format, arguments);
    va_end(arguments);
    if (written > 0)
        text->length += (size_t)written;
}

/* Formats with integers, so that no locale inserts a decimal comma: "170800.5", "4.87e10". */
static void append_number(struct text *text, double value) {
    int exponent = (int)floor(log10(value));
    long long digits = llround(value * pow(10.0, DIGITS - 1 - exponent));
    long long unit = 1;
    for (int i = 1; i < DIGITS; i++)
        unit *= 10;
    if (digits >= 10 * unit) { /* rounding added a digit */
        digits /= 10;
        exponent++;
    }
    bool plain = exponent >= 0 && exponent < DIGITS;
    for (int i = 0; plain && i < exponent; i++)
        unit /= 10;
    append(text, "%lld", digits / unit);
    if (digits % unit)
        append(text, ".");
    for (long long rest = digits % unit; rest; rest %= unit) {
        unit /= 10;
        append(text, "%lld", rest / unit);
    }
    if (!plain)
        append(text, "e%d", exponent);
}

/* Returns whether the text form can represent the value. Values outside this range were not measured. */
static bool is_figure(double value) {
    return value > 1e-90 && value < 1e90;
}

static const double *device_figure(const struct lava_device_figures *figures, size_t i) {
    return (const double *)((const char *)figures + device_figures[i].offset);
}

static void append_products(struct text *text, const struct lava_cpu_figures *figures) {
    for (int i = 0; i < SIZES * SIZES * SIZES; i++) {
        const int at[3] = {i / (SIZES * SIZES), i / SIZES % SIZES, i % SIZES};
        double ns = figures->product_ns[at[0]][at[1]][at[2]];
        if (!is_figure(ns))
            continue;
        append(text, "%s %lld %lld %lld ", product_name, (long long)lava_figures_sizes[at[0]],
               (long long)lava_figures_sizes[at[1]], (long long)lava_figures_sizes[at[2]]);
        append_number(text, ns);
        append(text, "\n");
    }
}

static void append_families(struct text *text, const struct lava_cpu_figures *figures) {
    if (is_figure(figures->families)) {
        append(text, "%s ", families_name);
        append_number(text, figures->families);
        append(text, "\n");
    }
    for (int i = 0; i < LAVA_CPU_FAMILY_COUNT * LAVA_FAMILIES_TYPES * LAVA_FAMILIES_ORDERS; i++) {
        int order = i % LAVA_FAMILIES_ORDERS, type = i / LAVA_FAMILIES_ORDERS % LAVA_FAMILIES_TYPES;
        int family = i / (LAVA_FAMILIES_ORDERS * LAVA_FAMILIES_TYPES);
        const char *name = lava_families_name((enum lava_cpu_family)family, type);
        if (!name || !is_figure(figures->family_ns[family][type][order]))
            continue;
        append(text, "%s %s %lld ", family_name, name, (long long)lava_families_orders[order]);
        append_number(text, figures->family_ns[family][type][order]);
        append(text, "\n");
    }
}

int lava_figures_print(const struct lava_figures *figures, char *buffer, size_t size) {
    struct text text = {.start = buffer, .size = size};
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    if (size)
        buffer[0] = '\0';
    append_products(&text, &figures->cpu);
    append_families(&text, &figures->cpu);
    for (size_t i = 0; i < COUNT(device_figures); i++) {
        if (!is_figure(*device_figure(&figures->device, i)))
            continue;
        append(&text, "%s ", device_figures[i].name);
        append_number(&text, *device_figure(&figures->device, i));
        append(&text, "\n");
    }
    for (size_t i = 0; i < count && i < LAVA_FIGURES_MAX_KERNELS; i++) {
        if (!is_figure(figures->device.flops_per_s[i]))
            continue;
        append(&text, "%s %s ", kernel_name, table[i].name);
        append_number(&text, figures->device.flops_per_s[i]);
        append(&text, "\n");
    }
    return (int)text.length;
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

/* Appends the digits at *text to *value. Leaves those there that would be more than `most` in total. */
static void read_digits(const char **text, int most, int *count, int64_t *value) {
    for (; is_digit(**text) && *count < most; ++*text, ++*count)
        *value = 10 * *value + (**text - '0');
}

/* Parses the whole text: digits, optionally with a point between them, optionally with "e10" or "e-3".
 * Returns false for 0 too. */
static bool read_number(const char *text, double *value) {
    int64_t digits = 0, power = 0;
    int count = 0, exponent_count = 0;
    bool negative = false;
    if (!is_digit(*text))
        return false;
    read_digits(&text, MOST_DIGITS, &count, &digits);
    int whole = count;
    if (*text == '.') {
        if (!is_digit(*++text))
            return false;
        read_digits(&text, MOST_DIGITS, &count, &digits);
    }
    if (*text == 'e') {
        negative = *++text == '-';
        text += negative;
        read_digits(&text, MOST_EXPONENT_DIGITS, &exponent_count, &power);
        if (exponent_count == 0)
            return false;
    }
    if (*text != '\0' || digits == 0)
        return false;
    int exponent = (negative ? -(int)power : (int)power) - (count - whole);
    *value = exponent < 0 ? (double)digits / pow(10.0, -exponent) : (double)digits * pow(10.0, exponent);
    return true;
}

/* Position among the sizes, -1 for any other size. Returns false if the text is not a size. */
static bool read_size(const char *text, const int64_t *sizes, int size_count, int *position) {
    int64_t size = 0;
    int count = 0;
    read_digits(&text, MOST_DIGITS, &count, &size);
    if (*text != '\0' || size == 0)
        return false;
    *position = -1;
    for (int i = 0; i < size_count; i++)
        if (sizes[i] == size)
            *position = i;
    return true;
}

/* Most words per line: a name, words that identify a product or kernel, and the value. The limit is larger
 * than needed today, so that lines of newer versions can be read. */
#define MOST_WORDS 8

static bool read_product(char *const words[], size_t count, double value, struct lava_cpu_figures *figures) {
    int at[3];
    if (count != 5)
        return false;
    for (int i = 0; i < 3; i++)
        if (!read_size(words[1 + i], lava_figures_sizes, SIZES, &at[i]))
            return false;
    if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0)
        figures->product_ns[at[0]][at[1]][at[2]] = value;
    return true;
}

static bool read_family(char *const words[], size_t count, double value, struct lava_cpu_figures *figures) {
    int order;
    if (count != 4 || !read_size(words[2], lava_families_orders, LAVA_FAMILIES_ORDERS, &order))
        return false;
    for (int i = 0; order >= 0 && i < LAVA_CPU_FAMILY_COUNT * LAVA_FAMILIES_TYPES; i++) {
        int family = i / LAVA_FAMILIES_TYPES, type = i % LAVA_FAMILIES_TYPES;
        const char *name = lava_families_name((enum lava_cpu_family)family, type);
        if (name && strcmp(name, words[1]) == 0)
            figures->family_ns[family][type][order] = value;
    }
    return true;
}

/* A kernel of another version is skipped. */
static void read_kernel(const char *name, double value, struct lava_device_figures *figures) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count && i < LAVA_FIGURES_MAX_KERNELS; i++)
        if (strcmp(name, table[i].name) == 0)
            figures->flops_per_s[i] = value;
}

static bool read_figure(char *const words[], size_t count, struct lava_figures *figures) {
    double value;
    if (!read_number(words[count - 1], &value))
        return false;
    if (strcmp(words[0], product_name) == 0)
        return read_product(words, count, value, &figures->cpu);
    if (strcmp(words[0], family_name) == 0)
        return read_family(words, count, value, &figures->cpu);
    if (strcmp(words[0], families_name) == 0) {
        figures->cpu.families = value;
        return count == 2;
    }
    if (strcmp(words[0], kernel_name) == 0) {
        read_kernel(words[1], value, &figures->device);
        return count == 3;
    }
    for (size_t i = 0; i < COUNT(device_figures); i++)
        if (strcmp(words[0], device_figures[i].name) == 0) {
            memcpy((char *)&figures->device + device_figures[i].offset, &value, sizeof value);
            return count == 2;
        }
    return true;
}

/* Splits the line into words of printable ASCII, separated by single blanks. Returns false for fewer than two
 * words or too many. */
static bool read_line(char *line, struct lava_figures *figures) {
    char *words[MOST_WORDS] = {line};
    size_t count = 1;
    for (char *c = line; *c; c++) {
        if (*c == ' ') {
            if (count == MOST_WORDS)
                return false;
            *c = '\0';
            words[count++] = c + 1;
        } else if (*c < '!' || *c > '~') {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (words[i][0] == '\0')
            return false;
    return count >= 2 && read_figure(words, count, figures);
}

bool lava_figures_parse(const char *text, struct lava_figures *figures) {
    struct lava_figures read = *figures;
    while (*text) {
        char line[LINE_MAX_CHARACTERS];
        size_t length = strcspn(text, "\n");
        if (text[length] == '\0' || length >= sizeof line)
            return false; /* truncated, or too long */
        memcpy(line, text, length);
        line[length] = '\0';
        if (!read_line(line, &read))
            return false;
        text += length + 1;
    }
    *figures = read;
    return true;
}
