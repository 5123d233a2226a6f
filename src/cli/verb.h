// What the verbs of the command line share: exit codes, output, and common options.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "faults/schedule.h"
#include "oracle/verdict.h"
#include "run/run_folder.h"
#include "run/runner.h"
#include "run/scenario.h"

namespace dissensus::cli {

enum ExitCode : int {
  kAllHeld = 0,  ///< or: what was to be made is made
  kViolation = 1,
  kBadInput = 2,
  kUnknown = 3,  ///< also: it was interrupted
  kInternalFault = 4,
  kEnvironment = 5,  ///< servers did not start, no room on the disk: nothing was judged
};
ExitCode exit_code_of(oracle::Outcome outcome);
/// Of what kept the outside from going on (OutsideError, HuntResult::trouble).
ExitCode exit_code_of_trouble(std::string_view trouble);

/// Why the program ends without a result.
struct Failure {
  ExitCode code = kInternalFault;
  std::string text;  ///< one line for people
};
/// The only place that makes exit codes of exceptions.
Failure failure_of(const std::exception& error);

/// --json and --quiet, which every verb has.
struct OutputOptions {
  bool json = false;
  bool quiet = false;
  void add_to(CLI::App& verb);
};

/// A verb adds itself to the program and says what to do when it was chosen.
struct Verb {
  CLI::App* app = nullptr;
  std::function<ExitCode()> execute;
};
Verb add_bundle_verb(CLI::App& program);
Verb add_campaign_verb(CLI::App& program);
Verb add_check_verb(CLI::App& program);
Verb add_completion_verb(CLI::App& program);
Verb add_confirm_verb(CLI::App& program);
Verb add_conform_verb(CLI::App& program);
Verb add_corpus_verb(CLI::App& program);
Verb add_diff_verb(CLI::App& program);
Verb add_distance_verb(CLI::App& program);
Verb add_export_verb(CLI::App& program);
Verb add_fidelity_verb(CLI::App& program);
Verb add_history_verb(CLI::App& program);
Verb add_hunt_verb(CLI::App& program);
Verb add_import_verb(CLI::App& program);
Verb add_isolate_verb(CLI::App& program);
Verb add_list_verb(CLI::App& program);
Verb add_maelstrom_verb(CLI::App& program);
Verb add_manual_verb(CLI::App& program);
Verb add_new_verb(CLI::App& program);
Verb add_paper_verb(CLI::App& program);
Verb add_replay_verb(CLI::App& program);
Verb add_report_verb(CLI::App& program);
Verb add_run_verb(CLI::App& program);
Verb add_serve_verb(CLI::App& program);
Verb add_shrink_verb(CLI::App& program);
Verb add_stats_verb(CLI::App& program);
Verb add_study_verb(CLI::App& program);
Verb add_store_verb(CLI::App& program);
Verb add_tla_verb(CLI::App& program);
Verb add_watch_verb(CLI::App& program);
Verb add_work_verb(CLI::App& program);

/// Runs the part of a verb that was chosen ("tla check") and explains words that nobody knows. The
/// verb allows extra words and at most one subcommand.
ExitCode run_part(const CLI::App& verb, const std::vector<Verb>& parts);
/// Words that the program's own explanation does not see: it looks at verbs, not at their parts.
void refuse_unknown_words(const CLI::App& part);

/// One finished run, for people and for programs.
struct RunReport {
  const run::Recipe& recipe;
  const run::RunResult& result;
  std::string folder;             ///< empty: none was written
  std::string replay_words = {};  ///< that the replay command needs beside the folder
  /// Of a repetition of programs' runs: what speaks against its being one; empty: nothing.
  std::optional<std::vector<std::string>> doubts = std::nullopt;
};
void print_report(const RunReport& report, const OutputOptions& output);
/// "'a b'" for a word that a shell would take apart.
std::string shell_word(const std::string& word);
/// The command that repeats what is in a folder, with the options that it needs beside it; printed
/// last.
std::string replay_command(const std::string& folder, const std::string& words = "");

/// Where this program is, links followed; empty where that is not known.
std::filesystem::path program_path();
/// "12:07", or "3:12:07" from an hour on.
std::string clock_text(double seconds);
/// True when progress may be drawn over on standard error.
bool is_terminal();
/// Worker threads when the user does not say: one per core.
std::size_t default_jobs();

}  // namespace dissensus::cli
