#include "core/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "dissensus/options.h"

namespace dissensus {

namespace {
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;
}  // namespace

std::string read_file(const std::string& path, std::size_t bytes_max) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(fmt::format("{}: expected a file, found a directory", path));
  }
  const auto fail_size = [&path, bytes_max] {
    throw InputError(fmt::format("{}: too large, expected at most {} bytes", path, bytes_max));
  };
  // Pipes have no size; those are cut off while reading.
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > bytes_max) fail_size();
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw InputError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get());
    content.append(buffer, count);
    if (content.size() > bytes_max) fail_size();
    if (count < sizeof buffer) break;
  }
  if (std::ferror(file.get()) != 0) throw InputError(fmt::format("{}: cannot be read", path));
  return content;
}

namespace {

[[noreturn]] void fail_write(const std::string& path, const char* what) {
  throw InputError(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

/// False with errno when something went wrong.
bool write_all(const std::string& path, std::string_view content) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return false;
  if (std::fwrite(content.data(), 1, content.size(), file.get()) != content.size()) return false;
  return std::fclose(file.release()) == 0;
}

}  // namespace

void write_file(const std::string& path, std::string_view content) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string target = path;
  // A link stays a link: what it names is written, whether that is there yet or not.
  for (int links = 0; links < 40 && fs::is_symlink(target, error); ++links) {
    target = (fs::path(target).parent_path() / fs::read_symlink(target, error)).string();
  }
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // a device or a pipe
    if (!write_all(target, content)) fail_write(path, "cannot be written");
    return;
  }
  const std::string temporary = target + ".part";
  const char* trouble = nullptr;
  if (!write_all(temporary, content)) {
    trouble = "cannot be written";
  } else if (std::rename(temporary.c_str(), target.c_str()) != 0) {
    trouble = "cannot be renamed";
  }
  if (trouble == nullptr) return;
  const int reason = errno;
  std::remove(temporary.c_str());
  errno = reason;
  fail_write(path, trouble);
}

}  // namespace dissensus
