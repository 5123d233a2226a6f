#include "serve/node_state.h"

#include <map>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "trace/dependence.h"
#include "trace/labels.h"

namespace dissensus::serve {

namespace {

std::string text_of(const StateValue& value);

template <class Items>
std::string joined(const Items& items, char open, char close) {
  std::string text(1, open);
  for (const StateValue& item : items) {
    if (text.size() > 1) text += ", ";
    text += text_of(item);
  }
  return text + close;
}

std::string text_of(const StateValue& value) {
  struct Visitor {
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const StateValue::Sequence& sequence) const {
      return joined(sequence.items, '[', ']');
    }
    std::string operator()(const StateValue::Set& set) const { return joined(set.items, '{', '}'); }
    std::string operator()(const StateValue::Record& record) const {
      std::string text = "[";
      for (const auto& [name, field] : record.fields) {
        text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", name, text_of(field));
      }
      return text + "]";
    }
  };
  return std::visit(Visitor{}, value.value);
}

using State = std::map<std::string, std::string>;

/// What the reports of a node add up to.
class Reported {
 public:
  explicit Reported(const trace::Header& header) : header_(header) {}

  void add(const trace::Record& record) {
    switch (record.type) {
      case EventType::round:
        state_["round"] = std::to_string(record.number);
        break;
      case EventType::phase:
        state_["phase"] = trace::name_or_number(header_.phases, record.number, "phase");
        break;
      case EventType::observe:
        state_[trace::name_or_number(header_.observables, record.detail, "observable")] =
            std::to_string(static_cast<std::int64_t>(record.number));
        break;
      case EventType::decide:
      case EventType::propose:
        state_[fmt::format("last {} {}",
                           trace::name_or_number(header_.levels, record.detail, "level"),
                           record.type == EventType::decide ? "decided" : "proposed")] =
            fmt::format("{} = {}", trace::instance_text(header_, record.detail, record.number),
                        trace::value_text(header_, record.detail, record.value));
        break;
      case EventType::crash:
        state_["down"] = "yes";
        break;
      case EventType::restart:
      case EventType::start:
        state_.erase("down");
        break;
      case EventType::deliver:
        count(received_, record);
        break;
      case EventType::send:
        count(sent_, record);
        break;
      default:
        break;
    }
  }
  State state() const {
    State state = state_;
    for (const auto& [kind, number] : received_) state["received " + kind] = std::to_string(number);
    for (const auto& [kind, number] : sent_) state["sent " + kind] = std::to_string(number);
    return state;
  }

 private:
  void count(std::map<std::string, std::uint64_t>& counts, const trace::Record& record) {
    ++counts[trace::kind_name(header_, record.kind)];
  }

  const trace::Header& header_;
  State state_;
  std::map<std::string, std::uint64_t> received_;
  std::map<std::string, std::uint64_t> sent_;
};

/// Which events the handling of a stimulus took: [first, end) in numbers of events.
struct Handling {
  NodeId node = kNoNode;
  std::size_t begin = 0;  ///< index of the stimulus
  EventId first = 0;
  EventId end = 0;
};

Handling handling_of(const LoadedRun& run, std::size_t record) {
  Handling handling;
  handling.begin = stimulus_of(run, record);
  handling.node = run.records()[record].node;
  handling.first = run.records()[handling.begin].id;
  handling.end = UINT64_MAX;
  for (std::size_t at = handling.begin + 1; at < run.records().size(); ++at) {
    const trace::Record& later = run.records()[at];
    if (later.node == handling.node && is_stimulus(later.type)) {
      handling.end = later.id;
      break;
    }
  }
  return handling;
}

/// Hears the steps of one node while the run is made again.
class StateListener final : public EventSink {
 public:
  explicit StateListener(const Handling& handling) : handling_(handling) {}
  void on_event(const Event& event) override { last_ = event.id; }
  bool wants_steps() const override { return true; }
  void on_step(const StepReport& step) override {
    if (step.node != handling_.node || step.state == nullptr || last_ >= handling_.end) return;
    State& state = last_ < handling_.first ? before : after.emplace();
    state.clear();
    for (const auto& [name, value] : step.state->fields) state[name] = text_of(value);
  }

  State before;
  std::optional<State> after;  ///< none: it took no step

 private:
  const Handling& handling_;
  EventId last_ = 0;
};

/// The node's own state; nothing where its system tells none.
std::optional<std::pair<State, State>> own_state(const LoadedRun& run, const Handling& handling) {
  if (!run.recipe || run.recipe->scenario.system_description().steps.empty()) return std::nullopt;
  StateListener listener(handling);
  run::RunOptions options;
  options.branch = run.recipe->branch;
  options.sinks = {&listener};
  run::Runner().run(run.recipe->scenario, run.recipe->schedule, run.recipe->seed, options);
  if (listener.before.empty() && !listener.after) return std::nullopt;
  State after = listener.after.value_or(listener.before);
  return std::pair{std::move(listener.before), std::move(after)};
}

Json to_json(const State& before, const State& after) {
  Json json = Json::array();
  State all = after;
  all.insert(before.begin(), before.end());
  constexpr std::size_t kTextMax = 4000;
  const auto value = [](const State& state, const std::string& name) {
    const auto found = state.find(name);
    return found == state.end() ? Json(nullptr) : Json(found->second.substr(0, kTextMax));
  };
  for (const auto& [name, ignored] : all) {
    json.push_back(
        {{"name", name}, {"before", value(before, name)}, {"after", value(after, name)}});
  }
  return json;
}

}  // namespace

Json node_state_json(const LoadedRun& run, std::size_t record) {
  if (run.records()[record].node >= run.trace.header.nodes) return nullptr;
  const Handling handling = handling_of(run, record);
  Reported reported(run.trace.header);
  State before;
  for (std::size_t at = 0; at < run.records().size(); ++at) {
    const trace::Record& event = run.records()[at];
    if (event.id >= handling.end) break;
    if (at == handling.begin) before = reported.state();
    if (event.node == handling.node) reported.add(event);
  }
  Json json{{"node", handling.node},
            {"stimulus", handling.begin},
            {"reported", to_json(before, reported.state())}};
  const auto own = own_state(run, handling);
  json["own"] = own ? to_json(own->first, own->second) : Json(nullptr);
  return json;
}

}  // namespace dissensus::serve
