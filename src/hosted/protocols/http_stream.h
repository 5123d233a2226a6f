// Messages of HTTP/1 in one direction of a connection, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dissensus::protocols {

/// The lines before the content.
struct HttpHead {
  std::string first_line;
  bool is_chunked = false;
  std::optional<std::uint64_t> length;

  /// "GET /raft/stream": the first two words.
  std::string_view method() const;
  std::string_view target() const;
  bool is_answer() const { return first_line.starts_with("HTTP/"); }
  /// An answer of this status has no content.
  bool is_bare() const;
};

/// Nothing: these are no such lines.
std::optional<HttpHead> read_http_head(std::string_view bytes);

/// Content in chunks.
class ChunkReader {
 public:
  enum class Role : std::uint8_t { framing, content, last, wrong };
  /// What this byte is: `last` is the end of the whole message.
  Role take(char byte);

 private:
  enum class Place : std::uint8_t { size, extension, line_feed, content, after, trailer };
  Role take_in_size(char byte);

  Place place_ = Place::size;
  std::uint64_t left_ = 0;
  bool has_digit_ = false;
  std::size_t trailer_line_ = 0;  ///< bytes of the line so far
};

}  // namespace dissensus::protocols
