// Shared libraries that bring systems, searches, fitness functions, schedulers or fault strategies
// (dissensus/plugin.h).
#pragma once

#include <string>

#include "dissensus/plugin.h"

namespace dissensus::hunt {

/// Adds what the plugin brings to `registry`. The library stays loaded until the program ends.
/// Throws InputError for a file that is not there, is no plugin, or is one for another interface,
/// and for a name that is taken.
void load_plugin(const std::string& path, Registry& registry);

/// What tells a plugin from others: the name of its file, a blank, and the digest of its bytes.
/// Throws InputError.
std::string plugin_identity(const std::string& path);

}  // namespace dissensus::hunt
