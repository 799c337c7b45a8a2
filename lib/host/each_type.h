/* Includes loops once for each element type that is computed in C. LOOP is their file, as a string. There
 *
 *     NAME(function)   is the function's name with the type in it
 *     REAL             is the type of an element's parts
 *     PARTS            is the number of parts of an element: 1, or 2 if it is complex
 *
 * OF_EACH_TYPE(function) initializes an array by type with the functions of that name. */
#define NAME(function) function##_fp32
#define REAL           float
#define PARTS          1
#include LOOP
#undef NAME
#undef REAL

#define NAME(function) function##_fp64
#define REAL           double
#include LOOP
#undef NAME
#undef REAL
#undef PARTS

#define NAME(function) function##_cfp32
#define REAL           float
#define PARTS          2
#include LOOP
#undef NAME
#undef REAL

#define NAME(function) function##_cfp64
#define REAL           double
#include LOOP
#undef NAME
#undef REAL
#undef PARTS
#undef LOOP

#define OF_EACH_TYPE(function)                                                                               \
    {                                                                                                        \
        [LAVA_TYPE_FP32] = function##_fp32, [LAVA_TYPE_FP64] = function##_fp64,                              \
        [LAVA_TYPE_CFP32] = function##_cfp32, [LAVA_TYPE_CFP64] = function##_cfp64                           \
    }
