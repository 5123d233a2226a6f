// A TLA+ model: what checking it found, step by step, and the graph of a small state space.
#pragma once

#include <string>

namespace dissensus::serve {

/// Checks the specification within limits of states and time (docs/formats/api.md). Its
/// configuration is the file beside it. Throws InputError.
std::string model_json(const std::string& path);

}  // namespace dissensus::serve
