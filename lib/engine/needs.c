/* The table of pipelines that steps need. Called by builder.c and tests. */
#include "lib/engine/needs.h"

#include <assert.h>

#include "dispatch/bidiagonal.h"
#include "dispatch/eigen.h"
#include "dispatch/factorization.h"
#include "dispatch/pivoted_qr.h"
#include "dispatch/qr.h"
#include "dispatch/singular.h"
#include "dispatch/solve.h"
#include "dispatch/tridiagonal.h"

typedef bool fits(const struct lava_capabilities *device, enum lava_type type);

/* A shader of a type, or a module that types share, for devices that it fits. */
struct row {
    enum lava_step step;
    fits *fits;
    enum { TYPED, SHARED, SHARED_BY_COMPLEX } form;
    union {
        enum lava_shader shader;
        enum lava_module module;
    };
};

static bool fits_all(const struct lava_capabilities *device, enum lava_type type) {
    (void)device;
    (void)type;
    return true;
}

/* A panel's workgroups wait for each other, if the device can hold them at the same time. */
static bool tridiagonal_panel_fits(const struct lava_capabilities *device, enum lava_type type) {
    static const struct lava_panel_choice free_choice;
    return lava_tridiagonal_fits(device, type) &&
           lava_tridiagonal_groups(device, LAVA_TRIDIAGONAL_TILE, false, &free_choice) > 0;
}

// clang-format off
static const struct row rows[] = {
    {LAVA_STEP_STRUCTURED,   fits_all,                SHARED,            {.module = LAVA_MODULE_COPY_COLUMNS}},
    {LAVA_STEP_STRUCTURED,   fits_all,                TYPED,             {LAVA_SHADER_SCALE}},
    {LAVA_STEP_STRUCTURED,   fits_all,                TYPED,             {LAVA_SHADER_UPDATE}},
    {LAVA_STEP_STRUCTURED,   lava_solve_fits,         TYPED,             {LAVA_SHADER_SOLVE}},
    {LAVA_STEP_STRUCTURED,   lava_solve_fits,         TYPED,             {LAVA_SHADER_SOLVE_STEP}},
    {LAVA_STEP_FACTORS,      lava_factorization_fits, TYPED,             {LAVA_SHADER_CHOLESKY}},
    {LAVA_STEP_FACTORS,      lava_factorization_fits, SHARED,            {.module = LAVA_MODULE_SWAP_ROWS}},
    {LAVA_STEP_INVERSES,     lava_factorization_fits, TYPED,             {LAVA_SHADER_MULTIPLY_TRIANGLE}},
    {LAVA_STEP_INVERSES,     lava_factorization_fits, TYPED,             {LAVA_SHADER_INVERT}},
    {LAVA_STEP_QR,           lava_qr_fits,            TYPED,             {LAVA_SHADER_QR_TRIANGLE}},
    {LAVA_STEP_QR,           lava_qr_fits,            SHARED,            {.module = LAVA_MODULE_REFLECTORS}},
    {LAVA_STEP_TRIDIAGONAL,  tridiagonal_panel_fits,  TYPED,             {LAVA_SHADER_TRIDIAGONAL_PANEL}},
    {LAVA_STEP_TRIDIAGONAL,  lava_tridiagonal_fits,   TYPED,             {LAVA_SHADER_TRIDIAGONAL_COLUMN}},
    {LAVA_STEP_TRIDIAGONAL,  lava_tridiagonal_fits,   TYPED,             {LAVA_SHADER_TRIDIAGONAL_TILES}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         TYPED,             {LAVA_SHADER_DIVIDE_COLUMNS}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         TYPED,             {LAVA_SHADER_DIVIDE_ROTATE}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         TYPED,             {LAVA_SHADER_DIVIDE_SECULAR}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         TYPED,             {LAVA_SHADER_DIVIDE_VECTORS}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         TYPED,             {LAVA_SHADER_DIVIDE_MULTIPLY}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         TYPED,             {LAVA_SHADER_BISECTION}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         TYPED,             {LAVA_SHADER_QR_TRIANGLE}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         SHARED,            {.module = LAVA_MODULE_TRIDIAGONAL_REFLECTORS}},
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         SHARED,            {.module = LAVA_MODULE_REFLECTORS}}, /* lib/lapack/device_reflectors.c gets both */
    {LAVA_STEP_EIGEN,        lava_eigen_fits,         SHARED_BY_COMPLEX, {.module = LAVA_MODULE_EXPAND}},
    {LAVA_STEP_GENERALIZED,  lava_eigen_fits,         TYPED,             {LAVA_SHADER_CHOLESKY}},
    {LAVA_STEP_GENERALIZED,  lava_eigen_fits,         TYPED,             {LAVA_SHADER_ARRANGE}},
    {LAVA_STEP_PIVOTED_QR,   lava_pivoted_qr_fits,    TYPED,             {LAVA_SHADER_PIVOTED_COLUMN}},
    {LAVA_STEP_PIVOTED_QR,   lava_pivoted_qr_fits,    TYPED,             {LAVA_SHADER_PIVOTED_TILES}},
    {LAVA_STEP_PIVOTED_QR,   lava_pivoted_qr_fits,    TYPED,             {LAVA_SHADER_PIVOTED_FINISH}},
    {LAVA_STEP_PIVOTED_QR,   lava_pivoted_qr_fits,    TYPED,             {LAVA_SHADER_ARRANGE}},
    {LAVA_STEP_SINGULAR,     lava_singular_fits,      TYPED,             {LAVA_SHADER_ARRANGE}},
    {LAVA_STEP_SINGULAR,     lava_singular_fits,      TYPED,             {LAVA_SHADER_COLUMN_NORMS}},
    {LAVA_STEP_BIDIAGONAL,   lava_bidiagonal_fits,    TYPED,             {LAVA_SHADER_BIDIAGONAL_TILES}},
    {LAVA_STEP_BIDIAGONAL,   lava_bidiagonal_fits,    TYPED,             {LAVA_SHADER_BIDIAGONAL_FINISH}},
    {LAVA_STEP_BIDIAGONAL,   lava_bidiagonal_fits,    TYPED,             {LAVA_SHADER_ARRANGE}},
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
    const struct lava_type_facts *facts = lava_type_facts(kernel->type);
    add(list, true, lava_pipelines_multiply(kernel, device, false));
    if (facts->is_half && lava_kernel_narrows(kernel, device))
        add(list, true, lava_pipelines_multiply(kernel, device, true));
    for (int transposed = 0; transposed < 2; transposed++) {
        add(list, true, lava_pipelines_pack(kernel, device, LAVA_PIPELINE_A, transposed));
        add(list, true, lava_pipelines_pack(kernel, device, LAVA_PIPELINE_B, transposed));
    }
    add(list, true, lava_pipelines_of(lava_module_of(LAVA_SHADER_EPILOGUE, facts->sums)));
    add(list, true, lava_pipelines_of(lava_module_of(LAVA_SHADER_EPILOGUE, facts->complex_type)));
    if (kernel->fallback) {
        add(list, true, lava_pipelines_of(LAVA_MODULE_SCREEN));
        add(list, true, lava_pipelines_fallback(kernel, device));
    }
}

static void add_structured(struct list *list, const struct lava_kernel *kernel) {
    add(list, true, lava_pipelines_triangular(lava_pipelines_multiply(kernel, list->device, false)));
    if (kernel->fallback)
        add(list, true, lava_pipelines_triangular(lava_pipelines_fallback(kernel, list->device)));
    add(list, true, lava_pipelines_of(LAVA_MODULE_SQUARE));
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

/* The row's module in the type; LAVA_MODULE_COUNT: it has none. */
static enum lava_module module_in(const struct row *row, enum lava_type type) {
    if (row->form == TYPED)
        return lava_module_of(row->shader, type);
    return lava_type_is_complex(type) == (row->form == SHARED_BY_COMPLEX) ? row->module : LAVA_MODULE_COUNT;
}

static void add_shared(struct list *list, enum lava_step step, enum lava_type type) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum lava_module module = module_in(&rows[i], type);
        if (rows[i].step == step && module != LAVA_MODULE_COUNT && rows[i].fits(list->device, type))
            add(list, true, lava_pipelines_of(module));
    }
    for (size_t i = 0; i < sizeof panels / sizeof panels[0]; i++)
        if (panels[i].step == step)
            add_panels(list, panels[i].kind, type);
}

size_t lava_needs_pipelines(const struct lava_capabilities *capabilities, enum lava_step step,
                            const struct lava_kernel *kernel,
                            struct lava_pipeline_specification specifications[LAVA_NEEDS_MAX]) {
    struct list list = {.device = capabilities, .specifications = specifications};
    if (step == LAVA_STEP_PLAIN)
        add_plain(&list, kernel);
    if (step == LAVA_STEP_STRUCTURED)
        add_structured(&list, kernel);
    if (kernel->scheme == LAVA_SCHEME_NONE) {
        add_shared(&list, step, kernel->type);
        if (!lava_type_is_half(kernel->type))
            add_shared(&list, step, lava_type_facts(kernel->type)->complex_type);
    }
    return list.count;
}
