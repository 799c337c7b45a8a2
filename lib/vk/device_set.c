/* Chooses the devices of this process. Called by selection.c.
 *
 * Three sieves, one after the other: the devices that LAVABLAS_DEVICE means, of the best kind among them; of
 * these the rank's own; of these the ones of the first one's model. */
#include "lib/vk/device_set.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* More than any machine has. */
#define INDEX_DIGITS 9

/* What LAVABLAS_DEVICE means. */
enum form { BEST, ALL, ONE_SOFTWARE, ALL_SOFTWARE, LIST, NAME };

static bool is_list(const char *text) {
    for (;;) {
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > INDEX_DIGITS)
            return false;
        if (text[digits] == 0)
            return true;
        if (text[digits] != ',')
            return false;
        text += digits + 1;
    }
}

static enum form form_of(const char *text) {
    if (!text)
        return BEST;
    if (!strcasecmp(text, "all"))
        return ALL;
    if (!strcasecmp(text, "cpu"))
        return ONE_SOFTWARE;
    if (!strcasecmp(text, "cpu:all"))
        return ALL_SOFTWARE;
    return is_list(text) ? LIST : NAME;
}

static bool has(const uint32_t *found, uint32_t size, uint32_t index) {
    for (uint32_t i = 0; i < size; i++)
        if (found[i] == index)
            return true;
    return false;
}

/* Keeps the list's order, and each device once. */
static uint32_t find_listed(const char *list, const struct lava_device_entry *entries, uint32_t count,
                            uint32_t *found) {
    uint32_t size = 0;
    while (list) {
        unsigned long index = strtoul(list, NULL, 10);
        if (index < count && entries[index].is_usable && size < LAVA_DEVICE_SET_MAX &&
            !has(found, size, (uint32_t)index))
            found[size++] = (uint32_t)index;
        list = strchr(list, ',');
        if (list)
            list++;
    }
    return size;
}

static bool is_meant(enum form form, const char *text, const struct lava_device_entry *entry) {
    bool is_software = entry->kind == LAVA_DEVICE_CPU;
    if (form == NAME)
        return strcasestr(entry->name, text) != NULL;
    return is_software == (form == ONE_SOFTWARE || form == ALL_SOFTWARE);
}

/* Finds those of the best kind among the devices that are meant. */
static uint32_t find_best(enum form form, const char *text, const struct lava_device_entry *entries,
                          uint32_t count, uint32_t *found) {
    enum lava_device_kind best = LAVA_DEVICE_CPU;
    uint32_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        enum lava_device_kind kind = entries[i].kind;
        if (!entries[i].is_usable || !is_meant(form, text, &entries[i]))
            continue;
        if (size == 0 || kind < best) {
            best = kind;
            size = 0;
        }
        if (kind == best && size < LAVA_DEVICE_SET_MAX)
            found[size++] = i;
    }
    return size;
}

/* Keeps the devices first, first + step ... */
static uint32_t keep_every(uint32_t first, uint32_t step, uint32_t *found, uint32_t size) {
    uint32_t kept = 0;
    for (uint32_t i = first; i < size; i += step)
        found[kept++] = found[i];
    return kept;
}

/* Ranks of one host share its devices. A rank that does not know how many there are, or that has to share a
 * device with others, uses one. */
static uint32_t keep_ranks_own(const struct lava_config *config, uint32_t *found, uint32_t size) {
    if (config->local_rank < 0 || size < 2)
        return size;
    uint32_t rank = (uint32_t)config->local_rank,
             ranks = config->local_size > 0 ? (uint32_t)config->local_size : size;
    if (rank >= ranks || ranks >= size)
        return keep_every(rank % size, size, found, size);
    return keep_every(rank, ranks, found, size);
}

static uint32_t keep_models(const struct lava_device_entry *entries, uint32_t *found, uint32_t size) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < size; i++) {
        const struct lava_device_entry *entry = &entries[found[i]], *first = &entries[found[0]];
        if (entry->vendor_id == first->vendor_id && entry->device_id == first->device_id &&
            entry->driver_version == first->driver_version && entry->kind == first->kind)
            found[kept++] = found[i];
    }
    return kept;
}

static bool is_listed(const char *list, uint32_t index) {
    for (; list; list = strchr(list, ','), list += list != NULL)
        if (strtoul(list, NULL, 10) == index)
            return true;
    return false;
}

bool lava_device_set_allows(const struct lava_config *config, const struct lava_device_entry *entry,
                            uint32_t index) {
    enum form form = form_of(config->device);
    return form == LIST ? is_listed(config->device, index) : is_meant(form, config->device, entry);
}

/* Finds the devices that are meant, of all ranks together. */
static uint32_t find_meant(enum form form, const char *text, const struct lava_device_entry *entries,
                           uint32_t count, uint32_t *found) {
    return form == LIST ? find_listed(text, entries, count, found)
                        : find_best(form, text, entries, count, found);
}

uint32_t lava_device_set_find(const struct lava_config *config, const struct lava_device_entry *entries,
                              uint32_t count, uint32_t found[LAVA_DEVICE_SET_MAX]) {
    enum form form = form_of(config->device);
    uint32_t size = find_meant(form, config->device, entries, count, found);
    if (form != ALL && form != ALL_SOFTWARE)
        size = keep_ranks_own(config, found, size);
    if (form == ONE_SOFTWARE && size > 1)
        size = 1;
    return keep_models(entries, found, size);
}

uint32_t lava_device_set_sharers(const struct lava_config *config, const struct lava_device_entry *entries,
                                 uint32_t count) {
    uint32_t found[LAVA_DEVICE_SET_MAX], ranks = (uint32_t)config->local_size,
                                         rank = (uint32_t)config->local_rank;
    if (config->local_rank < 0 || config->local_size < 2 || rank >= ranks)
        return 1;
    enum form form = form_of(config->device);
    uint32_t size = find_meant(form, config->device, entries, count, found);
    if (form == ALL || form == ALL_SOFTWARE)
        return ranks;
    return size == 0 || ranks <= size ? 1 : (ranks - 1 - rank % size) / size + 1;
}
