#include "regression/corpus.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/limits.h"
#include "faults/schedule.h"
#include "oracle/verdict.h"
#include "regression/parts.h"
#include "shrink/shrink.h"

namespace dissensus::regression {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEntryFile = "entry.json";

/// Parts of the schedule without which the run has another trace.
std::size_t count_acting_parts(const run::Recipe& recipe, std::uint64_t hash, run::Runner& runner) {
  std::size_t acting = 0;
  for (const faults::Schedule& without : without_each_part(recipe.schedule)) {
    acting += runner.run(recipe.scenario, without, recipe.seed).hash != hash ? 1 : 0;
  }
  return acting;
}

std::string expectation_word(Expectation expected) {
  return expected == Expectation::fails ? "fails" : "fixed";
}

void write_entry(const std::string& folder, const Entry& entry) {
  nlohmann::ordered_json json;
  json["format"] = kCorpusFormat;
  json["signature"] = entry.signature;
  json["violation"] = entry.violation;
  json["expected"] = expectation_word(entry.expected);
  json["seed"] = entry.recipe.seed;
  json["hash"] = entry.recipe.hash;
  json["acting_parts"] = entry.acting_parts;
  write_file(fmt::format("{}/{}", folder, kEntryFile), json.dump(2) + "\n");
}

/// What entry.json says; scenario and schedule are beside it.
Entry read_entry_file(const std::string& path) {
  Entry entry;
  try {
    const auto json = nlohmann::json::parse(read_file(path, kScenarioBytesMax));
    if (json.at("format") != kCorpusFormat) {
      throw InputError(fmt::format("{}: format: expected '{}'", path, kCorpusFormat));
    }
    entry.signature = json.at("signature");
    entry.violation = json.at("violation");
    entry.recipe.seed = json.at("seed");
    entry.recipe.hash = json.at("hash");
    entry.acting_parts = json.at("acting_parts");
    const std::string expected = json.at("expected");
    if (expected != "fails" && expected != "fixed") {
      throw InputError(
          fmt::format("{}: expected: expected 'fails' or 'fixed', found '{}'", path, expected));
    }
    entry.expected = expected == "fixed" ? Expectation::fixed : Expectation::fails;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: no entry of a corpus: {}", path, error.what()));
  }
  return entry;
}

void judge(const Entry& entry, run::Runner& runner, CheckedEntry& checked) {
  const run::Recipe& recipe = entry.recipe;
  const run::RunResult result = runner.run(recipe.scenario, recipe.schedule, recipe.seed);
  checked.same_hash = trace::to_hex(result.hash) == recipe.hash;
  const std::string signature = shrink::failure_of(result);
  if (signature == entry.signature) {
    checked.state = State::still_fails;
    checked.reason = result.verdict.violations.front().text;
  } else if (!signature.empty()) {
    checked.state = State::fails_differently;
    checked.reason =
        fmt::format("was {}: now {}", entry.signature, result.verdict.violations.front().text);
  } else if (result.verdict.outcome != oracle::Outcome::pass) {
    checked.state = State::unknown;
    checked.reason = fmt::format("no verdict: the run ended by {}", result.ended_by);
  } else {
    const std::size_t acting = count_acting_parts(recipe, result.hash, runner);
    checked.state = acting >= entry.acting_parts ? State::fixed : State::missed;
    checked.reason = entry.acting_parts == 0
                         ? "passes"
                         : fmt::format("passes; {} of {} parts of the schedule still act",
                                       std::min(acting, entry.acting_parts), entry.acting_parts);
  }
}

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::still_fails:
      return "still fails";
    case State::fixed:
      return "fixed";
    case State::fails_differently:
      return "fails differently";
    case State::missed:
      return "missed";
    case State::unknown:
      return "unknown";
    case State::cannot_be_replayed:
      return "cannot be replayed";
  }
  return "unknown";
}

bool CheckedEntry::is_regression() const {
  return state == State::fails_differently ||
         (state == State::still_fails && expected == Expectation::fixed);
}

bool CheckedEntry::is_open() const {
  return state == State::missed || state == State::unknown || state == State::cannot_be_replayed;
}

Entry add_entry(const std::string& corpus, const std::string& name, const run::Recipe& failing) {
  if (!failing.scenario.system->traits().repeatable) {
    throw InputError(failing.scenario.path +
                     ": real servers in real time do not repeat; `dissensus confirm` judges them");
  }
  run::Runner runner;
  const run::RunResult result = runner.run(failing.scenario, failing.schedule, failing.seed);
  Entry entry{name, failing, shrink::failure_of(result), {}, Expectation::fails, 0};
  if (entry.signature.empty()) {
    throw InputError(fmt::format("{}: this run does not fail", failing.scenario.path));
  }
  entry.violation = result.verdict.violations.front().text;
  entry.recipe.hash = trace::to_hex(result.hash);
  entry.acting_parts = count_acting_parts(failing, result.hash, runner);

  const std::string folder = corpus + "/" + name;
  std::error_code error;
  if (fs::exists(folder, error)) {
    throw InputError(fmt::format("{}: is there already; name another one with --name", folder));
  }
  make_folders(folder);
  write_file(folder + "/scenario.toml", failing.scenario.text);
  write_file(folder + "/schedule.json",
             faults::to_json(failing.schedule, failing.scenario.system_description(),
                             failing.scenario.nodes()));
  write_entry(folder, entry);
  return entry;
}

std::vector<std::string> entry_names(const std::string& corpus) {
  std::error_code error;
  if (!fs::is_directory(corpus, error)) {
    throw InputError(corpus + ": no such folder; `dissensus corpus add RUN` makes one");
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(corpus)) {
    if (fs::exists(entry.path() / kEntryFile, error)) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Entry read_entry(const std::string& corpus, const std::string& name,
                 const SystemRegistry& systems) {
  const std::string folder = corpus + "/" + name;
  Entry entry = read_entry_file(fmt::format("{}/{}", folder, kEntryFile));
  entry.name = name;
  entry.recipe.scenario = run::load_scenario(folder + "/scenario.toml", systems);
  entry.recipe.schedule = run::load_schedule(folder + "/schedule.json", entry.recipe.scenario);
  return entry;
}

void set_expectation(const std::string& corpus, const std::string& name, Expectation expected) {
  const std::string folder = corpus + "/" + name;
  Entry entry = read_entry_file(fmt::format("{}/{}", folder, kEntryFile));
  entry.expected = expected;
  write_entry(folder, entry);
}

CheckedEntry check_entry(const std::string& corpus, const std::string& name,
                         const SystemRegistry& systems, run::Runner& runner) {
  CheckedEntry checked;
  checked.name = name;
  try {
    checked.expected = read_entry_file(fmt::format("{}/{}/{}", corpus, name, kEntryFile)).expected;
    judge(read_entry(corpus, name, systems), runner, checked);
  } catch (const InputError& error) {
    checked.state = State::cannot_be_replayed;
    checked.reason = error.what();
  }
  return checked;
}

}  // namespace dissensus::regression
