#!/bin/sh
# R, which calls Fortran's names of libblas.so.3, with the library preloaded and with the replacement in R_LD_LIBRARY_PATH: R puts the
# system's folder before LD_LIBRARY_PATH. Products and solves of integers are exact, and the statistics show that lavapipe computed
# them. A matrix by its own transpose comes as dsyrk, backsolve() and forwardsolve() as dtrsm.
#
#   r.sh LIBRARY REPLACEMENT
set -eu
library=$(readlink -f "$1")
replacement=$(readlink -f "$2")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"

command -v Rscript >/dev/null || { echo 'skipped: no Rscript (Debian: r-base-core)'; exit 77; }

cat >"$folder/products.R" <<'R'
same <- function(x, y, bound = 0) stopifnot(identical(dim(x), dim(y)), max(Mod(x - y)) <= bound)
numbers <- function(rows, columns, most) matrix((seq_len(rows * columns) * 7919) %% (2 * most + 1) - most, rows, columns)
sums <- function(x, y) { # x y, element by element
  z <- matrix(0, nrow(x), ncol(y))
  for (k in seq_len(ncol(x))) z <- z + outer(x[, k], y[k, ])
  z
}
a <- numbers(120, 90, 8)
b <- numbers(90, 100, 6)
same(a %*% b, sums(a, b))
same(crossprod(a), sums(t(a), a))
same(tcrossprod(a), sums(a, t(a)))
same(crossprod(a, a + 1), sums(t(a), a + 1))
z <- a + 2i * a
same(z %*% (b + 1i * b), (-1 + 3i) * sums(a, b))

# Triangles of ones on the diagonal and zeros, ones and minus ones beside it, whose other triangle is not read.
l <- numbers(90, 90, 1)
l[abs(row(l) - col(l)) > 3] <- 0
diag(l) <- 1
u <- t(l)
l[row(l) < col(l)] <- NaN
u[row(u) > col(u)] <- NaN
lower <- ifelse(is.nan(l), 0, l)
same(forwardsolve(l, sums(lower, b)), b)
same(backsolve(u, sums(t(lower), b)), b)
same(backsolve(u, sums(lower, b), transpose = TRUE), b)

# A system with the factors of L L'.
s <- sums(lower, t(lower))
same(backsolve(u, forwardsolve(l, sums(s, b))), b)
same(backsolve(l, forwardsolve(l, sums(s, b)), upper.tri = FALSE, transpose = TRUE), b)
R

run_r() { # run_r VARIABLE=VALUE ROUTINE...
    placed=$1
    shift
    rm -f "$folder/stats"
    # shellcheck disable=SC2086 # settings are words
    env "$placed" $on_lavapipe LAVABLAS_STATS="$folder/stats" HOME="$folder" \
        Rscript --vanilla "$folder/products.R" || fail "$placed: status $?"
    [ -s "$folder/stats" ] || { fail "$placed: no product came to LavaBLAS"; return; }
    skip_without_device "$folder/stats"
    expect_calls "$folder/stats" gpu "$@"
}
run_r LD_PRELOAD="$library" dgemm_ zgemm_ dsyrk_ dtrsm_
run_r R_LD_LIBRARY_PATH="$(dirname "$replacement")" dgemm_ zgemm_ dsyrk_ dtrsm_
exit $failed
