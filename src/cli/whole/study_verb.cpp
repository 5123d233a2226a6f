#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/hunt_options.h"
#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/verb.h"
#include "experiment/pages.h"
#include "experiment/session.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct StudyVerbOptions {
  std::vector<std::string> files;
  std::string out;
  std::size_t jobs = default_jobs();
  std::vector<std::uint64_t> seeds;
  std::optional<std::size_t> repetitions;
  bool resume = false;
  bool check = false;
  bool paper = false;
  bool renew = false;
  bool all = false;
  PluginOptions plugins;
  OutputOptions output;
};

/// One line that is drawn again on a terminal, a line now and then in a pipe.
class ProgressLine {
 public:
  ProgressLine(std::string name, bool wanted)
      : name_(std::move(name)), wanted_(wanted), redraws_(is_terminal()) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const experiment::StudyProgress& progress) {
    constexpr std::chrono::milliseconds kRedraw{200};
    constexpr std::chrono::seconds kLine{10};
    const Clock::time_point now = Clock::now();
    if (!wanted_ || now < next_) return;
    next_ = now + (redraws_ ? Clock::duration(kRedraw) : Clock::duration(kLine));
    const std::string text = line(progress);
    fmt::print(stderr, "{}", redraws_ ? "\r" + text + "\033[K" : text + "\n");
    std::fflush(stderr);
    drawn_ = redraws_;
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  std::string line(const experiment::StudyProgress& progress) const {
    const std::size_t complete = progress.known + progress.done;
    std::string text = fmt::format("{}: {} of {}", name_, complete, progress.total);
    if (progress.known > 0) text += fmt::format(" ({} known before)", progress.known);
    if (progress.errors > 0) text += fmt::format(", {} failed", progress.errors);
    text += fmt::format(", {} so far", clock_text(seconds()));
    if (progress.done > 0 && complete < progress.total) {
      const double each = seconds() / static_cast<double>(progress.done);
      text += fmt::format(", about {} left",
                          clock_text(each * static_cast<double>(progress.total - complete)));
    }
    return text;
  }
  void clear() {
    if (!drawn_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    drawn_ = false;
  }

  std::string name_;
  bool wanted_;
  bool redraws_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
};

std::vector<experiment::Experiment> load_all(const StudyVerbOptions& options,
                                             const Registry& registry) {
  std::vector<experiment::Experiment> experiments;
  for (const std::string& file : options.files) {
    experiment::Experiment experiment = experiment::load_experiment(file, registry);
    for (const experiment::Experiment& other : experiments) {
      if (other.name == experiment.name) {
        throw InputError(fmt::format("{}: another experiment of the name {} goes before it", file,
                                     experiment.name));
      }
    }
    if (!options.seeds.empty()) experiment.seeds = options.seeds;
    if (options.repetitions) experiment.repetitions = *options.repetitions;
    experiments.push_back(std::move(experiment));
  }
  return experiments;
}

std::string folder_of(const StudyVerbOptions& options, const experiment::Experiment& experiment) {
  if (options.out.empty()) return "studies-out/" + experiment.name;
  return options.files.size() == 1 ? options.out
                                   : (fs::path(options.out) / experiment.name).string();
}

std::string resume_command(const StudyVerbOptions& options) {
  std::string words = fmt::format("{} study", program_invocation_name);
  for (const std::string& file : options.files) words += " " + shell_word(file);
  if (!options.out.empty()) words += " --out " + shell_word(options.out);
  if (!options.seeds.empty()) {
    words += fmt::format(" --seed {}", fmt::join(options.seeds, ","));
  }
  if (options.repetitions) words += fmt::format(" --repetitions {}", *options.repetitions);
  return words + options.plugins.words() + " --resume";
}

Json to_json(const experiment::Experiment& experiment, const std::string& folder,
             const experiment::SessionResult& result, double seconds) {
  Json json;
  json["experiment"] = experiment.name;
  json["folder"] = folder;
  json["complete"] = result.complete;
  json["seed"] = experiment.seeds.front();
  json["seeds"] = experiment.seeds;
  json["cells"] = result.progress.total;
  json["known_before"] = result.progress.known;
  json["failed"] = result.errors;
  json["wall_seconds"] = seconds;
  json["files"] = result.written.files;
  json["png"] = result.written.png;
  return json;
}

void print_text(const experiment::Experiment& experiment, const std::string& folder,
                const experiment::SessionResult& result, double seconds) {
  fmt::print("{}: {} in {}\n", experiment.name, result.complete ? "done" : "interrupted",
             clock_text(seconds));
  if (result.errors > 0) {
    fmt::print("  {} cells failed: see {}/tables.md\n", result.errors, folder);
  }
  for (const std::string& file : result.written.files) fmt::print("  {}/{}\n", folder, file);
  if (!result.written.png)
    fmt::print("  no PNG: rsvg-convert (librsvg2-bin) is missing or failed\n");
}

void print_paper(const experiment::Experiment& experiment, const experiment::StudyTable& table) {
  fmt::print("\n{}: {}\n\n{}\n{}\n{}\n", experiment.source, table.title, table.text, table.note,
             experiment::run_words(experiment));
}

ExitCode study_experiments(const StudyVerbOptions& options) {
  if (std::set(options.seeds.begin(), options.seeds.end()).size() < options.seeds.size()) {
    throw InputError("--seed: a seed is there twice");
  }
  const Registry registry = options.plugins.load();
  const std::vector<experiment::Experiment> experiments = load_all(options, registry);
  catch_interrupts();
  std::unique_ptr<ProgressLine> line;
  experiment::SessionOptions session_options;
  session_options.jobs = options.jobs;
  session_options.resume = options.resume;
  session_options.is_stopped = is_interrupted;
  session_options.paper_layout = options.paper;
  session_options.on_progress = [&line](const experiment::StudyProgress& progress) {
    line->show(progress);
  };
  experiment::StudySession session(registry, session_options);
  ExitCode code = kAllHeld;
  Json all = Json::array();
  for (const experiment::Experiment& experiment : experiments) {
    line = std::make_unique<ProgressLine>(experiment.name,
                                          !options.output.quiet && !options.output.json);
    const std::string folder = folder_of(options, experiment);
    const experiment::SessionResult result = session.run(experiment, folder);
    const double seconds = line->seconds();
    line.reset();
    if (!result.complete || result.errors > 0) code = kUnknown;
    all.push_back(to_json(experiment, folder, result, seconds));
    if (!options.output.json && !options.output.quiet) {
      print_text(experiment, folder, result, seconds);
      if (result.paper) print_paper(experiment, *result.paper);
    }
    if (is_interrupted()) break;
  }
  if (options.output.json && !options.output.quiet) fmt::print("{}\n", all.dump(2));
  if (is_interrupted() && !options.output.json && !options.output.quiet) {
    fmt::print("resume: {}\n", resume_command(options));
  }
  return code;
}

/// The files are pages with tables of experiments in them.
ExitCode care_for_pages(const StudyVerbOptions& options) {
  const Registry registry = options.plugins.load();
  const std::string kept = options.out.empty() ? "studies-out/pages" : options.out;
  experiment::PageRenewal renewal(registry, options.jobs);
  ExitCode code = kAllHeld;
  Json all = Json::array();
  for (const std::string& path : options.files) {
    const std::string images = (fs::path(path).parent_path() / "../images").lexically_normal();
    const std::vector<std::string> names = options.check
                                               ? renewal.stale_sections(path)
                                               : renewal.renew(path, images, kept, options.all);
    for (const std::string& name : names) {
      all.push_back(
          {{"page", path}, {"section", name}, {"state", options.check ? "stale" : "renewed"}});
      if (options.output.quiet || options.output.json) continue;
      fmt::print("{}: {}: {}\n", path, name,
                 options.check ? "made by another build; renew it with make results" : "renewed");
    }
    if (options.check && !names.empty()) code = kViolation;
    if (!options.check) continue;
    for (const std::string& name : renewal.poor_sections(path)) {
      code = kViolation;
      all.push_back({{"page", path}, {"section", name}, {"state", "few seeds"}});
      if (options.output.quiet || options.output.json) continue;
      fmt::print("{}: {}: a comparison comes from {} seeds at least; give its experiment seeds\n",
                 path, name, experiment::kSeedsOfAPage);
    }
  }
  if (options.output.json && !options.output.quiet) fmt::print("{}\n", all.dump(2));
  return code;
}

}  // namespace

Verb add_study_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("study", "Run experiments that compare searches");
  const auto options = std::make_shared<StudyVerbOptions>();
  app->add_option("files", options->files, "Experiment files (TOML)")
      ->required()
      ->check(CLI::ExistingFile);
  app->add_option("--out", options->out,
                  "Where results go; of several experiments, each in a folder of its name "
                  "(default studies-out/NAME)");
  app->add_option("--jobs", options->jobs, "Threads; the result is the same with any number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--seed,--seeds", options->seeds,
                  "Seed, instead of the file's; several with commas between are pooled")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::NonNegativeNumber);
  app->add_option("--repetitions", options->repetitions,
                  "Repetitions with each seed, instead of the file's")
      ->check(CLI::Range(1, 100'000));
  app->add_flag("--resume", options->resume, "Go on with what results.sqlite has");
  CLI::Option* const check = app->add_flag(
      "--check", options->check, "The files are pages: are their tables from this build?");
  app->add_flag("--renew", options->renew, "The files are pages: renew tables of other builds")
      ->excludes(check);
  app->add_flag("--all", options->all, "With --renew: renew every table");
  app->add_flag("--paper", options->paper,
                "Print the result in the layout of the paper's table, its numbers beside ours")
      ->excludes(check);
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer(
      "Examples:\n  dissensus study experiments/discotest-table-4.4.toml\n"
      "  dissensus study --renew docs/results/studies.md");
  return {app, [options] {
            return options->check || options->renew ? care_for_pages(*options)
                                                    : study_experiments(*options);
          }};
}

}  // namespace dissensus::cli
