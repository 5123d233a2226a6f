#include "run/named_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/digest.h"
#include "dissensus/options.h"

#include "core/file.h"
#include "core/limits.h"
#include "core/toml_text.h"

namespace dissensus::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDigestBytesMax = std::size_t{64} << 20;

using Json = nlohmann::ordered_json;

/// Keys of [system] that name files, whatever the system.
constexpr std::array<std::string_view, 4> kFileKeys{"command", "folder", "contents", "visible"};

/// A program without a slash is looked up in PATH, and so is no path.
bool may_be_path(const std::string& word, bool is_program) {
  if (word.empty() || word.size() > 4096 || fs::path(word).is_absolute()) return false;
  if (word.find('\0') != std::string::npos) return false;
  return !is_program || word.find('/') != std::string::npos;
}

/// Of the words of a command, files: a folder may well be called like an option's value.
bool is_there(const std::string& word, bool is_list) {
  std::error_code error;
  const bool is_file_only = is_list && word.find('/') == std::string::npos;
  return is_file_only ? fs::is_regular_file(word, error) : fs::exists(word, error);
}

/// Their texts and lists of texts.
void visit_words(const Options& table,
                 const std::function<void(const std::string& key, std::vector<std::string> words,
                                          bool is_list)>& see) {
  for (const std::string& name : table.keys()) {
    if (std::find(kFileKeys.begin(), kFileKeys.end(), name) == kFileKeys.end()) continue;
    // Programs that start in a folder of their own have their files there.
    const bool starts_elsewhere = table.has("folder") || table.has("contents");
    if (name == "command" && starts_elsewhere) continue;
    const OptionValue value = table.at(name);
    const std::string key = "system." + name;
    if (value.is_text()) {
      see(key, {value.text()}, false);
    } else if (value.is_list()) {
      std::vector<std::string> words;
      for (const OptionValue& word : value.list()) {
        if (word.is_text()) words.push_back(word.text());
      }
      if (words.size() == value.list().size()) see(key, std::move(words), true);
    }
  }
}

std::string digest_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kDigestBytesMax) return {};
  try {
    return to_string(digest_of_text(read_file(path.string(), kDigestBytesMax)));
  } catch (const InputError&) {
    return {};  // not ours to read
  }
}

bool has_all(const NamedFiles& files, const fs::path& directory, std::string* missing) {
  std::error_code error;
  for (const auto& [name, digest] : files.digests) {
    if (fs::exists(directory / name, error)) continue;
    if (missing != nullptr) *missing = name;
    return false;
  }
  return true;
}

}  // namespace

std::optional<NamedFiles> named_files(const std::string& scenario, bool starts_here) {
  std::error_code error;
  NamedFiles files;
  files.directory = fs::current_path(error).string();
  if (error) return std::nullopt;
  const Options document = Options::from_toml(scenario, "scenario");
  if (!document.has("system")) return std::nullopt;
  visit_words(document.table("system"),
              [&](const std::string& key, const std::vector<std::string>& words, bool is_list) {
                if (key == "system.command" && !starts_here) return;
                for (std::size_t i = 0; i < words.size(); ++i) {
                  if (!may_be_path(words[i], is_list && i == 0)) continue;
                  if (!is_there(words[i], is_list)) continue;
                  files.digests.emplace(words[i], digest_of(words[i]));
                }
              });
  if (files.digests.empty()) return std::nullopt;
  return files;
}

std::string with_named_files(const std::string& scenario, const NamedFiles& files,
                             const std::string& source) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (here == files.directory && has_all(files, here, nullptr)) return scenario;
  std::string missing;
  if (!has_all(files, files.directory, &missing)) {
    if (has_all(files, here, nullptr)) return scenario;
    throw InputError(fmt::format(
        "{}: files: no '{}' in {}, where this run was recorded, and not all of its files here; "
        "expected the files that the scenario's [system] names",
        source, missing, files.directory));
  }
  TomlText text(scenario, source);
  const Options document = Options::from_toml(scenario, source);
  visit_words(document.table("system"),
              [&](const std::string& key, std::vector<std::string> words, bool is_list) {
                bool is_changed = false;
                for (std::size_t i = 0; i < words.size(); ++i) {
                  const bool is_file =
                      files.digests.contains(words[i]) && may_be_path(words[i], is_list && i == 0);
                  if (!is_file) continue;
                  words[i] = (fs::path(files.directory) / words[i]).lexically_normal().string();
                  is_changed = true;
                }
                if (!is_changed) return;
                // A JSON text is a TOML text, too.
                text.set(key, is_list ? Json(words).dump() : Json(words.front()).dump());
              });
  return text.text();
}

std::vector<std::string> changed_files(const std::string& folder) {
  const std::string path = folder + "/run.json";
  const auto files = read_named_files(read_file(path, kScenarioBytesMax), path);
  std::vector<std::string> changed;
  if (!files) return changed;
  std::error_code error;
  const bool are_there = has_all(*files, files->directory, nullptr);
  const fs::path directory = are_there ? fs::path(files->directory) : fs::current_path(error);
  for (const auto& [name, digest] : files->digests) {
    if (!digest.empty() && digest_of(directory / name) != digest) changed.push_back(name);
  }
  return changed;
}

std::string to_json(const NamedFiles& files) {
  return Json{{"directory", files.directory}, {"digests", files.digests}}.dump();
}

std::optional<NamedFiles> read_named_files(const std::string& run_json, const std::string& path) {
  const Options options = Options::from_json(run_json, path);
  if (!options.has("files")) return std::nullopt;
  const Options table = options.table("files");
  NamedFiles files;
  files.directory = table.at("directory").text();
  const Options digests = table.table("digests");
  for (const std::string& name : digests.keys()) {
    files.digests.emplace(name, digests.at(name).text());
  }
  return files;
}

}  // namespace dissensus::run
