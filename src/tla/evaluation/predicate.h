// Invariants and constraints, which are true of nearly every state: their conjuncts are evaluated
// only when a variable that they read has a value with which they were not yet seen to hold.
#pragma once

#include "tla/evaluation/evaluator.h"

namespace dissensus::tla {

class CachedPredicate {
 public:
  CachedPredicate(const Evaluator& evaluator, const EntryPoint& entry);
  bool holds(Evaluator& evaluator);
  void forget();

 private:
  struct Part {
    const Node* node = nullptr;
    std::uint32_t frame_size = 0;
    bool is_cached = false;
    std::vector<std::uint32_t> reads;
    std::vector<Value> held;  ///< a table of tuples of values of `reads`
  };
  void split(const Node& node, std::uint32_t frame_size, const Evaluator& evaluator);
  bool part_holds(Part& part, Evaluator& evaluator);

  std::vector<Part> parts_;
};

}  // namespace dissensus::tla
