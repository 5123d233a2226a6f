// Searches that others' results help. Islands of a hunt (hunt/island.h) send each other what they
// found; a search that does not listen is an island that shares states and findings alone.
#pragma once

#include "dissensus/search.h"

namespace dissensus::search {

/// Beside Search: what a search may implement as well.
class Immigration {
 public:
  virtual ~Immigration() = default;
  /// A candidate that somebody else asked for, and how its run went. Never one of our own.
  virtual void welcome(const Genotype& genotype, const Evaluation& evaluation) = 0;
};

/// Tells `search` if it listens; false: it does not.
inline bool welcome(Search& search, const Genotype& genotype, const Evaluation& evaluation) {
  auto* const immigration = dynamic_cast<Immigration*>(&search);
  if (immigration != nullptr) immigration->welcome(genotype, evaluation);
  return immigration != nullptr;
}

}  // namespace dissensus::search
