#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/program.h"

namespace dissensus::cli {
namespace {

constexpr std::array kElsewhere{"stats",      "study",  "isolate", "conform", "tla",   "fidelity",
                                "completion", "manual", "serve",   "work",    "paper", "distance"};

std::string lacks(std::string_view what) {
  return fmt::format(
      "{} is not in this program, which has what hunts need: `make whole` builds the rest", what);
}

/// Beside this program, in a folder of its own, because it has the same name. Comes back if it is
/// not built.
void go_on_as_whole_program(char** argv) {
  namespace files = std::filesystem;
  std::error_code error;
  const files::path here = program_path();
  const files::path whole = here.parent_path() / "whole" / "dissensus";
  if (!files::exists(whole, error)) return;
  if (files::last_write_time(whole, error) < files::last_write_time(here, error)) {
    throw InputError(
        fmt::format("{} is older than this program: `make whole` builds it anew", whole.string()));
  }
  execv(whole.c_str(), argv);
}

}  // namespace

std::vector<Verb> add_verbs(CLI::App& program) {
  return {add_list_verb(program),     add_check_verb(program),    add_run_verb(program),
          add_hunt_verb(program),     add_campaign_verb(program), add_replay_verb(program),
          add_shrink_verb(program),   add_diff_verb(program),     add_report_verb(program),
          add_export_verb(program),   add_bundle_verb(program),   add_corpus_verb(program),
          add_confirm_verb(program),  add_history_verb(program),  add_store_verb(program),
          add_watch_verb(program),    add_new_verb(program),      add_import_verb(program),
          add_maelstrom_verb(program)};
}

std::string note_on_verbs() {
  return fmt::format("This program has what hunts need. `make whole` builds the other verbs:\n{}.",
                     fmt::join(kElsewhere, ", "));
}

void hand_over(const std::vector<Verb>& verbs, int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  const bool is_here = std::any_of(verbs.begin(), verbs.end(),
                                   [&](const Verb& verb) { return verb.app->get_name() == word; });
  const bool asks_for_model = std::any_of(argv, argv + argc, [](std::string_view argument) {
    return argument.starts_with("model=") || argument.starts_with("--novelty=model=");
  });
  if (is_here && !asks_for_model) return;
  go_on_as_whole_program(argv);
  for (const std::string_view verb : kElsewhere) {
    if (verb == word) throw InputError(lacks(fmt::format("'{}'", verb)));
  }
}

std::unique_ptr<run::StateSource> make_model_states(const std::string& mapping,
                                                    const run::Scenario&) {
  throw InputError(lacks(fmt::format("--novelty model={}", mapping)));
}

}  // namespace dissensus::cli
