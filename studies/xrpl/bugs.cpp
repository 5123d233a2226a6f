#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "core/parallel.h"
#include "run/schedule_space.h"
#include "simulated_case.h"
#include "statistics/fisher.h"
#include "statistics/markdown.h"
#include "statistics/samples.h"
#include "studies.h"

namespace dissensus::studies {
namespace {

/// The ways in which a case can look like a finding.
enum class Sign : std::uint8_t {
  sets_differ,     ///< agreement (1)
  unsupported,     ///< consensus without support in the newest positions
  built_differ,    ///< different ledgers of one sequence built: transient
  ledgers_differ,  ///< agreement (2)
  stalled,         ///< termination: 65 s without a validated ledger
  slow,            ///< any case: no recovery within 60 s without delays
  unrecovered,     ///< any case: none within 300 s either
  stuck,           ///< stalled with no ledger built any more, as B3 does
  other,           ///< validity or integrity
};
constexpr std::size_t kSigns = 9;
constexpr std::array<std::string_view, kSigns> kSignNames{
    "different sets declared, agreement (1)",
    "declared without support in the newest positions",
    "different ledgers built",
    "different ledgers validated, agreement (2)",
    "65 s without validated ledger, termination",
    "no recovery within 60 s without delays",
    "no recovery within 300 s without delays",
    "stalled, and no ledger built for 35 s (the form of B3)",
    "validity or integrity"};

/// Nobody waits longer for a network to recover.
constexpr double kPatienceSeconds = 60;

struct Configuration {
  std::string_view name;
  std::string_view profile;
  std::vector<std::string> bugs;
  bool same_sequence;
  std::vector<Sign> looked_for;
  unsigned thesis = 0;  ///< repetitions of 30 in which the thesis found the bug with random delays
};

const std::vector<Configuration>& configurations() {
  static const std::vector<Sign> differ{Sign::sets_differ, Sign::unsupported};
  static const std::vector<Sign> fork{Sign::ledgers_differ};
  static const std::vector<Sign> stall{Sign::stalled, Sign::unrecovered};
  static const std::vector<Configuration> list{
      {"none: 1.7.2, B3-fixed", "1.7.2", {"B3-fixed"}, true, {}},
      {"B1", "1.7.2", {"B1", "B3-fixed"}, true, differ, 30},
      {"B2, 60 % form", "1.7.2", {"B2", "B3-fixed"}, true, fork, 10},
      {"B2, 40 % form", "1.7.2", {"B2-40", "B3-fixed"}, true, fork, 10},
      {"B3: 1.7.2 as it is", "1.7.2", {}, true, stall, 20},
      {"none, consecutive", "1.7.2", {"B3-fixed"}, false, {}},
      {"B1, consecutive", "1.7.2", {"B1", "B3-fixed"}, false, differ, 30},
      {"B2, 60 %, consecutive", "1.7.2", {"B2", "B3-fixed"}, false, fork, 10},
      {"B2, 40 %, consecutive", "1.7.2", {"B2-40", "B3-fixed"}, false, fork, 10},
      {"B3, consecutive", "1.7.2", {}, false, stall, 20},
      {"none: 2.4.0", "2.4.0", {}, true, {}},
      {"consensus-threshold-40: 2.4.0", "2.4.0", {"consensus-threshold-40"}, true, {}},
  };
  return list;
}

/// One virtual hour of test cases, one after another.
struct Hour {
  std::size_t cases = 0;
  std::array<std::size_t, kSigns> count{};
  std::array<std::optional<double>, kSigns> first_s{};  ///< virtual time of the first one
  std::array<std::optional<std::size_t>, kSigns> first_case{};
  std::map<std::string, std::size_t> other;  ///< signatures of Sign::other
  std::vector<double> durations_s;           ///< of settled cases
};

std::array<bool, kSigns> signs_of(const SimulatedCase& simulated, Hour& hour) {
  const CaseMetrics& metrics = simulated.metrics;
  std::array<bool, kSigns> signs{};
  const auto set = [&](Sign sign, bool value) { signs[static_cast<std::size_t>(sign)] = value; };
  set(Sign::sets_differ, metrics.sets_differ);
  set(Sign::unsupported, simulated.unsupported > 0);
  set(Sign::built_differ, metrics.built_differ);
  set(Sign::ledgers_differ, metrics.ledgers_differ);
  set(Sign::stalled, metrics.outcome == CaseOutcome::stalled);
  set(Sign::slow, simulated.recovery_s > kPatienceSeconds);
  set(Sign::unrecovered, !simulated.recovered);
  set(Sign::stuck, metrics.stuck);
  for (const oracle::Violation& violation : simulated.verdict.violations) {
    if (violation.property == "termination" || violation.property == "agreement") continue;
    set(Sign::other, true);
    ++hour.other[violation.signature()];
  }
  return signs;
}

CaseSetup setup_of(const Configuration& configuration) {
  CaseSetup setup;
  setup.profile = configuration.profile;
  setup.bugs = configuration.bugs;
  setup.same_sequence = configuration.same_sequence;
  if (configuration.profile != "1.7.2") {
    setup.reserve_xrp = 10;
    setup.balance_drops = {100'000'100, 10'000'100, 10'000'100};
  }
  return setup;
}

Hour run_hour(run::Runner& runner, CaseSetup setup, std::uint64_t seed, double budget_s) {
  // Starting a network anew took recorded ones 50 s.
  constexpr double kRestartSeconds = 50;
  Hour hour;
  double now_s = 0;
  for (std::size_t index = 0; now_s < budget_s; ++index) {
    Random random(seed, "case", index);
    draw_tags(setup, random);
    const run::Scenario scenario = make_scenario(setup);
    const faults::Schedule schedule = run::random_schedule(scenario, random);
    CaseOptions options;
    // Balances are set up in 3 s; then a pause keeps cases from starting in step with rounds.
    options.warm_up = std::chrono::milliseconds(3000 + random.between(0, 3000));
    options.recovery = true;
    const SimulatedCase simulated =
        simulate_case(runner, scenario, schedule, derive_seed(seed, "run", index) >> 11, options);
    const double start_s = now_s + static_cast<double>(options.warm_up.count()) / 1e6;
    const double end_s = start_s + simulated.metrics.window_s;
    const bool restart = simulated.recovery_s > kPatienceSeconds;
    now_s = end_s + (restart ? kPatienceSeconds + kRestartSeconds : simulated.recovery_s);
    if (end_s > budget_s) break;
    ++hour.cases;
    if (simulated.metrics.outcome == CaseOutcome::settled) {
      hour.durations_s.push_back(simulated.metrics.window_s);
    }
    const auto signs = signs_of(simulated, hour);
    for (std::size_t sign = 0; sign < kSigns; ++sign) {
      if (!signs[sign]) continue;
      ++hour.count[sign];
      if (hour.first_s[sign]) continue;
      hour.first_s[sign] = end_s;
      hour.first_case[sign] = hour.cases;
    }
  }
  return hour;
}

struct Total {
  std::size_t cases = 0;
  std::array<std::size_t, kSigns> count{};
  std::array<std::size_t, kSigns> hours{};  ///< in which it was seen
  std::array<std::vector<double>, kSigns> first_s;
  std::map<std::string, std::size_t> other;
  std::vector<double> durations_s;
};

Total sum(const std::vector<Hour>& hours) {
  Total total;
  for (const Hour& hour : hours) {
    total.cases += hour.cases;
    for (std::size_t sign = 0; sign < kSigns; ++sign) {
      total.count[sign] += hour.count[sign];
      if (!hour.first_s[sign]) continue;
      ++total.hours[sign];
      total.first_s[sign].push_back(*hour.first_s[sign]);
    }
    for (const auto& [signature, count] : hour.other) total.other[signature] += count;
    total.durations_s.insert(total.durations_s.end(), hour.durations_s.begin(),
                             hour.durations_s.end());
  }
  return total;
}

std::string odds_text(double odds_ratio) {
  if (std::isnan(odds_ratio)) return "-";
  return std::isinf(odds_ratio) ? "infinite" : fmt::format("{:.2f}", odds_ratio);
}

std::string detection_row_time(const std::vector<double>& times) {
  if (times.empty()) return "-";
  return fmt::format("{:.0f} ({:.0f} to {:.0f})", statistics::quantile(times, 0.5),
                     statistics::quantile(times, 0), statistics::quantile(times, 1));
}

std::string detection_table(const std::vector<Total>& totals, std::size_t repetitions) {
  statistics::MarkdownTable table({"bug", "looked for", "thesis, random delays", "found here",
                                   "p (Fisher)", "odds ratio",
                                   "first found after (s), median (range)", "cases per hour"});
  constexpr unsigned kPublishedRuns = 30;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const Configuration& configuration = configurations()[i];
    const Total& total = totals[i];
    for (const Sign sign : configuration.looked_for) {
      const auto index = static_cast<std::size_t>(sign);
      const unsigned published = configuration.thesis;
      const statistics::FisherResult test =
          statistics::fisher_exact({total.hours[index], repetitions - total.hours[index], published,
                                    kPublishedRuns - published});
      table.add({std::string(configuration.name), std::string(kSignNames[index]),
                 fmt::format("{} of {}", published, kPublishedRuns),
                 fmt::format("{} of {}", total.hours[index], repetitions),
                 statistics::p_value_text(test.p_value), odds_text(test.conditional_odds_ratio),
                 detection_row_time(total.first_s[index]),
                 fmt::format("{:.0f}",
                             static_cast<double>(total.cases) / static_cast<double>(repetitions))});
    }
  }
  return table.text();
}

std::string rate_text(std::size_t yes, std::size_t all) {
  const Interval interval = wilson_interval(yes, all);
  return fmt::format("{} of {} = {:.2f} % ({:.2f}..{:.2f})", yes, all,
                     100.0 * static_cast<double>(yes) / static_cast<double>(all),
                     100 * interval.low, 100 * interval.high);
}

std::string sign_table(const std::vector<Total>& totals) {
  std::vector<std::string> header{"bug", "cases"};
  header.insert(header.end(), kSignNames.begin(), kSignNames.end());
  statistics::MarkdownTable table(header);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const Total& total = totals[i];
    std::vector<std::string> row{std::string(configurations()[i].name),
                                 std::to_string(total.cases)};
    for (const std::size_t count : total.count) {
      row.push_back(
          fmt::format("{} ({:.2f} %)", count,
                      100.0 * static_cast<double>(count) / static_cast<double>(total.cases)));
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string b1_table(const Total& off, const Total& on, std::size_t repetitions) {
  statistics::MarkdownTable table({"sign", "without B1", "with B1", "p (Fisher)", "odds ratio",
                                   "hours in which it was seen: without, with"});
  for (const Sign sign :
       {Sign::sets_differ, Sign::unsupported, Sign::built_differ, Sign::stalled}) {
    const auto index = static_cast<std::size_t>(sign);
    const statistics::FisherResult test =
        statistics::fisher_exact({on.count[index], on.cases - on.count[index], off.count[index],
                                  off.cases - off.count[index]});
    table.add({std::string(kSignNames[index]), rate_text(off.count[index], off.cases),
               rate_text(on.count[index], on.cases), statistics::p_value_text(test.p_value),
               odds_text(test.conditional_odds_ratio),
               fmt::format("{}, {} of {}", off.hours[index], on.hours[index], repetitions)});
  }
  return table.text();
}

std::vector<Hour> run_hours(const Configuration& configuration, std::size_t count, double budget_s,
                            std::string_view stream, const StudyOptions& options) {
  std::vector<Hour> hours;
  for_each_in_order(
      count, options.jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        const std::uint64_t seed = derive_seed(options.seed, stream, index);
        return run_hour(runner, setup_of(configuration), seed, budget_s);
      },
      [&](std::size_t, Hour hour) {
        hours.push_back(std::move(hour));
        return true;
      });
  return hours;
}

std::string correct_text(const std::vector<Hour>& hours) {
  const Total total = sum(hours);
  std::string text = fmt::format("{} virtual hours, {} test cases:\n\n", hours.size(), total.cases);
  statistics::MarkdownTable table({"sign", "cases"});
  for (std::size_t sign = 0; sign < kSigns; ++sign) {
    table.add({std::string(kSignNames[sign]), rate_text(total.count[sign], total.cases)});
  }
  text += table.text();
  for (const auto& [signature, count] : total.other) {
    text += fmt::format("\n`{}`: {} times\n", signature, count);
  }
  return text;
}

}  // namespace

void study_bugs(const StudyOptions& options) {
  constexpr double kHour = 3600;
  std::vector<Total> totals;
  for (const Configuration& configuration : configurations()) {
    // Every configuration meets the same schedules.
    const auto hours = run_hours(configuration, options.repetitions, kHour, "bug-hour", options);
    totals.push_back(sum(hours));
    fmt::print(stderr, "bugs: {}: {} cases\n", configuration.name, totals.back().cases);
  }
  const Report report(options);
  report.section("bugs", detection_table(totals, options.repetitions));
  report.section("signs", sign_table(totals));
  report.section("b1", b1_table(totals[0], totals[1], options.repetitions));
  const auto correct =
      run_hours(configurations()[0], static_cast<std::size_t>(options.correct_hours), kHour,
                "correct-hour", options);
  report.section("correct", correct_text(correct));
}

}  // namespace dissensus::studies
