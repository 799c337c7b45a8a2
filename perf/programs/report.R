# Shared by the R programs of this folder: sizes from the command line, and the lines that compare reads. A
# program takes it by source().

# Returns one integer from the command line for each name, as a list.
sizes <- function(...) {
  names <- c(...)
  words <- commandArgs(trailingOnly = TRUE)
  if (length(words) != length(names)) stop("usage: ", paste(names, collapse = " "))
  setNames(as.list(as.integer(words)), names)
}

# Prints the time, then for each result a line of numbers of the same scale.
report <- function(seconds, ...) {
  cat(sprintf("seconds %.6f\n", seconds))
  results <- list(...)
  for (name in names(results)) cat(name, sprintf("%.12g", results[[name]]), "\n")
}

# Seconds of a clock that begins anywhere.
now <- function() as.numeric(Sys.time())
