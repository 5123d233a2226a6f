// Scenario files as texts: one that names a base says only what is different.
#pragma once

#include <string>

namespace dissensus::run {

/// The text of a scenario file, merged into that of its base (docs/formats/scenario.md). Throws
/// InputError.
std::string read_scenario(const std::string& path);

}  // namespace dissensus::run
