// What a repetition of a run of real programs says beyond the hash of its trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dissensus/outside.h"

namespace dissensus::cli {

struct Repetition {
  bool of_programs = false;         ///< the run has programs in virtual time
  bool is_compared = false;         ///< the recorded run's journal is there
  std::vector<std::string> doubts;  ///< of this run or of the recorded one, each once
  /// The first file that programs used and that is another one now, in one line; empty: none.
  std::string changed_file;
  /// Where their system calls or bytes part first: step, program, thread, call and time.
  std::optional<std::string> first_difference;
};

/// `folder` is that of the recorded run, or the path of something else; `files` are what this run
/// leaves.
Repetition compare_repetition(const std::string& folder,
                              const std::vector<Outside::Attachment>& files);

/// The first file of this machine that programs of the recorded run used and that is another one
/// now, in one line; empty: none.
std::string file_changed_since(const std::string& folder);

/// Lines for people, each with its end; empty for runs without programs.
std::string to_text(const Repetition& repetition);
/// The same for programs; null where there is nothing to compare.
std::optional<std::vector<std::string>> doubts_about(const Repetition& repetition);

}  // namespace dissensus::cli
