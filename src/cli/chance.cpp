#include "cli/chance.h"

#include <string>

#include <fmt/format.h>

#include "run/same_run.h"

namespace dissensus::cli {

namespace {

/// "; run 17 parts from itself at event 12 ..."; empty where it repeats now.
std::string first_difference(const run::Scenario& scenario, const hunt::Unequal& run) {
  const std::string parting = run::parting_from_itself(
      {scenario, run.schedule, run.seed, std::nullopt, {}}, fmt::format("run {}", run.item + 1));
  return parting.empty() ? parting : "; " + parting;
}

}  // namespace

bool tell_chance(const run::Scenario& scenario, const hunt::HuntProgress& progress,
                 std::uint64_t mismatches) {
  if (progress.equal != progress.repeated) {
    fmt::print(stderr,
               "dissensus: not deterministic: {} of {} runs that were made twice gave another "
               "trace{}\n",
               progress.repeated - progress.equal, progress.repeated,
               progress.unequal ? first_difference(scenario, *progress.unequal) : std::string());
    return true;
  }
  if (mismatches > 0) {
    fmt::print(stderr,
               "dissensus: not deterministic: {} runs gave different traces on different workers\n",
               mismatches);
  }
  return mismatches > 0;
}

}  // namespace dissensus::cli
