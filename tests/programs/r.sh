#!/bin/sh
# R, which calls Fortran's names of libblas.so.3, with the library preloaded and with the replacement in R_LD_LIBRARY_PATH: R puts the
# system's folder before LD_LIBRARY_PATH. Products and solves of integers are exact, and the statistics show that lavapipe computed
# them. A matrix by its own transpose comes as dsyrk, backsolve() and forwardsolve() as dtrsm. Eigenvalues, singular values, principal
# components, scaling by distances and QR with pivoting come as drivers of LAPACK.
#
#   r.sh LIBRARY REPLACEMENT products|values
set -eu
library=$(readlink -f "$1")
replacement=$(readlink -f "$2")
what=$3
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"

command -v Rscript >/dev/null || { echo 'skipped: no Rscript (Debian: r-base-core)'; exit 77; }

export LAVA_TEST_SEED="${LAVA_TEST_SEED:-$(date +%s)}"
echo "LAVA_TEST_SEED=$LAVA_TEST_SEED"

cat >"$folder/common.R" <<'R'
same <- function(x, y, bound = 0) stopifnot(identical(dim(x), dim(y)), max(Mod(x - y)) <= bound)
numbers <- function(rows, columns, most) matrix((seq_len(rows * columns) * 7919) %% (2 * most + 1) - most, rows, columns)
sums <- function(x, y) { # x y, element by element
  z <- matrix(0, nrow(x), ncol(y))
  for (k in seq_len(ncol(x))) z <- z + outer(x[, k], y[k, ])
  z
}
a <- numbers(120, 90, 8)
b <- numbers(90, 100, 6)
R
cat "$folder/common.R" - >"$folder/products.R" <<'R'
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

# What eigenvalues, singular values and so on have to give, to within some n u |A|.
cat "$folder/common.R" - >"$folder/values.R" <<'R'
close <- function(x, y) same(as.matrix(x), as.matrix(y), 1e-11)
set.seed(as.integer(Sys.getenv("LAVA_TEST_SEED")))
a <- matrix(rnorm(120 * 90), 120)
z <- a + 1i * matrix(rnorm(120 * 90), 120)
s <- a[1:90, ] + t(a[1:90, ])
e <- eigen(s)
close(sums(e$vectors, e$values * t(e$vectors)), s)
close(sums(t(e$vectors), e$vectors), diag(90))
close(eigen(s, only.values = TRUE)$values, e$values)
h <- z[1:90, ] + Conj(t(z[1:90, ]))
e <- eigen(h)
close(sums(e$vectors, e$values * Conj(t(e$vectors))), h)
close(sums(Conj(t(e$vectors)), e$vectors), diag(90) + 0i)
for (x in list(a, t(a), z)) {
  f <- svd(x)
  close(sums(f$u, f$d * Conj(t(f$v))), x)
  close(svd(x, 0, 0)$d, f$d)
  f <- svd(x, nu = nrow(x), nv = ncol(x))
  close(sums(Conj(t(f$u)), f$u), diag(nrow(x)) + 0 * x[1])
}
close(norm(a, "2"), max(svd(a)$d))
p <- prcomp(a)
centered <- a - rep(colMeans(a), each = nrow(a))
close(sums(centered, p$rotation), p$x)
close(p$sdev, svd(centered)$d / sqrt(nrow(a) - 1))
distances <- dist(matrix(rnorm(270), 90))
close(dist(cmdscale(distances, 3)), distances)
positive <- sums(t(a), a)
close(sums(chol2inv(chol(positive)), positive), diag(90))
q <- qr(a, LAPACK = TRUE)
close(sums(qr.Q(q), qr.R(q)), a[, q$pivot])
R

run_r() { # run_r PROGRAM VARIABLE=VALUE ROUTINE...
    program=$1 placed=$2
    shift 2
    rm -f "$folder/stats"
    # shellcheck disable=SC2086 # settings are words
    env "$placed" $on_lavapipe LAVABLAS_STATS="$folder/stats" HOME="$folder" \
        Rscript --vanilla "$folder/$program.R" || fail "$program, $placed: status $?"
    [ -s "$folder/stats" ] || { fail "$program, $placed: no call came to LavaBLAS"; return; }
    skip_without_device "$folder/stats"
    expect_calls "$folder/stats" gpu "$@"
}
case $what in
products)
    run_r products LD_PRELOAD="$library" dgemm_ zgemm_ dsyrk_ dtrsm_
    run_r products R_LD_LIBRARY_PATH="$(dirname "$replacement")" dgemm_ zgemm_ dsyrk_ dtrsm_
    ;;
values) run_r values LD_PRELOAD="$library" dsyevr_ zheev_ dgesdd_ zgesdd_ dgeqp3_ dormqr_ dpotri_ ;;
esac
exit $failed
