// Tokens to an algorithm, both syntaxes.
#pragma once

#include <string>
#include <vector>

#include "tla/pluscal/algorithm.h"

namespace dissensus::tla::pluscal {

/// An error at a place of the file.
class AlgorithmError : public std::runtime_error {
 public:
  AlgorithmError(Place where, const std::string& message)
      : std::runtime_error(message), at(where) {}
  Place at;
};

/// From the algorithm's name on. `processes` is the fairness of processes that say nothing.
/// Throws AlgorithmError.
Algorithm parse_algorithm(std::vector<Token> tokens, Fairness processes);

/// Puts the bodies of macros in the place of their calls. Throws AlgorithmError.
void expand_macros(Block& block, const std::vector<Macro>& macros);

}  // namespace dissensus::tla::pluscal
