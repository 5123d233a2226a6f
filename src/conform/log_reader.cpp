#include "conform/log_reader.h"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "dissensus/options.h"

namespace dissensus::conform {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kBlocksAtOnce = 4;
constexpr std::size_t kLineBytesMost = std::size_t{16} << 20;

/// gzip, as far as it has come.
class Inflation {
 public:
  Inflation() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw InputError("gzip: cannot be started");
  }
  ~Inflation() { inflateEnd(&stream_); }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;

  /// False: damaged.
  bool feed(const char* bytes, std::size_t size, std::string& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
    stream_.avail_in = static_cast<uInt>(size);
    std::array<char, kBlockBytes> block{};
    while (stream_.avail_in > 0 || is_full_) {
      if (member_ended_) {  // a gzip file may be several members in a row
        if (stream_.avail_in == 0) break;
        if (inflateReset(&stream_) != Z_OK) return false;
        member_ended_ = false;
      }
      stream_.next_out = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_out = static_cast<uInt>(block.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return false;
      out.append(block.data(), block.size() - stream_.avail_out);
      member_ended_ = result == Z_STREAM_END;
      is_full_ = stream_.avail_out == 0;
    }
    return true;
  }
  bool is_whole() const { return member_ended_; }

 private:
  z_stream stream_{};
  bool member_ended_ = false;
  bool is_full_ = false;
};

}  // namespace

struct LogReader::Implementation {
  std::string path;
  bool follows = false;
  int file = -1;
  bool is_pipe = false;
  bool is_ended = false;
  bool within_a_line = false;
  bool has_begun = false;  ///< its first bytes were looked at
  std::string first;       ///< of the file, until it is known what it is
  std::unique_ptr<Inflation> inflation;
  std::string text;  ///< read, and not yet given out as lines
  std::size_t searched = 0;

  ~Implementation() { close_file(); }

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: {}", path, what));
  }

  void close_file() {
    if (file > STDIN_FILENO) close(file);
    file = -1;
  }

  /// False: it does not exist yet.
  bool open_file() {
    if (path == "-") {
      file = STDIN_FILENO;
    } else {
      file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    if (file < 0 && errno == ENOENT && follows) return false;
    if (file < 0) {
      fail(fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
    }
    struct stat status {};
    if (fstat(file, &status) != 0) fail("cannot be examined");
    if (S_ISDIR(status.st_mode)) fail("is a folder, expected a log");
    is_pipe = !S_ISREG(status.st_mode);
    has_begun = false;
    first.clear();
    inflation.reset();
    return true;
  }

  /// Of a pipe: are there bytes, or has its last writer gone?
  bool may_read() const {
    if (!is_pipe) return true;
    pollfd one{file, POLLIN, 0};
    return poll(&one, 1, 0) > 0;
  }

  void take(const char* bytes, std::size_t size) {
    if (!has_begun) {
      first.append(bytes, size);
      if (first.size() < 2) return;
      has_begun = true;
      if (first.starts_with("\x1F\x8B")) inflation = std::make_unique<Inflation>();
      const std::string begin = std::exchange(first, {});
      return take(begin.data(), begin.size());
    }
    if (inflation == nullptr) {
      text.append(bytes, size);
    } else if (!inflation->feed(bytes, size, text)) {
      fail("gzip: damaged data");
    }
  }

  /// A followed file was replaced, or begins anew.
  bool has_new_file() {
    struct stat ours {};
    struct stat theirs {};
    if (fstat(file, &ours) != 0 || stat(path.c_str(), &theirs) != 0) return false;
    return ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev ||
           ours.st_size < lseek(file, 0, SEEK_CUR);
  }

  void at_end() {
    if (follows && !is_pipe) {
      if (!has_new_file()) return;
      close_file();
      text.clear();  // a line that its writer did not finish
      searched = 0;
      return;
    }
    is_ended = true;
    if (!has_begun) text = first;  // one byte
    close_file();
  }

  void read_blocks() {
    std::array<char, kBlockBytes> block{};
    for (std::size_t count = 0; count < kBlocksAtOnce && may_read(); ++count) {
      const ssize_t size = ::read(file, block.data(), block.size());
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size < 0) {
        fail(fmt::format("cannot be read: {}", std::generic_category().message(errno)));
      }
      if (size == 0) return at_end();
      take(block.data(), static_cast<std::size_t>(size));
    }
  }

  void read(std::vector<std::string>& lines) {
    if (is_ended || (file < 0 && !open_file())) return;
    read_blocks();
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n', searched); end != std::string::npos;
         end = text.find('\n', begin)) {
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    text.erase(0, begin);
    searched = text.size();
    if (text.size() > kLineBytesMost) fail("a line is longer than 16 MiB");
    if (!is_ended) return;
    within_a_line = !text.empty() || (inflation != nullptr && !inflation->is_whole());
    if (!text.empty()) lines.push_back(std::exchange(text, {}));
  }
};

LogReader::LogReader(std::string path, bool follows)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->path = std::move(path);
  implementation_->follows = follows;
  implementation_->open_file();
}

LogReader::~LogReader() = default;

void LogReader::read(std::vector<std::string>& lines) {
  implementation_->read(lines);
}

bool LogReader::is_ended() const {
  return implementation_->is_ended;
}

bool LogReader::is_live() const {
  return implementation_->follows || implementation_->is_pipe;
}

bool LogReader::ends_within_a_line() const {
  return implementation_->within_a_line;
}

const std::string& LogReader::path() const {
  return implementation_->path;
}

}  // namespace dissensus::conform
