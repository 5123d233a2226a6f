#include <charconv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/shrink_line.h"
#include "cli/verb.h"
#include "core/file.h"
#include "hunt/store_runs.h"
#include "isolate/branches.h"
#include "isolate/causes.h"
#include "isolate/cross_validation.h"
#include "isolate/data_set.h"
#include "isolate/isolation.h"
#include "isolate/message_log.h"
#include "isolate/report.h"
#include "isolate/sampled_source.h"
#include "report/examine.h"
#include "run/run_folder.h"

namespace dissensus::cli {

namespace {

struct IsolateOptions {
  std::string path;
  std::string messages;
  bool reference = false;
  bool paper = false;
  std::string branches;
  bool asks = false;
  std::string pages;
  double sampled_messages = 1;
  double sampled_runs = 1;
  std::size_t folds = 0;
  std::uint64_t seed = 1;
  std::size_t predicates = isolate::IsolationOptions{}.predicates_max;
  std::size_t support = 0;
  std::size_t jobs = default_jobs();
  std::string report;
  PluginOptions plugins;
  OutputOptions output;
};

/// The store of a campaign or hunt, or one hunt of it.
struct ChosenStore {
  std::string path;        ///< empty: it is none
  std::uint64_t hunt = 0;  ///< 0: all
};

/// The file, or the folder that holds it, and after a '#' the number of a hunt.
ChosenStore store_of(std::string path) {
  std::error_code error;
  ChosenStore chosen;
  const std::size_t sign = path.rfind('#');
  if (sign != std::string::npos && !std::filesystem::exists(path, error)) {
    const char* const end = path.data() + path.size();
    const auto read = std::from_chars(path.data() + sign + 1, end, chosen.hunt);
    if (read.ec != std::errc() || read.ptr != end || chosen.hunt == 0) {
      throw InputError(
          fmt::format("{}: expected one hunt of a store by its number, STORE#2, from 1 on", path));
    }
    path.resize(sign);
  }
  const std::string inside = path + "/store.sqlite";
  if (path.ends_with(".sqlite")) {
    chosen.path = path;
  } else if (std::filesystem::exists(inside, error)) {
    chosen.path = inside;
  } else if (chosen.hunt != 0) {
    throw InputError(path + ": not a store (.sqlite), nor a folder with one");
  }
  return chosen;
}

std::unique_ptr<isolate::RunSource> open_source(const IsolateOptions& options,
                                                const SystemRegistry& systems) {
  const std::string& path = options.path;
  if (const ChosenStore store = store_of(path); !store.path.empty()) {
    std::optional<isolate::Declaration> declaration;
    if (!options.messages.empty()) declaration = isolate::read_declaration(options.messages);
    return std::make_unique<hunt::StoreSource>(store.path, std::move(declaration), systems,
                                               store.hunt);
  }
  if (!options.messages.empty()) throw InputError("--messages: is for stores of campaigns only");
  if (isolate::is_data_set(path)) return std::make_unique<isolate::DataSetSource>(path);
  if (path.ends_with(".toml"))
    return std::make_unique<isolate::MessageLogSource>(isolate::read_declaration(path));
  std::error_code error;
  throw InputError(
      fmt::format("{}: {}, expected a data set's folder (with runs.jsonl), a store (.sqlite) "
                  "or a declaration of messages (.toml)",
                  path, std::filesystem::exists(path, error) ? "neither" : "not found"));
}

/// Reads until the user has enough; then it throws.
class UntilInterrupted final : public isolate::RunSource {
 public:
  explicit UntilInterrupted(isolate::RunSource& source) : source_(source) {}
  std::string name() const override { return source_.name(); }
  const isolate::Schema& schema() const override { return source_.schema(); }
  bool next(isolate::Run& run) override {
    if (is_interrupted()) throw OutsideError(std::string(kInterrupted));
    if (!source_.next(run)) return false;
    ++read_;
    failing_ += run.failing ? 1 : 0;
    return true;
  }
  std::size_t read() const { return read_; }
  std::size_t failing() const { return failing_; }

 private:
  isolate::RunSource& source_;
  std::size_t read_ = 0;
  std::size_t failing_ = 0;
};

ExitCode say_interrupted(const std::string& what) {
  fmt::print(stderr, "dissensus: {}: {}\n", kInterrupted, what);
  return exit_code_of_trouble(kInterrupted);
}

/// What is being done, for who watches a terminal.
void say_stage(const OutputOptions& output, std::string_view stage) {
  if (!output.quiet && !output.json && is_terminal()) fmt::print(stderr, "{}\n", stage);
}

/// A run of a store, made as small as it goes while it violates the same; its folder, if it is to
/// have one, is where replay commands point.
report::Finding smallest_of(const run::Recipe& recipe, const std::string& folder, bool shrink,
                            const IsolateOptions& verb, const SystemRegistry& systems) {
  constexpr std::size_t kRunsMax = 4000;
  report::ExamineOptions options;
  options.shrink = shrink;
  options.likelihood = false;
  options.jobs = verb.jobs;
  ShrinkLine line(verb.output);
  options.keep_shrinking = [&line](const shrink::ShrinkProgress& progress) {
    line.update(progress);
    return !is_interrupted();
  };
  options.keep_measuring = [] { return !is_interrupted(); };
  options.replay_command = [&verb](const std::string& path) {
    return replay_command(path, verb.plugins.words());
  };
  options.shrink_runs_max = kRunsMax;
  options.all_violations = true;
  return report::examine(recipe, folder, options, systems);
}

/// The runs of a cause to be shrunk, one after the other, until one keeps the cause: the most
/// typical one, then others.
std::vector<std::size_t> runs_to_shrink(const isolate::Cause& cause) {
  constexpr std::size_t kTries = 3;
  std::vector<std::size_t> runs{cause.representative};
  for (const std::size_t run : cause.runs) {
    if (runs.size() == kTries) break;
    if (run != cause.representative) runs.push_back(run);
  }
  return runs;
}

/// Shrinks a run of the cause and writes its folder. A shrunk run that violates the same may do so
/// for another reason: it must still have the conditions of its cause.
isolate::CausePage write_cause(hunt::StoreSource& store, const isolate::Report& report,
                               std::size_t index, const IsolateOptions& verb,
                               const SystemRegistry& systems) {
  const isolate::Separation& separation = *report.separation;
  const isolate::Cause& cause = separation.causes[index];
  const std::string folder = fmt::format("{}/cause-{}", verb.pages, index + 1);
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  make_folders(folder);
  const auto keeps_cause = [&](const run::Recipe& recipe) {
    const isolate::RunTable table = isolate::table_of(store.read(recipe), report.table.space());
    return isolate::assign(table, separation).front() == index;
  };
  isolate::CausePage page;
  std::optional<report::Finding> finding;
  for (const std::size_t run : runs_to_shrink(cause)) {
    page.run = report.table.runs()[run].name;
    say_stage(verb.output, fmt::format("cause {}: shrinking run {}", index + 1, page.run));
    finding = smallest_of(store.recipe_of(page.run), folder, true, verb, systems);
    if (is_interrupted() || keeps_cause(finding->smallest().recipe)) break;
    finding.reset();
  }
  page.is_shrunk = finding.has_value();
  if (!finding) {
    page.run = report.table.runs()[cause.representative].name;
    finding = smallest_of(store.recipe_of(page.run), folder, false, verb, systems);
  }
  run::record_run(folder, finding->found.recipe);
  if (finding->shrinking) report::write_minimal(folder, *finding->shrinking);
  report::write_page(folder, *finding);
  page.page = folder + "/report.html";
  page.replay = finding->smallest().replay;
  page.picture = report::picture(*finding);
  return page;
}

void write_pages(isolate::Report& report, hunt::StoreSource* store, const IsolateOptions& options,
                 const SystemRegistry& systems) {
  if (store == nullptr)
    throw InputError("--pages: is for stores of campaigns only: other runs cannot be made again");
  for (std::size_t cause = 0; cause < report.separation->causes.size(); ++cause)
    report.pages.push_back(write_cause(*store, report, cause, options, systems));
  // The page of the causes draws these; single predicates stand below it without pictures.
  const auto picture = std::exchange(report.picture, nullptr);
  write_file(options.pages + "/index.html", isolate::html_report(report));
  report.picture = picture;
}

ExitCode isolate_branches(const IsolateOptions& options) {
  const isolate::BranchData data = isolate::read_branches(options.path);
  const auto findings = isolate::isolate_branches(data, options.branches == "liblit"
                                                            ? isolate::BranchMode::liblit
                                                            : isolate::BranchMode::reference);
  if (!options.output.quiet) {
    fmt::print("{}", options.output.json ? isolate::json_report(data, findings)
                                         : isolate::text_report(data, findings));
  }
  return kAllHeld;
}

isolate::IsolationOptions isolation_of(const IsolateOptions& options) {
  isolate::IsolationOptions isolation;
  isolation.mode = options.reference ? isolate::Mode::reference
                   : options.paper   ? isolate::Mode::paper
                                     : isolate::Mode::improved;
  isolation.jobs = options.jobs;
  isolation.predicates_max = options.predicates;
  isolation.support_min = options.support;
  isolation.keep_going = [] { return !is_interrupted(); };
  return isolation;
}

/// What was asked for beside single predicates. Throws Stopped; then the report has what was done.
void add_to_report(isolate::Report& report, hunt::StoreSource* store, const IsolateOptions& options,
                   const isolate::IsolationOptions& isolation, const SystemRegistry& systems) {
  if (isolation.mode == isolate::Mode::improved) {
    isolate::CauseOptions causes;
    causes.jobs = options.jobs;
    if (options.support > 0) causes.support_min = options.support;
    causes.keep_going = isolation.keep_going;
    report.separation = isolate::separate(report.table, causes);
  }
  if (!options.pages.empty()) write_pages(report, store, options, systems);
  if (options.folds > 0) {
    report.validation =
        isolate::cross_validate(report.table, isolation, {options.folds, options.seed});
  }
}

void print_report(const isolate::Report& report, const IsolateOptions& options) {
  if (options.output.quiet) return;
  fmt::print("{}",
             options.output.json ? isolate::json_report(report) : isolate::text_report(report));
  if (options.output.json) return;
  if (!options.report.empty()) fmt::print("\nwrote {}\n", options.report);
  if (!options.pages.empty()) fmt::print("\nwrote {}/index.html\n", options.pages);
}

ExitCode isolate_messages(const IsolateOptions& options) {
  const isolate::IsolationOptions isolation = isolation_of(options);
  catch_interrupts();
  const Registry registry = options.plugins.load();
  const std::unique_ptr<isolate::RunSource> source = open_source(options, registry.systems);
  const isolate::PredicateSpace space(source->schema(),
                                      isolate::space_options(isolation.mode, source->schema()));
  say_stage(options.output, "reading the messages of all runs");
  isolate::Sampling sampling{options.sampled_messages, options.sampled_runs, options.seed};
  auto* store = dynamic_cast<hunt::StoreSource*>(source.get());
  if (store != nullptr) {
    // Before a run is made again only to be left out.
    store->sample(1, std::exchange(sampling.successful, 1));
    if (options.asks) store->ask([] { return !is_interrupted(); });
  } else if (options.asks) {
    throw InputError("--ask: is for stores of campaigns only: other runs cannot be made again");
  }
  isolate::SampledSource sampled(*source, sampling);
  UntilInterrupted until(sampled);
  std::optional<isolate::RunTable> runs;
  try {
    runs = isolate::read_runs(until, space, options.jobs);
  } catch (const OutsideError& error) {
    if (error.what() != kInterrupted) throw;
    return say_interrupted(fmt::format("{} runs were read, {} of them failing; none was compared",
                                       until.read(), until.failing()));
  }
  const isolate::RunTable& table = *runs;
  if (store != nullptr && !options.output.quiet) {
    for (const std::string& line : store->repetitions())
      fmt::print(stderr, "dissensus: {}\n", line);
    if (options.asks && !options.output.json)
      fmt::print("{} runs were made to ask what failing runs need\n", store->runs_asked());
  }
  say_stage(options.output, fmt::format("comparing {} runs, {} of them failing",
                                        table.runs().size(), table.failing()));
  const isolate::IsolationResult result = isolate::isolate(table, isolation);
  isolate::Report report{options.path, table, result};
  const auto say_partial = [&] {
    if (!options.output.quiet && !options.output.json)
      fmt::print("{}", isolate::text_report(report));
    return say_interrupted(fmt::format("the first {} predicates{}, and nothing beyond them",
                                       result.findings.size(),
                                       report.separation ? " and the causes" : ""));
  };
  if (is_interrupted()) return say_partial();
  if (store != nullptr) {
    report.picture = [store, &registry, &options](const isolate::RunSummary& run) {
      say_stage(options.output, fmt::format("shrinking and drawing run {}", run.name));
      const run::Recipe recipe = store->recipe_of(run.name);
      return report::picture(smallest_of(recipe, run.name, true, options, registry.systems));
    };
  }
  try {
    add_to_report(report, store, options, isolation, registry.systems);
  } catch (const isolate::Stopped&) {
    return say_partial();
  }
  if (!options.report.empty()) write_file(options.report, isolate::html_report(report));
  print_report(report, options);
  return is_interrupted() ? say_interrupted("runs were not made as small as they can be")
                          : kAllHeld;
}

}  // namespace

Verb add_isolate_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("isolate", "Separate failing runs by root cause, from their messages");
  const auto options = std::make_shared<IsolateOptions>();
  app->add_option(
         "dataset", options->path,
         "Folder in the public data set's format, store of campaigns or hunts (STORE#2: its second "
         "one alone), or a declaration of messages (.toml)")
      ->required();
  app->add_option("--messages", options->messages,
                  "Declaration (.toml) of the messages of a store's runs; default: all that the "
                  "system describes");
  CLI::Option* reference =
      app->add_flag("--reference", options->reference,
                    "Compute as the published implementation, quirks included");
  CLI::Option* paper =
      app->add_flag("--paper", options->paper, "Compute as the text of the paper says");
  reference->excludes(paper);
  app->add_option("--branches", options->branches,
                  "Use branch outcomes instead of messages: reference or liblit")
      ->check(CLI::IsMember({"reference", "liblit"}))
      ->excludes(reference)
      ->excludes(paper);
  app->add_flag(
         "--ask", options->asks,
         "Of a store: make failing runs again with a kind of fault or message taken away, and "
         "tell causes apart by what runs need in order to fail")
      ->excludes(reference)
      ->excludes(paper);
  app->add_option("--pages", options->pages,
                  "Also shrink a run of each cause, and write a page for each and one for all "
                  "(index.html) into this folder")
      ->excludes(reference)
      ->excludes(paper);
  app->add_option("--sample-messages", options->sampled_messages,
                  "Look at this share of the received messages only, drawn by --seed")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app->add_option("--sample-runs", options->sampled_runs,
                  "Look at this share of the successful runs only, drawn by --seed")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app->add_option("--cross-validate", options->folds,
                  "Also score on held-out runs, in so many folds")
      ->check(CLI::Range(2, 1000));
  app->add_option("--seed", options->seed, "Seed of the folds and of samples")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--predicates", options->predicates, "Improved mode: at most so many predicates")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_option("--support", options->support,
                  "Improved mode: failing runs that a predicate must explain; default: a tenth of "
                  "them, but 2 to 5")
      ->check(CLI::Range(1, 1000000));
  app->add_option("--jobs", options->jobs, "Threads; the result is the same with any number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--report", options->report, "Also write a report as an HTML page to this file");
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer(
      "Example:\n"
      "  dissensus campaign scenarios/xrpl/byzzfuzz-c1d0.toml --runs 300 --out s.sqlite\n"
      "  dissensus isolate s.sqlite --ask --report report.html");
  return {app, [options] {
            return options->branches.empty() ? isolate_messages(*options)
                                             : isolate_branches(*options);
          }};
}

}  // namespace dissensus::cli
