/* A library with a BLAS under names of its own, as oneMKL has inside. Loaded by test_run.sh. */
void mkl_blas_dgemm(void);

__attribute__((visibility("default"))) void mkl_blas_dgemm(void) {
}
