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

void write_file(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".part";
  const auto fail = [&path, &temporary](const char* what) {
    const int error = errno;
    std::remove(temporary.c_str());
    throw InputError(fmt::format("{}: {}: {}", path, what, std::strerror(error)));
  };
  {
    File file(std::fopen(temporary.c_str(), "wb"));
    if (!file) fail("cannot be written");
    if (std::fwrite(content.data(), 1, content.size(), file.get()) != content.size()) {
      fail("cannot be written");
    }
    if (std::fclose(file.release()) != 0) fail("cannot be written");
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("cannot be renamed");
}

}  // namespace dissensus
