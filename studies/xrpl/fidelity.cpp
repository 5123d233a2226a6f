#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "comparison.h"
#include "core/file.h"
#include "core/parallel.h"
#include "simulated_case.h"
#include "statistics/fisher.h"
#include "statistics/markdown.h"
#include "statistics/plot.h"
#include "statistics/samples.h"
#include "studies.h"

namespace dissensus::studies {
namespace {

struct Group {
  std::string_view id;
  std::string_view name;
  std::vector<const ComparedCase*> cases;
};

ComparedCase compare(run::Runner& runner, const RecordedCase& recorded,
                     const StudyOptions& options) {
  ComparedCase compared{recorded, {}, {}};
  const RepeatedCase repeated = repeat(recorded);
  const run::Scenario scenario = make_scenario(repeated.setup);
  for (std::size_t i = 0; i < options.seeds_per_case; ++i) {
    const std::uint64_t seed = derive_seed(options.seed, recorded.id, i) >> 11;
    CaseOptions case_options;
    case_options.warm_up = repeated.warm_up;
    case_options.recovery = i < 5;
    SimulatedCase simulated =
        simulate_case(runner, scenario, recorded.schedule, seed, case_options);
    if (simulated.recovered) compared.recovery_s.push_back(simulated.recovery_s);
    compared.simulated.push_back(std::move(simulated.metrics));
  }
  return compared;
}

ComparedCases compare_all(const StudyOptions& options) {
  std::vector<RecordedCase> recorded;
  RecordedCases source(options.data);
  RecordedCase next;
  while (source.next(next)) recorded.push_back(next);
  ComparedCases result;
  for_each_in_order(
      recorded.size(), options.jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        return compare(runner, recorded[index], options);
      },
      [&](std::size_t, ComparedCase compared) {
        result.push_back(std::move(compared));
        if (result.size() % 20 == 0) {
          fmt::print(stderr, "fidelity: {} of {} cases\n", result.size(), recorded.size());
        }
        return true;
      });
  return result;
}

std::vector<Group> make_groups(const ComparedCases& cases) {
  constexpr std::pair<std::string_view, std::string_view> kGroups[] = {
      {"a", "a: 1.7.2, no delay"},
      {"b", "b: 1.7.2, random 0..4000 ms"},
      {"c", "c: 1.7.2, GetLedger and LedgerData 3000 ms"},
      {"c-tx", "c-tx: as c, Transaction 1000 ms"},
      {"d-zero", "d-zero: 2.4.0, no delay"},
      {"d-rand", "d-rand: 2.4.0, random 0..4000 ms"},
      {"d-b3", "d-b3: 2.4.0, GetLedger and LedgerData 3000 ms"}};
  std::vector<Group> groups;
  for (const auto& [id, name] : kGroups) {
    Group group{id, name, {}};
    for (const ComparedCase& compared : cases) {
      if (compared.recorded.group == id) group.cases.push_back(&compared);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<const ComparedCase*> variant(const Group& group, bool same) {
  std::vector<const ComparedCase*> result;
  for (const ComparedCase* compared : group.cases) {
    if (compared->recorded.same_sequence == same) result.push_back(compared);
  }
  return result;
}

/// The rule was fixed before the numbers were seen.
std::string verdict(double distance, double p_value) {
  if (std::isnan(distance)) return "-";
  if (p_value >= 0.05 || distance < 0.05) return "same";
  if (distance < 0.15) return "close";
  return "differs";
}

std::string summary(const std::vector<double>& sample) {
  if (sample.empty()) return "-";
  return fmt::format("{}, {:.2f}", mean_and_deviation(sample, 2),
                     statistics::quantile(sample, 0.5));
}

/// Heartbeats make most times whole seconds give or take milliseconds. A distance between
/// distribution functions would see nothing but these milliseconds, so values are compared in
/// tenths.
double in_tenths(double value) {
  return std::round(value * 10) / 10;
}
std::vector<double> in_tenths(std::vector<double> sample) {
  for (double& value : sample) value = in_tenths(value);
  return sample;
}

bool is_settled(const CaseMetrics& metrics) {
  return metrics.outcome == CaseOutcome::settled;
}

struct PerCase {
  std::string_view name;
  CaseValue value;
  CaseFilter filter;
};
struct PerRound {
  std::string_view name;
  CaseValues values;
};

std::vector<PerCase> case_quantities() {
  const auto mean_interval = [](const CaseMetrics& metrics) {
    return metrics.intervals_s.empty() ? 0 : statistics::mean(metrics.intervals_s);
  };
  const auto any_interval = [](const CaseMetrics& metrics) { return !metrics.intervals_s.empty(); };
  return {
      {"duration of settled cases (s)", [](const CaseMetrics& m) { return m.window_s; },
       is_settled},
      {"mean ledger interval of a case (s)", mean_interval, any_interval},
      {"messages per case", [](const CaseMetrics& m) { return double(m.message_count()); },
       is_settled},
      {"messages per second", [](const CaseMetrics& m) { return m.message_count() / m.window_s; },
       nullptr},
      {"highest proposeSeq of a case",
       [](const CaseMetrics& m) { return double(m.propose_seq_max); }, nullptr},
      {"payments not applied when submitted",
       [](const CaseMetrics& m) { return double(m.not_applied); }, nullptr},
      {"failed set acquisitions per case",
       [](const CaseMetrics& m) { return double(m.failed_acquisitions); }, nullptr},
  };
}

std::vector<PerRound> round_quantities() {
  return {
      {"interval between validated ledgers (s)",
       [](const CaseMetrics& m) -> const std::vector<double>& { return m.intervals_s; }},
      {"establish phase (s)",
       [](const CaseMetrics& m) -> const std::vector<double>& { return m.establish_s; }},
      {"open phase (s)",
       [](const CaseMetrics& m) -> const std::vector<double>& { return m.open_s; }},
      {"highest proposeSeq per round and proposer",
       [](const CaseMetrics& m) -> const std::vector<double>& { return m.round_propose_seq; }},
  };
}

std::string quantity_table(const std::vector<Group>& groups, const StudyOptions& options) {
  statistics::MarkdownTable table({"group", "quantity", "recorded: n; mean (sd), median",
                                   "simulated: n; mean (sd), median", "distance", "p", "verdict"});
  const auto row = [&](const Group& group, std::string_view name, const Sample& sample,
                       double p_value) {
    const double distance =
        statistics::kolmogorov_smirnov(in_tenths(sample.recorded), in_tenths(sample.simulated))
            .statistic;
    table.add({std::string(group.id), std::string(name),
               fmt::format("{}; {}", sample.recorded.size(), summary(sample.recorded)),
               fmt::format("{}; {}", sample.simulated.size(), summary(sample.simulated)),
               fmt::format("{:.2f}", distance), statistics::p_value_text(p_value),
               verdict(distance, p_value)});
  };
  for (const Group& group : groups) {
    for (const PerRound& quantity : round_quantities()) {
      // Rounds of one case are not independent: the test is made on the means of cases.
      const CaseValue case_mean = [&](const CaseMetrics& metrics) {
        const auto& values = quantity.values(metrics);
        return values.empty() ? 0 : in_tenths(statistics::mean(values));
      };
      const auto rank = ranks(group.cases, case_mean, options.seed);
      row(group, quantity.name, collect_all(group.cases, quantity.values),
          statistics::against_uniform(rank).p_value);
    }
    for (const PerCase& quantity : case_quantities()) {
      const CaseValue rounded = [&](const CaseMetrics& metrics) {
        return in_tenths(quantity.value(metrics));
      };
      const auto rank = ranks(group.cases, rounded, options.seed, quantity.filter);
      row(group, quantity.name, collect(group.cases, quantity.value, quantity.filter),
          statistics::against_uniform(rank).p_value);
    }
  }
  return table.text();
}

std::string rate_table(const std::vector<Group>& groups) {
  const std::pair<std::string_view, CaseFilter> kEvents[] = {
      {"stalled (termination)",
       [](const CaseMetrics& m) { return m.outcome == CaseOutcome::stalled; }},
      {"unsettled after 150 s",
       [](const CaseMetrics& m) { return m.outcome == CaseOutcome::unsettled; }},
      {"different sets declared on one parent: agreement (1)",
       [](const CaseMetrics& m) { return m.sets_differ; }},
      {"different ledgers built for one sequence",
       [](const CaseMetrics& m) { return m.built_differ; }},
      {"different ledgers validated: agreement (2)",
       [](const CaseMetrics& m) { return m.ledgers_differ; }},
      {"a bow-out", [](const CaseMetrics& m) { return m.bow_outs > 0; }},
      {"a failed set acquisition", [](const CaseMetrics& m) { return m.failed_acquisitions > 0; }},
      {"settled with exactly one success",
       [](const CaseMetrics& m) { return is_settled(m) && m.succeeded == 1; }},
      {"settled with three successes",
       [](const CaseMetrics& m) { return is_settled(m) && m.succeeded == 3; }},
  };
  statistics::MarkdownTable table(
      {"group", "variant", "event", "recorded", "simulated", "p (Fisher)"});
  for (const Group& group : groups) {
    for (const bool same : {true, false}) {
      const auto cases = variant(group, same);
      if (cases.empty()) continue;
      for (const auto& [name, event] : kEvents) {
        const RatePair pair = rates(cases, event);
        if (pair.recorded.yes == 0 && pair.simulated.yes == 0) continue;
        const auto text = [](const Rate& rate) {
          return fmt::format("{} of {} = {:.1f} %", rate.yes, rate.all,
                             100.0 * double(rate.yes) / double(rate.all));
        };
        const double p =
            statistics::fisher_exact({pair.recorded.yes, pair.recorded.all - pair.recorded.yes,
                                      pair.simulated.yes, pair.simulated.all - pair.simulated.yes})
                .p_value;
        table.add({std::string(group.id), same ? "same" : "consecutive", std::string(name),
                   text(pair.recorded), text(pair.simulated), statistics::p_value_text(p)});
      }
    }
  }
  return table.text();
}

std::string mix_table(const std::vector<Group>& groups) {
  statistics::MarkdownTable table({"group, variant", "", "ProposeSet", "StatusChange", "Validation",
                                   "Transaction", "HaveTransactionSet", "GetLedger", "LedgerData",
                                   "messages"});
  for (const Group& group : groups) {
    for (const bool same : {true, false}) {
      const auto cases = variant(group, same);
      if (cases.empty()) continue;
      std::vector<std::string> recorded{
          fmt::format("{}, {}", group.id, same ? "same" : "consecutive"), "recorded"};
      std::vector<std::string> simulated{"", "simulated"};
      for (std::size_t type = 0; type < kTypes; ++type) {
        const Sample sample =
            collect(cases, [type](const CaseMetrics& m) { return m.mix()[type]; });
        recorded.push_back(mean_and_deviation(sample.recorded, 3));
        simulated.push_back(mean_and_deviation(sample.simulated, 3));
      }
      const Sample total = collect(cases, [](const CaseMetrics& m) { return m.message_count(); });
      recorded.push_back(mean_and_deviation(total.recorded, 0));
      simulated.push_back(mean_and_deviation(total.simulated, 0));
      table.add(std::move(recorded));
      table.add(std::move(simulated));
    }
  }
  return table.text();
}

std::string item_table(const std::vector<Group>& groups) {
  statistics::MarkdownTable table({"group", "", "ledger base", "ledger tx", "ledger state",
                                   "candidate set", "base replies", "tx replies", "state replies",
                                   "set replies"});
  for (const Group& group : groups) {
    std::vector<std::string> recorded{std::string(group.id), "recorded"};
    std::vector<std::string> simulated{"", "simulated"};
    for (const bool replies : {false, true}) {
      for (std::size_t item = 0; item < 4; ++item) {
        const Sample sample = collect(group.cases, [&](const CaseMetrics& m) {
          return double(replies ? m.replies[item] : m.requests[item]);
        });
        recorded.push_back(fmt::format("{:.1f}", statistics::mean(sample.recorded)));
        simulated.push_back(fmt::format("{:.1f}", statistics::mean(sample.simulated)));
      }
    }
    table.add(std::move(recorded));
    table.add(std::move(simulated));
  }
  return table.text();
}

/// How closely the repetitions of a case follow the recorded one.
std::string repetition_table(const std::vector<Group>& groups) {
  statistics::MarkdownTable table(
      {"group, variant", "settled cases", "correlation of durations", "median difference (s)",
       "some seed within 0.1 s", "half of the seeds within 0.1 s",
       "agreement (1) in the simulator where recorded", "where not recorded"});
  for (const Group& group : groups) {
    for (const bool same : {true, false}) {
      std::vector<double> recorded;
      std::vector<double> simulated;
      std::vector<double> differences;
      std::array<Rate, 2> differing;
      double some = 0;
      double half = 0;
      for (const ComparedCase* compared : variant(group, same)) {
        const CaseMetrics& real = compared->recorded.metrics;
        Rate& rate = differing[real.sets_differ ? 1 : 0];
        std::vector<double> durations;
        double close = 0;
        for (const CaseMetrics& m : compared->simulated) {
          ++rate.all;
          rate.yes += m.sets_differ ? 1 : 0;
          durations.push_back(m.window_s);
          close += std::abs(m.window_s - real.window_s) <= 0.1 ? 1 : 0;
        }
        if (!is_settled(real)) continue;
        recorded.push_back(real.window_s);
        simulated.push_back(statistics::quantile(durations, 0.5));
        differences.push_back(simulated.back() - recorded.back());
        some += close > 0 ? 1 : 0;
        half += close * 2 >= double(durations.size()) ? 1 : 0;
      }
      if (recorded.size() < 10) continue;
      const auto share = [](const Rate& rate) {
        if (rate.all == 0) return std::string("-");
        return fmt::format("{:.0f} % of {}", 100.0 * double(rate.yes) / double(rate.all), rate.all);
      };
      table.add({fmt::format("{}, {}", group.id, same ? "same" : "consecutive"),
                 std::to_string(recorded.size()),
                 fmt::format("{:.2f}", statistics::correlation(recorded, simulated)),
                 fmt::format("{:+.2f}", statistics::quantile(differences, 0.5)),
                 fmt::format("{:.0f} %", 100 * some / double(recorded.size())),
                 fmt::format("{:.0f} %", 100 * half / double(recorded.size())), share(differing[1]),
                 share(differing[0])});
    }
  }
  return table.text();
}

std::string recovery_table(const std::vector<Group>& groups) {
  statistics::MarkdownTable table(
      {"group", "recorded: n; mean (sd), median (s)", "simulated: n; mean (sd), median (s)"});
  for (const Group& group : groups) {
    std::vector<double> recorded;
    std::vector<double> simulated;
    for (const ComparedCase* compared : group.cases) {
      if (!is_settled(compared->recorded.metrics)) continue;
      if (compared->recorded.recovered) recorded.push_back(compared->recorded.recovery_ms / 1000);
      simulated.insert(simulated.end(), compared->recovery_s.begin(), compared->recovery_s.end());
    }
    table.add({std::string(group.id), fmt::format("{}; {}", recorded.size(), summary(recorded)),
               fmt::format("{}; {}", simulated.size(), summary(simulated))});
  }
  return table.text();
}

std::string distribution_figures(const std::vector<Group>& groups, const Report& report,
                                 std::size_t seeds) {
  std::vector<statistics::DistributionPanel> panels;
  const auto add = [&](const Group& group, std::string_view title, std::string_view label,
                       Sample sample) {
    panels.push_back(
        {fmt::format("{} ({})", title, group.id),
         std::string(label),
         {{"recorded", std::move(sample.recorded)}, {"simulated", std::move(sample.simulated)}}});
  };
  const auto rounds = round_quantities();
  for (const Group& group : groups) {
    if (group.id != "b" && group.id != "d-rand") continue;
    add(group, "Validated ledgers", "interval (s)", collect_all(group.cases, rounds[0].values));
    add(group, "Establish phase", "length (s)", collect_all(group.cases, rounds[1].values));
    const auto duration = [](const CaseMetrics& m) { return m.window_s; };
    add(group, "Duration, same sequence", "time to settle (s)",
        collect(variant(group, true), duration, is_settled));
    add(group, "Duration, consecutive", "time to settle (s)",
        collect(variant(group, false), duration, is_settled));
    add(group, "Messages", "messages per case",
        collect(group.cases, [](const CaseMetrics& m) { return double(m.message_count()); }));
    add(group, "Open phase", "length (s)", collect_all(group.cases, rounds[2].values));
  }
  const std::string caption = fmt::format(
      "Empirical distribution functions: recorded servers (dark) and the simulator under the same "
      "schedules, {} seeds per recorded case (orange). b: 1.7.2, d-rand: 2.4.0, both with random "
      "delays of 0 to 4000 ms.",
      seeds);
  return report.figure("xrpl-fidelity-distributions",
                       statistics::distribution_figure(panels, 3, caption),
                       "Distributions of recorded and simulated executions");
}

std::string scatter(const std::vector<Group>& groups, const Report& report) {
  statistics::ScatterFigure figure;
  figure.title = "The same schedule on servers and in the simulator";
  figure.x_label = "recorded duration (s)";
  figure.y_label = "simulated duration, median of the seeds (s)";
  figure.caption =
      "One mark per recorded case with random delays that settled; on the dashed line both took "
      "the "
      "same time. Marks above 60 s: the simulated network stalled.";
  for (const Group& group : groups) {
    if (group.id != "b" && group.id != "d-rand") continue;
    statistics::ScatterSeries series{std::string(group.id), {}, {}};
    for (const ComparedCase* compared : group.cases) {
      if (!is_settled(compared->recorded.metrics)) continue;
      std::vector<double> durations;
      for (const CaseMetrics& m : compared->simulated) durations.push_back(m.window_s);
      series.x.push_back(compared->recorded.metrics.window_s);
      series.y.push_back(statistics::quantile(durations, 0.5));
    }
    figure.series.push_back(std::move(series));
  }
  return report.figure("xrpl-fidelity-pairs", statistics::scatter_figure(figure),
                       "Recorded against simulated duration, case by case");
}

/// One line per case and seed (seed "recorded" for the real one), for other tools.
std::string details(const ComparedCases& cases) {
  std::string text =
      "case,group,variant,seed,outcome,window_s,messages,propose_seq_max,bow_outs,"
      "failed_acquisitions,sets_differ,built_differ,succeeded,claimed,intervals,interval_mean_s\n";
  const auto line = [&](const RecordedCase& recorded, const std::string& seed,
                        const CaseMetrics& m) {
    text += fmt::format("{},{},{},{},{},{:.3f},{},{},{},{},{:d},{:d},{},{},{},{:.3f}\n",
                        recorded.id, recorded.group, recorded.same_sequence ? "same" : "next", seed,
                        kOutcomeNames[static_cast<std::size_t>(m.outcome)], m.window_s,
                        m.message_count(), m.propose_seq_max, m.bow_outs, m.failed_acquisitions,
                        m.sets_differ, m.built_differ, m.succeeded, m.claimed, m.intervals_s.size(),
                        m.intervals_s.empty() ? 0 : statistics::mean(m.intervals_s));
  };
  for (const ComparedCase& compared : cases) {
    line(compared.recorded, "recorded", compared.recorded.metrics);
    for (std::size_t i = 0; i < compared.simulated.size(); ++i) {
      line(compared.recorded, std::to_string(i), compared.simulated[i]);
    }
  }
  return text;
}

}  // namespace

void study_fidelity(const StudyOptions& options) {
  const ComparedCases cases = compare_all(options);
  const std::vector<Group> groups = make_groups(cases);
  const Report report(options);
  report.section("quantities", quantity_table(groups, options));
  report.section("rates", rate_table(groups));
  report.section("mix-recorded", mix_table(groups));
  report.section("items", item_table(groups));
  report.section("repetition", repetition_table(groups) + "\n" + scatter(groups, report));
  report.section("recovery", recovery_table(groups));
  report.section("distributions", distribution_figures(groups, report, options.seeds_per_case));
  if (!options.details.empty()) write_file(options.details, details(cases));
}

}  // namespace dissensus::studies
