#include "serve/matter.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "faults/kinds.h"
#include "faults/words.h"

namespace dissensus::serve {

namespace {

using std::chrono::milliseconds;

void add_fault(const faults::Fault& fault, std::size_t index, const std::string& words,
               Duration end, std::vector<ScheduleValue>& values) {
  for (const faults::FaultNumber& number : faults::numbers_of(fault)) {
    values.push_back({words, number.part, number.value, std::max(end, 2 * number.value),
                      [index, number](faults::Schedule& schedule, Duration to) {
                        faults::Fault& each = schedule.faults[index];
                        each = faults::with_number(each, number, to);
                      }});
  }
}

void add_delays(const LoadedRun& run, Duration most, std::vector<ScheduleValue>& values) {
  const run::Scenario& scenario = run.recipe->scenario;
  const SystemDescription& system = scenario.system_description();
  const faults::GeneSpace genes = scenario.genes();
  const auto words = [&](std::size_t gene, const std::string& nth) {
    const faults::GeneSpace::Gene parts = genes.gene(gene);
    return fmt::format("{}{} from {} to {}", nth, system.kinds.at(parts.kind).name, parts.from,
                       parts.to);
  };
  if (const auto* delays = std::get_if<faults::DelaySchedule>(&run.recipe->schedule.scheduler)) {
    for (std::size_t gene = 0; gene < delays->delay_ms.size(); ++gene) {
      if (delays->delay_ms[gene] == 0) continue;
      const Duration value = milliseconds(delays->delay_ms[gene]);
      values.push_back({words(gene, "all "), "delay", value, std::max(most, 2 * value),
                        [gene](faults::Schedule& schedule, Duration to) {
                          std::get<faults::DelaySchedule>(schedule.scheduler).delay_ms[gene] =
                              static_cast<std::uint32_t>(
                                  std::chrono::duration_cast<milliseconds>(to).count());
                        }});
    }
  }
  if (const auto* single = std::get_if<faults::MessageSchedule>(&run.recipe->schedule.scheduler)) {
    for (std::size_t i = 0; i < single->delays.size(); ++i) {
      const faults::MessageSchedule::Delay& delay = single->delays[i];
      values.push_back(
          {words(delay.gene, fmt::format("number {} of ", delay.nth + 1)), "delay", delay.delay,
           std::max(most, 2 * delay.delay), [i](faults::Schedule& schedule, Duration to) {
             std::get<faults::MessageSchedule>(schedule.scheduler).delays[i].delay = to;
           }});
    }
  }
}

Duration whole(Duration value) {
  return std::chrono::duration_cast<milliseconds>(value);
}

}  // namespace

std::vector<ScheduleValue> values_of(const LoadedRun& run) {
  std::vector<ScheduleValue> values;
  if (!run.recipe) return values;
  const run::Scenario& scenario = run.recipe->scenario;
  const Duration most = scenario.space.max_delay;
  add_delays(run, most, values);
  const Duration end = run.records().empty() ? most : run.records().back().time - Time{};
  const std::vector<faults::Fault>& list = run.recipe->schedule.faults;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const std::string words =
        faults::in_words(list[index], scenario.system_description(), scenario.nodes());
    add_fault(list[index], index, words, std::max(end, most), values);
  }
  return values;
}

RangeFinder::RangeFinder(std::shared_ptr<const LoadedRun> run) : run_(std::move(run)) {
  recipe_that_repeats(*run_);
  if (run_->verdict.violations.empty()) {
    throw InputError("this run does not fail: there is no violation that could stay or go");
  }
  signature_ = run_->verdict.violations.front().signature();
  values_ = values_of(*run_);
}

bool RangeFinder::fails(const faults::Schedule& schedule, std::uint64_t seed) {
  run::RunOptions options;
  options.branch = run_->recipe->branch;
  const run::RunResult result = runner_.run(run_->recipe->scenario, schedule, seed, options);
  return std::any_of(
      result.verdict.violations.begin(), result.verdict.violations.end(),
      [this](const oracle::Violation& violation) { return violation.signature() == signature_; });
}

ValueRange RangeFinder::measure(std::size_t value, const std::function<bool()>& keep_going) {
  const ScheduleValue& chosen = values_.at(value);
  ValueRange range;
  std::map<Duration, bool> known;
  const auto fails_at = [&](Duration at) {
    const auto found = known.find(at);
    if (found != known.end()) return found->second;
    faults::Schedule schedule = run_->recipe->schedule;
    chosen.set(schedule, at);
    ++range.runs;
    return known[at] = fails(schedule, run_->recipe->seed);
  };
  known[chosen.value] = true;
  // First all of the range: where it fails need not be in one piece.
  constexpr int kSteps = 16;
  for (int step = 0; step <= kSteps && keep_going(); ++step) {
    fails_at(whole(chosen.most * step / kSteps));
  }
  // Then both ends of the piece around the value.
  const auto refine = [&](Duration good, Duration bad) {
    while (std::chrono::abs(good - bad) > milliseconds(1) && keep_going()) {
      const Duration middle = whole(good + (bad - good) / 2);
      if (middle == good || middle == bad) break;
      (fails_at(middle) ? good : bad) = middle;
    }
    return good;
  };
  const auto here = known.find(chosen.value);
  auto below = std::make_reverse_iterator(here);
  range.low = chosen.value;
  while (below != known.rend() && below->second) range.low = (below++)->first;
  if (below != known.rend()) range.low = refine(range.low, below->first);
  auto above = std::next(known.find(chosen.value));
  range.high = chosen.value;
  while (above != known.end() && above->second) range.high = (above++)->first;
  if (above != known.end()) range.high = refine(range.high, above->first);
  range.any = true;
  for (const auto& [at, failing] : known) {
    range.samples.push_back({at, failing});
    range.any = range.any && failing;
  }
  return range;
}

std::size_t RangeFinder::failing_seeds(std::size_t seeds, const std::function<bool()>& keep_going) {
  std::size_t failing = 0;
  for (std::size_t i = 1; i <= seeds && keep_going(); ++i) {
    if (fails(run_->recipe->schedule, run_->recipe->seed + i)) ++failing;
  }
  return failing;
}

}  // namespace dissensus::serve
