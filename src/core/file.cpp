#include "core/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "dissensus/options.h"

#include "core/suggestion.h"

namespace dissensus {

namespace {
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;
namespace fs = std::filesystem;

/// What the folder has that looks most like the name, or, if that is the only one, begins like it.
std::string similar_entry(const fs::path& folder, const std::string& name) {
  constexpr std::size_t kEntriesMax = 10'000;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
    if (names.size() == kEntriesMax) break;
  }
  std::sort(names.begin(), names.end());
  const std::string* found = nearest(name, names);
  // Short names are near to each other without being meant.
  if (found != nullptr && edit_distance(name, *found) <= 1 + name.size() / 5) return *found;
  const std::string beginning = fs::path(name).stem().string();
  const std::string ending = fs::path(name).extension().string();
  const auto begins = [&](const std::string& other) {
    return other.starts_with(beginning) && other.ends_with(ending);
  };
  const auto first = std::find_if(names.begin(), names.end(), begins);
  const bool is_only =
      first != names.end() && std::find_if(first + 1, names.end(), begins) == names.end();
  return is_only ? *first : std::string();
}
}  // namespace

std::string missing_path_hint(const std::string& path) {
  std::error_code error;
  fs::path known;
  for (const fs::path& part : fs::path(path)) {
    if (fs::exists(known / part, error)) {
      known /= part;
      continue;
    }
    const std::string entry = similar_entry(known.empty() ? "." : known, part.string());
    if (entry.empty()) return {};
    known /= entry;
  }
  return known.empty() || known == path ? std::string()
                                        : fmt::format(", did you mean '{}'?", known.string());
}

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
  if (!file) {
    const char* const reason = std::strerror(errno);
    throw InputError(
        fmt::format("{}: cannot be opened: {}{}", path, reason, missing_path_hint(path)));
  }
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

bool is_of_environment(int error_number) {
  static constexpr int kNumbers[] = {ENOSPC, EDQUOT, EFBIG,  EIO,    EMFILE,
                                     ENFILE, ENOMEM, EAGAIN, ENOBUFS};
  return std::find(std::begin(kNumbers), std::end(kNumbers), error_number) != std::end(kNumbers);
}

void fail_with(const std::string& what, const std::error_code& error) {
  const std::string text = fmt::format("{}: {}", what, error.message());
  if (is_of_environment(error.value())) throw EnvironmentError(text);
  throw InputError(text);
}

void make_folders(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_with(folder + ": cannot be created", error);
}

bool is_program(const std::string& name, const std::string& folder) {
  const auto can_start = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return can_start(fs::path(folder) / name);
  const char* const list = std::getenv("PATH");
  std::string_view rest = list == nullptr ? "/usr/bin:/bin" : list;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    if (can_start(fs::path(folder) / entry / name)) return true;
  }
  return false;
}

namespace {

[[noreturn]] void fail_write(const std::string& path, const char* what) {
  fail_with(fmt::format("{}: {}", path, what), {errno, std::generic_category()});
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
