// The checksums by which tools see that an algorithm or its translation was changed since.
#pragma once

#include <string>
#include <string_view>

#include "tla/pluscal/algorithm.h"

namespace dissensus::tla::pluscal {

/// CRC-32 in hexadecimal digits without leading zeros.
std::string checksum(std::string_view text);

/// Of an algorithm after its translation. Equal to that of other translators: it is made of the
/// algorithm written out as a record in their layout, so comments and space do not count. That of
/// every --fair algorithm is the same, as theirs is.
std::string checksum(const Algorithm& algorithm);

}  // namespace dissensus::tla::pluscal
