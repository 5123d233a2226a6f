# What the scripts of this folder share: samples that every language computes alike, and JSON with
# all digits. Each script prints one array; scripts/check-r-vectors runs them.

number <- function(x) {
  ifelse(is.na(x), "null",
         ifelse(is.infinite(x), ifelse(x > 0, "\"Infinity\"", "\"-Infinity\""),
                sprintf("%.17g", x)))
}

json <- function(x) {
  if (is.list(x)) {
    body <- mapply(function(name, value) sprintf("\"%s\": %s", name, json(value)), names(x), x)
    return(sprintf("{%s}", paste(body, collapse = ", ")))
  }
  if (inherits(x, "AsIs")) return(sprintf("[%s]", paste(number(as.numeric(x)), collapse = ", ")))
  if (is.character(x)) return(sprintf("\"%s\"", x))
  if (is.logical(x) && !is.na(x)) return(if (x) "true" else "false")
  number(as.numeric(x))
}

cases <- new.env()
cases$lines <- character(0)
case <- function(...) cases$lines <- c(cases$lines, json(list(...)))
finish <- function() cat("[\n", paste(cases$lines, collapse = ",\n"), "\n]\n", sep = "")

# ((i * factor) mod modulus - shift)^power / 64 for i = 1..size: exact in doubles while small.
# Written to the vectors as these five numbers, so that large samples stay small files.
sample_of <- function(size, factor, modulus, shift = 0, power = 1) {
  x <- (((seq_len(size) * factor) %% modulus) - shift)^power / 64
  attr(x, "recipe") <- list(size = size, factor = factor, modulus = modulus, shift = shift,
                            power = power)
  x
}

# The recipe of a sample where it has one, else its values.
shown <- function(x) {
  recipe <- attr(x, "recipe")
  if (is.null(recipe)) I(as.numeric(x)) else recipe
}
plain <- function(x) as.numeric(x)
