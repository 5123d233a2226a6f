#include "hosted/kept.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

namespace dissensus::hosted {

namespace {

namespace fs = std::filesystem;

bool matches(const fs::path& path, const std::vector<std::string>& patterns) {
  const std::string whole = path.string();
  const std::string name = path.filename().string();
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), whole.c_str(), FNM_PATHNAME) == 0 ||
           ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

}  // namespace

std::string tail_of(const std::string& path, std::uintmax_t begin) {
  constexpr std::uintmax_t kKept = std::uintmax_t{4} << 20;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  const std::uintmax_t end = error ? 0 : size;
  if (begin > end) begin = 0;  // the file was begun anew
  const bool is_cut = end - begin > kKept;
  if (is_cut) begin = end - kKept;
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!is_cut) return text;
  return "... (the beginning was left out)\n" +
         text.substr(std::min(text.size(), text.find('\n') + 1));
}

std::vector<Outside::Attachment> kept_files(NodeId node, const std::string& folder,
                                            const std::vector<std::string>& patterns) {
  std::vector<Outside::Attachment> files;
  if (patterns.empty()) return files;
  std::error_code error;
  // Links lead out of the folder, and are left alone.
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!fs::is_regular_file(entry.symlink_status(error))) continue;
    const fs::path path = fs::path(entry.path()).lexically_relative(folder);
    if (!matches(path, patterns)) continue;
    files.push_back(
        {fmt::format("kept/{}/{}", node, path.string()), tail_of(entry.path().string(), 0)});
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

}  // namespace dissensus::hosted
