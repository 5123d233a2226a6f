#include "hosted/protocols/stream_reader.h"

namespace dissensus::protocols {

std::vector<Part> StreamReader::add(bool to_acceptor, std::string_view bytes) {
  auto& [buffer, is_opaque] = of(to_acceptor);
  buffer += bytes;
  std::vector<Part> parts;
  std::size_t begin = 0;
  while (begin < buffer.size() && !is_opaque) {
    Part part;
    const std::string_view left = std::string_view(buffer).substr(begin);
    const std::size_t length = take(to_acceptor, left, part);
    if (length == 0 && left.size() <= kMessageBytesMax) break;
    is_opaque = length == 0 || length == kNone;
    if (is_opaque) break;
    part.bytes = left.substr(0, length);
    parts.push_back(std::move(part));
    begin += length;
  }
  buffer.erase(0, begin);
  if (is_opaque && !buffer.empty()) parts.push_back({std::exchange(buffer, {})});
  return parts;
}

}  // namespace dissensus::protocols
