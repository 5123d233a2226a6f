// Where labels must be, and cutting bodies into steps.
#pragma once

#include <string>
#include <vector>

#include "tla/pluscal/algorithm.h"

namespace dissensus::tla::pluscal {

struct AddedLabel {
  std::string name;
  Place at;
};

/// Gives every statement that must have a label one, and fills the steps of all bodies. Throws
/// AlgorithmError where no label may be.
std::vector<AddedLabel> cut_into_steps(Algorithm& algorithm, const std::string& label_root);

/// What the translation may leave out, as users of PlusCal know it.
struct Shape {
  bool needs_pc = true;
  /// Every process, or the algorithm, can end: then it may stutter there.
  bool can_end = true;
};
Shape shape_of(const Algorithm& algorithm);

}  // namespace dissensus::tla::pluscal
