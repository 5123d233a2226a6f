// The files that a fidelity comparison leaves behind (docs/formats/fidelity.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fidelity/comparison.h"

namespace dissensus::fidelity {

/// A finished comparison and what a reader must know beside it.
struct FidelityReport {
  const FidelityInput& input;
  const FidelityComparison& comparison;
  std::string description;                                 ///< of the scenario
  std::vector<std::pair<std::string, std::string>> facts;  ///< what was run
  std::vector<std::string> problems;  ///< why it is incomplete; empty: it is not
  std::string command;                ///< that repeats it
};

/// Format dissensus-fidelity/1.
std::string fidelity_json(const FidelityReport& report);
std::string fidelity_markdown(const FidelityReport& report);
std::string fidelity_page(const FidelityReport& report);

struct FidelityFigure {
  std::string name;
  std::string title;
  std::string svg;
  std::string caption;
};
/// Figures that would be empty are left out.
std::vector<FidelityFigure> fidelity_figures(const FidelityReport& report);

/// Writes comparison.json, tables.md, report.html and the figures; returns their names.
std::vector<std::string> write_fidelity(const std::string& folder, const FidelityReport& report);

}  // namespace dissensus::fidelity
