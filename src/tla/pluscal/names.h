// Names that the translation would define twice get others, and goto its label.
#pragma once

#include <string>
#include <vector>

#include "tla/pluscal/algorithm.h"

namespace dissensus::tla::pluscal {

/// Renames labels, processes, procedures and their variables where two have the same name, in the
/// way and with the comments that users of PlusCal know. Returns the comments. Throws
/// AlgorithmError where a name is declared twice, or where a label or procedure does not exist.
std::vector<std::string> make_names_unique(Algorithm& algorithm);

}  // namespace dissensus::tla::pluscal
