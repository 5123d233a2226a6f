#include <filesystem>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/plugins.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "core/file.h"
#include "regression/corpus.h"

namespace dissensus::cli {

namespace {

struct CorpusOptions {
  std::string run;
  std::string corpus = "corpus";
  std::string name;
  std::string junit;
  std::string markdown;
  bool remember = false;
  PluginOptions plugins;
  OutputOptions output;
};

/// The smallest run that a folder has.
run::Recipe smallest_recipe(const std::string& asked, const SystemRegistry& systems) {
  const std::string path = folder_of_run(asked, systems);
  std::error_code error;
  const std::string minimal = path + "/minimal";
  run::Recipe recipe =
      run::read_recipe(std::filesystem::is_directory(minimal, error) ? minimal : path, systems);
  if (recipe.branch) throw InputError(path + ": this run continued another one; add that one");
  return recipe;
}

struct CorpusAddAnswer {
  std::string entry;
  std::string signature;
  std::size_t acting_parts = 0;
};
DISSENSUS_DESCRIBE(CorpusAddAnswer, entry, signature, acting_parts)
const AnswerRegistration kCorpusAddAnswer = answers_with<CorpusAddAnswer>("corpus add");

ExitCode add(const CorpusOptions& options) {
  const Registry registry = options.plugins.load();
  const run::Recipe recipe = smallest_recipe(options.run, registry.systems);
  const std::string name = options.name.empty() ? recipe.scenario.name : options.name;
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
    throw InputError(fmt::format("--name: expected the name of a folder, found '{}'", name));
  }
  const regression::Entry entry = regression::add_entry(options.corpus, name, recipe);
  const CorpusAddAnswer answer{options.corpus + "/" + name, entry.signature, entry.acting_parts};
  print_answer(options.output, answer,
               fmt::format("{}\nkept as {}\n", entry.violation, answer.entry));
  return kAllHeld;
}

void print_entry(const regression::CheckedEntry& entry, std::size_t width) {
  fmt::print("{:{}}  {}{}: {}\n", entry.name, width, entry.is_regression() ? "REGRESSION, " : "",
             to_string(entry.state), entry.reason);
}

struct EntryAnswer {
  std::string name;
  std::string expected;
  std::string state;
  bool regression = false;
  bool same_hash = false;
  std::string reason;
};
DISSENSUS_DESCRIBE(EntryAnswer, name, expected, state, regression, same_hash, reason)

struct CorpusCheckAnswer {
  std::vector<EntryAnswer> entries;
};
DISSENSUS_DESCRIBE(CorpusCheckAnswer, entries)
const AnswerRegistration kCorpusCheckAnswer = answers_with<CorpusCheckAnswer>("corpus check");

EntryAnswer answer_of(const regression::CheckedEntry& entry) {
  return {entry.name,
          entry.expected == regression::Expectation::fails ? "fails" : "fixed",
          std::string(to_string(entry.state)),
          entry.is_regression(),
          entry.same_hash,
          entry.reason};
}

ExitCode check(const CorpusOptions& options) {
  const Registry registry = options.plugins.load();
  const std::vector<std::string> names = regression::entry_names(options.corpus);
  if (names.empty()) throw InputError(options.corpus + ": no entries; `dissensus corpus add RUN`");
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::vector<regression::CheckedEntry> entries;
  run::Runner runner;
  const bool prints = !options.output.quiet && !options.output.json;
  ExitCode code = kAllHeld;
  for (const std::string& name : names) {
    entries.push_back(regression::check_entry(options.corpus, name, registry.systems, runner));
    const regression::CheckedEntry& entry = entries.back();
    if (prints) print_entry(entry, width);
    if (options.remember && entry.state == regression::State::fixed) {
      regression::set_expectation(options.corpus, name, regression::Expectation::fixed);
    }
    if (entry.is_regression()) {
      code = kViolation;
    } else if (entry.is_open() && code == kAllHeld) {
      code = kUnknown;
    }
  }
  if (!options.junit.empty()) write_file(options.junit, regression::to_junit(entries));
  if (!options.markdown.empty()) write_file(options.markdown, regression::to_markdown(entries));
  CorpusCheckAnswer answer;
  for (const regression::CheckedEntry& entry : entries) answer.entries.push_back(answer_of(entry));
  print_answer(options.output, answer, "");  // as text they were told while they were checked
  return code;
}

}  // namespace

Verb add_corpus_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "corpus", "Keep failing runs with the code, and check them after a change");
  app->allow_extras();
  app->require_subcommand(0, 1);
  const auto options = std::make_shared<CorpusOptions>();
  CLI::App* adding = app->add_subcommand("add", "Keep the smallest failing run of a run folder");
  adding->add_option("run", options->run, "Run folder or trace file")->required();
  adding->add_option("--corpus", options->corpus, "Folder of the corpus")->capture_default_str();
  adding->add_option("--name", options->name, "Name of the entry; default: the scenario's");
  CLI::App* checking = app->add_subcommand(
      "check", "Replay every entry: fixed, still fails, fails differently, missed");
  checking->add_option("corpus", options->corpus, "Folder of the corpus")->capture_default_str();
  checking->add_flag("--remember", options->remember,
                     "Entries that are fixed are expected to stay so from now on");
  checking->add_option("--junit", options->junit, "Also write the result as JUnit XML");
  checking->add_option("--markdown", options->markdown, "Also write it as a table in Markdown");
  for (CLI::App* part : {adding, checking}) {
    options->plugins.add_to(*part);
    options->output.add_to(*part);
  }
  constexpr std::string_view kAdding = "Example:\n  dissensus corpus add runs/latest";
  adding->footer(std::string(kAdding));
  checking->footer(
      "Exit codes: 0 as expected, 1 a regression, 3 an entry that says nothing any more.\n\n"
      "Example:\n  dissensus corpus check --junit corpus.xml");
  app->footer(fmt::format("{}\n  dissensus corpus check", kAdding));
  const std::vector<Verb> parts{{adding, [options] { return add(*options); }},
                                {checking, [options] { return check(*options); }}};
  return {app, [app, parts] { return run_part(*app, parts); }};
}

}  // namespace dissensus::cli
