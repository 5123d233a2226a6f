#include "fidelity/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/assert.h"
#include "statistics/bootstrap.h"
#include "statistics/holm.h"

namespace dissensus::fidelity {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Runs = std::vector<const RunObservation*>;

/// What a run adds to a mean: a sum of values and their number.
struct Part {
  double sum = 0;
  double count = 0;
};
using Parts = std::vector<Part>;

double mean_of(const Parts& parts, std::span<const double> chosen) {
  Part all;
  for (const double index : chosen) {
    all.sum += parts[static_cast<std::size_t>(index)].sum;
    all.count += parts[static_cast<std::size_t>(index)].count;
  }
  return all.count > 0 ? all.sum / all.count : kNan;
}

/// Means of resampled runs. Runs are drawn whole, by their index.
class ResampledMean {
 public:
  ResampledMean(Parts parts, std::size_t resamples, std::uint64_t seed) : parts_(std::move(parts)) {
    std::vector<double> indices(parts_.size());
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<double>(i);
    const statistics::Statistic statistic = [this](std::span<const double> chosen) {
      return mean_of(parts_, chosen);
    };
    estimate_.value = mean_of(parts_, indices);
    if (parts_.size() < kRunsMin) return;
    replicates_ = statistics::bootstrap_replicates(indices, statistic, resamples, seed);
    estimate_.interval = interval_of(estimate_.value, replicates_);
  }
  const Estimate& estimate() const { return estimate_; }

  static Estimate ratio(const ResampledMean& first, const ResampledMean& second) {
    Estimate result{first.estimate_.value / second.estimate_.value, std::nullopt};
    if (!std::isfinite(result.value)) return {};
    std::vector<double> ratios;
    const std::size_t count = std::min(first.replicates_.size(), second.replicates_.size());
    for (std::size_t i = 0; i < count; ++i) {
      ratios.push_back(first.replicates_[i] / second.replicates_[i]);
    }
    result.interval = interval_of(result.value, ratios);
    return result;
  }

 private:
  static constexpr std::size_t kRunsMin = 3;
  static std::optional<Interval> interval_of(double value, const std::vector<double>& replicates) {
    const bool finite = std::all_of(replicates.begin(), replicates.end(),
                                    [](double replicate) { return std::isfinite(replicate); });
    if (replicates.empty() || !finite) return std::nullopt;
    statistics::BootstrapOptions options;
    options.method = statistics::BootstrapMethod::percentile;
    return statistics::bootstrap_interval(value, replicates, {}, options).interval;
  }

  Parts parts_;
  Estimate estimate_;
  std::vector<double> replicates_;
};

/// The runs under schedules that both sides ran.
class Compared {
 public:
  explicit Compared(const FidelityInput& input) {
    Both<std::set<std::size_t>> schedules;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const RunObservation& run : input.sides[side].runs) {
        schedules[side].insert(run.place.schedule);
      }
    }
    for (std::size_t side = 0; side < 2; ++side) {
      for (const RunObservation& run : input.sides[side].runs) {
        if (schedules[1 - side].contains(run.place.schedule)) {
          runs_[side].push_back(&run);
        } else {
          ++left_out_;
        }
      }
    }
  }
  const Both<Runs>& runs() const { return runs_; }
  std::size_t left_out() const { return left_out_; }

  /// All runs for which `counts` is true, those of the first side first.
  template <class Counts>
  std::pair<Runs, std::vector<SidedRun>> sided(const Counts& counts) const {
    std::pair<Runs, std::vector<SidedRun>> result;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const RunObservation* run : runs_[side]) {
        if (!counts(*run)) continue;
        result.first.push_back(run);
        result.second.push_back({run->place.schedule, side == 0});
      }
    }
    return result;
  }

 private:
  Both<Runs> runs_;
  std::size_t left_out_ = 0;
};

class Comparer {
 public:
  Comparer(const FidelityInput& input, const FidelityOptions& options)
      : input_(input), options_(options), compared_(input) {}

  FidelityComparison compare() {
    for (std::size_t side = 0; side < 2; ++side) {
      const Runs& runs = compared_.runs()[side];
      DISSENSUS_ASSERT(!runs.empty(), "compare : a schedule with runs of both sides");
      result_.names[side] = input_.sides[side].name;
      result_.runs[side] = runs.size();
      result_.runs_cut[side] = static_cast<std::size_t>(std::count_if(
          runs.begin(), runs.end(), [](const RunObservation* run) { return run->cut; }));
    }
    result_.scenario = input_.scenario;
    result_.level_name = input_.measures.level_name;
    result_.bound_s = input_.measures.bound_s;
    result_.runs_left_out = compared_.left_out();
    result_.test_level = options_.level;
    for (std::size_t kind = 0; kind < input_.measures.kinds.size(); ++kind) {
      result_.messages.push_back(compare_messages(
          input_.measures.kinds[kind],
          [kind](const RunObservation& run) { return static_cast<double>(run.messages[kind]); }));
    }
    result_.all_messages = compare_messages("all kinds", [](const RunObservation& run) {
      return static_cast<double>(run.all_messages());
    });
    compare_samples();
    compare_outcomes();
    compare_schedules();
    count_violations();
    correct_tests();
    return std::move(result_);
  }

 private:
  static bool every(const RunObservation&) { return true; }

  template <class MakePart>
  Both<ResampledMean> resampled(const MakePart& make_part) const {
    const auto side = [&](std::size_t index) {
      Parts parts;
      for (const RunObservation* run : compared_.runs()[index]) parts.push_back(make_part(*run));
      // Independent draws of the two sides.
      return ResampledMean(std::move(parts), options_.resamples,
                           options_.permutation.seed * 2 + index);
    };
    return {side(0), side(1)};
  }

  template <class Count>
  MessageComparison compare_messages(std::string name, const Count& count) const {
    MessageComparison row;
    row.kind = std::move(name);
    const auto per_run = resampled([&](const RunObservation& run) { return Part{count(run), 1}; });
    const auto per_decision = resampled([&](const RunObservation& run) {
      return Part{count(run), run.decisions};
    });
    for (std::size_t side = 0; side < 2; ++side) {
      row.per_run[side] = per_run[side].estimate();
      row.per_decision[side] = per_decision[side].estimate();
      double all = 0;
      double counted = 0;
      for (const RunObservation* run : compared_.runs()[side]) {
        all += static_cast<double>(run->all_messages());
        counted += count(*run);
      }
      row.share[side] = all > 0 ? counted / all : 0;
    }
    row.ratio = ResampledMean::ratio(per_decision[0], per_decision[1]);
    if (row.share[0] > 0 || row.share[1] > 0) {
      const auto [runs, sided] =
          compared_.sided([](const RunObservation& run) { return run.decisions > 0; });
      std::vector<double> values;
      for (const RunObservation* run : runs) values.push_back(count(*run) / run->decisions);
      row.test.p = SidePermutations(sided, options_.permutation).rank_p_value(values);
    }
    return row;
  }

  template <class Values>
  void add_sample(std::string name, std::string unit, const Values& values_of) {
    SampleComparison row;
    row.name = std::move(name);
    row.unit = std::move(unit);
    // Runs without a value have no mean.
    const auto [runs, sided] =
        compared_.sided([&](const RunObservation& run) { return !values_of(run).empty(); });
    if (runs.empty()) return;
    std::vector<std::vector<double>> values;
    std::vector<double> means;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      values.push_back(values_of(*runs[i]));
      means.push_back(statistics::mean(values.back()));
      auto& all = row.values[sided[i].is_first ? 0 : 1];
      all.insert(all.end(), values.back().begin(), values.back().end());
    }
    const SidePermutations permutations(sided, options_.permutation);
    row.test.p = permutations.rank_p_value(means);
    row.distance_test.p = permutations.distribution_p_value(values);
    finish_sample(std::move(row), [&](const RunObservation& run) {
      const std::vector<double> own = values_of(run);
      return Part{own.empty() ? 0 : statistics::mean(own) * static_cast<double>(own.size()),
                  static_cast<double>(own.size())};
    });
  }

  template <class Value>
  void add_run_value(std::string name, std::string unit, const Value& value_of) {
    SampleComparison row;
    row.name = std::move(name);
    row.unit = std::move(unit);
    row.per_run = true;
    std::vector<double> values;
    const auto [runs, sided] = compared_.sided(every);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      values.push_back(value_of(*runs[i]));
      row.values[sided[i].is_first ? 0 : 1].push_back(values.back());
    }
    row.test.p = SidePermutations(sided, options_.permutation).rank_p_value(values);
    finish_sample(std::move(row), [&](const RunObservation& run) {
      return Part{value_of(run), 1};
    });
  }

  template <class MakePart>
  void finish_sample(SampleComparison row, const MakePart& make_part) {
    const auto means = resampled(make_part);
    for (std::size_t side = 0; side < 2; ++side) row.mean[side] = means[side].estimate();
    row.ratio = ResampledMean::ratio(means[0], means[1]);
    row.distance = statistics::kolmogorov_smirnov(row.values[0], row.values[1]).statistic;
    result_.samples.push_back(std::move(row));
  }

  void compare_samples() {
    const FidelityMeasures& measures = input_.measures;
    add_sample(fmt::format("{} interval", measures.level_name), "s",
               [](const RunObservation& run) { return run.intervals_s; });
    if (measures.has_proposals) {
      add_sample("proposals per round", "",
                 [](const RunObservation& run) { return run.round_proposals; });
      add_sample("highest sequence per round", "",
                 [](const RunObservation& run) { return run.round_sequences; });
    }
    for (std::size_t phase = 0; phase < measures.phases.size(); ++phase) {
      add_sample(fmt::format("phase {}", measures.phases[phase]), "s",
                 [phase](const RunObservation& run) { return run.phases_s[phase]; });
    }
    add_run_value(fmt::format("longest time without a {}", measures.level_name), "s",
                  [](const RunObservation& run) { return run.longest_gap_s; });
    add_run_value(fmt::format("{}s per node", measures.level_name), "",
                  [](const RunObservation& run) { return run.decisions; });
    add_run_value("length of the run", "s", [](const RunObservation& run) { return run.seconds; });
  }

  static void add_outcome(oracle::Outcome outcome, OutcomeCounts& counts) {
    counts.pass += outcome == oracle::Outcome::pass ? 1 : 0;
    counts.fail += outcome == oracle::Outcome::fail ? 1 : 0;
    counts.unknown += outcome == oracle::Outcome::unknown ? 1 : 0;
  }

  void compare_outcomes() {
    for (std::size_t side = 0; side < 2; ++side) {
      for (const RunObservation* run : compared_.runs()[side]) {
        add_outcome(run->outcome, result_.outcomes[side]);
      }
    }
    const Both<OutcomeCounts>& outcomes = result_.outcomes;
    if (outcomes[0].judged() == 0 || outcomes[1].judged() == 0) return;
    result_.fisher = statistics::fisher_exact(
        {outcomes[0].fail, outcomes[0].pass, outcomes[1].fail, outcomes[1].pass});
    if (outcomes[0].fail + outcomes[1].fail == 0 || outcomes[0].pass + outcomes[1].pass == 0) {
      return;  // nothing that could differ
    }
    result_.outcome_test.p = result_.fisher.p_value;
    test_schedules();
  }

  /// Sees differences that cancel out over all schedules, too.
  void test_schedules() {
    const auto [runs, sided] = compared_.sided(
        [](const RunObservation& run) { return run.outcome != oracle::Outcome::unknown; });
    const auto statistic = [&runs = runs, &sided = sided](SidePermutations::Sides sides) {
      std::map<std::size_t, Both<OutcomeCounts>> by_schedule;
      for (std::size_t i = 0; i < runs.size(); ++i) {
        add_outcome(runs[i]->outcome, by_schedule[sided[i].schedule][sides[i] != 0 ? 0 : 1]);
      }
      double sum = 0;
      for (const auto& [schedule, counts] : by_schedule) {
        if (counts[0].judged() == 0 || counts[1].judged() == 0) continue;
        sum += std::abs(rate(counts[0]) - rate(counts[1]));
      }
      return sum;
    };
    result_.schedule_test.p = SidePermutations(sided, options_.permutation).p_value(statistic);
  }

  static double rate(const OutcomeCounts& counts) {
    return static_cast<double>(counts.fail) / static_cast<double>(counts.judged());
  }

  static Agreement agreement_of(const Both<OutcomeCounts>& outcomes) {
    if (outcomes[0].judged() == 0 || outcomes[1].judged() == 0) return Agreement::unjudged;
    const double first = rate(outcomes[0]);
    const double second = rate(outcomes[1]);
    if (first == second && first == 0) return Agreement::both_never;
    if (first == second && first == 1) return Agreement::both_always;
    return std::abs(first - second) == 1 ? Agreement::opposite : Agreement::sometimes;
  }

  void compare_schedules() {
    std::map<std::size_t, Both<Runs>> by_schedule;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const RunObservation* run : compared_.runs()[side]) {
        by_schedule[run->place.schedule][side].push_back(run);
      }
    }
    for (const auto& [schedule, runs] : by_schedule) {
      ScheduleComparison row;
      row.schedule = schedule;
      row.name = input_.schedules.at(schedule);
      for (std::size_t side = 0; side < 2; ++side) {
        std::vector<double> gaps;
        for (const RunObservation* run : runs[side]) {
          add_outcome(run->outcome, row.outcomes[side]);
          gaps.push_back(run->longest_gap_s);
        }
        row.median_gap_s[side] = statistics::quantile(gaps, 0.5);
      }
      row.agreement = agreement_of(row.outcomes);
      result_.schedules.push_back(std::move(row));
    }
  }

  void count_violations() {
    std::map<std::string, Both<std::uint64_t>> counts;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const RunObservation* run : compared_.runs()[side]) {
        for (const std::string& signature : run->signatures) ++counts[signature][side];
      }
    }
    for (const auto& [signature, runs] : counts) result_.violations.push_back({signature, runs});
  }

  void correct_tests() {
    std::vector<FidelityTest*> tests;
    const auto add = [&tests](FidelityTest& test) {
      if (!std::isnan(test.p)) tests.push_back(&test);
    };
    for (MessageComparison& row : result_.messages) add(row.test);
    add(result_.all_messages.test);
    for (SampleComparison& row : result_.samples) {
      add(row.test);
      add(row.distance_test);
    }
    add(result_.outcome_test);
    add(result_.schedule_test);
    std::vector<double> p_values;
    for (const FidelityTest* test : tests) p_values.push_back(test->p);
    const std::vector<double> adjusted = statistics::holm_adjusted(p_values);
    for (std::size_t i = 0; i < tests.size(); ++i) tests[i]->adjusted = adjusted[i];
    result_.tests = tests.size();
    result_.smallest_p =
        SidePermutations(compared_.sided(every).second, options_.permutation).smallest_p_value();
  }

  const FidelityInput& input_;
  const FidelityOptions& options_;
  Compared compared_;
  FidelityComparison result_;
};

}  // namespace

std::string_view to_string(Agreement agreement) {
  switch (agreement) {
    case Agreement::both_never:
      return "neither fails";
    case Agreement::both_always:
      return "both always fail";
    case Agreement::sometimes:
      return "fails sometimes";
    case Agreement::opposite:
      return "opposite";
    case Agreement::unjudged:
      break;
  }
  return "not judged";
}

bool can_compare(const FidelityInput& input) {
  const Compared compared(input);
  return !compared.runs()[0].empty();
}

FidelityComparison compare(const FidelityInput& input, const FidelityOptions& options) {
  return Comparer(input, options).compare();
}

}  // namespace dissensus::fidelity
