// A recorded run that is made again: the same one, by its trace hash, or another one, and then
// where they part and why, as far as it shows. For every verb that shows or explains a recorded
// run.
#pragma once

#include <stdexcept>
#include <string>

#include "run/runner.h"

namespace dissensus::run {

/// Made twice now, a run is two runs: nothing that is said of it would hold.
class NotDeterministic : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is known of a run that was recorded.
struct Recorded {
  std::string name;    ///< for messages: a folder, a trace file, or a row of a store
  std::string ending;  ///< "fail (agreement/decided-differently/value)"; empty: unknown
  std::string folder;  ///< a run folder or a trace file; empty: there is none
};
/// Of a run folder or trace file.
Recorded recorded_at(const std::string& path);
/// "pass", "fail (SIGNATURE)", "unknown".
std::string ending_of(oracle::Outcome outcome, const std::string& signature);
std::string ending_of(const oracle::Verdict& verdict);

struct Remake {
  RunResult result;
  /// Empty: it is the recorded run. Else a sentence that says what was, what is, where the two
  /// part, and why as far as it shows.
  std::string difference;
};
/// The recorded run is the recipe's hash; a recipe without one is just run. One that comes out
/// otherwise is made once more: throws NotDeterministic where it comes out otherwise again, with
/// the first event that differs. Throws InputError where the record contradicts itself.
Remake make_again(const Recipe& recipe, const RunOptions& options, const Recorded& recorded);
/// For whoever explains the recorded run: throws InputError where it is another one now.
RunResult make_same(const Recipe& recipe, const RunOptions& options, const Recorded& recorded);

/// Writes the folder of a recorded run that has none; throws like make_same.
RunResult record_same(const std::string& folder, const Recipe& recipe, const Recorded& recorded);

/// Remake::difference of a run that was made already, with these options.
std::string difference_of(const Recipe& recipe, const RunResult& result, const RunOptions& options,
                          const Recorded& recorded);

}  // namespace dissensus::run
