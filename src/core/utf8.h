#pragma once

#include <cstddef>
#include <string_view>

namespace dissensus {

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text);

}  // namespace dissensus
