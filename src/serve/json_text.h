// JSON as text, whatever bytes its strings hold.
#pragma once

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dissensus::serve {

using Json = nlohmann::ordered_json;

/// Bytes that are no UTF-8 become U+FFFD.
inline std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

inline constexpr std::size_t kLineBytesMax = 400;  ///< in lists
inline constexpr std::size_t kFieldBytesMax = 64 << 10;

/// Long texts say that they were cut, and how long they are.
inline std::string cut(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const std::size_t length = text.size();
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text + fmt::format("… ({} bytes)", length);
}

}  // namespace dissensus::serve
