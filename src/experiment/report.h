// What an experiment leaves behind: results.csv, tables.md, report.html, figures as SVG and PNG.
#pragma once

#include <string>
#include <vector>

#include "experiment/tables.h"

namespace dissensus::experiment {

struct WrittenStudy {
  std::vector<std::string> files;  ///< names within the folder
  bool png = true;                 ///< false: rsvg-convert is not installed or failed
};

/// Writes everything but results.sqlite; replaces what is there. Throws InputError.
WrittenStudy write_study(const std::string& folder, const ArrangedResults& results,
                         const std::vector<RepresentationResult>& representation);

// The parts, for tests.
std::string results_csv(const ArrangedResults& results);
std::string tables_markdown(const ArrangedResults& results,
                            const std::vector<RepresentationResult>& representation);

}  // namespace dissensus::experiment
