#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "core/parallel.h"
#include "run/schedule_space.h"
#include "simulated_case.h"
#include "statistics/markdown.h"
#include "statistics/plot.h"
#include "statistics/samples.h"
#include "studies.h"

namespace dissensus::studies {
namespace {

struct Published {
  double mean;
  double deviation;
};
/// Thesis Table 4.1, in the order of kTypeNames.
constexpr std::array<Published, kTypes> kThesisPriority{{{0.213, 0.040},
                                                         {0.078, 0.014},
                                                         {0.124, 0.024},
                                                         {0.044, 0.001},
                                                         {0.050, 0.001},
                                                         {0.259, 0.053},
                                                         {0.232, 0.049}}};
constexpr std::array<Published, kTypes> kThesisDelay{{{0.116, 0.025},
                                                      {0.046, 0.010},
                                                      {0.075, 0.017},
                                                      {0.021, 0.006},
                                                      {0.025, 0.008},
                                                      {0.380, 0.049},
                                                      {0.337, 0.051}}};

using Mixes = std::array<std::vector<double>, kTypes>;
struct Measured {
  Mixes mixes;
  std::vector<double> messages;
  std::vector<double> window_s;
};

Measured measure(const std::string& type, bool same_sequence, const StudyOptions& options,
                 unsigned priority_target = 10) {
  CaseSetup setup;
  setup.schedule_type = type;
  setup.priority_target = priority_target;
  setup.same_sequence = same_sequence;
  Measured measured;
  for_each_in_order(
      options.mix_cases, options.jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        Random random(options.seed, "mix-" + type, index);
        CaseSetup own = setup;
        draw_tags(own, random);
        const run::Scenario scenario = make_scenario(own);
        const faults::Schedule schedule = run::random_schedule(scenario, random);
        CaseOptions case_options;
        case_options.warm_up = std::chrono::milliseconds(3000 + random.between(0, 3000));
        const std::uint64_t seed = derive_seed(options.seed, "mix-run-" + type, index) >> 11;
        return simulate_case(runner, scenario, schedule, seed, case_options).metrics;
      },
      [&](std::size_t, const CaseMetrics& metrics) {
        const auto mix = metrics.mix();
        for (std::size_t i = 0; i < kTypes; ++i) measured.mixes[i].push_back(mix[i]);
        measured.messages.push_back(metrics.message_count());
        measured.window_s.push_back(metrics.window_s);
        return true;
      });
  return measured;
}

std::string published_text(const Published& published) {
  return fmt::format("{:.3f} ({:.3f})", published.mean, published.deviation);
}

/// The thesis leaves the wished size of the inbox open; it decides how long messages wait.
std::string target_table(const StudyOptions& options) {
  statistics::MarkdownTable table({"wished inbox size", "ProposeSet", "StatusChange", "Validation",
                                   "Transaction", "HaveTransactionSet", "GetLedger", "LedgerData",
                                   "duration (s)", "distance to the thesis"});
  for (const unsigned target : {10u, 50u, 100u, 150u, 200u, 300u}) {
    const Measured measured = measure("priority", true, options, target);
    std::vector<std::string> row{std::to_string(target)};
    double distance = 0;
    for (std::size_t i = 0; i < kTypes; ++i) {
      row.push_back(mean_and_deviation(measured.mixes[i], 3));
      distance += std::abs(statistics::mean(measured.mixes[i]) - kThesisPriority[i].mean);
    }
    row.push_back(mean_and_deviation(measured.window_s, 1));
    row.push_back(fmt::format("{:.3f}", distance));
    table.add(std::move(row));
  }
  return table.text();
}

}  // namespace

void study_mix(const StudyOptions& options) {
  const Measured delay = measure("delay", true, options);
  const Measured delay_consecutive = measure("delay", false, options);
  const Measured priority = measure("priority", true, options);
  const Measured priority_consecutive = measure("priority", false, options);
  constexpr unsigned kLargeInbox = 200;  // the nearest of those that target_table tries
  const Measured patient = measure("priority", true, options, kLargeInbox);
  statistics::MarkdownTable table(
      {"type", "thesis, delay", "delay, same sequence", "delay, consecutive", "thesis, priority",
       "priority, same sequence", "priority, consecutive", "priority, inbox of 200"});
  statistics::BarFigure figure;
  figure.title = "Message mix under random schedules";
  figure.y_label = "share of all messages";
  figure.caption = fmt::format(
      "Mean over {} test cases each, same sequence; whiskers are one standard deviation "
      "between test cases. Thesis: Table 4.1.",
      options.mix_cases);
  figure.series = {{"thesis, delay", {}, {}},
                   {"simulated, delay", {}, {}},
                   {"thesis, priority", {}, {}},
                   {"simulated, priority (inbox 200)", {}, {}}};
  for (std::size_t i = 0; i < kTypes; ++i) {
    table.add({std::string(kTypeNames[i]), published_text(kThesisDelay[i]),
               mean_and_deviation(delay.mixes[i], 3),
               mean_and_deviation(delay_consecutive.mixes[i], 3),
               published_text(kThesisPriority[i]), mean_and_deviation(priority.mixes[i], 3),
               mean_and_deviation(priority_consecutive.mixes[i], 3),
               mean_and_deviation(patient.mixes[i], 3)});
    figure.groups.emplace_back(kTypeNames[i]);
    const std::pair<double, double> values[] = {
        {kThesisDelay[i].mean, kThesisDelay[i].deviation},
        {statistics::mean(delay.mixes[i]), statistics::standard_deviation(delay.mixes[i])},
        {kThesisPriority[i].mean, kThesisPriority[i].deviation},
        {statistics::mean(patient.mixes[i]), statistics::standard_deviation(patient.mixes[i])}};
    for (std::size_t series = 0; series < figure.series.size(); ++series) {
      figure.series[series].values.push_back(values[series].first);
      figure.series[series].deviations.push_back(values[series].second);
    }
  }
  table.add({"messages per case", "-", mean_and_deviation(delay.messages, 0),
             mean_and_deviation(delay_consecutive.messages, 0), "-",
             mean_and_deviation(priority.messages, 0),
             mean_and_deviation(priority_consecutive.messages, 0),
             mean_and_deviation(patient.messages, 0)});
  table.add({"duration (s)", "about 20", mean_and_deviation(delay.window_s, 1),
             mean_and_deviation(delay_consecutive.window_s, 1), "-",
             mean_and_deviation(priority.window_s, 1),
             mean_and_deviation(priority_consecutive.window_s, 1),
             mean_and_deviation(patient.window_s, 1)});
  const Report report(options);
  const std::string image = report.figure("xrpl-mix", statistics::bar_figure(figure),
                                          "Message mix beside thesis Table 4.1");
  report.section("mix-target", target_table(options));
  report.section("mix", table.text() + "\n" + image);
}

}  // namespace dissensus::studies
