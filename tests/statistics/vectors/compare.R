# Two files of vectors, equal but for rounding? Versions of R and of the mathematical library differ
# in last digits. Usage: Rscript compare.R A.json B.json
files <- commandArgs(trailingOnly = TRUE)
pattern <- "-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?"
texts <- lapply(files, function(path) paste(readLines(path), collapse = "\n"))
shapes <- lapply(texts, function(text) gsub(pattern, "#", text))
numbers <- lapply(texts, function(text) as.numeric(regmatches(text, gregexpr(pattern, text))[[1]]))
if (shapes[[1]] != shapes[[2]]) stop("the files differ in more than numbers")
difference <- abs(numbers[[1]] - numbers[[2]])
allowed <- pmax(1e-10 * abs(numbers[[2]]), ifelse(abs(numbers[[2]]) < 1e-13, 0, 1e-14))
if (any(difference > allowed)) {
  stop(sprintf("%d numbers differ, by up to %g of their value", sum(difference > allowed),
               max(difference / abs(numbers[[2]]), na.rm = TRUE)))
}
