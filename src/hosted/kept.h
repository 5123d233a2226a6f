// What programs wrote into their machines' folders, for the run's folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/outside.h"

namespace dissensus::hosted {

/// The last part, from a line's beginning, of what a file holds from `begin` on; at most 4 MiB.
std::string tail_of(const std::string& path, std::uintmax_t begin);

/// The files of a node's folder that one of these patterns (as of a shell) matches by name or by
/// path, as "kept/NODE/PATH".
std::vector<Outside::Attachment> kept_files(NodeId node, const std::string& folder,
                                            const std::vector<std::string>& patterns);

}  // namespace dissensus::hosted
