/* The table of pipelines that steps need. Called by builder.c and tests. */
#include "lib/engine/needs.h"

#include <assert.h>

#include "dispatch/divide.h"
#include "dispatch/eigen.h"
#include "dispatch/factorization.h"
#include "dispatch/pivoted_qr.h"
#include "dispatch/qr.h"
#include "dispatch/singular.h"
#include "dispatch/solve.h"
#include "dispatch/tridiagonal.h"

typedef bool fits(const struct lava_capabilities *device, enum lava_type type);

/* A module in each type that the row names, in one form, for devices that it fits. */
struct row {
    enum lava_step step;
    fits *fits;
    unsigned types; /* a set of 1 << type */
    enum lava_module modules[LAVA_TYPE_COUNT];
};

#define IN(type) (1u << (LAVA_TYPE_##type))
#define REAL(name)                                                                                           \
    IN(FP32) | IN(FP64), {                                                                                   \
        [LAVA_TYPE_FP32] = LAVA_MODULE_##name##_FP32, [LAVA_TYPE_FP64] = LAVA_MODULE_##name##_FP64           \
    }
#define EACH(name)                                                                                           \
    IN(FP32) | IN(FP64) | IN(CFP32) | IN(CFP64), {                                                           \
        [LAVA_TYPE_FP32] = LAVA_MODULE_##name##_FP32, [LAVA_TYPE_FP64] = LAVA_MODULE_##name##_FP64,          \
        [LAVA_TYPE_CFP32] = LAVA_MODULE_##name##_CFP32, [LAVA_TYPE_CFP64] = LAVA_MODULE_##name##_CFP64       \
    }
/* One module for all types. */
#define SHARED(name)                                                                                         \
    IN(FP32) | IN(FP64), {                                                                                   \
        [LAVA_TYPE_FP32] = LAVA_MODULE_##name, [LAVA_TYPE_FP64] = LAVA_MODULE_##name                         \
    }
#define SHARED_BY_COMPLEX(name)                                                                              \
    IN(CFP32) | IN(CFP64), {                                                                                 \
        [LAVA_TYPE_CFP32] = LAVA_MODULE_##name, [LAVA_TYPE_CFP64] = LAVA_MODULE_##name                       \
    }

/* A panel's workgroups wait for each other, if the device can hold them at the same time. */
static bool tridiagonal_panel_fits(const struct lava_capabilities *device, enum lava_type type) {
    static const struct lava_panel_choice free_choice;
    return lava_tridiagonal_fits(device, type) &&
           lava_tridiagonal_groups(device, LAVA_TRIDIAGONAL_TILE, false, &free_choice) > 0;
}

// clang-format off
static const struct row rows[] = {
    {LAVA_STEP_FACTORS,     lava_factorization_fits, EACH(CHOLESKY)},
    {LAVA_STEP_FACTORS,     lava_factorization_fits, SHARED(SWAP_ROWS)},
    {LAVA_STEP_INVERSES,    lava_factorization_fits, EACH(MULTIPLY_TRIANGLE)},
    {LAVA_STEP_INVERSES,    lava_factorization_fits, EACH(INVERT)},
    {LAVA_STEP_QR,          lava_qr_fits,            EACH(QR_TRIANGLE)},
    {LAVA_STEP_QR,          lava_qr_fits,            SHARED(REFLECTORS)},
    {LAVA_STEP_TRIDIAGONAL, tridiagonal_panel_fits,  EACH(TRIDIAGONAL_PANEL)},
    {LAVA_STEP_TRIDIAGONAL, lava_tridiagonal_fits,   EACH(TRIDIAGONAL_COLUMN)},
    {LAVA_STEP_TRIDIAGONAL, lava_tridiagonal_fits,   EACH(TRIDIAGONAL_TILES)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         REAL(DIVIDE_COLUMNS)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         REAL(DIVIDE_ROTATE)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         REAL(DIVIDE_SECULAR)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         REAL(DIVIDE_VECTORS)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         REAL(DIVIDE_MULTIPLY)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         REAL(BISECTION)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         EACH(QR_TRIANGLE)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         SHARED(TRIDIAGONAL_REFLECTORS)},
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         SHARED(REFLECTORS)}, /* lib/lapack/device_reflectors.c gets both */
    {LAVA_STEP_EIGEN,       lava_eigen_fits,         SHARED_BY_COMPLEX(EXPAND)},
    {LAVA_STEP_GENERALIZED, lava_eigen_fits,         EACH(CHOLESKY)},
    {LAVA_STEP_GENERALIZED, lava_eigen_fits,         EACH(ARRANGE)},
    {LAVA_STEP_PIVOTED_QR,  lava_pivoted_qr_fits,    EACH(PIVOTED_COLUMN)},
    {LAVA_STEP_PIVOTED_QR,  lava_pivoted_qr_fits,    EACH(PIVOTED_TILES)},
    {LAVA_STEP_PIVOTED_QR,  lava_pivoted_qr_fits,    EACH(PIVOTED_FINISH)},
    {LAVA_STEP_PIVOTED_QR,  lava_pivoted_qr_fits,    EACH(ARRANGE)},
    {LAVA_STEP_SINGULAR,    lava_singular_fits,      EACH(ARRANGE)},
    {LAVA_STEP_SINGULAR,    lava_singular_fits,      EACH(COLUMN_NORMS)},
};
// clang-format on

/* Panels, which have a pipeline in each form. */
static const struct {
    enum lava_step step;
    enum lava_panel_kind kind;
} panels[] = {{LAVA_STEP_FACTORS, LAVA_PANEL_LU}, {LAVA_STEP_QR, LAVA_PANEL_QR}};

struct list {
    const struct lava_capabilities *device;
    struct lava_pipeline_specification *specifications;
    size_t count;
};

static void add(struct list *list, bool needed, struct lava_pipeline_specification specification) {
    assert(!needed || list->count < LAVA_NEEDS_MAX);
    if (needed)
        list->specifications[list->count++] = specification;
}

/* Covers results of every type. */
static void add_plain(struct list *list, const struct lava_kernel *kernel) {
    const struct lava_capabilities *device = list->device;
    bool is_half = lava_type_is_half(kernel->type);
    const struct lava_type_facts *facts = lava_type_facts(kernel->type), *sums = lava_type_facts(facts->sums),
                                 *parts = lava_type_facts(facts->complex_type);
    add(list, true, lava_pipelines_multiply(kernel, device, false));
    if (is_half && lava_kernel_narrows(kernel, device))
        add(list, true, lava_pipelines_multiply(kernel, device, true));
    for (int transposed = 0; transposed < 2; transposed++) {
        add(list, true, lava_pipelines_pack(kernel, device, LAVA_PIPELINE_A, transposed));
        add(list, true, lava_pipelines_pack(kernel, device, LAVA_PIPELINE_B, transposed));
    }
    add(list, true, lava_pipelines_of(sums->epilogue));
    add(list, true, lava_pipelines_of(is_half ? facts->epilogue : parts->epilogue));
    if (kernel->fallback) {
        add(list, true, lava_pipelines_of(LAVA_MODULE_SCREEN));
        add(list, true, lava_pipelines_fallback(kernel, device));
    }
}

static void add_structured(struct list *list, const struct lava_kernel *kernel) {
    const struct lava_capabilities *device = list->device;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    const struct lava_type_facts *facts = lava_type_facts(type), *parts = lava_type_facts(of_parts);
    add(list, true, lava_pipelines_triangular(lava_pipelines_multiply(kernel, device, false)));
    if (kernel->fallback)
        add(list, true, lava_pipelines_triangular(lava_pipelines_fallback(kernel, device)));
    add(list, true, lava_pipelines_of(LAVA_MODULE_SQUARE));
    if (kernel->scheme != LAVA_SCHEME_NONE)
        return;
    add(list, true, lava_pipelines_of(LAVA_MODULE_COPY_COLUMNS));
    add(list, true, lava_pipelines_of(parts->scale));
    add(list, true, lava_pipelines_of(facts->update));
    add(list, true, lava_pipelines_of(parts->update));
    add(list, lava_solve_fits(device, type), lava_pipelines_of(facts->solve));
    add(list, lava_solve_fits(device, of_parts), lava_pipelines_of(parts->solve));
}

static void add_panels(struct list *list, enum lava_panel_kind kind, enum lava_type type) {
    static const struct lava_panel_choice free_choice;
    if (!lava_solve_fits(list->device, type))
        return;
    for (enum lava_panel_form form = 0; form < LAVA_PANEL_FORMS; form++) {
        uint32_t each = lava_panels_invocations(list->device, kind, type, form, &free_choice);
        add(list, lava_panels_fit(list->device, form), lava_pipelines_panel(kind, type, form, each));
    }
}

static void add_shared(struct list *list, enum lava_step step, enum lava_type type) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].step == step && rows[i].types & 1u << type && rows[i].fits(list->device, type))
            add(list, true, lava_pipelines_of(rows[i].modules[type]));
    for (size_t i = 0; i < sizeof panels / sizeof panels[0]; i++)
        if (panels[i].step == step)
            add_panels(list, panels[i].kind, type);
}

size_t lava_needs_pipelines(const struct lava_capabilities *capabilities, enum lava_step step,
                            const struct lava_kernel *kernel,
                            struct lava_pipeline_specification specifications[LAVA_NEEDS_MAX]) {
    struct list list = {.device = capabilities, .specifications = specifications};
    if (step == LAVA_STEP_PLAIN) {
        add_plain(&list, kernel);
    } else if (step == LAVA_STEP_STRUCTURED) {
        add_structured(&list, kernel);
    } else if (kernel->scheme == LAVA_SCHEME_NONE) {
        add_shared(&list, step, kernel->type);
        add_shared(&list, step, lava_type_facts(kernel->type)->complex_type);
    }
    return list.count;
}
