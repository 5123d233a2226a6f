#include "cli/live_evidence.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "core/file.h"
#include "core/limits.h"
#include "systems/live/system.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Null where there is no such file, or it holds something else.
Json read_json(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return nullptr;
  Json json = Json::parse(read_file(path, kScenarioBytesMax), nullptr, false);
  if (!json.is_object()) return nullptr;
  return json;
}

template <class Value>
Value value_of(const Json& json, const char* key, Value fallback) {
  try {
    return json.value(key, fallback);
  } catch (const Json::exception&) {
    return fallback;
  }
}

/// Of the recorded binaries, each as an object.
std::vector<Json> binaries_in(const Json& live) {
  std::vector<Json> binaries;
  const auto found = live.find("binaries");
  if (found == live.end() || !found->is_array()) return binaries;
  for (const Json& binary : *found) {
    if (binary.is_object()) binaries.push_back(binary);
  }
  return binaries;
}

/// The last lines of a log, whole.
std::string last_lines(const fs::path& path) {
  constexpr std::streamoff kBytes = 6'000;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff end = file.tellg();
  const std::streamoff begin = std::max<std::streamoff>(0, end - kBytes);
  file.seekg(begin);
  std::string text(static_cast<std::size_t>(std::max<std::streamoff>(0, end - begin)), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (begin > 0) text.erase(0, std::min(text.size(), text.find('\n') + 1));
  return text;
}

}  // namespace

std::string reliability(std::size_t same, std::size_t repetitions) {
  if (repetitions == 0) return "not confirmed: the schedule was not run again";
  if (same == repetitions) {
    return fmt::format("reliable: the same violation in all {} repetitions of the schedule",
                       repetitions);
  }
  return fmt::format("flaky: the same violation in {} of {} repetitions of the schedule", same,
                     repetitions);
}

std::string reliability_of(const std::string& folder) {
  const Json json = read_json(folder + "/confirm.json");
  if (json.is_null()) return {};
  return reliability(value_of(json, "same_violation", std::size_t{0}),
                     value_of(json, "repetitions", std::size_t{0}));
}

void write_reliability(const std::string& folder, const std::string& signature, std::size_t same,
                       std::size_t repetitions) {
  const Json json{{"signature", signature},
                  {"repetitions", repetitions},
                  {"same_violation", same},
                  {"reliable", same == repetitions}};
  write_file(folder + "/confirm.json", json.dump(2) + "\n");
}

std::optional<report::Servers> servers_of(const std::string& folder) {
  const Json live = read_json(folder + "/live.json");
  if (live.is_null()) return std::nullopt;
  report::Servers servers;
  const auto add = [&servers](std::string what, std::string value) {
    servers.facts.emplace_back(std::move(what), std::move(value));
  };
  add("version", "rippled " + value_of(live, "rippled", std::string("?")));
  const std::vector<Json> binaries = binaries_in(live);
  for (const Json& binary : binaries) {
    std::string which = "binary";
    if (binaries.size() > 1 && binary.contains("nodes")) {
      which += " of nodes " + binary["nodes"].dump();
    }
    add(which, fmt::format("{} (sha256 {})", value_of(binary, "path", std::string("?")),
                           value_of(binary, "sha256", std::string("?"))));
  }
  add("links lost", std::to_string(value_of(live, "links_lost", std::uint64_t{0})));
  if (const std::string known = reliability_of(folder); !known.empty()) add("reliability", known);
  for (std::size_t node = 0;; ++node) {
    const std::string name = fmt::format("servers/{}.log", node);
    std::error_code error;
    if (!fs::exists(fs::path(folder) / name, error)) break;
    servers.logs.emplace_back(name, last_lines(fs::path(folder) / name));
  }
  return servers;
}

std::string replay_words_of(const std::string& folder, const PluginOptions& plugins) {
  std::string words = plugins.words();
  if (!plugins.live.rippled.empty()) return words;
  // Where there are several, the scenario names them.
  const std::vector<Json> binaries = binaries_in(read_json(folder + "/live.json"));
  if (binaries.size() != 1) return words;
  const std::string path = value_of(binaries.front(), "path", std::string());
  return path.empty() ? words : words + " --rippled " + shell_word(path);
}

void name_servers(const run::Scenario& scenario, hunt::HuntRecord& record) {
  const auto binaries = live::binaries_of(*scenario.system);
  if (binaries.empty()) return;
  Json options = Json::parse(record.options);
  options["servers"] = Json::array();
  for (const live::ServerBinary& binary : binaries) {
    Json entry{{"path", binary.path}, {"sha256", binary.digest}, {"nodes", binary.nodes}};
    if (!binary.restarts.empty()) entry["restarts_of"] = binary.restarts;
    options["servers"].push_back(std::move(entry));
  }
  record.options = options.dump();
}

std::string binary_words(const run::Scenario& scenario) {
  std::string words;
  for (const live::ServerBinary& binary : live::binaries_of(*scenario.system)) {
    words += fmt::format("{}{} (sha256 {})", words.empty() ? "" : ", ", binary.path,
                         binary.digest.substr(0, 12));
  }
  return words;
}

}  // namespace dissensus::cli
