#include "hosted/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>

namespace dissensus::hosted {

namespace {

namespace fs = std::filesystem;

std::string made_digest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  std::vector<char> block(std::size_t{1} << 20);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) return {};
  std::array<unsigned char, 32> digest{};
  EVP_DigestFinal_ex(context.get(), digest.data(), nullptr);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

/// Which content a path had, as far as the system of files tells without a look into it.
using Version = std::tuple<std::string, dev_t, ino_t, off_t, time_t, long>;

std::string changed(const UsedFile& before, const std::string& digest) {
  if (digest.empty()) {
    return fmt::format("{}: not here; the recorded run used it (sha256 {})", before.path,
                       before.digest);
  }
  return fmt::format("{}: another file than that of the recorded run (sha256 {}, was {})",
                     before.path, digest, before.digest);
}

}  // namespace

std::string file_digest(const std::string& path) {
  static std::mutex mutex;
  static std::map<Version, std::string> known;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const Version version{path,         info.st_dev,         info.st_ino,
                        info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(version); found != known.end()) return found->second;
  }
  std::string digest = made_digest(path);
  const std::lock_guard lock(mutex);
  return known.insert_or_assign(version, std::move(digest)).first->second;
}

std::vector<UsedFile> used_files(const std::vector<std::string>& paths) {
  std::vector<UsedFile> files;
  for (const std::string& path : paths) {
    UsedFile file{file_digest(path), 0, path};
    std::error_code error;
    file.bytes = fs::file_size(path, error);
    if (!file.digest.empty() && !error) files.push_back(std::move(file));
  }
  return files;
}

std::vector<UsedFile> files_of_contents(const std::string& machine, const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<UsedFile> files = used_files(paths);
  for (UsedFile& file : files) {
    file.path = fmt::format("{}:/node/{}", machine, fs::relative(file.path, folder).string());
  }
  return files;
}

std::string to_text(const std::vector<UsedFile>& files) {
  std::string text;
  for (const UsedFile& file : files) {
    text += fmt::format("{} {} {}\n", file.digest, file.bytes, file.path);
  }
  return text;
}

std::vector<UsedFile> files_in(std::string_view text) {
  std::vector<UsedFile> files;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t first = line.find(' ');
    const std::size_t second = first == line.npos ? first : line.find(' ', first + 1);
    if (second == line.npos) continue;
    UsedFile file{std::string(line.substr(0, first)), 0, std::string(line.substr(second + 1))};
    const auto [at, error] =
        std::from_chars(line.data() + first + 1, line.data() + second, file.bytes);
    if (error == std::errc() && at == line.data() + second) files.push_back(std::move(file));
  }
  return files;
}

std::string first_changed(const std::vector<UsedFile>& before) {
  for (const UsedFile& file : before) {
    if (!file.path.starts_with('/')) continue;
    const std::string digest = file_digest(file.path);
    if (digest != file.digest) return changed(file, digest);
  }
  return {};
}

std::string first_difference(const std::vector<UsedFile>& before,
                             const std::vector<UsedFile>& after) {
  std::map<std::string_view, std::string_view> now;
  for (const UsedFile& file : after) now[file.path] = file.digest;
  for (const UsedFile& file : before) {
    const auto found = now.find(file.path);
    if (found != now.end() && found->second != file.digest) {
      return changed(file, std::string(found->second));
    }
  }
  return {};
}

}  // namespace dissensus::hosted
