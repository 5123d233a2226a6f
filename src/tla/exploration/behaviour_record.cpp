#include "tla/exploration/behaviour_record.h"

#include <utility>

#include "dissensus/digest.h"

#include "core/assert.h"

namespace dissensus::tla {

namespace {

/// Numbers of states by fingerprint.
class StateNumbers {
 public:
  explicit StateNumbers(const std::vector<std::uint64_t>& fingerprints)
      : fingerprints_(fingerprints) {
    std::size_t capacity = 16;
    while (capacity < fingerprints.size() * 2) capacity *= 2;
    slots_.assign(capacity, kFree);
    for (std::uint32_t i = 0; i < fingerprints.size(); ++i) {
      std::size_t at = slot_of(fingerprints[i]);
      while (slots_[at] != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i;
    }
  }

  std::uint32_t operator[](std::uint64_t fingerprint) const {
    for (std::size_t at = slot_of(fingerprint);; at = (at + 1) & (slots_.size() - 1)) {
      DISSENSUS_ASSERT(slots_[at] != kFree, "BehaviourRecord : steps lead to states of the model");
      if (fingerprints_[slots_[at]] == fingerprint) return slots_[at];
    }
  }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  std::size_t slot_of(std::uint64_t fingerprint) const {
    return mix64(fingerprint, 1) & (slots_.size() - 1);
  }
  const std::vector<std::uint64_t>& fingerprints_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace

void BehaviourRecord::add_state(std::uint64_t fingerprint, bool is_initial) {
  if (is_initial) initial_.push_back(static_cast<std::uint32_t>(fingerprints_.size()));
  fingerprints_.push_back(fingerprint);
  ranges_.emplace_back();
}

void BehaviourRecord::add_steps(const UnitSteps& steps) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < steps.table.size(); ++i) {
    numbers.push_back(table_.number_of(steps.table[i]));
  }
  std::uint64_t first = targets_.size();
  for (const UnitSteps::Source& source : steps.sources) {
    ranges_[source.state] = {first, source.steps};
    first += source.steps;
  }
  targets_.insert(targets_.end(), steps.targets.begin(), steps.targets.end());
  for (const std::uint32_t letter : steps.letters) letters_.push_back(numbers[letter]);
}

std::uint64_t BehaviourRecord::bytes() const {
  return fingerprints_.capacity() * sizeof(std::uint64_t) + ranges_.capacity() * sizeof(Range) +
         targets_.capacity() * sizeof(std::uint64_t) + letters_.capacity() * sizeof(std::uint32_t) +
         table_.bytes();
}

BehaviourGraph BehaviourRecord::take_graph() {
  BehaviourGraph graph;
  graph.letters = std::move(table_);
  graph.initial = std::move(initial_);
  graph.first.reserve(ranges_.size() + 1);
  graph.first.push_back(0);
  graph.edges.reserve(targets_.size());
  const StateNumbers numbers(fingerprints_);
  for (const Range& range : ranges_) {
    for (std::uint64_t i = range.first; i < range.first + range.count; ++i) {
      graph.edges.push_back({numbers[targets_[i]], letters_[i]});
    }
    graph.first.push_back(graph.edges.size());
  }
  targets_ = {};
  letters_ = {};
  ranges_ = {};
  return graph;
}

}  // namespace dissensus::tla
