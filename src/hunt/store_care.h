// Care of stores: copies between engines, checks, removal of what is old, rights of workers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hunt/store.h"

namespace dissensus::hunt {

struct CopyResult {
  std::uint64_t hunts = 0;
  std::uint64_t items = 0;
};
/// Adds all hunts of one store to another. Both are locations; `to` is made where it does not
/// exist.
CopyResult copy_store(const std::string& from, const std::string& to);

/// What is wrong, a line each; empty: nothing. Rows that are what was written, by their checksums;
/// items without gaps, findings and totals that agree with them.
std::vector<std::string> check_store(const std::string& location);
/// False: of an earlier version, so that a row with another content does not show.
bool has_checksums(const std::string& location);

/// One violation, over all hunts that met it.
struct KnownFinding {
  std::string signature;
  std::uint64_t count = 0;
  std::int64_t first_seen = 0;  ///< seconds since 1970
  std::int64_t last_seen = 0;
  std::vector<std::string> scenarios;  ///< ascending
  std::vector<std::string> programs;   ///< ascending
  /// The first run that showed it, as "HUNT/RUN"; of one that was examined, if any was.
  std::string row;
  Examined examined = Examined::no;
};
/// In the order in which they were first seen.
std::vector<KnownFinding> list_findings(const std::string& location);

struct PrunePlan {
  double older_than_days = -1;   ///< negative: whatever their age
  std::uint64_t keep_items = 0;  ///< 0: however many
};
struct PruneResult {
  std::uint64_t hunts = 0;
  std::uint64_t items = 0;
};
/// Removes finished hunts, the oldest first.
PruneResult prune_store(const std::string& location, const PrunePlan& plan);

/// Gives a role of the database the right to lease batches and to hand in results, and no other.
void allow_worker(const std::string& location, const std::string& role);

}  // namespace dissensus::hunt
