#include "cli/archive.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>
#include <zlib.h>

#include "dissensus/options.h"

namespace dissensus::cli {

namespace {

constexpr std::size_t kBlock = 512;

using Header = std::array<char, kBlock>;

void put(Header& header, std::size_t offset, std::string_view text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(offset));
}

/// POSIX ustar: fields at fixed places, numbers in octal digits.
Header header_of(const std::string& name, std::size_t size) {
  constexpr std::size_t kNameMax = 100;
  constexpr std::size_t kSizeMax = 077777777777;
  if (name.size() >= kNameMax) throw InputError(name + ": too long a name for an archive");
  if (size > kSizeMax) throw InputError(name + ": too large for an archive");
  Header header{};
  put(header, 0, name);
  put(header, 100, "0000644");
  put(header, 108, "0000000");
  put(header, 116, "0000000");
  put(header, 124, fmt::format("{:011o}", size));
  put(header, 136, "00000000000");
  put(header, 156, "0");
  put(header, 257, std::string_view("ustar\00000", 8));
  // The sum is taken with blanks in its own place.
  std::fill_n(header.begin() + 148, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(header, 148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  return header;
}

std::string compressed(const std::string& bytes) {
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("no memory for compression");
  }
  std::string result(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("compression failed");
  return result;
}

}  // namespace

void Archive::add(const std::string& name, std::string_view content) {
  const Header header = header_of(name, content.size());
  bytes_.append(header.data(), header.size());
  bytes_.append(content);
  bytes_.resize((bytes_.size() + kBlock - 1) / kBlock * kBlock, '\0');
}

std::string Archive::finish() {
  bytes_.append(2 * kBlock, '\0');
  return compressed(bytes_);
}

}  // namespace dissensus::cli
