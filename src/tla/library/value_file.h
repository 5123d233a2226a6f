// Values in the files that TLC and the community's IOSerialize write and IODeserialize reads: big
// endian, a byte for the kind of value, then its content; what was written before may be named by
// its number (docs/tla-engine.md).
#pragma once

#include <string>
#include <string_view>

#include "tla/values/value.h"

namespace dissensus::tla {

/// Throws ValueError for what the format cannot hold: numbers beyond 32 bits, letters beyond one
/// byte, model values (which it knows by numbers of one run of TLC), infinite sets.
std::string to_value_file(Store& store, Value value);
/// Throws ValueError.
Value from_value_file(Store& store, std::string_view bytes);
/// True when the bytes begin like such a file. No JSON text does.
bool is_value_file(std::string_view bytes);

}  // namespace dissensus::tla
