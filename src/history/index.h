// Indices of events, operations and values are 32 bits wide; one of them names nothing.
#pragma once

#include <cstdint>

namespace dissensus::history {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

}  // namespace dissensus::history
