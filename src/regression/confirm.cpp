#include "regression/confirm.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "dissensus/outside.h"
#include "dissensus/random.h"

#include "core/parallel.h"
#include "faults/kinds.h"

namespace dissensus::regression {

namespace {

/// Shortens durations, each by a factor of its own.
class Shortening {
 public:
  Shortening(std::uint64_t seed, std::size_t number, double variation)
      : random_(seed, "variation", number), variation_(variation) {}

  Duration operator()(Duration duration) {
    return Duration(
        static_cast<std::int64_t>(std::llround(static_cast<double>(duration.count()) * factor())));
  }
  std::uint32_t operator()(std::uint32_t delay_ms) {
    const double shortened = std::round(static_cast<double>(delay_ms) * factor());
    return static_cast<std::uint32_t>(std::min<double>(shortened, faults::kDelayMsMax));
  }

 private:
  double factor() { return 1 - variation_ * random_.unit(); }
  Random random_;
  double variation_;
};

struct Judged {
  oracle::Outcome outcome = oracle::Outcome::unknown;
  bool same = false;
};

}  // namespace

double Rate::share() const {
  return judged() == 0 ? 0 : static_cast<double>(failing) / static_cast<double>(judged());
}

faults::Schedule vary_schedule(const faults::Schedule& schedule, std::uint64_t seed,
                               std::size_t number, double variation) {
  faults::Schedule varied = schedule;
  if (number == 0) return varied;
  Shortening shorten(seed, number, variation);
  if (auto* genes = std::get_if<faults::DelaySchedule>(&varied.scheduler)) {
    for (std::uint32_t& delay : genes->delay_ms) delay = shorten(delay);
  } else if (auto* messages = std::get_if<faults::MessageSchedule>(&varied.scheduler)) {
    for (auto& message : messages->delays) message.delay = shorten(message.delay);
  }
  for (faults::Fault& fault : varied.faults) {
    fault = faults::shortened(fault, [&shorten](Duration each) { return shorten(each); });
  }
  return varied;
}

Rate measure_rate(const run::Recipe& recipe, const std::string& signature,
                  const RateOptions& options) {
  Rate rate;
  for_each_in_order(
      options.runs_max, options.jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t number) {
        oracle::Verdict verdict;
        try {
          verdict =
              runner
                  .run(recipe.scenario,
                       vary_schedule(recipe.schedule, options.seed, number, options.variation),
                       derive_seed(recipe.seed ^ options.seed, "confirm", number) >> 11)
                  .verdict;
        } catch (const OutsideError&) {
          // One run that real servers did not make says nothing; if the first fails, none will do.
          if (number == 0) throw;
          return Judged{};
        }
        const auto shows = [&signature](const oracle::Violation& violation) {
          return violation.signature() == signature;
        };
        return Judged{verdict.outcome,
                      verdict.outcome == oracle::Outcome::fail &&
                          std::any_of(verdict.violations.begin(), verdict.violations.end(), shows)};
      },
      [&](std::size_t, const Judged& judged) {
        ++rate.runs;
        rate.failing += judged.same ? 1 : 0;
        rate.otherwise += judged.outcome == oracle::Outcome::fail && !judged.same ? 1 : 0;
        rate.unknown += judged.outcome == oracle::Outcome::unknown ? 1 : 0;
        return rate.failing < options.failing_max &&
               (!options.keep_going || options.keep_going(rate));
      });
  return rate;
}

std::optional<std::size_t> clean_runs_needed(const Rate& before) {
  if (before.failing == 0) return std::nullopt;
  // Of the 5 % of doubt one half goes to the rate before, which was measured as well: the lower end
  // of its interval is too high with 2.5 %.
  constexpr double kDoubt = 0.025;
  const double low = before.interval().low;
  if (low >= 1) return 1;
  return static_cast<std::size_t>(std::ceil(std::log(kDoubt) / std::log1p(-low)));
}

std::string_view to_string(Confirmation confirmation) {
  switch (confirmation) {
    case Confirmation::fixed:
      return "fixed";
    case Confirmation::not_fixed:
      return "not fixed";
    case Confirmation::cannot_tell:
      return "cannot tell";
  }
  return "cannot tell";
}

Confirmation judge_rates(const Rate& before, const Rate& after, std::size_t needed) {
  if (after.failing > 0) return Confirmation::not_fixed;
  if (before.failing == 0 || after.judged() < needed) return Confirmation::cannot_tell;
  return Confirmation::fixed;
}

}  // namespace dissensus::regression
