// Model and implementation side by side: each step of the model is carried out by the
// implementation, and both must look alike afterwards (Workflow II).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dissensus/system.h"

#include "conform/judge.h"
#include "conform/stepper.h"

namespace dissensus::conform {

class Lockstep {
 public:
  /// All must outlive it.
  Lockstep(BoundMapping& mapping, Judge& judge, const System& system);

  /// Fresh nodes; the model in its first initial state.
  void start(std::uint64_t seed);
  const tla::State& state() const { return state_; }
  /// Steps since the start after which both sides were compared.
  std::uint64_t compared() const { return compared_; }

  /// What the implementation did in the last step.
  const std::vector<Observation>& seen() const { return seen_; }

  /// The model goes to `next` by `label`; so must the implementation. Afterwards state() is where
  /// both are. Nullopt: they agree.
  std::optional<Violation> step(const tla::Label& label, const tla::State& next);
  /// False: the last step was no step of both; what comes after cannot be compared. A broken
  /// property alone does not end a walk.
  bool goes_on() const { return goes_on_; }

  /// Workflow I on the same nodes: carries the label out in the implementation alone and judges
  /// what it reports. `is_done` false: the implementation had nothing to do for it.
  std::optional<Violation> drive(const tla::Label& label, bool& is_done);

 private:
  std::optional<Violation> take(const tla::Label& label, const tla::State& next);
  /// Nullopt: carried out; otherwise why not.
  std::optional<std::string> execute(const ReplayCommand& command);
  std::optional<std::size_t> find_message(const ReplayCommand& command) const;
  std::vector<Observation> observations(const ReplayCommand& command);
  Violation refusal(const tla::Label& label, std::string message) const;
  std::optional<Violation> compare(const tla::Label& label, const std::vector<Observation>& seen);

  BoundMapping& mapping_;
  Judge& judge_;
  const System& system_;
  tla::Machine& machine_;
  std::unique_ptr<Stepper> stepper_;
  tla::State state_;
  std::vector<Observation> seen_;
  std::optional<Violation> broken_;  ///< a property, by the last step
  bool goes_on_ = true;
  std::uint64_t compared_ = 0;
};

}  // namespace dissensus::conform
