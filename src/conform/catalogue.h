// A catalogue of known faults with the verdicts they must get (docs/formats/catalogue.md): shows
// that the judge sees what it should, and with how little work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conform/workflow.h"

namespace dissensus::conform {

inline constexpr std::string_view kCatalogueFormat = "dissensus-catalogue/1";

struct CatalogueEntry {
  std::string number;
  std::string title;
  std::string side;  ///< where the fault is: model or implementation
  Variant variant;
  /// What each workflow must find; nullopt: nothing.
  std::optional<Violation::Type> one;
  std::optional<Violation::Type> two;
  std::string paper;  ///< what was published about it, for the table
};

struct Catalogue {
  std::string path;
  std::string mapping;  ///< as it can be opened
  std::vector<CatalogueEntry> entries;
};

/// Throws InputError.
Catalogue load_catalogue(const std::string& path);

/// What one workflow made of an entry.
struct CatalogueVerdict {
  std::optional<ConformanceFinding> finding;
  std::string
      config;  ///< the least that found it, "3/2" or "10/1000"; else the most that was tried
  double seconds = 0;  ///< from the files to the verdict
  std::uint64_t traces = 0;
  std::uint64_t cut_traces = 0;  ///< judged in part: too long
};
struct CatalogueRow {
  CatalogueVerdict one;
  CatalogueVerdict two;
  bool is_expected = false;  ///< "nothing" is not said of runs that were judged in part
};

CatalogueRow run_entry(const Mapping& mapping, const CatalogueEntry& entry, std::uint64_t seed,
                       const SystemRegistry& systems, const WorkflowLimits& limits = {});
/// Markdown, one line per entry.
std::string to_table(const Catalogue& catalogue, const std::vector<CatalogueRow>& rows);

}  // namespace dissensus::conform
