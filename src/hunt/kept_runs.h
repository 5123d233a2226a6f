// Live runs beside a store. A simulated run is made again whenever somebody wants to see it; a run
// of real servers is kept when it happens: its trace, its verdict, and what is known of the
// servers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hunt/evaluator.h"
#include "hunt/store.h"
#include "run/runner.h"

namespace dissensus::hunt {

/// Where runs of a hunt are kept: "<store>.runs/<hunt>-"; the rest of a name is the item's number.
std::string kept_runs_prefix(const std::string& store_path, std::int64_t hunt);
inline std::string kept_runs_prefix(const Store& store) {
  return kept_runs_prefix(store.path(), store.hunt());
}

/// Throws InputError where the file system refuses.
void keep_run(const std::string& prefix, const run::Scenario& scenario, const Item& item);
/// Throws InputError where there is none, or it is damaged.
std::shared_ptr<const run::RunResult> read_kept_run(const std::string& prefix, std::uint64_t item);

}  // namespace dissensus::hunt
