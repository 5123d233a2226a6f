// The page of a finding: what was violated, where, by whom, the smallest schedule that does it, and
// how to see it again. docs/formats/report.md says what stands on it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diff/difference.h"
#include "oracle/verdict.h"
#include "run/remake.h"
#include "run/runner.h"
#include "shrink/likelihood.h"
#include "shrink/shrink.h"
#include "trace/trace.h"

namespace dissensus::report {

/// A failing run, recorded with Detail::everything.
struct RecordedRun {
  run::Recipe recipe;
  oracle::Verdict verdict;
  trace::Trace trace;
  std::string replay;      ///< the command that repeats it
  std::string crash = {};  ///< what code under test left behind that ended the run
};

/// What is known of real servers and of how punctual the run was.
struct Servers {
  std::vector<std::pair<std::string, std::string>> facts;  ///< what, and its value
  std::vector<std::pair<std::string, std::string>> logs;   ///< file, and the last of its lines
};

struct Finding {
  RecordedRun found;
  /// The run after shrinking, and how that went.
  std::optional<RecordedRun> minimal;
  std::optional<shrink::ShrinkResult> shrinking;
  /// Failure likelihood over time of the smallest run at hand; empty where it was not measured.
  std::vector<shrink::LikelihoodPoint> other_schedules;
  std::vector<shrink::LikelihoodPoint> other_seeds;
  /// How the smallest run differs from the nearest that passes, and which that is.
  std::optional<diff::Difference> difference;
  std::string passing;
  /// How the hunt went, as lines of a table: what, and its value.
  std::vector<std::pair<std::string, std::string>> hunt;
  std::optional<Servers> servers = {};

  const RecordedRun& smallest() const { return minimal ? *minimal : found; }
};

/// Runs a recipe with everything recorded; throws like run::make_same where it was `recorded`.
RecordedRun record(const run::Recipe& recipe, std::string replay,
                   const std::optional<run::Recorded>& recorded = std::nullopt);

/// The page; the same finding gives the same bytes. The finding must hold a violation.
std::string to_html(const Finding& finding);

/// The smallest run in words and as a diagram: a part of other pages (HTML).
std::string picture(const Finding& finding);

/// The stretch of a run that shows its violation: the instance that was violated from its first
/// report on, or the time around the last progress.
struct Window {
  Time from{};
  Time until{};
};
Window telling_window(const trace::Trace& trace, const oracle::Violation& violation);

}  // namespace dissensus::report
