# Holm's correction.
source("common.R")

add <- function(p) case(p = I(p), holm = I(p.adjust(p, "holm")))
add(0.03)
add(c(0.01, 0.04))
add(c(0.04, 0.01))
add(c(0.01, 0.01, 0.01))
add(c(0.009, 0.422, 0.119, 0.422, 0.567, 0.103, 0.430, 0.103))
add(c(1, 1, 0, 0.5))
add(c(3.412e-16, 0.05, 1e-300, 0.9, 0.02, 0.02))
add(plain(sample_of(100, 37, 63)))
finish()
