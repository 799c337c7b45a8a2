# Principal components with R, double precision: centres and scales data, covariance by crossprod, eigenvectors,
# projection.
#
#     Rscript pca.R ROWS COLUMNS

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(folder, "report.R"))
given <- sizes("rows", "columns")
told <- 8
set.seed(1)
shared <- matrix(runif(given$rows * told, -1, 1), given$rows)
# Each column has one of a few shared directions and noise of its own.
data <- matrix(runif(given$rows * given$columns, 2, 3), given$rows)
for (i in seq_len(told)) {
  columns <- seq_len(given$columns) %% (2 * told - 1) == i
  data[, columns] <- data[, columns] + shared[, i] * (told + 1 - i)
}

start <- now()
centred <- sweep(data, 2, colMeans(data))
covariance <- crossprod(centred) / (given$rows - 1)
found <- eigen(covariance, symmetric = TRUE)
scores <- centred %*% found$vectors[, seq_len(told)]
spread <- colSums(scores^2) / (given$rows - 1)
seconds <- now() - start

report(seconds, variances = found$values[seq_len(told)], spread = spread)
