#include "cli/verb.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>

#include <errno.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/file.h"
#include "core/suggestion.h"
#include "faults/words.h"
#include "host/host.h"
#include "run/remake.h"

namespace dissensus::cli {

ExitCode exit_code_of(oracle::Outcome outcome) {
  switch (outcome) {
    case oracle::Outcome::pass:
      return kAllHeld;
    case oracle::Outcome::fail:
      return kViolation;
    case oracle::Outcome::unknown:
      break;
  }
  return kUnknown;
}

ExitCode exit_code_of_trouble(std::string_view trouble) {
  return trouble == kInterrupted ? kUnknown : kEnvironment;
}

Failure failure_of(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error) != nullptr) return {kBadInput, error.what()};
  if (dynamic_cast<const OutsideError*>(&error) != nullptr) {
    return {exit_code_of_trouble(error.what()), error.what()};
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return {kEnvironment, "out of memory"};
  }
  if (dynamic_cast<const run::NotDeterministic*>(&error) != nullptr) {
    return {kInternalFault, error.what()};
  }
  // Files that nobody asked about by name, and standard output.
  if (const auto* const system = dynamic_cast<const std::system_error*>(&error)) {
    if (is_of_environment(system->code().value())) return {kEnvironment, error.what()};
    if (dynamic_cast<const std::filesystem::filesystem_error*>(&error) != nullptr) {
      return {kBadInput, error.what()};
    }
  }
  return {kInternalFault, fmt::format("internal fault: {}", error.what())};
}

void OutputOptions::add_to(CLI::App& verb) {
  verb.add_flag("--json", json, "Print one JSON object instead of text")->group("Output");
  verb.add_flag("-q,--quiet", quiet, "Print nothing but errors; the exit code is the verdict")
      ->group("Output");
}

std::string shell_word(const std::string& word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string replay_command(const std::string& folder, const std::string& words) {
  // As it was called, so that the line can be pasted where the program is not on the PATH.
  return fmt::format("{} replay {}{}", shell_word(program_invocation_name), shell_word(folder),
                     words);
}

std::filesystem::path program_path() {
  // Not /proc/self/exe: a container may have no /proc.
  const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(name == nullptr ? "" : name, error);
  return error ? std::filesystem::path{} : path;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

bool is_terminal() {
  const char* const type = std::getenv("TERM");
  const bool moves_its_cursor = type != nullptr && std::string_view(type) != "dumb";
  return moves_its_cursor && isatty(STDERR_FILENO) != 0;
}

std::size_t default_jobs() {
#if defined(__SANITIZE_ADDRESS__)
  // Code that is not ours runs in forked workers, and AddressSanitizer's allocator does not survive
  // a fork beside another thread.
  return 1;
#else
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : cores;
#endif
}

namespace {

/// The host's own report of a run of programs; nullptr: of a simulated one.
const std::string* host_report(const run::RunResult& result) {
  for (const Outside::Attachment& file : result.attachments) {
    if (file.name == host::kReportFile) return &file.text;
  }
  return nullptr;
}

void print_json(const RunReport& report) {
  const run::RunResult& result = report.result;
  nlohmann::ordered_json json;
  json["scenario"] = report.recipe.scenario.name;
  json["seed"] = report.recipe.seed;
  json["outcome"] = oracle::to_string(result.verdict.outcome);
  json["hash"] = trace::to_hex(result.hash);
  json["events"] = result.events;
  json["virtual_seconds"] = static_cast<double>(microseconds_of(result.end)) / 1e6;
  json["ended_by"] = result.ended_by;
  json["verdict"] = nlohmann::ordered_json::parse(oracle::to_json(result.verdict));
  if (report.folder.empty()) {
    json["run_folder"] = nullptr;
  } else {
    json["run_folder"] = report.folder;
    json["replay"] = replay_command(report.folder, report.replay_words);
  }
  if (const std::string* const text = host_report(result)) {
    json["kernel_notes"] = host::notes_in(*text);
  }
  if (report.doubts) {
    json["repeatable"] = report.doubts->empty();
    json["doubts"] = *report.doubts;
  }
  fmt::print("{}\n", json.dump(2));
}

void print_lines(std::string_view what, const std::vector<std::string>& lines,
                 std::string_view where_all_are) {
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < lines.size() && i < kShown; ++i) {
    fmt::print("  {}: {}\n", what, lines[i]);
  }
  if (lines.size() > kShown) {
    fmt::print("  {}: ... and {} more ({})\n", what, lines.size() - kShown, where_all_are);
  }
}

void print_text(const RunReport& report) {
  const run::Scenario& scenario = report.recipe.scenario;
  const run::RunResult& result = report.result;
  fmt::print("scenario  {} ({}, {} nodes), seed {}\n", scenario.name,
             scenario.system_description().name, scenario.nodes(), report.recipe.seed);
  fmt::print("schedule  {}\n", faults::summary(report.recipe.schedule));
  fmt::print("verdict   {}\n", oracle::to_string(result.verdict.outcome));
  for (const oracle::PropertyVerdict& property : result.verdict.properties) {
    const std::string_view outcome = oracle::to_string(property.outcome);
    fmt::print("  {:<12} {}\n", property.property,
               property.reason.empty() ? std::string(outcome)
                                       : fmt::format("{:<8} {}", outcome, property.reason));
  }
  std::vector<std::string> notes;
  for (const oracle::Violation& note : result.verdict.notes) notes.push_back(note.text);
  print_lines("note", notes, "verdict.json");
  if (const std::string* const text = host_report(result)) {
    if (!report.doubts) print_lines("not proven repeatable", host::doubts_in(*text), "host.txt");
    print_lines("programs' kernel", host::notes_in(*text), "host.txt");
  }
  fmt::print("trace     {} events, {:.3f} s of virtual time, ended by {}, hash {}\n", result.events,
             static_cast<double>(microseconds_of(result.end)) / 1e6, result.ended_by,
             trace::to_hex(result.hash));
  if (result.records_cut)
    fmt::print("          the recorded trace was cut at limits.trace_bytes\n");
  if (!report.folder.empty()) {
    fmt::print("folder    {}\n", report.folder);
    fmt::print("replay    {}\n", replay_command(report.folder, report.replay_words));
  }
}

}  // namespace

void print_report(const RunReport& report, const OutputOptions& output) {
  if (output.quiet) return;
  if (output.json) {
    print_json(report);
  } else {
    print_text(report);
  }
  std::fflush(stdout);  // whoever reads a pipe need not wait for the runs that follow
}

void refuse_unknown_words(const CLI::App& part) {
  const std::vector<std::string> words = part.remaining();
  if (words.empty()) return;
  std::vector<std::string> known;
  for (const CLI::Option* option : part.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = part.get_parent()->get_name() + ' ' + part.get_name();
  throw InputError(fmt::format("{0}: unexpected '{1}'{2} (see dissensus {0} --help)", name,
                               words.front(), suggestion(words.front(), known)));
}

ExitCode run_part(const CLI::App& verb, const std::vector<Verb>& parts) {
  std::vector<std::string> names;
  for (const Verb& part : parts) {
    names.push_back(part.app->get_name());
    if (!part.app->parsed()) continue;
    refuse_unknown_words(*part.app);
    return part.execute();
  }
  const std::vector<std::string> words = verb.remaining();
  if (words.empty()) {
    throw InputError(
        fmt::format("{}: expected what to do ({})", verb.get_name(), fmt::join(names, ", ")));
  }
  throw InputError(fmt::format("{}: no verb '{}'{} (verbs: {})", verb.get_name(), words.front(),
                               suggestion(words.front(), names), fmt::join(names, ", ")));
}

}  // namespace dissensus::cli
