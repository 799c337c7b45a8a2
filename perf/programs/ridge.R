# Ridge regression of many targets with R, double precision: normal equations for several penalties, judged on
# new rows.
#
#     Rscript ridge.R ROWS FEATURES TARGETS

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(folder, "report.R"))
given <- sizes("rows", "features", "targets")
set.seed(1)
known <- matrix(runif(given$rows * given$features, -1, 1), given$rows)
new <- matrix(runif(given$rows %/% 4 * given$features, -1, 1), ncol = given$features)
# Each target depends on two features. No product is needed to make it.
make_targets <- function(data) {
  columns <- seq_len(given$targets) %% given$features + 1
  data[, columns] + 0.5 * data[, rev(columns)] + 0.3 * runif(nrow(data) * given$targets, -1, 1)
}
targets <- make_targets(known)
new_targets <- make_targets(new)

start <- now()
gram <- crossprod(known)
moment <- crossprod(known, targets)
errors <- sapply(c(1, 10, 100), function(penalty) {
  weights <- solve(gram + diag(penalty, given$features), moment)
  mean((new %*% weights - new_targets)^2)
})
seconds <- now() - start

report(seconds, errors = errors)
