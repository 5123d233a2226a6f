#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "core/parallel.h"
#include "run/schedule_space.h"
#include "simulated_case.h"
#include "statistics/markdown.h"
#include "studies.h"

namespace dissensus::studies {
namespace {

struct Timing {
  const char* heartbeat_lateness;
  const char* accept_delay;
};
constexpr Timing kTimings[] = {{"0s", "5ms"},       {"500us", "2ms"}, {"1300us", "2ms"},
                               {"1300us", "500us"}, {"3ms", "2ms"},   {"10ms", "2ms"}};

struct MeasuredTiming {
  std::size_t stalled = 0;
  std::size_t differing = 0;
  std::vector<double> window_s;
  std::vector<double> open_s;
};

MeasuredTiming measure(const Timing& timing, const StudyOptions& options) {
  MeasuredTiming measured;
  for_each_in_order(
      options.mix_cases, options.jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        Random random(options.seed, "timing", index);
        CaseSetup setup;
        setup.heartbeat_lateness = timing.heartbeat_lateness;
        setup.accept_delay = timing.accept_delay;
        draw_tags(setup, random);
        const run::Scenario scenario = make_scenario(setup);
        const faults::Schedule schedule = run::random_schedule(scenario, random);
        CaseOptions case_options;
        case_options.messages = false;
        case_options.warm_up = std::chrono::milliseconds(3000 + random.between(0, 3000));
        const std::uint64_t seed = derive_seed(options.seed, "timing-run", index) >> 11;
        return simulate_case(runner, scenario, schedule, seed, case_options).metrics;
      },
      [&](std::size_t, const CaseMetrics& metrics) {
        if (metrics.outcome == CaseOutcome::settled) measured.window_s.push_back(metrics.window_s);
        measured.stalled += metrics.outcome == CaseOutcome::stalled ? 1 : 0;
        measured.differing += metrics.sets_differ ? 1 : 0;
        measured.open_s.insert(measured.open_s.end(), metrics.open_s.begin(), metrics.open_s.end());
        return true;
      });
  return measured;
}

/// Share of open phases that lasted so many heartbeats.
std::string share_of(const std::vector<double>& open_s, double heartbeats) {
  double count = 0;
  for (const double length : open_s) count += std::round(length) == heartbeats ? 1 : 0;
  return fmt::format("{:.3f}", count / static_cast<double>(open_s.size()));
}

}  // namespace

void study_timing(const StudyOptions& options) {
  statistics::MarkdownTable table({"heartbeat lateness", "accept delay", "open phases of 1 s",
                                   "of 2 s", "of 3 s", "duration of settled cases (s)",
                                   "65-s stalls", "agreement (1)"});
  for (const Timing& timing : kTimings) {
    const MeasuredTiming measured = measure(timing, options);
    const auto percent = [&](std::size_t count) {
      return fmt::format(
          "{:.1f} %", 100.0 * static_cast<double>(count) / static_cast<double>(options.mix_cases));
    };
    table.add({timing.heartbeat_lateness, timing.accept_delay, share_of(measured.open_s, 1),
               share_of(measured.open_s, 2), share_of(measured.open_s, 3),
               mean_and_deviation(measured.window_s, 1), percent(measured.stalled),
               percent(measured.differing)});
  }
  Report(options).section("timing", table.text());
}

}  // namespace dissensus::studies
