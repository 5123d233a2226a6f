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
  /// What each workflow must say: Prop, Type-I, Type-II, none, or unknown (it checks nothing).
  std::string one;
  std::string two;
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
  double seconds = 0;           ///< from the files to the verdict
  std::string value;            ///< of the inputs that found it
  double generate_seconds = 0;  ///< of all traces
  double verify_seconds = 0;
  std::vector<std::string> gaps;  ///< what was not checked; none is not said then
};
/// "Type-I", "none", "unknown".
std::string to_string(const CatalogueVerdict& verdict);

struct CatalogueRow {
  CatalogueVerdict one;
  CatalogueVerdict two;
  bool is_expected = false;
};

CatalogueRow run_entry(const Mapping& mapping, const CatalogueEntry& entry, std::uint64_t seed,
                       const SystemRegistry& systems, const WorkflowLimits& limits = {});
/// Markdown, one line per entry.
std::string to_table(const Catalogue& catalogue, const std::vector<CatalogueRow>& rows);

}  // namespace dissensus::conform
