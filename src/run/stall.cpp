#include "run/stall.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace dissensus::run {

namespace {

constexpr int kStepsMax = 20'000;

double seconds_of(Duration duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

/// Brent's search for a cycle: each situation is compared with one that was kept, and the distance
/// to that one doubles, so that it is in the cycle at last.
std::string repetition(sim::World& world) {
  std::optional<Digest> kept = world.situation();
  if (!kept) return {};
  Time kept_at = world.now();
  int distance = 0, distance_max = 1;
  for (int step = 0; step < kStepsMax; ++step) {
    if (!world.step_beyond_end()) return "nothing is left to happen";
    if (world.decided_beyond_end()) return {};
    const std::optional<Digest> situation = world.situation();
    if (!situation) return {};
    if (situation == kept) {
      return fmt::format("the situation at {:.3f} s comes again every {:.3f} s",
                         seconds_of(kept_at - Time{}), seconds_of(world.now() - kept_at));
    }
    if (++distance < distance_max) continue;
    kept = situation;
    kept_at = world.now();
    distance_max *= 2;
    distance = 0;
  }
  return {};
}

}  // namespace

void tell_stall_from_slowness(sim::World& world, sim::StopReason stop, oracle::Verdict& verdict) {
  const auto is_stall = [](const oracle::Violation& violation) {
    return violation.property == "termination" &&
           (violation.rule == "no-progress" || violation.rule == "dead" ||
            violation.rule == "stuck");
  };
  const auto found = std::find_if(verdict.violations.begin(), verdict.violations.end(), is_stall);
  if (found == verdict.violations.end()) return;
  const std::string why =
      stop == sim::StopReason::quiet ? "nothing is left to happen" : repetition(world);
  if (why.empty()) return;
  oracle::Violation note = *found;
  note.rule = "stalls-forever";
  note.text = "stalls forever: " + why;
  verdict.notes.push_back(std::move(note));
}

}  // namespace dissensus::run
