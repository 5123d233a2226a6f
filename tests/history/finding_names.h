// The names of what a checker found, in its order.
#pragma once

#include <string>
#include <vector>

#include "history/verdict.h"

namespace dissensus::history {

inline std::vector<std::string> names_of(const Verdict& verdict) {
  std::vector<std::string> names;
  for (const Finding& finding : verdict.findings) names.push_back(finding.name);
  return names;
}

}  // namespace dissensus::history
