// Two sides that ran the same schedules, real servers and their simulation for example, compared:
// messages by kind, times between decisions, proposals of rounds, phases, outcomes and stalls.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fidelity/observation.h"
#include "fidelity/permutation.h"
#include "statistics/fisher.h"
#include "statistics/samples.h"

namespace dissensus::fidelity {

struct FidelitySide {
  std::string name;  ///< "live"
  std::vector<RunObservation> runs;
};

/// Of the first side and of the second.
template <class T>
using Both = std::array<T, 2>;

struct FidelityInput {
  std::string scenario;
  FidelityMeasures measures;
  std::vector<std::string> schedules;  ///< names, by RunPlace::schedule
  Both<FidelitySide> sides;
};

struct FidelityOptions {
  double level = 0.05;  ///< at or below it a corrected p-value is called a difference
  std::size_t resamples = 2000;
  PermutationOptions permutation;
};

/// An interval is given for three runs and more: it comes from drawing whole runs again.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::optional<Interval> interval;
};

struct FidelityTest {
  double p = std::numeric_limits<double>::quiet_NaN();         ///< NaN: not tested
  double adjusted = std::numeric_limits<double>::quiet_NaN();  ///< Holm, over all of a comparison
};

struct MessageComparison {
  std::string kind;
  Both<double> share{};         ///< of all messages of the side
  Both<Estimate> per_run;       ///< mean
  Both<Estimate> per_decision;  ///< messages of all runs by decisions of a node in all runs
  Estimate ratio;               ///< of per_decision, first to second
  FidelityTest test;            ///< of per_decision, run by run
};

/// A quantity with one value or many per run.
struct SampleComparison {
  std::string name;
  std::string unit;  ///< empty: a count
  bool per_run = false;
  Both<std::vector<double>> values;
  Both<Estimate> mean;
  Estimate ratio;                                              ///< of means, first to second
  double distance = std::numeric_limits<double>::quiet_NaN();  ///< Kolmogorov-Smirnov
  FidelityTest test;           ///< of the runs' means, by their ranks
  FidelityTest distance_test;  ///< only where there are many values per run
};

struct OutcomeCounts {
  std::uint64_t pass = 0;
  std::uint64_t fail = 0;
  std::uint64_t unknown = 0;
  std::uint64_t runs() const { return pass + fail + unknown; }
  std::uint64_t judged() const { return pass + fail; }
};

/// Do the runs of one schedule fail on both sides?
enum class Agreement : std::uint8_t {
  both_never,
  both_always,
  sometimes,  ///< on some side some runs fail and some do not
  opposite,   ///< all of one side and none of the other
  unjudged,   ///< no run of some side was judged
};
std::string_view to_string(Agreement agreement);

struct ScheduleComparison {
  std::size_t schedule = 0;
  std::string name;
  Both<OutcomeCounts> outcomes;
  Both<double> median_gap_s{};
  Agreement agreement = Agreement::unjudged;
};

struct ViolationComparison {
  std::string signature;
  Both<std::uint64_t> runs{};
};

struct FidelityComparison {
  std::string scenario;
  std::string level_name;
  double bound_s = 0;
  Both<std::string> names;
  Both<std::size_t> runs{};                 ///< that are compared
  Both<std::size_t> runs_cut{};             ///< of them, with records missing
  std::size_t runs_left_out = 0;            ///< under schedules that only one side ran
  std::vector<MessageComparison> messages;  ///< by kind
  MessageComparison all_messages;
  std::vector<SampleComparison> samples;
  Both<OutcomeCounts> outcomes;
  statistics::FisherResult fisher;  ///< failing runs of all judged ones
  FidelityTest outcome_test;        ///< its p-value
  FidelityTest schedule_test;       ///< does failing depend on the side under the same schedule?
  std::vector<ScheduleComparison> schedules;
  std::vector<ViolationComparison> violations;
  std::size_t tests = 0;
  double test_level = 0.05;
  double smallest_p = 1;  ///< that permutations of these runs allow

  bool is_difference(const FidelityTest& test) const { return test.adjusted <= test_level; }
};

/// Schedules that only one side ran are left out. Both sides have a run under some schedule.
FidelityComparison compare(const FidelityInput& input, const FidelityOptions& options = {});

/// True when there is something to compare: a schedule with runs of both sides.
bool can_compare(const FidelityInput& input);

}  // namespace dissensus::fidelity
