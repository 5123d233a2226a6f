// A conformance finding as the pages show it (docs/formats/api.md).
#pragma once

#include <string>

#include "dissensus/system.h"

namespace dissensus::serve {

/// Whether a file is what `dissensus conform check --out` writes.
bool is_conformance_finding(const std::string& path);
/// Makes the finding again and tells it step by step. Throws InputError.
std::string conformance_json(const std::string& path, const SystemRegistry& systems);

}  // namespace dissensus::serve
