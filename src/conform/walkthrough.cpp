#include "conform/walkthrough.h"

#include <deque>

#include <fmt/format.h>

#include "conform/mapping.h"
#include "conform/script.h"
#include "core/file.h"

namespace dissensus::conform {
namespace {

constexpr std::size_t kSourceBytesMost = std::size_t{4} << 20;
constexpr std::size_t kLinesAround = 7;

/// Turns values into texts, and remembers what they were to tell what changed.
class Describer {
 public:
  Describer(Pairing& pairing, const WalkthroughLimits& limits)
      : pairing_(pairing), limits_(limits), store_(pairing.machine().store()) {}

  NamedTexts state(const tla::State& state) {
    NamedTexts texts;
    const std::vector<std::string>& names = pairing_.machine().spec().variables();
    for (std::size_t index = 0; index < state.size() && index < names.size(); ++index) {
      add(texts, names[index], state[index], true);
    }
    return texts;
  }
  /// The state of a node as it reported it: a record.
  NamedTexts node(tla::Value state) {
    NamedTexts texts;
    if (state.is_null() || !tla::is_function(state.type())) return texts;
    const tla::Value names = store_.domain(state);
    tla::SetCursor cursor(store_, names);
    for (tla::Value name; cursor.next(name);) {
      std::string text = tla::to_string(name);
      if (text.size() > 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
      add(texts, text, store_.apply(state, name), false);
    }
    return texts;
  }

 private:
  void add(NamedTexts& texts, const std::string& name, tla::Value value, bool may_open) {
    if (value.is_null()) return;
    const bool is_open =
        may_open && tla::is_function(value.type()) && store_.domain_size(value) <= limits_.entries;
    if (!is_open || store_.domain_size(value) == 0) {
      texts[name] = cut(tla::to_string(value));
      return;
    }
    const tla::Value domain = store_.domain(value);
    tla::SetCursor cursor(store_, domain);
    for (tla::Value argument; cursor.next(argument);) {
      texts[fmt::format("{}[{}]", name, tla::to_string(argument))] =
          cut(tla::to_string(store_.apply(value, argument)));
    }
  }
  std::string cut(std::string text) const {
    if (text.size() <= limits_.text_bytes) return text;
    const std::size_t size = text.size();
    text.resize(limits_.text_bytes);
    return text + fmt::format("... ({} characters)", size);
  }

  Pairing& pairing_;
  const WalkthroughLimits& limits_;
  tla::Store& store_;
};

/// What `after` says otherwise than `before`; what is gone is an empty text.
NamedTexts changes(const NamedTexts& before, const NamedTexts& after) {
  NamedTexts changed;
  for (const auto& [name, text] : after) {
    const auto was = before.find(name);
    if (was == before.end() || was->second != text) changed[name] = text;
  }
  for (const auto& [name, text] : before) {
    if (!after.contains(name)) changed[name] = "";
  }
  return changed;
}

void put(NamedTexts& texts, const NamedTexts& changed) {
  for (const auto& [name, text] : changed) {
    if (text.empty()) {
      texts.erase(name);
    } else {
      texts[name] = text;
    }
  }
}

class Walker {
 public:
  Walker(Pairing& pairing, const WalkthroughLimits& limits, Walkthrough& walk)
      : pairing_(pairing), limits_(limits), describer_(pairing, limits), walk_(walk) {}

  void begin(const tla::State& model, std::span<const tla::Value> nodes) {
    walk_.model = model_ = describer_.state(model);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      nodes_[static_cast<NodeId>(node)] = describer_.node(nodes[node]);
    }
    walk_.implementation = nodes_;
  }

  void add(std::span<const Observation> seen, std::span<const tla::Label> labels,
           const tla::State& after) {
    WalkStep step;
    step.number = ++number_;
    const tla::Spec& spec = pairing_.machine().spec();
    for (const tla::Label& label : labels) step.actions.push_back(tla::to_string(spec, label));
    if (!labels.empty()) step.place = spec.actions()[labels.front().action].at.to_string();
    for (const Observation& observation : seen) {
      step.events.push_back(pairing_.mapping().to_string(observation));
      step.node = observation.node;
      if (observation.state.is_null()) continue;
      NamedTexts now = describer_.node(observation.state);
      put(step.implementation, changes(nodes_[observation.node], now));
      nodes_[observation.node] = std::move(now);
    }
    NamedTexts now = describer_.state(after);
    step.model = changes(model_, now);
    model_ = std::move(now);
    kept_.push_back(std::move(step));
    if (kept_.size() > limits_.steps) leave_out();
  }

  void end() { walk_.steps.assign(kept_.begin(), kept_.end()); }

 private:
  /// The first step that is kept is forgotten, what it did is where the walk begins.
  void leave_out() {
    const WalkStep& first = kept_.front();
    put(walk_.model, first.model);
    if (first.node) put(walk_.implementation[*first.node], first.implementation);
    kept_.pop_front();
    ++walk_.left_out;
  }

  Pairing& pairing_;
  const WalkthroughLimits& limits_;
  Describer describer_;
  Walkthrough& walk_;
  NamedTexts model_;
  std::map<NodeId, NamedTexts> nodes_;
  std::deque<WalkStep> kept_;
  std::size_t number_ = 0;
};

/// The lines around "path:line:column"; none where the file is not one that can be read.
SourceLines lines_around(const std::string& at) {
  SourceLines found;
  const std::size_t column = at.rfind(':');
  const std::size_t line =
      column == std::string::npos || column == 0 ? std::string::npos : at.rfind(':', column - 1);
  if (line == std::string::npos) return found;
  std::string text;
  try {
    found.marked = std::stoul(at.substr(line + 1, column - line - 1));
    text = read_file(at.substr(0, line), kSourceBytesMost);
  } catch (const std::exception&) {
    return {};  // a module of the library, say
  }
  found.first = found.marked > kLinesAround ? found.marked - kLinesAround : 1;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size() && number <= found.marked + kLinesAround / 2;
       ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (number >= found.first) found.lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return found;
}

void walk_script(Pairing& pairing, const ConformanceFinding& finding, Walker& walker,
                 Walkthrough& walk) {
  const std::vector<tla::Label> labels = parse_labels(pairing.machine(), finding.labels);
  pairing.lockstep().start(finding.seed);
  Stepper stepper(*pairing.scenario().system, finding.seed);
  stepper.start();
  walker.begin(pairing.lockstep().state(),
               node_states(pairing.machine().store(), stepper, pairing.scenario().nodes()));
  const auto watch = [&](const ScriptStep& step) {
    walker.add(step.seen, {&step.label, 1}, step.after);
  };
  walk.violation = run_script(pairing, finding.workflow, finding.seed, labels, watch).violation;
}

void walk_run(Pairing& pairing, const ConformanceFinding& finding, const WorkflowLimits& limits,
              Walker& walker, Walkthrough& walk) {
  run::Runner runner;
  const ObservedTrace trace = record_run(pairing, runner, finding.seed, limits.trace_events);
  Judge& judge = pairing.judge();
  judge.start(trace.initial_states);
  if (judge.frontier().empty()) return;
  walker.begin(judge.frontier().front(), trace.initial_states);
  for (const Observation& observation : trace.observations) {
    const std::vector<tla::Label> labels = pairing.mapping().meaning(observation).labels;
    walk.violation = judge.observe(observation);
    if (judge.is_unknown()) return;
    walker.add({&observation, 1}, labels, judge.frontier().front());
    if (walk.violation) return;
  }
}

}  // namespace

Walkthrough walk_through(const FindingFile& file, const SystemRegistry& systems,
                         const WalkthroughLimits& limits) {
  const Mapping mapping = load_mapping(file.mapping);
  const ConformanceFinding& finding = file.finding;
  if (finding.values.size() != mapping.inputs.size()) {
    throw InputError(fmt::format("inputs: {} values, but {} has {} inputs", finding.values.size(),
                                 file.mapping, mapping.inputs.size()));
  }
  JudgeOptions judge = limits.workflow.judge;
  judge.ignored_properties = finding.ignored;
  Pairing pairing(mapping, file.variant, finding.values, systems, judge);
  Walkthrough walk;
  walk.spec = mapping.spec;
  walk.scenario = mapping.scenario;
  for (std::size_t index = 0; index < mapping.inputs.size(); ++index) {
    walk.inputs.emplace_back(mapping.inputs[index].name,
                             input_text(mapping.inputs[index], finding.values[index], true));
  }
  Walker walker(pairing, limits, walk);
  if (finding.is_script) {
    walk_script(pairing, finding, walker, walk);
  } else {
    walk_run(pairing, finding, limits.workflow, walker, walk);
  }
  walker.end();
  if (walk.violation) {
    for (const RefusingGuard& guard : walk.violation->guards) {
      walk.sources.push_back(lines_around(guard.at));
    }
  }
  return walk;
}

}  // namespace dissensus::conform
