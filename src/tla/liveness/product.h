// A behaviour graph and an automaton that run side by side, seen as one graph. Its edges are not
// stored: they are found anew where they are needed.
#pragma once

#include <cstdint>
#include <vector>

#include "tla/liveness/automaton.h"
#include "tla/liveness/formula.h"
#include "tla/liveness/graph.h"

namespace dissensus::tla {

class Product {
 public:
  /// Of a cycle it is asked: each of the `repeated` is met by one of its edges; a `choice` is met
  /// by an edge of the cycle, or avoided by all of them.
  Product(const BehaviourGraph& graph, const Automaton& automaton, const Obligations& obligations);

  std::uint64_t size() const { return graph_.size() * automaton_.size(); }
  std::vector<std::uint32_t> initial() const;
  std::uint32_t state_of(std::uint32_t node) const {
    return static_cast<std::uint32_t>(node / automaton_.size());
  }
  std::size_t marks() const { return repeated_ + choices_; }
  std::size_t choices() const { return choices_; }

  /// Where an enumeration of a node's edges stands.
  struct Cursor {
    std::uint64_t edge = 0;
    std::uint32_t transition = 0;
  };
  struct Edge {
    std::uint32_t target = 0;
    std::uint32_t letter = 0;
    const Automaton::Transition* transition = nullptr;
  };
  Cursor start(std::uint32_t node) const { return {graph_.first[state_of(node)], 0}; }
  /// False: there are no more.
  bool next(std::uint32_t node, Cursor& cursor, Edge& edge) const;

  /// Every <>[]f of the obligations has f on this edge.
  bool may_repeat(const Edge& edge) const { return is_persistent_[edge.letter]; }
  /// The edge may not be in a cycle that does not meet this choice.
  bool breaks_choice(const Edge& edge, std::size_t choice) const {
    return breaks_[edge.letter * choices_ + choice];
  }
  /// Repeated conditions come first, the automaton's promises among them, then choices.
  bool meets(const Edge& edge, std::size_t mark) const;
  std::size_t choice_mark(std::size_t choice) const { return repeated_ + choice; }

 private:
  const BehaviourGraph& graph_;
  const Automaton& automaton_;
  std::size_t formulas_ = 0;  // repeated conditions that are step formulas
  std::size_t repeated_ = 0;
  std::size_t choices_ = 0;
  // By letter.
  std::vector<bool> is_persistent_;
  std::vector<bool> breaks_;                   // x choices
  std::vector<bool> meets_;                    // x (formulas + choices)
  std::vector<std::uint64_t> enabled_;         // x automaton states: where its list begins
  std::vector<std::uint32_t> enabled_counts_;  // likewise: how long it is
  std::vector<const Automaton::Transition*> transitions_;
};

}  // namespace dissensus::tla
