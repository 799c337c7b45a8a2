/* Symbol versions do not keep the library from coming first. This program is linked with a BLAS whose names
 * carry versions (stub_versioned.map), and runs with the library preloaded, and again without. Its reference
 * to sgemm_ asks for STUB_1.0.
 *
 *   test_versions preloaded|plain */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length);
extern int stub_sgemm_calls;

static int failed;

static void expect(int is_right, const char *what) {
    if (!is_right) {
        printf("FAILED: %s\n", what);
        failed = 1;
    }
}

static int is_ours(void *address) {
    Dl_info info;
    return address && dladdr(address, &info) && strstr(info.dli_fname, "liblavablas") != NULL;
}

int main(int argc, char **argv) {
    int is_preloaded = argc > 1 && strcmp(argv[1], "preloaded") == 0;
    const int one = 1;
    const float alpha = 1, beta = 0, a = 3, b = 5;
    float c = 0;
    expect(is_ours((void *)(uintptr_t)sgemm_) == is_preloaded, "a reference with a version");
    expect(is_ours(dlsym(RTLD_DEFAULT, "sgemm_")) == is_preloaded, "dlsym");
    expect(!is_ours(dlvsym(RTLD_DEFAULT, "sgemm_", "STUB_1.0")), "dlvsym, which takes that version alone");
    expect(is_ours(dlsym(RTLD_DEFAULT, "lavablas_version")) == is_preloaded, "dlsym, of the library's own");
    expect(is_ours(dlvsym(RTLD_DEFAULT, "lavablas_version", "LAVABLAS_1.0")) == is_preloaded, "LAVABLAS_1.0");
    expect(!dlvsym(RTLD_DEFAULT, "lavablas_version", "LAVABLAS_9.0"), "a version that there is not");

    /* Forwarded: the library's own search finds a name with a version. */
    sgemm_("N", "N", &one, &one, &one, &alpha, &a, &one, &b, &one, &beta, &c, &one, 1, 1);
    expect(c == 15.0f, "the product");
    expect(stub_sgemm_calls == 1, "forwarded to the BLAS that the program is linked with");
    return failed;
}
