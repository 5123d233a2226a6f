#include "experiment/experiment.h"

#include <array>
#include <limits>

#include <fmt/ranges.h>

namespace dissensus::experiment {

namespace {

constexpr std::array<std::string_view, 3> kKindNames{"detection", "evolution", "representation"};
constexpr std::array<std::string_view, 13> kTableNames{
    "success",   "groups",   "success-test", "detection-time", "time-test", "published-runs", "mix",
    "evolution", "approach", "sample",       "locality",       "noise",     "scaling"};
constexpr std::array<std::string_view, 8> kFigureNames{
    "found",      "time",   "time-found", "survival", "published-survival",
    "trajectory", "pareto", "distances"};

}  // namespace

std::string_view to_string(ExperimentKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}
std::string_view to_string(TableKind table) {
  return kTableNames[static_cast<std::size_t>(table)];
}
std::string_view to_string(FigureKind figure) {
  return kFigureNames[static_cast<std::size_t>(figure)];
}

std::string seed_words(std::span<const std::uint64_t> seeds) {
  return fmt::format("{} {}", seeds.size() == 1 ? "seed" : "seeds", fmt::join(seeds, ", "));
}

double Experiment::budget_seconds() const {
  if (budget.virtual_time == Duration::max()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(budget.virtual_time.count()) / 1e6;
}

}  // namespace dissensus::experiment
