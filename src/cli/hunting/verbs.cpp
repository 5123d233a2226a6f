#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/program.h"

namespace dissensus::cli {
namespace {

constexpr std::array kElsewhere{"stats",    "study",      "isolate", "conform", "tla",
                                "fidelity", "completion", "manual",  "serve"};

/// Beside this program, in a folder of its own, because it has the same name.
std::filesystem::path whole_program() {
  std::error_code error;
  const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  const auto program = std::filesystem::canonical(name == nullptr ? "" : name, error);
  return error ? std::filesystem::path{} : program.parent_path() / "whole" / "dissensus";
}

}  // namespace

std::vector<Verb> add_verbs(CLI::App& program) {
  program.footer(
      program.get_footer() +
      fmt::format("\n\nThis program has what hunts need; `make whole` builds the rest: {}.",
                  fmt::join(kElsewhere, ", ")));
  return {add_run_verb(program),    add_hunt_verb(program),    add_campaign_verb(program),
          add_replay_verb(program), add_check_verb(program),   add_list_verb(program),
          add_export_verb(program), add_shrink_verb(program),  add_report_verb(program),
          add_diff_verb(program),   add_corpus_verb(program),  add_confirm_verb(program),
          add_bundle_verb(program), add_history_verb(program), add_import_verb(program),
          add_new_verb(program),    add_work_verb(program),    add_watch_verb(program),
          add_store_verb(program)};
}

void hand_over(const std::vector<Verb>& verbs, int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  for (const Verb& verb : verbs) {
    if (verb.app->get_name() == word) return;
  }
  execv(whole_program().c_str(), argv);
  for (const std::string_view verb : kElsewhere) {
    if (verb == word) {
      throw InputError(
          fmt::format("'{}' is not in this program, which has what hunts need: "
                      "`make whole` builds the rest",
                      verb));
    }
  }
}

std::unique_ptr<run::StateSource> make_model_states(const std::string& /*mapping*/,
                                                    const run::Scenario& /*scenario*/) {
  throw InputError(
      "--novelty: models are not in this program, which has what hunts need: `make whole` builds "
      "the rest");
}

}  // namespace dissensus::cli
