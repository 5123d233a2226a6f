// Steps of the model as a mapping names them, remembered, and why one is refused: what the judge of
// a run (judge.h) and the judge of logs (follow.h) share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "conform/bound_mapping.h"
#include "conform/violation.h"
#include "tla/logs/matcher.h"

namespace dissensus::conform {

class ModelSteps {
 public:
  /// The mapping must outlive it. `most`: states after one step.
  ModelSteps(BoundMapping& mapping, std::size_t most);

  /// The states that labels, one after another, lead to; nullopt: too many.
  std::optional<std::vector<tla::State>> advance_all(std::vector<tla::State> states,
                                                     const std::vector<tla::Label>& labels);
  /// Why no state fits: the model refuses the step, or looks different after it. `before` are the
  /// states from which it was tried.
  Violation explained(const Observation& observation, const std::vector<tla::Label>& labels,
                      const std::vector<tla::State>& before);
  /// The model refuses the step; without labels: any.
  Violation refusal(const Observation& observation, const std::vector<tla::Label>& labels,
                    const std::vector<tla::State>& before);
  /// Counts a (label, state) of the model for coverage; true when its view is new.
  bool cover(const tla::Label& label, NodeId node, const tla::State& state);
  /// Values of the store were released: forget those kept.
  void forget() { transitions_.clear(); }

  std::uint64_t performed() const { return performed_; }
  std::uint64_t known() const { return known_; }  ///< steps known from before
  std::uint64_t new_views() const { return new_views_; }

 private:
  std::optional<std::vector<tla::State>> advance(const std::vector<tla::State>& from,
                                                 const tla::Label& label);
  Violation mismatch(const Observation& observation, const std::vector<tla::Label>& labels,
                     const std::vector<tla::State>& reached);
  std::vector<std::string> nearest_actions(const tla::State& state, NodeId node);

  BoundMapping& mapping_;
  tla::Machine& machine_;
  std::size_t most_;
  std::uint64_t performed_ = 0;
  std::uint64_t known_ = 0;
  std::uint64_t new_views_ = 0;
  std::unordered_map<std::uint64_t, std::vector<tla::State>> transitions_;  ///< never iterated
  std::unordered_set<std::uint64_t> covered_;                               ///< never iterated
};

}  // namespace dissensus::conform
