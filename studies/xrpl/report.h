// Where a study writes: sections of docs/results/xrpl-fidelity.md, and figures beside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dissensus::studies {

struct StudyOptions {
  std::string data = "studies/data/rippled-delays";  ///< recorded executions
  std::string docs = "docs";                         ///< where results go
  std::uint64_t seed = 1;
  std::size_t jobs = 2;
  std::size_t seeds_per_case = 20;  ///< repetitions of each recorded case
  std::size_t repetitions = 30;     ///< of a virtual hour per bug
  std::size_t mix_cases = 500;      ///< per kind of schedule
  double correct_hours = 24;        ///< virtual, without a bug
  std::string details;              ///< a file that gets one line per case and seed; none if empty
  bool dry = false;                 ///< print instead of writing
};

class Report {
 public:
  explicit Report(const StudyOptions& options) : options_(options) {}
  /// Renews a section of xrpl-fidelity.md (or prints it).
  void section(const std::string& name, const std::string& markdown) const;
  /// Writes docs/images/<name>.svg and returns the Markdown that shows it.
  std::string figure(const std::string& name, const std::string& svg,
                     const std::string& alternative) const;

 private:
  const StudyOptions& options_;
};

/// "12.3 (4.5)".
std::string mean_and_deviation(const std::vector<double>& sample, int decimals);

}  // namespace dissensus::studies
