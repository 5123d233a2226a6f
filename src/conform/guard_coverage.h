// What runs and walks have reached of a model: which actions, which guards decided, which actions
// followed each other. "No violation" says nothing about a guard that never decided.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conform/mapping.h"
#include "tla/evaluation/machine.h"

namespace dissensus::conform {

class GuardCoverage {
 public:
  /// Notes the conjuncts of the actions that are compared. Throws InputError where the mapping
  /// calls a guard implied that the model does not have.
  void add_model(const tla::Spec& spec, const Mapping& mapping);

  void start_trace() { last_.clear(); }
  /// A step of the model; `is_new`: it showed something, so the state after it is looked at.
  void took(tla::Machine& machine, std::span<const double> weights, const tla::Label& label,
            const tla::State& state, bool is_new);

  struct Summary {
    std::size_t actions = 0, actions_taken = 0;
    std::size_t pairs = 0, pairs_taken = 0;      ///< one action right after another
    std::size_t guards = 0, guards_decided = 0;  ///< without those said to be implied
    std::vector<std::string> never_taken;
    std::vector<std::string> never_decided;  ///< "Add: r <= round[p]  (path:line)"
    std::vector<std::string> implied;        ///< said to be, and never decided
  };
  Summary summary() const;

 private:
  struct Guard {
    std::string name;  ///< "Add: r <= round[p]"
    bool is_implied = false;
    bool has_decided = false;
  };
  void look_at(tla::Machine& machine, std::span<const double> weights, const tla::State& state);

  std::map<std::string, Guard> guards_;  ///< by place
  std::set<std::string> actions_;        ///< that are compared
  std::set<std::string> taken_;
  std::set<std::pair<std::string, std::string>> pairs_;
  std::string last_;
  std::uint64_t offered_ = 0;
  std::uint64_t looks_in_vain_ = 0;  ///< since a guard decided for the first time
};

}  // namespace dissensus::conform
