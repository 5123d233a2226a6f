// The number of nodes is `nodes` in every system; scenarios of before have words of their own.
#pragma once

#include <string_view>

#include "dissensus/options.h"

namespace dissensus {

/// The key that says how many nodes there are. Where a scenario has both, `nodes` counts, so that
/// `--set system.nodes=7` changes any scenario; the other one is known all the same.
inline std::string_view node_key(const Options& options, std::string_view before) {
  const bool has_before = options.find(before).has_value();
  return has_before && !options.has("nodes") ? before : "nodes";
}

}  // namespace dissensus
