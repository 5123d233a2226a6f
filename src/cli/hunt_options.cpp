#include "cli/hunt_options.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/program.h"
#include "hunt/first_run.h"
#include "hunt/parts.h"
#include "run/run_folder.h"
#include "search/registry.h"

namespace dissensus::cli {

namespace fs = std::filesystem;

void HuntSettings::add_to(CLI::App& verb) {
  verb.add_option("scenario", scenario, "Scenario file (TOML)")->required();
  changes.add_to(verb);
  verb.add_option("--search", search, "How to search: dissensus list searches")
      ->capture_default_str();
  verb.add_option("--parameter", parameters,
                  "Parameter of the search, e.g. population=20; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option(
          "--fitness", fitness,
          "What to aim at, e.g. time,proposal: dissensus list fitness; default: the search's")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option(
      "--novelty", novelty,
      "What counts as new: states (default), happens-before, both, none or model=MAPPING");
  verb.add_option("--faults", faults, "Fault strategy of a plugin, instead of the scenario's");
  verb.add_option("--seed", seed, "Seed of the search")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--jobs", jobs, "Threads; the result is the same with any number")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  verb.add_option("--repeats", repeats, "Runs per evaluation, for systems that are not exact")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  verb.add_flag("--resume", resume, "Go on with the hunt that was interrupted");
  plugins.add_to(verb);
  output.add_to(verb);
}

hunt::HuntOptions HuntSettings::to_options() const {
  hunt::HuntOptions options;
  options.search = search;
  for (const std::string& assignment : parameters) {
    options.parameters += hunt::parameter_line(assignment);
  }
  options.fitness = fitness;
  options.novelty = novelty;
  options.model_states = make_model_states;
  options.faults = faults;
  options.seed = seed;
  options.jobs = jobs;
  options.repeats = repeats;
  return options;
}

void HuntSettings::try_without_faults(const run::Scenario& loaded) const {
  if (resume) return;
  const hunt::FirstRun first = hunt::try_without_faults(loaded, hunt::run_seed(seed, 0));
  if (!first.violation.empty()) {
    fmt::print(stderr, "dissensus: it fails without any fault: {}\n", first.violation);
  } else if (!first.unknown.empty()) {
    fmt::print(stderr, "dissensus: without any fault there is nothing to judge: {}\n",
               first.unknown);
  }
}

void HuntSettings::limit_jobs(const run::Scenario& loaded, hunt::HuntOptions& options) const {
  // Which runs servers had before must not depend on which thread was free.
  if (loaded.session.runs_per_start > 1) options.jobs = 1;
}

std::string HuntSettings::command_words() const {
  std::string words = fmt::format("--search {}", shell_word(search));
  for (const std::string& assignment : parameters) {
    words += " --parameter " + shell_word(assignment);
  }
  if (!fitness.empty()) {
    words += " --fitness " + shell_word(fmt::format("{}", fmt::join(fitness, ",")));
  }
  if (!novelty.empty()) words += " --novelty " + shell_word(novelty);
  if (!faults.empty()) words += " --faults " + shell_word(faults);
  words += fmt::format(" --seed {}", seed);
  if (repeats != 1) words += fmt::format(" --repeats {}", repeats);
  return words + changes.words() + plugins.words();
}

std::string create_hunt_folder(const std::string& parent, const std::string& scenario_name) {
  const std::string folder = run::create_run_folder(parent, scenario_name + "-hunt");
  const fs::path link = fs::path(parent) / "latest-hunt";
  const fs::path temporary = folder + ".link";
  std::error_code error;
  fs::create_directory_symlink(fs::path(folder).filename(), temporary, error);
  if (!error) fs::rename(temporary, link, error);
  if (error) fs::remove(temporary, error);
  return folder;
}

std::string find_hunt_folder(const std::string& out) {
  const fs::path path(out);
  std::error_code error;
  if (fs::exists(path / kStoreFile, error)) {
    return path.has_filename() ? out : path.parent_path().string();  // without the last slash
  }
  const fs::path latest = path / "latest-hunt";
  if (fs::exists(latest / kStoreFile, error)) {
    const fs::path target = fs::read_symlink(latest, error);
    return error ? latest.string() : (path / target).string();
  }
  throw InputError(out + ": no hunt to resume: neither it nor latest-hunt in it has a store");
}

}  // namespace dissensus::cli
