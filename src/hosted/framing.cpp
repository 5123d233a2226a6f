#include "hosted/framing.h"

#include <cstdint>

namespace dissensus::hosted {

namespace {

constexpr std::size_t kMessageMax = 1u << 20;
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::size_t big_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

/// Up to the brace that closes the first one.
std::size_t json_length(std::string_view text) {
  std::size_t depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_string) {
      if (c == '\\') ++i;
      if (c == '"') is_string = false;
    } else if (c == '"') {
      is_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return i + 1;
      --depth;
    }
  }
  return 0;
}

}  // namespace

std::size_t Framer::first_length() const {
  switch (framing_) {
    case Framing::none:
      return buffer_.size();
    case Framing::lines: {
      const std::size_t end = buffer_.find('\n');
      return end == buffer_.npos ? 0 : end + 1;
    }
    case Framing::length_u32:
      return buffer_.size() < 4 ? 0 : 4 + big_endian(std::string_view(buffer_).substr(0, 4));
    case Framing::json:
      return json_length(buffer_);
    case Framing::http2:
      if (buffer_.starts_with("PRI")) return kPreface.size();
      return buffer_.size() < 9 ? 0 : 9 + big_endian(std::string_view(buffer_).substr(0, 3));
  }
  return 0;
}

std::vector<std::string> Framer::add(std::string_view bytes) {
  std::vector<std::string> messages;
  buffer_ += bytes;
  while (!buffer_.empty()) {
    const std::size_t length = is_opaque_ ? buffer_.size() : first_length();
    if (length > kMessageMax || (length == 0 && buffer_.size() > kMessageMax)) {
      is_opaque_ = true;
      continue;
    }
    if (length == 0 || length > buffer_.size()) break;
    messages.push_back(buffer_.substr(0, length));
    buffer_.erase(0, length);
  }
  return messages;
}

}  // namespace dissensus::hosted
