# Children of fork() in R: those of mclapply(), and some that end by quit() and run their finalizers. Started by fork.sh, which reads
# what they wrote.
#
#   fork.R FOLDER
folder <- commandArgs(trailingOnly = TRUE)[1]
multiply <- function(n) (matrix(1, n, n) %*% matrix(2, n, n))[n, n]

stopifnot(multiply(200) == 400)
results <- parallel::mclapply(1:6, function(child) if (child %% 2) multiply(200) else 400, mc.cores = 2)
stopifnot(identical(unlist(results), rep(400, 6)))

for (child in 1:5) {
  process <- parallel:::mcfork()
  if (inherits(process, "masterProcess")) {
    output <- file(file.path(folder, paste0("output", child)), "w") # quit() closes it
    cat("output", if (child %% 2) multiply(200) else 400, "\n", file = output)
    finalize <- function(environment) cat("end\n", file = file.path(folder, "ends"), append = TRUE)
    reg.finalizer(globalenv(), finalize, onexit = TRUE)
    quit(save = "no", status = 5)
  }
  suppressWarnings(parallel::mccollect(process)) # it sends no result
}
