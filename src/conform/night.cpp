#include "conform/night.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "conform/draw.h"
#include "conform/script.h"
#include "core/file.h"
#include "core/parallel.h"

namespace dissensus::conform {
namespace {

using NightClock = std::chrono::steady_clock;
constexpr std::size_t kIdentityBytesMost = std::size_t{4} << 20;
constexpr double kCommitSeconds = 0.2;

double night_seconds(NightClock::time_point since) {
  return std::chrono::duration<double>(NightClock::now() - since).count();
}

/// Makes one trace after another; one per worker.
class NightWorker {
 public:
  NightWorker(const Mapping& mapping, const Variant& variant, const SystemRegistry& systems,
              const NightOptions& options, const SeenTraces& seen)
      : mapping_(mapping), variant_(variant), systems_(systems), options_(options), seen_(seen) {}

  NightTrace make(std::uint64_t number) {
    const auto start = NightClock::now();
    NightTrace trace;
    trace.workflow = number % 2 == 0 ? 1 : 2;
    Random random(options_.seed, "night", number);
    InputValues values = draw_inputs(mapping_, random);
    if (trace.workflow == 2) values = smaller_inputs(mapping_, values, random);
    const std::uint64_t seed = derive_seed(options_.seed, "night-trace", number);
    Pairing pairing(mapping_, variant_, values, systems_, options_.limits.judge);
    trace.generate_seconds = night_seconds(start);
    if (trace.workflow == 1) {
      run(pairing, values, seed, trace);
    } else {
      walk(pairing, values, seed, number / 2, trace);
    }
    return trace;
  }

 private:
  std::uint64_t hash_of(const Pairing& pairing, std::uint64_t sequence) const {
    return derive_seed(sequence, pairing.constants());
  }

  void keep(const Violation& violation, Pairing& pairing, const InputValues& values,
            std::uint64_t seed, std::size_t length, const std::vector<tla::Label>& labels,
            NightTrace& trace) {
    ConformanceFinding finding{violation, trace.workflow, values, seed, length, {}};
    finding.is_script = trace.workflow == 2;
    for (const ConformanceFinding& earlier : trace.findings) {
      if (!earlier.violation.property.empty()) {
        finding.ignored.push_back(earlier.violation.property);
      }
    }
    for (const tla::Label& label : labels) {
      finding.labels.push_back(tla::to_string(pairing.machine().spec(), label));
    }
    trace.findings.push_back(std::move(finding));
  }

  void run(Pairing& pairing, const InputValues& values, std::uint64_t seed, NightTrace& trace) {
    const auto start = NightClock::now();
    const ObservedTrace observed = record_run(pairing, runner_, seed, options_.limits.trace_events);
    trace.generate_seconds += night_seconds(start);
    const auto verify = NightClock::now();
    trace.hash = hash_of(pairing, sequence_hash(observed));
    trace.is_known = seen_.contains(trace.hash);
    if (trace.is_known) return;
    Judge& judge = pairing.judge();
    judge.start(observed.initial_states);
    std::vector<tla::Label> labels;
    bool goes_on = true;
    for (const Observation& observation : observed.observations) {
      const auto violation = judge.observe(observation);
      ++trace.steps;
      for (const tla::Label& label : pairing.mapping().meaning(observation).labels) {
        labels.push_back(label);
      }
      if (violation) {
        keep(*violation, pairing, values, seed, observed.observations.size(), labels, trace);
      }
      goes_on = judge.goes_on();
      if (!goes_on) break;
    }
    trace.is_partly = goes_on && (observed.is_cut || judge.is_unknown());
    trace.verify_seconds += night_seconds(verify);
  }

  void walk(Pairing& pairing, const InputValues& values, std::uint64_t seed, std::uint64_t number,
            NightTrace& trace) {
    Random random(seed);
    const std::vector<double> weights =
        walk_weights(mapping_, pairing.mapping().weights(), number, random);
    Lockstep& lockstep = pairing.lockstep();
    lockstep.start(seed);
    Stepper stepper(*pairing.scenario().system, seed);
    stepper.start();
    ObservedTrace observed;
    observed.initial_states =
        node_states(pairing.machine().store(), stepper, pairing.scenario().nodes());
    std::vector<tla::Label> labels;
    tla::Label label;
    tla::State next;
    while (labels.size() < options_.depth) {
      const auto start = NightClock::now();
      const bool is_possible =
          pairing.machine().random_step(lockstep.state(), weights, random, label, next);
      trace.generate_seconds += night_seconds(start);
      if (!is_possible) break;
      labels.push_back(label);
      const auto verify = NightClock::now();
      const auto violation = lockstep.step(label, next);
      trace.verify_seconds += night_seconds(verify);
      const auto& seen = lockstep.seen();
      observed.observations.insert(observed.observations.end(), seen.begin(), seen.end());
      if (violation) keep(*violation, pairing, values, seed, labels.size(), labels, trace);
      if (!lockstep.goes_on()) break;
    }
    trace.steps = lockstep.compared();
    trace.hash = hash_of(pairing, sequence_hash(observed));
  }

  const Mapping& mapping_;
  const Variant& variant_;
  const SystemRegistry& systems_;
  const NightOptions& options_;
  const SeenTraces& seen_;
  run::Runner runner_;
};

std::string value_text(const Mapping& mapping, const InputValues& values) {
  std::string text;
  for (std::size_t index = 0; index < values.size(); ++index) {
    text += (index == 0 ? "" : ", ") + input_text(mapping.inputs[index], values[index], true);
  }
  return text;
}

void add_type(std::string& types, std::string_view type) {
  if (types.find(fmt::format("{}, ", type)) != std::string::npos || types.ends_with(type)) return;
  types += fmt::format("{}{}", types.empty() ? "" : ", ", type);
}

/// In the order of the traces: what is new, and what ends the night.
class NightKeeper {
 public:
  NightKeeper(const Mapping& mapping, const Variant& variant, const SystemRegistry& systems,
              const NightOptions& options, NightRecord& record,
              const std::function<void(const NightFinding&)>& found)
      : mapping_(mapping),
        variant_(variant),
        systems_(systems),
        options_(options),
        record_(record),
        found_(found) {}

  void take(std::uint64_t number, NightTrace& trace) {
    bool is_new = false;
    record_.add(trace, is_new);
    std::uint64_t& old = trace.workflow == 1 ? old_runs_ : old_walks_;
    old = is_new ? 0 : old + 1;
    bool is_found = false;
    if (is_new) {
      for (ConformanceFinding& finding : trace.findings) {
        is_found = keep(number, finding) || is_found;
      }
    }
    if (!is_found && night_seconds(committed_) < kCommitSeconds) return;
    record_.commit();
    committed_ = NightClock::now();
  }
  bool is_exhausted() const {
    return old_runs_ >= options_.patience && old_walks_ >= options_.patience;
  }

 private:
  /// True: nobody had seen the like.
  bool keep(std::uint64_t number, ConformanceFinding& finding) {
    const std::string signature = signature_of(finding.violation);
    const std::string_view type = to_string(finding.violation.type);
    if (NightFinding* known = record_.find(signature)) {
      ++known->traces;
      add_type(known->types, type);
      return false;
    }
    NightFinding kept;
    kept.signature = signature;
    kept.types = type;
    kept.first_trace = number;
    kept.traces = 1;
    kept.value = value_text(mapping_, finding.values);
    kept.length = finding.violation.step;
    kept.generate_seconds = record_.totals().generate_seconds;
    kept.verify_seconds = record_.totals().verify_seconds;
    if (options_.shrinks) {
      Conformance(mapping_, variant_, options_.seed, systems_).shrink(finding);
    }
    kept.file = to_json({mapping_.path, variant_, finding});
    found_(record_.add(std::move(kept)));
    return true;
  }

  const Mapping& mapping_;
  const Variant& variant_;
  const SystemRegistry& systems_;
  const NightOptions& options_;
  NightRecord& record_;
  const std::function<void(const NightFinding&)>& found_;
  std::uint64_t old_runs_ = 0, old_walks_ = 0;
  NightClock::time_point committed_ = NightClock::now();
};

std::vector<std::string> gaps_of(const NightTotals& totals) {
  std::vector<std::string> gaps;
  if (totals.traces == 0) gaps.push_back("there was no trace to judge");
  if (totals.partly > 0) {
    gaps.push_back(
        fmt::format("{} of {} traces judged in part: a limit was hit (--limit-steps, "
                    "--frontier)",
                    totals.partly, totals.traces));
  }
  if (totals.traces > totals.walks && totals.run_steps == 0) {
    gaps.push_back("Workflow I: no step was judged");
  }
  if (totals.walks > 0 && totals.walk_steps == 0) {
    gaps.push_back("Workflow II: no step was compared");
  }
  return gaps;
}

}  // namespace

std::string night_identity(const Mapping& mapping, const Variant& variant,
                           const NightOptions& options) {
  std::vector<std::string> paths{mapping.path, mapping.scenario, mapping.spec};
  if (!mapping.config.empty()) paths.push_back(mapping.config);
  // Modules that the specification extends are beside it.
  std::error_code error;
  const auto folder = std::filesystem::path(mapping.spec).parent_path();
  std::vector<std::string> modules;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (entry.path().extension() == ".tla") modules.push_back(entry.path().string());
  }
  std::sort(modules.begin(), modules.end());
  paths.insert(paths.end(), modules.begin(), modules.end());
  std::string text;
  for (const std::string& path : paths) {
    const std::uint64_t content = derive_seed(0, read_file(path, kIdentityBytesMost));
    text += fmt::format("{} {:016x}\n", path, content);
  }
  for (const auto& [key, value] : variant.settings) text += fmt::format("{} = {}\n", key, value);
  for (const auto& [key, value] : variant.constants) text += fmt::format("{} == {}\n", key, value);
  return text + fmt::format("seed {} depth {} events {} frontier {}\n", options.seed, options.depth,
                            options.limits.trace_events, options.limits.judge.frontier_most);
}

NightResult run_night(const Mapping& mapping, const Variant& variant, const SystemRegistry& systems,
                      const NightOptions& options, NightRecord& record,
                      const std::function<bool()>& goes_on,
                      const std::function<void(const NightFinding&)>& found) {
  const auto start = NightClock::now();
  const double most = options.limits.seconds;
  const std::uint64_t first = record.totals().traces;
  const std::uint64_t all =
      options.traces == 0 ? std::numeric_limits<std::uint32_t>::max() : options.traces;
  NightKeeper keeper(mapping, variant, systems, options, record, found);
  NightResult result;
  for_each_in_order(
      all > first ? all - first : 0, options.workers,
      [&] {
        return std::make_unique<NightWorker>(mapping, variant, systems, options, record.seen());
      },
      [&](NightWorker& worker, std::size_t index) { return worker.make(first + index); },
      [&](std::size_t index, NightTrace trace) {
        keeper.take(first + index, trace);
        result.is_exhausted = keeper.is_exhausted();
        return !result.is_exhausted && (most <= 0 || night_seconds(start) < most) && goes_on();
      });
  record.commit();
  result.gaps = gaps_of(record.totals());
  return result;
}

}  // namespace dissensus::conform
