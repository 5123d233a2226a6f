# Kaplan-Meier curves, their medians and restricted means, and the log-rank test.
source("common.R")
suppressPackageStartupMessages(library(survival))

curve <- function(name, time, event) {
  for (scale in c("log", "log-log", "plain")) {
    for (confidence in c(0.95, 0.9)) {
      fit <- survfit(Surv(time, event) ~ 1, conf.type = scale, conf.int = confidence)
      # a restriction inside the curve, at its end and beyond
      for (until in unique(c(max(min(time), max(time) / 2), max(time), max(time) * 1.5))) {
        table <- summary(fit, rmean = until)$table
        case(kind = "curve", name = name, time = I(time), event = I(event), scale = scale,
             confidence = confidence, at = I(fit$time), at_risk = I(fit$n.risk),
             events = I(fit$n.event), censored = I(fit$n.censor), survival = I(fit$surv),
             standard_error = I(summary(fit, times = fit$time)$std.err), low = I(fit$lower),
             high = I(fit$upper), median = table[["median"]],
             median_low = unname(table[grepl("LCL", names(table))]),
             median_high = unname(table[grepl("UCL", names(table))]), until = until,
             mean = table[["rmean"]], mean_error = table[["se(rmean)"]])
      }
    }
  }
}

compare <- function(name, time, event, group) {
  r <- survdiff(Surv(time, event) ~ group)
  case(kind = "log-rank", name = name, time = I(time), event = I(event), group = I(group),
       observed = I(r$obs), expected = I(r$exp), chi_square = r$chisq, p = r$pvalue)
}

leukemia.time <- aml$time
leukemia.event <- aml$status
leukemia.group <- as.numeric(aml$x)
curve("leukemia", leukemia.time, leukemia.event)
curve("leukemia, maintained", leukemia.time[leukemia.group == 1],
      leukemia.event[leukemia.group == 1])
curve("leukemia, not maintained", leukemia.time[leukemia.group == 2],
      leukemia.event[leukemia.group == 2])
curve("all events", c(1, 2, 3, 4), c(1, 1, 1, 1))
curve("flat at one half", c(1, 2, 3, 5, 8, 9), c(1, 1, 1, 0, 1, 0))
curve("half at the end", c(1, 2, 3, 3), c(1, 1, 0, 0))
curve("no median", c(1, 2, 3, 4, 5), c(1, 0, 0, 0, 0))
curve("nothing happens", c(3, 3, 4), c(0, 0, 0))
curve("one event", 5, 1)
curve("ties", c(2, 2, 2, 4, 4, 6, 6, 6, 7, 7), c(1, 1, 0, 1, 1, 0, 1, 1, 0, 0))
# thirty repetitions of one hour, as the thesis runs them
hour <- pmin(3600, plain(sample_of(30, 137, 1009)) * 400)
curve("hour", hour, as.numeric(hour < 3600))

compare("leukemia", leukemia.time, leukemia.event, leukemia.group)
compare("ovarian", ovarian$futime, ovarian$fustat, ovarian$rx)
compare("veteran, four cells", veteran$time, veteran$status, as.numeric(veteran$celltype))
compare("lung, sex", lung$time, lung$status - 1, lung$sex)
compare("equal", c(1, 2, 3, 1, 2, 3), c(1, 1, 0, 1, 1, 0), c(1, 1, 1, 2, 2, 2))
compare("one before the other", 1:12, rep(1, 12), rep(c(1, 2), each = 6))
compare("far tail", c(1:100, 201:300), rep(1, 200), rep(c(1, 2), each = 100))
compare("a group without risk", c(1, 5, 6, 7, 5.5, 6.5), c(0, 1, 1, 0, 1, 1), c(1, 2, 2, 2, 3, 3))
many <- plain(sample_of(240, 137, 1009))
compare("six groups", many, as.numeric(many < 12), rep(1:6, 40))
finish()
