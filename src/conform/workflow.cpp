#include "conform/workflow.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "conform/draw.h"
#include "conform/script.h"
#include "shrink/reduce.h"

namespace dissensus::conform {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::optional<Clock::time_point> deadline_of(const WorkflowLimits& limits) {
  if (limits.seconds <= 0) return std::nullopt;
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
}

bool is_over(const std::optional<Clock::time_point>& end) {
  return end && Clock::now() > *end;
}

constexpr std::size_t kPairingsMost = 32;
constexpr std::size_t kInterestingMost = 64;
/// How often smaller inputs are tried while shrinking.
constexpr std::size_t kShrinkRuns = 60;

/// A finding behind a broken property is seen again where that is not judged.
WorkflowLimits limits_of(const ConformanceFinding& finding, WorkflowLimits limits = {}) {
  limits.judge.ignored_properties = finding.ignored;
  return limits;
}

void keep_common(std::vector<std::string>& names, const std::vector<std::string>& others) {
  std::erase_if(names, [&](const std::string& name) {
    return std::find(others.begin(), others.end(), name) == others.end();
  });
}

}  // namespace

void WorkflowCounters::add(const WorkflowCounters& other) {
  for (const auto counter :
       {&WorkflowCounters::traces, &WorkflowCounters::steps, &WorkflowCounters::same_sequence,
        &WorkflowCounters::cached_steps, &WorkflowCounters::new_views,
        &WorkflowCounters::cut_traces, &WorkflowCounters::unknown_traces, &WorkflowCounters::walks,
        &WorkflowCounters::run_steps, &WorkflowCounters::walk_steps,
        &WorkflowCounters::stopped_walks, &WorkflowCounters::left_out}) {
    this->*counter += other.*counter;
  }
  generate_seconds += other.generate_seconds;
  verify_seconds += other.verify_seconds;
}

std::vector<std::string> gaps(const WorkflowCounters& counters, const WorkflowLimits& limits) {
  std::vector<std::string> found;
  const std::uint64_t runs = counters.traces - counters.walks;
  if (counters.left_out > 0) {
    found.push_back(fmt::format("{} of {} traces were not begun: the time was over (--seconds)",
                                counters.left_out, counters.left_out + counters.traces));
  } else if (counters.traces == 0) {
    found.push_back("there was no trace to judge");
  }
  if (counters.cut_traces > 0) {
    found.push_back(
        fmt::format("{} of {} traces judged in part: the first {} steps (--limit-steps)",
                    counters.cut_traces, runs, limits.trace_events));
  }
  if (counters.unknown_traces > 0) {
    found.push_back(
        fmt::format("{} of {} traces judged in part: then more than {} states of the model fitted "
                    "(--frontier)",
                    counters.unknown_traces, counters.traces, limits.judge.frontier_most));
  }
  if (runs > 0 && counters.run_steps == 0) {
    found.push_back(fmt::format("Workflow I: {} runs had no step to judge", runs));
  }
  if (counters.walks > 0 && counters.walk_steps == 0) {
    found.push_back(
        fmt::format("Workflow II: none of {} walks had a step to compare", counters.walks));
  }
  return found;
}

Conformance::Conformance(const Mapping& mapping, Variant variant, std::uint64_t seed,
                         const SystemRegistry& systems)
    : mapping_(mapping), variant_(std::move(variant)), seed_(seed), systems_(systems) {}

Pairing& Conformance::pairing(const InputValues& values, const WorkflowLimits& limits) {
  const auto found = pairings_.find(values);
  if (found != pairings_.end()) return *found->second;
  if (pairings_.size() >= kPairingsMost) {
    coverage();
    pairings_.clear();
  }
  JudgeOptions judge = limits.judge;
  judge.coverage = guards_;
  auto made = std::make_unique<Pairing>(mapping_, variant_, values, systems_, judge);
  if (guards_ != nullptr) guards_->add_model(made->machine().spec(), mapping_);
  return *pairings_.emplace(values, std::move(made)).first->second;
}

BoundMapping::Coverage Conformance::coverage() {
  for (const auto& [values, pairing] : pairings_) {
    BoundMapping::Coverage one = pairing->mapping().coverage();
    if (has_coverage_) {
      keep_common(coverage_.events_never_seen, one.events_never_seen);
      keep_common(coverage_.actions_never_seen, one.actions_never_seen);
    } else {
      coverage_ = std::move(one);
      has_coverage_ = true;
    }
  }
  return coverage_;
}

InputValues Conformance::draw_values(bool guided) {
  Random random(seed_, "inputs", traces_);
  InputValues values;
  const bool vary = guided && !interesting_.empty() && random.chance(0.5);
  const InputValues* base = vary ? &interesting_[random.below(interesting_.size())] : nullptr;
  for (std::size_t index = 0; index < mapping_.inputs.size(); ++index) {
    const MappingInput& input = mapping_.inputs[index];
    double value = input.from + random.unit() * (input.to - input.from);
    if (base != nullptr && random.chance(0.7)) {
      // Near the value that had shown something new: within a tenth of the range.
      value = std::clamp((*base)[index] + (random.unit() - 0.5) * 0.2 * (input.to - input.from),
                         input.from, input.to);
    }
    if (input.is_whole) {
      value = base == nullptr
                  ? static_cast<double>(random.between(static_cast<std::int64_t>(input.from),
                                                       static_cast<std::int64_t>(input.to)))
                  : std::round(value);
    }
    values.push_back(value);
  }
  return values;
}

Conformance::Run Conformance::next_run(const WorkflowLimits& limits) {
  const InputValues values = draw_values(false);
  Pairing& pair = pairing(values, limits);
  pair.clean();
  return {pair, values,
          record_run(pair, runner_, derive_seed(seed_, "trace", traces_++), limits.trace_events)};
}

std::optional<ConformanceFinding> Conformance::one_trace(const InputValues& values,
                                                         std::uint64_t seed,
                                                         const WorkflowLimits& limits) {
  const auto start = Clock::now();
  Pairing& pair = pairing(values, limits);
  const ObservedTrace trace = record_run(pair, runner_, seed, limits.trace_events);
  counters_.generate_seconds += seconds_since(start);
  const auto verify_start = Clock::now();
  ++counters_.traces;
  counters_.cut_traces += trace.is_cut ? 1 : 0;
  const std::pair<std::string, std::uint64_t> sequence{pair.constants(), sequence_hash(trace)};
  if (passed_.contains(sequence)) {
    ++counters_.same_sequence;
    pair.clean();
    return std::nullopt;
  }
  Judge& judge = pair.judge();
  const JudgeCounters before = judge.counters();
  const auto violation = judge.judge(trace);
  const JudgeCounters& after = judge.counters();
  counters_.steps += after.events - before.events;
  counters_.run_steps += after.events - before.events;
  counters_.cached_steps += after.cached_steps - before.cached_steps;
  counters_.new_views += after.new_views - before.new_views;
  std::optional<ConformanceFinding> finding;
  if (violation) {
    counters_.cut_traces -= trace.is_cut ? 1 : 0;  // the verdict does not depend on the rest
    finding = ConformanceFinding{*violation, 1, values, seed, trace.observations.size(), {}};
    for (std::size_t index = 0; index < violation->step; ++index) {
      for (const tla::Label& label : pair.mapping().meaning(trace.observations[index]).labels) {
        finding->labels.push_back(tla::to_string(pair.machine().spec(), label));
      }
    }
  } else {
    counters_.unknown_traces += judge.is_unknown() ? 1 : 0;
    if (!judge.is_unknown()) passed_.insert(sequence);
    if (after.new_views > before.new_views && interesting_.size() < kInterestingMost) {
      interesting_.push_back(values);
    }
  }
  pair.clean();
  counters_.verify_seconds += seconds_since(verify_start);
  return finding;
}

std::optional<ConformanceFinding> Conformance::traces_of(const WorkflowOne& config,
                                                         const WorkflowLimits& limits,
                                                         const Deadline& end) {
  const std::size_t varied = std::min(config.inputs, mapping_.inputs.size());
  // values[v] is the v-th draw of all inputs; a combination takes one draw per varied input.
  std::vector<InputValues> draws;
  for (std::size_t draw = 0; draw < config.values; ++draw) {
    draws.push_back(draw_values(config.guided));
    ++traces_;
  }
  std::size_t combinations = 1;
  for (std::size_t index = 0; index < varied; ++index) combinations *= config.values;
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    if (is_over(end)) {
      counters_.left_out += combinations - combination;
      break;
    }
    InputValues values = draws.front();
    for (std::size_t index = varied; index < values.size(); ++index) {
      values[index] = mapping_.inputs[index].usual.value_or(values[index]);
    }
    std::size_t rest = combination;
    for (std::size_t index = 0; index < varied; ++index) {
      values[index] = draws[rest % config.values][index];
      rest /= config.values;
    }
    const std::uint64_t seed = derive_seed(seed_, "trace", traces_++);
    if (auto finding = one_trace(values, seed, limits)) return finding;
  }
  return std::nullopt;
}

std::optional<ConformanceFinding> Conformance::workflow_one(const WorkflowOne& config,
                                                            const WorkflowLimits& limits) {
  const Deadline end = deadline_of(limits);
  for (std::size_t round = 0; round < config.rounds; ++round) {
    if (auto finding = traces_of(config, limits, end)) return finding;
  }
  return std::nullopt;
}

std::optional<ConformanceFinding> Conformance::one_walk(const InputValues& values,
                                                        std::uint64_t walk, std::size_t depth,
                                                        const WorkflowLimits& limits) {
  Pairing& pair = pairing(values, limits);
  const std::uint64_t seed = derive_seed(seed_, "walk", walk);
  Random random(seed);
  const std::vector<double> weights =
      walk_weights(mapping_, pair.mapping().weights(), walk, random);
  Lockstep& lockstep = pair.lockstep();
  const JudgeCounters before = pair.judge().counters();
  lockstep.start(seed);
  std::vector<tla::Label> labels;
  std::optional<ConformanceFinding> finding;
  tla::Label label;
  tla::State next;
  while (labels.size() < depth) {
    const auto generate_start = Clock::now();
    const bool is_possible =
        pair.machine().random_step(lockstep.state(), weights, random, label, next);
    counters_.generate_seconds += seconds_since(generate_start);
    if (!is_possible) {
      ++counters_.stopped_walks;
      break;
    }
    labels.push_back(label);
    const auto verify_start = Clock::now();
    const auto violation = lockstep.step(label, next);
    counters_.verify_seconds += seconds_since(verify_start);
    if (!violation) continue;
    finding = ConformanceFinding{*violation, 2, values, seed, labels.size(), {}, true};
    for (const tla::Label& one : labels) {
      finding->labels.push_back(tla::to_string(pair.machine().spec(), one));
    }
    break;
  }
  ++counters_.traces;
  ++counters_.walks;
  counters_.steps += labels.size();
  counters_.walk_steps += lockstep.compared();
  counters_.new_views += pair.judge().counters().new_views - before.new_views;
  pair.clean();
  return finding;
}

std::optional<ConformanceFinding> Conformance::walks_of(const WorkflowTwo& config,
                                                        const WorkflowLimits& limits,
                                                        const Deadline& end) {
  InputValues values;
  for (std::size_t walk = 0; walk < config.walks; ++walk) {
    if (is_over(end)) {
      counters_.left_out += config.walks - walk;
      break;
    }
    // Two walks with the same inputs: making a model of another size costs as much as a walk. The
    // same number of steps leads further in a small network.
    if (walk % 2 == 0) {
      values = draw_values(false);
      ++traces_;
      const InputValues other = draw_values(false);
      ++traces_;
      for (std::size_t index = 0; index < values.size(); ++index) {
        if (mapping_.inputs[index].is_whole) values[index] = std::min(values[index], other[index]);
        values[index] = mapping_.inputs[index].usual.value_or(values[index]);
      }
    }
    if (auto finding = one_walk(values, walks_++, config.depth, limits)) return finding;
  }
  return std::nullopt;
}

std::optional<ConformanceFinding> Conformance::workflow_two(const WorkflowTwo& config,
                                                            const WorkflowLimits& limits) {
  return walks_of(config, limits, deadline_of(limits));
}

std::optional<ConformanceFinding> Conformance::conform(std::size_t rounds, std::size_t depth,
                                                       const WorkflowLimits& limits) {
  const Deadline end = deadline_of(limits);
  for (std::size_t round = 0; round < rounds; ++round) {
    if (auto finding = traces_of({varied_inputs(mapping_), 1}, limits, end)) return finding;
    if (auto finding = walks_of({1, depth}, limits, end)) return finding;
  }
  return std::nullopt;
}

std::optional<Violation> Conformance::repeat(const ConformanceFinding& finding,
                                             const WorkflowLimits& asked) {
  const WorkflowLimits limits = limits_of(finding, asked);
  Pairing& pair = pairing(finding.values, limits);
  std::optional<Violation> violation;
  ++counters_.traces;
  if (finding.is_script) {
    ScriptResult script = run_script(pair, finding.workflow, finding.seed,
                                     parse_labels(pair.machine(), finding.labels));
    violation = std::move(script.violation);
    const std::size_t used = script.used;
    counters_.steps += used;
    if (finding.workflow == 1) {
      counters_.run_steps += used;
    } else {
      ++counters_.walks;
      counters_.walk_steps += pair.lockstep().compared();
    }
  } else {
    const ObservedTrace trace = record_run(pair, runner_, finding.seed, limits.trace_events);
    violation = pair.judge().judge(trace);
    counters_.steps += trace.observations.size();
    counters_.run_steps += trace.observations.size();
    counters_.cut_traces += trace.is_cut && !violation ? 1 : 0;
  }
  const bool is_judged = finding.workflow == 1 && !violation;
  counters_.unknown_traces += is_judged && pair.judge().is_unknown() ? 1 : 0;
  pair.clean();
  return violation;
}

void Conformance::shrink_inputs(ConformanceFinding& finding) {
  // Smaller numbers first; a smaller violation is one that shows after fewer events.
  const WorkflowLimits limits = limits_of(finding);
  const std::uint64_t cut_traces = counters_.cut_traces;
  const std::uint64_t unknown_traces = counters_.unknown_traces;
  for (std::size_t run = 0; run < kShrinkRuns; ++run) {
    Random random(finding.seed, "shrink", run);
    InputValues values = finding.values;
    for (std::size_t index = 0; index < values.size(); ++index) {
      const MappingInput& input = mapping_.inputs[index];
      if (!input.is_whole) continue;
      values[index] = static_cast<double>(random.between(static_cast<std::int64_t>(input.from),
                                                         static_cast<std::int64_t>(values[index])));
    }
    const auto smaller = one_trace(values, derive_seed(finding.seed, "shrink-run", run), limits);
    if (smaller && is_same_kind(smaller->violation, finding.violation) &&
        smaller->violation.step < finding.violation.step) {
      const std::size_t from = std::max(finding.shrunk_from, finding.labels.size());
      std::vector<std::string> ignored = std::move(finding.ignored);
      finding = *smaller;
      finding.ignored = std::move(ignored);
      finding.shrunk_from = from;
    }
  }
  counters_.cut_traces = cut_traces;  // these runs say nothing about conformance
  counters_.unknown_traces = unknown_traces;
}

void Conformance::shrink_script(ConformanceFinding& finding) {
  Pairing& pair = pairing(finding.values, limits_of(finding));
  const std::vector<tla::Label> labels = parse_labels(pair.machine(), finding.labels);
  const auto script = [&](const shrink::Levels& levels) {
    std::vector<tla::Label> kept;
    for (std::size_t index = 0; index < labels.size(); ++index) {
      if (levels[index] > 0) kept.push_back(labels[index]);
    }
    return kept;
  };
  const auto fails = [&](const std::vector<tla::Label>& candidate) -> std::optional<Violation> {
    auto violation = run_script(pair, finding.workflow, finding.seed, candidate).violation;
    if (!violation || !is_same_kind(*violation, finding.violation)) return std::nullopt;
    return violation;
  };
  shrink::Problem problem;
  problem.start.assign(labels.size(), 1);
  for (std::uint32_t unit = 0; unit < labels.size(); ++unit) problem.bulk.push_back(unit);
  problem.smaller = [](std::size_t, std::int64_t) { return std::vector<std::int64_t>{}; };
  if (!fails(labels)) return;  // the nodes' own randomness or the clock plays a part
  const shrink::Reduction reduction = shrink::reduce(
      problem,
      [&](std::size_t count, const std::function<shrink::Levels(std::size_t)>& make) {
        shrink::Tried tried;
        for (std::size_t index = 0; index < count; ++index) {
          ++tried.count;
          if (fails(script(make(index)))) {
            tried.failing = index;
            break;
          }
        }
        return tried;
      },
      {.jumps = 0});
  const std::vector<tla::Label> kept = script(reduction.levels);
  finding.violation = *fails(kept);
  finding.shrunk_from = std::max(finding.shrunk_from, finding.labels.size());
  finding.labels.clear();
  for (const tla::Label& label : kept) {
    finding.labels.push_back(tla::to_string(pair.machine().spec(), label));
  }
  finding.is_script = true;
  pair.clean();
}

void Conformance::shrink(ConformanceFinding& finding) {
  if (finding.workflow == 1) shrink_inputs(finding);
  shrink_script(finding);
}

}  // namespace dissensus::conform
