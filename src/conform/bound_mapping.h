// A mapping made ready for one model and one system: expressions compiled, names checked in both
// directions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/message.h"
#include "dissensus/state.h"
#include "dissensus/system.h"

#include "conform/mapping.h"
#include "tla/evaluation/machine.h"

namespace dissensus::conform {

tla::Value to_value(tla::Store& store, const StateValue& value);
tla::Value to_value(tla::Store& store, const StateValue::Record& record);
tla::Value to_value(tla::Store& store, const FieldValue& value);

/// Something that happened in the implementation, in values of the model's store.
struct Observation {
  std::uint32_t event = 0;  ///< a step of the system; then crash, then restart
  NodeId node = kNoNode;
  std::vector<tla::Value> arguments;
  tla::Value state;  ///< of the node right afterwards; null: unknown
};

struct ViewDifference {
  std::string view;
  std::string model;
  std::string implementation;
};

/// How a step of the model is to be carried out.
struct ReplayCommand {
  MappingReplay::Command command = MappingReplay::Command::nothing;
  NodeId node = kNoNode;
  NodeId from = kNoNode;
  MessageKind kind = kNoKind;
  std::uint64_t tag = 0;
  std::vector<std::pair<std::size_t, tla::Value>> fields;  ///< of the payload
  const Request* request = nullptr;
};

class BoundMapping {
 public:
  /// Throws InputError for unknown actions, arities, variables, events, kinds and fields. All
  /// references must outlive it.
  BoundMapping(const Mapping& mapping, tla::Machine& model, const System& system);

  const Mapping& mapping() const { return mapping_; }
  const SystemDescription& system() const { return system_; }
  /// The model: its states, steps and labels.
  tla::Machine& machine() const { return machine_; }

  std::uint32_t crash_event() const { return static_cast<std::uint32_t>(system_.steps.size()); }
  std::uint32_t restart_event() const { return crash_event() + 1; }
  std::string event_name(std::uint32_t event) const;
  /// "add(node 3, creator 2, round 1)"
  std::string to_string(const Observation& observation) const;

  /// What an observation is in the model.
  struct Meaning {
    enum class Type : std::uint8_t { unmapped, stutter, pending, steps };
    Type type = Type::unmapped;
    std::vector<tla::Label> labels;
    bool is_stable = false;  ///< MappingEvent::is_stable
  };
  Meaning meaning(const Observation& observation);

  /// Where a model's state and the observed one do not fit.
  std::vector<ViewDifference> differences(const Observation& observation, const tla::State& state);
  bool fits(const Observation& observation, const tla::State& state);
  /// Hash of what the views show of the acting node in the model: the coverage of a state.
  std::uint64_t view_hash(NodeId node, const tla::State& state);

  /// What is remembered of a node before its first step, and after one: a record.
  tla::Value first_history();
  tla::Value next_history(tla::Value history, const Observation& observation);
  /// The model's state as the implementation's states say it; empty without an [abstraction].
  /// Variables without an entry are null: a property that reads one cannot be judged.
  tla::State abstract(std::span<const tla::Value> node_states,
                      std::span<const tla::Value> histories);
  bool has_properties() const { return !properties_.empty(); }
  /// The first property that does not hold, but for those in `except`.
  std::optional<std::string> violated_property(const tla::State& abstracted,
                                               std::span<const std::string> except = {});

  /// By action: how many of its steps may happen unseen before an event.
  const std::vector<std::uint32_t>& hidden() const { return hidden_; }
  bool has_hidden() const { return !mapping_.hidden.empty(); }

  /// How to carry a label out from a state of the model. Nullopt: the mapping does not say.
  std::optional<ReplayCommand> command(const tla::Label& label, const tla::State& state);
  bool is_automatic(MessageKind kind) const { return automatic_[kind]; }
  /// By action; 1 where the mapping is silent.
  const std::vector<double>& weights() const { return weights_; }

  /// Which parts of the mapping were used since construction.
  struct Coverage {
    std::vector<std::string> events_never_seen;
    std::vector<std::string> actions_never_seen;  ///< labels of the model
  };
  Coverage coverage() const;

 private:
  using Compiled = std::shared_ptr<const tla::CompiledExpression>;
  struct Call {
    tla::ActionId action = 0;
    std::vector<Compiled> arguments;
  };
  struct EventEntry {
    std::uint32_t event = 0;
    Compiled when, until;
    std::vector<Call> calls;
  };
  struct View {
    Compiled model, implementation, when;
  };
  struct Replay {
    tla::ActionId action = 0;
    MessageKind kind = kNoKind;
    Compiled node, from, tag;
    std::vector<std::pair<std::size_t, Compiled>> fields;
    std::shared_ptr<const Request> request;
  };

  std::vector<std::string> event_parameters(std::uint32_t event) const;
  Compiled compile(const MappedText& text, const std::vector<std::string>& parameters);
  Compiled compile(const std::optional<MappedText>& text,
                   const std::vector<std::string>& parameters);
  tla::ActionId action_of(const OptionValue& at, std::string_view name, std::size_t arity) const;
  Call bind_call(const MappedText& text, const std::vector<std::string>& parameters);
  void bind_events();
  void bind_views();
  void bind_abstraction();
  void bind_replays(const System& system);
  void bind_weights();
  std::vector<tla::Value> event_values(const Observation& observation) const;
  bool view_fits(std::size_t index, const Observation& observation, const tla::State& state,
                 ViewDifference* difference);

  const Mapping& mapping_;
  tla::Machine& machine_;
  const SystemDescription& system_;
  std::vector<EventEntry> entries_;
  std::vector<std::vector<std::size_t>> entries_of_;  ///< by event
  std::vector<View> views_;
  std::vector<std::pair<Compiled, Compiled>> histories_;       ///< starts, becomes
  std::vector<std::pair<std::size_t, Compiled>> abstraction_;  ///< variable, expression
  std::vector<std::pair<std::string, Compiled>> properties_;
  std::vector<Replay> replays_;
  std::vector<std::optional<std::size_t>> replay_of_;  ///< by action
  std::vector<std::uint32_t> hidden_;                  ///< by action
  std::vector<bool> automatic_;                        ///< by kind
  std::vector<double> weights_;
  std::vector<bool> entry_seen_;
  std::vector<bool> action_seen_;
};

}  // namespace dissensus::conform
