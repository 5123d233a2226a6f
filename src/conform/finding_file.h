// A conformance finding as a file: small enough to mail, complete enough to repeat.
#pragma once

#include <string>

#include "conform/workflow.h"

namespace dissensus::conform {

inline constexpr std::string_view kFindingFormat = "dissensus-conformance/1";

struct FindingFile {
  std::string mapping;  ///< path
  Variant variant;
  ConformanceFinding finding;
};

std::string to_json(const FindingFile& file);
/// Throws InputError. Of the violation only type and message are read: repeating it gives the rest.
FindingFile read_finding(const std::string& path);

}  // namespace dissensus::conform
