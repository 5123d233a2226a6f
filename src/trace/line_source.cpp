#include "trace/line_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "dissensus/options.h"

#include "core/assert.h"
#include "core/file.h"
#include "core/limits.h"

namespace dissensus::trace {
namespace {

constexpr std::size_t kInputBytes = 64u << 10;
constexpr std::size_t kOutputBytes = 256u << 10;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

struct LineSource::Implementation {
  std::string name;
  std::uint64_t line = 0;

  std::unique_ptr<std::FILE, CloseFile> file;
  std::string memory;
  std::size_t memory_used = 0;
  std::vector<char> input;

  z_stream stream{};
  bool compressed = false;
  bool member_ended = false;
  bool input_ended = false;
  std::string damage;  ///< found behind bytes that are given out first

  std::vector<char> output;
  std::string_view pending;  ///< decompressed, not yet given out
  std::string carry;         ///< the start of a line that continues in the next block

  Implementation() : input(kInputBytes) {}
  ~Implementation() {
    if (compressed) inflateEnd(&stream);
  }

  [[noreturn]] void fail(std::string_view key, std::string_view message) const {
    Place{name, line}.fail(key, message);
  }

  /// The next bytes as they are stored; empty at the end.
  std::string_view read_raw() {
    if (file == nullptr) {
      const std::string_view part = std::string_view(memory).substr(memory_used, kInputBytes);
      memory_used += part.size();
      return part;
    }
    errno = 0;
    const std::size_t count = std::fread(input.data(), 1, input.size(), file.get());
    if (count == 0 && std::ferror(file.get()) != 0) {
      fail("file", fmt::format("cannot be read: {}", std::generic_category().message(errno)));
    }
    return {input.data(), count};
  }

  /// Looks at the first bytes to tell gzip from plain JSON lines and from everything else.
  void open() {
    line = 1;
    const std::string_view first = read_raw();
    if (first.empty()) fail("format", "the file is empty, expected a trace");
    if (first.substr(0, 2) == "\x1F\x8B") {
      const int result = inflateInit2(&stream, 15 + 16);
      DISSENSUS_ASSERT(result == Z_OK, "LineSource::open : zlib starts");
      compressed = true;
      output.resize(kOutputBytes);
      set_input(first);
    } else if (first[0] == '{') {
      pending = first;
    } else {
      fail("format", "neither gzip nor a JSON object, expected a trace");
    }
    line = 0;
  }

  void set_input(std::string_view bytes) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
  }

  /// The next decompressed bytes; false at the end.
  bool refill() {
    if (!compressed) {
      pending = read_raw();
      return !pending.empty();
    }
    if (!damage.empty()) fail("gzip", damage);
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = static_cast<uInt>(output.size());
    while (stream.avail_out == output.size()) {
      if (stream.avail_in == 0 && !input_ended) {
        const std::string_view more = read_raw();
        input_ended = more.empty();
        if (!input_ended) set_input(more);
      }
      if (!inflate_some()) break;
    }
    pending = {output.data(), output.size() - stream.avail_out};
    if (pending.empty() && !damage.empty()) fail("gzip", damage);
    return !pending.empty();
  }

  /// False at the end of the last gzip member, or where it is damaged.
  bool inflate_some() {
    if (member_ended) {
      if (stream.avail_in == 0) return false;
      // A gzip file may be several members in a row.
      if (inflateReset(&stream) != Z_OK) fail("gzip", "cannot go on with the next member");
      member_ended = false;
    }
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      member_ended = true;
    } else if (result == Z_BUF_ERROR && input_ended) {
      damage = "ends too early, the file was cut off";
      return false;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      damage = fmt::format("damaged data ({})", stream.msg != nullptr ? stream.msg : "zlib");
      return false;
    }
    return true;
  }

  void check_length(std::size_t bytes) const {
    if (bytes <= kTraceLineBytesMax) return;
    fail("line",
         fmt::format("longer than {} bytes, which no line of a trace is", kTraceLineBytesMax));
  }

  bool next(std::string_view& result) {
    ++line;
    carry.clear();
    bool begun = false;
    for (;;) {
      if (pending.empty() && !refill()) {
        if (!begun) --line;
        result = carry;
        return begun;
      }
      begun = true;
      const std::size_t end = pending.find('\n');
      const std::string_view part = pending.substr(0, end);
      check_length(carry.size() + part.size());
      if (end == std::string_view::npos) {
        carry += part;
        pending = {};
        continue;
      }
      pending.remove_prefix(end + 1);
      if (carry.empty()) {
        result = part;
      } else {
        carry += part;
        result = carry;
      }
      return true;
    }
  }
};

LineSource::LineSource(std::string path) : implementation_(std::make_unique<Implementation>()) {
  implementation_->name = std::move(path);
  implementation_->file.reset(std::fopen(implementation_->name.c_str(), "rb"));
  if (implementation_->file == nullptr) {
    const std::string reason = std::generic_category().message(errno);
    throw InputError(fmt::format("{}: cannot be opened: {}{}", implementation_->name, reason,
                                 missing_path_hint(implementation_->name)));
  }
  implementation_->open();
}

LineSource::LineSource(std::string name, std::string bytes)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->name = std::move(name);
  implementation_->memory = std::move(bytes);
  implementation_->open();
}

LineSource::~LineSource() = default;

bool LineSource::next(std::string_view& line) {
  return implementation_->next(line);
}

Place LineSource::place() const {
  return {implementation_->name, implementation_->line};
}

}  // namespace dissensus::trace
