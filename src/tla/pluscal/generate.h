// Flat steps as text of a module, laid out as users of PlusCal know it.
#pragma once

#include <string>
#include <vector>

#include "tla/pluscal/algorithm.h"
#include "tla/pluscal/labels.h"

namespace dissensus::tla::pluscal {

enum class SpecFairness : std::uint8_t { unsaid, none, weak, strong, weak_next };

struct GenerateOptions {
  SpecFairness fairness = SpecFairness::unsaid;
  bool stutters_when_done = true;  ///< the disjunct Terminating
  std::size_t line_width = 78;
};

struct GeneratedLine {
  std::string text;
  /// What it comes from; line 0: from nothing in particular.
  Place from;
};

/// Throws AlgorithmError.
std::vector<GeneratedLine> generate(const Algorithm& algorithm, const Shape& shape,
                                    const std::vector<std::string>& comments,
                                    const GenerateOptions& options);

}  // namespace dissensus::tla::pluscal
