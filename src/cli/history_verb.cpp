// Histories of clients, checked (docs/history.md).
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "cli/help.h"
#include "cli/verb.h"
#include "core/file.h"
#include "core/suggestion.h"
#include "history/checker.h"
#include "history/describe.h"
#include "history/reader.h"
#include "report/history_diagram.h"

namespace dissensus::cli {

namespace {

struct HistoryOptions {
  std::string file;
  std::string model;
  std::string format = "guess";
  std::string level = "strict-serializable";
  std::string failed_cas = "ignore";
  std::optional<std::int64_t> initial;
  std::string svg;
  std::uint64_t steps_max = history::CheckLimits{}.steps;
  std::uint64_t memory_mib = history::CheckLimits{}.memory_bytes >> 20;
  OutputOptions output;
};

constexpr std::size_t kPartsShown = 16;

history::Format format_named(const std::string& name) {
  if (name == "edn") return history::Format::edn;
  if (name == "log") return history::Format::log;
  if (name == "json") return history::Format::json;
  return history::Format::guess;
}

history::CheckOptions settings_of(const HistoryOptions& options) {
  history::CheckOptions settings;
  settings.failed_cas_compares = options.failed_cas == "compare";
  const std::optional<history::Isolation> level = history::isolation_named(options.level);
  if (!level) {
    throw InputError(fmt::format("--level: no isolation level '{}'{} (levels: {})", options.level,
                                 suggestion(options.level, history::isolation_names()),
                                 fmt::join(history::isolation_names(), ", ")));
  }
  settings.promised = *level;
  if (options.initial) settings.initial = history::Value::integer(*options.initial);
  settings.limits.steps = options.steps_max;
  settings.limits.memory_bytes = options.memory_mib << 20;
  return settings;
}

void print_finding(const history::Finding& finding, const history::History& history,
                   const std::vector<history::Operation>& operations) {
  fmt::print("  {}{}: {}\n", finding.name,
             finding.count > 1 ? fmt::format(" ({} of them)", finding.count) : "", finding.text);
  for (std::size_t i = 0; i < finding.parts.size() && i < kPartsShown; ++i) {
    const history::Part& part = finding.parts[i];
    const std::string place =
        part.order > 0 ? fmt::format("{}.", part.order) : (part.is_conflict ? "!" : "");
    fmt::print("  {:>6} {}{}\n", place, describe(history, operations[part.operation]),
               part.text.empty() ? "" : fmt::format(": {}", part.text));
  }
  if (finding.parts.size() > kPartsShown) {
    fmt::print("         ... and {} more\n", finding.parts.size() - kPartsShown);
  }
}

void print_text(const history::Verdict& verdict, const history::History& history,
                const std::vector<history::Operation>& operations) {
  fmt::print("history   {} ({} events)\n", history.name(), history.events().size());
  fmt::print("model     {}\n", verdict.model);
  fmt::print("verdict   {}\n", to_string(verdict.outcome));
  if (!verdict.reason.empty()) fmt::print("  {}\n", verdict.reason);
  for (const history::Finding& finding : verdict.findings) {
    print_finding(finding, history, operations);
  }
  for (const auto& [name, value] : verdict.figures) fmt::print("  {}: {}\n", name, value);
}

ExitCode check_history(const HistoryOptions& options) {
  const history::CheckOptions settings = settings_of(options);
  const history::History history =
      history::read_history(options.file, format_named(options.format));
  const std::vector<history::Operation> operations = history::operations_of(history);
  const history::Verdict verdict = history::check(history, operations, options.model, settings);
  if (!options.svg.empty()) {
    write_file(options.svg, report::history_diagram(history, operations, verdict));
  }
  if (options.output.json) {
    if (!options.output.quiet) fmt::print("{}\n", to_json(verdict, history, operations));
  } else if (!options.output.quiet) {
    print_text(verdict, history, operations);
    if (!options.svg.empty()) fmt::print("picture   {}\n", options.svg);
  }
  switch (verdict.outcome) {
    case history::Outcome::pass:
      return kAllHeld;
    case history::Outcome::fail:
      return kViolation;
    case history::Outcome::unknown:
      break;
  }
  return kUnknown;
}

std::string model_list() {
  std::string text = "Models:\n";
  for (const history::CheckerDescription& checker : history::checkers()) {
    text += in_two_columns(std::string(checker.name),
                           fmt::format("{} ({})", checker.promise, checker.functions), 20);
  }
  return text;
}

Verb add_history_check_verb(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("check", "Did clients see what a correct system shows?");
  const auto options = std::make_shared<HistoryOptions>();
  app->add_option("file", options->file, "Jepsen's history.edn or log, or JSON lines")->required();
  app->add_option("--model", options->model, "What the system promises; see below")->required();
  app->add_option("--format", options->format,
                  "edn, log, json, or guess (default) from the first characters")
      ->check(CLI::IsMember({"guess", "edn", "log", "json"}));
  app->add_option("--level", options->level, "Isolation that transactions were promised")
      ->capture_default_str();
  app->add_option("--failed-cas", options->failed_cas,
                  "ignore a cas that failed without a reason, or let it compare: the value was "
                  "another one")
      ->check(CLI::IsMember({"ignore", "compare"}))
      ->capture_default_str();
  app->add_option("--initial", options->initial, "Value of registers at the start; default: none");
  app->add_option("--svg", options->svg, "Draw the first finding into this file");
  app->add_option("--steps-max", options->steps_max, "Steps after which a search gives up")
      ->capture_default_str();
  app->add_option("--memory-mib", options->memory_mib, "Memory after which a search gives up")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
      ->capture_default_str();
  options->output.add_to(*app);
  app->footer(model_list() +
              "\nExit codes: 0 the promise was kept, 1 it was not, 2 bad input, 3 unknown.\n\n"
              "Example:\n  dissensus history check store/latest/history.edn --model lin-kv --svg "
              "why.svg");
  return {app, [options] { return check_history(*options); }};
}

}  // namespace

Verb add_history_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("history", "Check what clients asked and were told");
  app->require_subcommand(0, 1);
  app->allow_extras();  // unknown words are explained by run_part
  std::vector<Verb> verbs{add_history_check_verb(*app)};
  app->footer("Example:\n  dissensus history check history.edn --model txn-list-append");
  return {app, [app, verbs] { return run_part(*app, verbs); }};
}

}  // namespace dissensus::cli
