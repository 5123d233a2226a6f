#include "cli/whole/tla_options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conform/quint.h"
#include "core/file.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kConfigBytesMax = std::size_t{16} << 20;
constexpr std::size_t kNoticesShown = 5;

/// Where TLC, too, looks for modules.
std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  const char* list = std::getenv("TLA_LIBRARY");
  if (list == nullptr) return folders;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

tla::Config read_config(const std::string& path) {
  auto source = std::make_shared<tla::Source>();
  source->path = path;
  source->text = read_file(path, kConfigBytesMax);
  return tla::parse_config(source);
}

}  // namespace

void SpecOptions::add_to(CLI::App& app, bool is_required) {
  CLI::Option* option =
      is_required
          ? app.add_option("spec", spec, "TLA+ module (FILE.tla) or Quint model (FILE.qnt.json)")
                ->required()
          : app.add_option("--spec", spec, "TLA+ module whose names the expression uses");
  option->type_name("SPEC");
  app.add_option("--config", config, "TLC configuration; default: SPEC with .cfg")
      ->type_name("FILE");
  app.add_option("--constant", constants,
                 "NAME=EXPRESSION: a constant; wins over the configuration")
      ->take_last()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("-I,--folder", folders, "Folder with further modules; also those in TLA_LIBRARY")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::shared_ptr<const tla::Spec> SpecOptions::load() {
  fs::path path = spec;
  if (!path.has_extension()) path += ".tla";
  if (!fs::exists(path)) {
    throw InputError(
        fmt::format("{}: no such file{}", path.string(), missing_path_hint(path.string())));
  }
  config_path = config;
  if (config_path.empty()) {
    fs::path beside = fs::path(path).replace_extension(".cfg");
    if (!fs::exists(beside)) {
      // A model of the specification, as people name it: MCSpec.tla with MCSpec.cfg.
      const fs::path model = path.parent_path() / ("MC" + path.filename().string());
      const fs::path model_config = fs::path(model).replace_extension(".cfg");
      if (fs::exists(model) && fs::exists(model_config)) {
        path = model;
        beside = model_config;
      }
    }
    if (fs::exists(beside)) config_path = beside.string();
  }
  tla::SpecOptions options;
  options.folders = folders;
  for (std::string& folder : library_folders()) options.folders.push_back(std::move(folder));
  for (const std::string& constant : constants) {
    options.constants.push_back(split_assignment(constant, "--constant"));
  }
  const tla::Config parsed = config_path.empty() ? tla::Config{} : read_config(config_path);
  return conform::load_specification(path.string(), parsed, std::move(options));
}

std::pair<std::string, std::string> split_assignment(const std::string& text,
                                                     std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError(fmt::format("{} {}: expected NAME=VALUE", option, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::pair<std::string, double> split_number(const std::string& text, std::string_view option) {
  const auto [name, value] = split_assignment(text, option);
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end || !(number >= 0 && number <= 1e9)) {
    throw InputError(fmt::format("{} {}: expected a number from 0 to 1e9 after '='", option, text));
  }
  return {name, number};
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

void print_notices(const tla::Spec& spec) {
  const std::vector<tla::Notice>& notices = spec.notices();
  for (std::size_t i = 0; i < notices.size() && i < kNoticesShown; ++i) {
    const std::string place = notices[i].at.to_string();
    fmt::print("notice    {}{}{}\n", place, place.empty() ? "" : ": ", notices[i].message);
  }
  if (notices.size() > kNoticesShown) {
    fmt::print("notice    ... and {} more (--json shows all)\n", notices.size() - kNoticesShown);
  }
}

void print_header(const tla::Spec& spec, const SpecOptions& options, std::string_view more) {
  fmt::print("spec      {}, {}, {} variables{}\n", spec.path(),
             options.config_path.empty() ? "no configuration" : options.config_path,
             spec.variables().size(), more);
  print_notices(spec);
}

void print_explanation(const tla::Explanation& explanation, std::size_t count) {
  if (explanation.guards.empty()) return;
  fmt::print("first guards that fail (the deepest first):\n");
  for (std::size_t i = 0; i < explanation.guards.size() && i < count; ++i) {
    const tla::FailedGuard& guard = explanation.guards[i];
    fmt::print("  {}: {}\n", guard.at.to_string(), guard.text);
    for (const auto& [text, value] : guard.operands) fmt::print("      {} = {}\n", text, value);
  }
}

Json json_of(const tla::Explanation& explanation) {
  Json list = Json::array();
  for (const tla::FailedGuard& guard : explanation.guards) {
    Json operands = Json::object();
    for (const auto& [text, value] : guard.operands) operands[text] = value;
    list.push_back({{"at", guard.at.to_string()},
                    {"guard", guard.text},
                    {"depth", guard.depth},
                    {"operands", std::move(operands)}});
  }
  return list;
}

Json json_of_notices(const tla::Spec& spec) {
  Json list = Json::array();
  for (const tla::Notice& notice : spec.notices()) {
    list.push_back({{"at", notice.at.to_string()}, {"message", notice.message}});
  }
  return list;
}

void print_actions(const tla::Spec& spec, const std::vector<std::uint64_t>& steps) {
  // The next-state relation itself names a step only where nothing inside it does.
  const std::string next = spec.config().next ? spec.config().next->name : "Next";
  std::vector<std::string> never;
  std::size_t width = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > 0) width = std::max(width, spec.actions()[i].name.size());
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const tla::ActionDescription& action = spec.actions()[i];
    if (steps[i] > 0) {
      fmt::print("  {:<{}} {:>14} steps\n", action.name, width, grouped(steps[i]));
    } else if (action.is_label && action.name != next) {
      never.push_back(action.name);
    }
  }
  if (!never.empty()) fmt::print("  never taken: {}\n", fmt::join(never, ", "));
}

Json json_of_actions(const tla::Spec& spec, const std::vector<std::uint64_t>& steps) {
  Json json = Json::object();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > 0 || spec.actions()[i].is_label) json[spec.actions()[i].name] = steps[i];
  }
  return json;
}

ExitCode exit_code_of(tla::CheckOutcome outcome) {
  switch (outcome) {
    case tla::CheckOutcome::ok:
      return kAllHeld;
    case tla::CheckOutcome::violation:
    case tla::CheckOutcome::deadlock:
    case tla::CheckOutcome::assumption:
      return kViolation;
    case tla::CheckOutcome::error:
      return kBadInput;
    case tla::CheckOutcome::incomplete:
      break;
  }
  return kUnknown;
}

}  // namespace dissensus::cli
