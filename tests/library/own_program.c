/* A program that contains a dgemm_ of its own: no preloaded library comes before it. Run by test_run.sh. */
void dgemm_(double *c);

void dgemm_(double *c) {
    *c = 3;
}

int main(void) {
    double c = 0;
    dgemm_(&c);
    return (int)c;
}
