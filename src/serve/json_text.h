// JSON as text, whatever bytes its strings hold.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace dissensus::serve {

using Json = nlohmann::ordered_json;

/// Bytes that are no UTF-8 become U+FFFD.
inline std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dissensus::serve
