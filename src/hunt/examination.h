// Findings that wait for a worker to shrink and measure them, and what came of it. What a page
// needs is kept as data; the page is drawn by whoever reads it, from runs that are made again
// there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "hunt/sql.h"
#include "run/runner.h"

namespace dissensus::hunt {

/// A finding whose first failing run is to be shrunk and measured.
struct Examination {
  std::int64_t id = 0;
  std::int64_t hunt = 0;
  std::string signature;
  std::uint64_t item = 0;  ///< the run that showed it first
};

/// What came of it, in the formats of a run folder (docs/formats/run-folder.md). All empty: it
/// could not be examined.
struct ExaminationResult {
  std::string scenario;    ///< of the minimal run: text
  std::string schedule;    ///< of the minimal run: a schedule document
  std::uint64_t seed = 0;  ///< of the minimal run
  std::string shrink;      ///< shrink.json
  std::string curves;      ///< how likely the failure was, over time: JSON (store.md)
};

/// Shrinks and measures a failing run with a limit of work that does not depend on the machine;
/// `keep_going` false: gives up, and the result is not used. Throws InputError.
using Examiner = std::function<ExaminationResult(const run::Recipe& recipe,
                                                 const std::function<bool()>& keep_going)>;

/// What is known of a finding by its first item; none: it was not asked for, or is not done.
std::optional<ExaminationResult> read_examination(sql::Connection& connection, std::int64_t hunt,
                                                  std::uint64_t item);

}  // namespace dissensus::hunt
