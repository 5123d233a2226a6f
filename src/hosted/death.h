// How a server ended that nobody had asked to.
#pragma once

#include <optional>
#include <string_view>

#include "dissensus/outside.h"

#include "host/host.h"

namespace dissensus::hosted {

/// A finding if a signal or a sanitizer ended it, or if it says by its code that it failed; a
/// server that `may_exit` can do the last. `output` is what it wrote, where sanitizers say what
/// they found.
std::optional<Outside::Death> death_of(NodeId node, const host::Exit& exit, std::string_view output,
                                       bool may_exit);

}  // namespace dissensus::hosted
