#include "conform/lockstep.h"

#include <fmt/format.h>

namespace dissensus::conform {

using Command = MappingReplay::Command;

Lockstep::Lockstep(BoundMapping& mapping, Judge& judge, const System& system)
    : mapping_(mapping), judge_(judge), system_(system), machine_(mapping.machine()) {}

void Lockstep::start(std::uint64_t seed) {
  stepper_ = std::make_unique<Stepper>(system_, seed);
  stepper_->start();
  stepper_->take_steps();
  judge_.start(node_states(machine_.store(), *stepper_, system_.node_count()));
  state_ = judge_.frontier().front();
  seen_.clear();
  goes_on_ = true;
  compared_ = 0;
}

std::optional<std::size_t> Lockstep::find_message(const ReplayCommand& command) const {
  const SystemDescription& description = system_.description();
  for (std::size_t index = 0; index < stepper_->messages().size(); ++index) {
    const Stepper::WaitingMessage& waiting = stepper_->messages()[index];
    if (waiting.to != command.node || waiting.message.kind() != command.kind) continue;
    if (command.from != kNoNode && waiting.from != command.from) continue;
    const PayloadDescription& payload =
        description.payloads[description.kinds[command.kind].payload];
    bool matches = true;
    for (const auto& [field, value] : command.fields) {
      const FieldValue has = payload.getters[field](waiting.message.object());
      if (to_value(machine_.store(), has) != value) {
        matches = false;
        break;
      }
    }
    if (matches) return index;
  }
  return std::nullopt;
}

std::optional<std::string> Lockstep::execute(const ReplayCommand& command) {
  switch (command.command) {
    case Command::nothing:
      return std::nullopt;
    case Command::deliver: {
      const auto message = find_message(command);
      if (!message) {
        return fmt::format("no such {} message is under way to node {}",
                           system_.description().kinds[command.kind].name, command.node);
      }
      stepper_->deliver(*message);
      return std::nullopt;
    }
    case Command::timer: {
      const auto& timers = stepper_->timers();
      for (std::size_t index = 0; index < timers.size(); ++index) {
        if (timers[index].node == command.node && timers[index].tag == command.tag) {
          stepper_->fire(index);
          return std::nullopt;
        }
      }
      return fmt::format("node {} has no such timer (tag {})", command.node, command.tag);
    }
    case Command::submit:
      if (!stepper_->is_running(command.node)) {
        return fmt::format("node {} is down", command.node);
      }
      stepper_->submit(command.node, *command.request);
      return std::nullopt;
    case Command::crash:
      if (stepper_->crash(command.node)) return std::nullopt;
      return fmt::format("node {} is down already", command.node);
    case Command::restart:
      if (stepper_->restart(command.node)) return std::nullopt;
      return fmt::format("node {} is up already", command.node);
  }
  return std::nullopt;
}

std::vector<Observation> Lockstep::observations(const ReplayCommand& command) {
  // What goes by itself goes first: it is part of the same step of the model.
  for (std::size_t index = 0; index < stepper_->messages().size();) {
    if (mapping_.is_automatic(stepper_->messages()[index].message.kind())) {
      stepper_->deliver(index);
      index = 0;
    } else {
      ++index;
    }
  }
  std::vector<Observation> seen;
  if (command.command == Command::crash) {
    seen.push_back({mapping_.crash_event(), command.node, {}, {}});
  } else if (command.command == Command::restart) {
    seen.push_back({mapping_.restart_event(),
                    command.node,
                    {},
                    to_value(machine_.store(), stepper_->state(command.node))});
  }
  for (const ReportedStep& step : stepper_->take_steps()) {
    seen.push_back(to_observation(machine_.store(), step));
  }
  return seen;
}

Violation Lockstep::refusal(const tla::Label& label, std::string message) const {
  Violation violation;
  violation.type = Violation::Type::type_two;
  violation.step = judge_.step();
  violation.action = tla::to_string(machine_.spec(), label);
  violation.message = std::move(message);
  return violation;
}

std::optional<Violation> Lockstep::compare(const tla::Label& label,
                                           const std::vector<Observation>& seen) {
  bool has_label = false;
  for (const Observation& observation : seen) {
    auto broken = judge_.check_properties(observation);
    if (broken && !broken_) broken_ = std::move(broken);
    const BoundMapping::Meaning meaning = mapping_.meaning(observation);
    for (const tla::Label& done : meaning.labels) {
      if (!has_label) {
        if (done.action != label.action || done.arguments != label.arguments) {
          return refusal(label, fmt::format("the implementation does {} instead",
                                            tla::to_string(machine_.spec(), done)));
        }
        has_label = true;
        continue;
      }
      // The implementation goes on by itself: the model must be able to follow.
      std::optional<tla::State> followed;
      mapping_.machine().perform(state_, done.action, done.arguments, [&](const tla::State& next) {
        followed = next;
        return false;
      });
      if (!followed) {
        Violation violation = refusal(
            label, fmt::format("the implementation goes on with {}, which the model does not allow",
                               tla::to_string(machine_.spec(), done)));
        violation.guards =
            to_guards(mapping_.machine().explain(state_, done.action, done.arguments));
        return violation;
      }
      state_ = *followed;
    }
    if (meaning.type == BoundMapping::Meaning::Type::pending) continue;
    auto differences = mapping_.differences(observation, state_);
    if (!differences.empty()) {
      Violation violation = refusal(label, "model and implementation differ afterwards");
      violation.event = mapping_.to_string(observation);
      violation.differences = std::move(differences);
      return violation;
    }
  }
  if (!has_label) return refusal(label, "the implementation does not take this step");
  return std::nullopt;
}

std::optional<Violation> Lockstep::step(const tla::Label& label, const tla::State& next) {
  judge_.note_step();
  seen_.clear();
  broken_.reset();
  auto violation = take(label, next);
  goes_on_ = !violation;
  return broken_ ? broken_ : violation;
}

std::optional<Violation> Lockstep::take(const tla::Label& label, const tla::State& next) {
  const auto command = mapping_.command(label, state_);
  if (!command) return refusal(label, "the mapping does not say how to carry this step out");
  if (auto reason = execute(*command)) return refusal(label, std::move(*reason));
  state_ = next;
  if (command->command == Command::nothing) return std::nullopt;
  seen_ = observations(*command);
  if (auto violation = compare(label, seen_)) return violation;
  judge_.cover(label, command->node, state_);
  ++compared_;
  return std::nullopt;
}

std::optional<Violation> Lockstep::drive(const tla::Label& label, bool& is_done) {
  is_done = false;
  const auto command = mapping_.command(label, judge_.frontier().front());
  if (!command || execute(*command)) return std::nullopt;
  is_done = true;
  seen_ = observations(*command);
  for (const Observation& observation : seen_) {
    if (auto violation = judge_.observe(observation)) return violation;
  }
  return std::nullopt;
}

}  // namespace dissensus::conform
