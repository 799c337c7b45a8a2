/* Calls that several devices share: the bits are those of one device, nothing else is written, and whatever
 * fails the result is right. A test gives the calls; these are its cases. The environment of a case names the
 * devices, LAVA_TEST_TYPE the type. */
#ifndef LAVA_TESTS_ROBUSTNESS_SHARED_CALLS_H
#define LAVA_TESTS_ROBUSTNESS_SHARED_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/robustness/several_devices.h"

#define SHARED_CALLS_DEVICES 3 /* at most */

/* A call, and what it is made of. */
struct shared_call {
    const char *name; /* begins with its type's letter; those of a type follow each other */
    void *data;
    void (*make)(void *data, unsigned seed); /* called before the library is */
    void (*free)(void *data);
    void *(*new_c)(const void *data); /* a copy of the old C, for the result; the caller frees it */
    void (*run)(const void *data, void *c);
    /* Returns false, with a line on stderr, if C is wrong, or more than C is written. */
    bool (*check)(const void *data, const void *c);
    size_t (*c_bytes)(const void *data);
};

/* C has the same bits, however many devices share the call. */
int shared_calls_same_bits(void);
/* The same of devices whose memory is not the host's: what one copies for its uploads the others read. */
int shared_calls_same_copies(void);
#ifdef LAVA_FAULT_INJECTION
/* One of two engines fails, then the other. */
int shared_calls_one_fails(void);
/* Every engine fails. */
int shared_calls_all_fail(void);
#endif

/* main's work. */
int shared_calls_main(int argument_count, char **arguments, const struct test_case *cases,
                      const struct shared_call *all, int count);

#define SHARED_CALLS_ALL "LAVABLAS_DEVICE=cpu:all"
#define SHARED_CALLS_CASE(what, letter)                                                                      \
    {                                                                                                        \
        .name = #what "_" letter, .run = shared_calls_##what, .lines = -1, .variables = {                    \
            SHARED_CALLS_ALL,                                                                                \
            "LAVA_TEST_TYPE=" letter                                                                         \
        }                                                                                                    \
    }

/* Devices whose memory is not the host's, by the layer of tests/layer/. */
#define SHARED_CALLS_DISCRETE(what, function, letter)                                                        \
    {                                                                                                        \
        .name = what "_of_discrete_" letter, .run = function, .lines = -1, .variables = {                    \
            SHARED_CALLS_ALL,                                                                                \
            "LAVA_TEST_TYPE=" letter,                                                                        \
            "VK_INSTANCE_LAYERS=VK_LAYER_LAVABLAS_test",                                                     \
            "LAVABLAS_TEST_LAYER=memory=discrete"                                                            \
        }                                                                                                    \
    }

/* All cases of a type. */
#ifdef LAVA_FAULT_INJECTION
#    define SHARED_CALLS_CASES(letter)                                                                       \
        SHARED_CALLS_CASE(same_bits, letter), SHARED_CALLS_CASE(one_fails, letter),                          \
            SHARED_CALLS_CASE(all_fail, letter)
#else
#    define SHARED_CALLS_CASES(letter) SHARED_CALLS_CASE(same_bits, letter)
#endif

#endif
