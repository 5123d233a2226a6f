#include "run/remake.h"

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "core/limits.h"
#include "run/named_files.h"
#include "run/recording.h"
#include "run/run_folder.h"
#include "trace/parting.h"
#include "trace/trace_file.h"

namespace dissensus::run {

namespace fs = std::filesystem;

namespace {

/// None where there is none, or none that can be read: that is said where it is asked for.
std::optional<trace::Trace> recorded_trace(const std::string& path) {
  std::error_code error;
  const std::string file = fs::is_directory(path, error) ? path + "/trace.jsonl.gz" : path;
  if (path.empty() || !fs::exists(file, error)) return std::nullopt;
  try {
    return trace::read_trace(file);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Files of the folder that are not those of the run that it recorded.
void add_edits(const Recipe& recipe, const std::string& folder, const trace::Header& header,
               std::vector<std::string>& parts) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  const std::string schedule = faults::to_json(
      recipe.schedule, recipe.scenario.system_description(), recipe.scenario.nodes());
  if (schedule != header.schedule) parts.emplace_back("schedule.json is not what was recorded");
  if (read_file(folder + "/scenario.toml", kScenarioBytesMax) != header.scenario) {
    parts.emplace_back("scenario.toml is not what was recorded");
  }
  for (const std::string& name : changed_files(folder)) {
    parts.push_back(name + " has changed since");
  }
}

/// What the node that failed said last: a program's last words.
std::string what_it_said(const RunResult& result) {
  if (result.verdict.violations.empty()) return {};
  const std::vector<NodeId>& nodes = result.verdict.violations.front().nodes;
  if (nodes.empty()) return {};
  for (auto record = result.records.rbegin(); record != result.records.rend(); ++record) {
    if (record->type != EventType::log || record->node != nodes.front()) continue;
    constexpr std::size_t kMost = 200;
    std::string text = record->text.substr(0, kMost);
    for (char& letter : text) letter = letter == '\n' ? ' ' : letter;
    return fmt::format(" (node {} said: {})", record->node, text);
  }
  return {};
}

/// Both in full, so that it can be said where they part.
std::string parting_text(const Recipe& recipe, const trace::Trace& then, const RunResult& now) {
  if (then.header.detail != trace::Detail::everything || now.records.empty()) return {};
  const auto parting = trace::parting_of(then.records, now.records);
  if (!parting) return {};
  trace::Header header;
  trace::describe(recipe.scenario.system_description(), recipe.scenario.nodes(), header);
  return fmt::format("they part at {}",
                     trace::to_text(*parting, header, then.records, now.records));
}

/// Only what makes the run what it is: nobody stands still, no clock is kept pace with.
RunOptions once_more(const RunOptions& options) {
  RunOptions again;
  again.detail = options.detail;
  again.log = options.log;
  again.branch = options.branch;
  return again;
}

/// A run that comes out otherwise each time is compared with nothing.
void refuse_chance(const Recipe& recipe, const RunResult& result, const RunOptions& options,
                   const Recorded& recorded) {
  Runner runner;
  const auto run_again = [&] {
    return runner.run(recipe.scenario, recipe.schedule, recipe.seed, once_more(options));
  };
  RunResult again = run_again();
  // A process may begin alike each time, and then go on otherwise: rand() that nobody seeds.
  if (again.hash == result.hash) again = run_again();
  if (again.hash == result.hash) return;
  trace::Trace first;
  first.records = result.records;
  const std::string parting = parting_text(recipe, first, again);
  throw NotDeterministic(fmt::format(
      "{}: not deterministic: recorded with hash {}, made twice now with hashes {} and {}{}{}",
      recorded.name, recipe.hash, trace::to_hex(result.hash), trace::to_hex(again.hash),
      parting.empty() ? "" : "; ", parting));
}

}  // namespace

std::string ending_of(oracle::Outcome outcome, const std::string& signature) {
  const std::string_view word = oracle::to_string(outcome);
  return signature.empty() ? std::string(word) : fmt::format("{} ({})", word, signature);
}

std::string ending_of(const oracle::Verdict& verdict) {
  return ending_of(verdict.outcome,
                   verdict.violations.empty() ? "" : verdict.violations.front().signature());
}

Recorded recorded_at(const std::string& path) {
  Recorded recorded{path, {}, path};
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (fs::exists(path + "/verdict.json", error)) recorded.ending = ending_of(read_verdict(path));
  } else if (const auto trace = recorded_trace(path)) {
    recorded.ending = trace->footer.outcome;
  }
  return recorded;
}

std::string difference_of(const Recipe& recipe, const RunResult& result, const RunOptions& options,
                          const Recorded& recorded) {
  const std::string hash = trace::to_hex(result.hash);
  if (recipe.hash.empty() || hash == recipe.hash) return {};
  refuse_chance(recipe, result, options, recorded);
  const auto then = recorded_trace(recorded.folder);
  if (then && then->footer.hash == hash) {
    throw InputError(
        fmt::format("{}/run.json: hash: expected \"{}\", which trace.jsonl.gz has and this run "
                    "too, found \"{}\"",
                    recorded.folder, hash, recipe.hash));
  }
  std::vector<std::string> parts;
  parts.push_back(fmt::format("recorded {} with hash {}, now {} with hash {}",
                              recorded.ending.empty() ? "a run" : recorded.ending, recipe.hash,
                              ending_of(result.verdict), hash));
  if (then) {
    if (std::string parting = parting_text(recipe, *then, result); !parting.empty()) {
      parts.push_back(std::move(parting));
    }
  }
  if (!result.verdict.violations.empty() && ending_of(result.verdict) != recorded.ending) {
    parts.push_back(
        fmt::format("now {}{}", result.verdict.violations.front().text, what_it_said(result)));
  }
  if (then) {
    add_edits(recipe, recorded.folder, then->header, parts);
    if (then->header.program != program_version()) {
      parts.push_back(
          fmt::format("recorded by {}, this is {}", then->header.program, program_version()));
    }
  }
  return fmt::format("{}: the replay differs: {}", recorded.name, fmt::join(parts, "; "));
}

Remake make_again(const Recipe& recipe, const RunOptions& options, const Recorded& recorded) {
  Runner runner;
  Remake remake;
  remake.result = runner.run(recipe.scenario, recipe.schedule, recipe.seed, options);
  remake.difference = difference_of(recipe, remake.result, options, recorded);
  return remake;
}

RunResult make_same(const Recipe& recipe, const RunOptions& options, const Recorded& recorded) {
  Remake remake = make_again(recipe, options, recorded);
  if (!remake.difference.empty()) throw InputError(remake.difference);
  return std::move(remake.result);
}

RunResult record_same(const std::string& folder, const Recipe& recipe, const Recorded& recorded) {
  RunOptions options = with_everything();
  options.branch = recipe.branch;
  RunResult result = make_same(recipe, options, recorded);
  write_run_folder(folder, recipe, options, result);
  return result;
}

}  // namespace dissensus::run
