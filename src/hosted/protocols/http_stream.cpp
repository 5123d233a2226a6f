#include "hosted/protocols/http_stream.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace dissensus::protocols {

namespace {

constexpr std::uint64_t kChunkMax = std::uint64_t{1} << 40;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return result;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view word(std::string_view line, std::size_t number) {
  for (; number > 0; --number) {
    const std::size_t blank = line.find(' ');
    if (blank == line.npos) return {};
    line.remove_prefix(blank + 1);
  }
  return line.substr(0, line.find(' '));
}

/// False: a length that is no number.
bool read_field(HttpHead& head, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return true;
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "transfer-encoding") head.is_chunked = lower(value) == "chunked";
  if (name == "content-length") {
    std::uint64_t length = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    if (error != std::errc() || end != value.data() + value.size()) return false;
    head.length = length;
  }
  return true;
}

}  // namespace

std::string_view HttpHead::method() const {
  return word(first_line, 0);
}

std::string_view HttpHead::target() const {
  return word(first_line, 1);
}

bool HttpHead::is_bare() const {
  const std::string_view status = word(first_line, 1);
  return status.starts_with('1') || status == "204" || status == "304";
}

std::optional<HttpHead> read_http_head(std::string_view bytes) {
  HttpHead head;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find("\r\n", at);
    if (end == bytes.npos) return std::nullopt;
    const std::string_view line = bytes.substr(at, end - at);
    if (at == 0) {
      head.first_line = line;
    } else if (!read_field(head, line)) {
      return std::nullopt;
    }
    at = end + 2;
  }
  const bool is_http = head.is_answer() || word(head.first_line, 2).starts_with("HTTP/1.");
  return is_http ? std::optional(head) : std::nullopt;
}

ChunkReader::Role ChunkReader::take_in_size(char byte) {
  const bool is_digit = std::isxdigit(static_cast<unsigned char>(byte)) != 0;
  if (is_digit && left_ < kChunkMax) {
    const char low = byte >= 'A' && byte <= 'F' ? static_cast<char>(byte - 'A' + 'a') : byte;
    left_ = left_ * 16 + static_cast<std::uint64_t>(low >= 'a' ? low - 'a' + 10 : low - '0');
    has_digit_ = true;
    return Role::framing;
  }
  if (!has_digit_ || is_digit) return Role::wrong;
  if (byte == ';' || byte == ' ') place_ = Place::extension;
  if (byte == '\r') place_ = Place::line_feed;
  return place_ == Place::size ? Role::wrong : Role::framing;
}

ChunkReader::Role ChunkReader::take(char byte) {
  switch (place_) {
    case Place::size:
      return take_in_size(byte);
    case Place::extension:
      if (byte == '\r') place_ = Place::line_feed;
      return Role::framing;
    case Place::line_feed:
      if (byte != '\n') return Role::wrong;
      place_ = left_ == 0 ? Place::trailer : Place::content;
      trailer_line_ = 0;
      return Role::framing;
    case Place::content:
      if (--left_ == 0) place_ = Place::after;
      return Role::content;
    case Place::after:
      if (byte == '\n') {
        place_ = Place::size;
        has_digit_ = false;
      } else if (byte != '\r') {
        return Role::wrong;
      }
      return Role::framing;
    case Place::trailer:
      if (byte == '\n' && trailer_line_ == 0) return Role::last;
      if (byte == '\n') {
        trailer_line_ = 0;
      } else if (byte != '\r') {
        ++trailer_line_;
      }
      return Role::framing;
  }
  return Role::wrong;
}

}  // namespace dissensus::protocols
