#include "experiment/experiment.h"

#include <array>
#include <limits>
#include <sstream>

#include <toml++/toml.h>

#include "dissensus/options.h"

namespace dissensus::experiment {

namespace {

constexpr std::array<std::string_view, 3> kKindNames{"detection", "evolution", "representation"};
constexpr std::array<std::string_view, 10> kTableNames{
    "success",   "groups", "success-test", "detection-time", "time-test",
    "evolution", "sample", "locality",     "noise",          "scaling"};
constexpr std::array<std::string_view, 7> kFigureNames{
    "found", "time", "time-found", "survival", "trajectory", "pareto", "distances"};

void merge(toml::table& into, const toml::table& change) {
  for (const auto& [key, value] : change) {
    toml::table* const existing = into[key].as_table();
    if (existing != nullptr && value.is_table()) {
      merge(*existing, *value.as_table());
    } else {
      into.insert_or_assign(key, value);
    }
  }
}

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

double Experiment::budget_seconds() const {
  if (budget.virtual_time == Duration::max()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(budget.virtual_time.count()) / 1e6;
}

std::string with_changes(std::string_view text, const std::vector<std::string>& changes,
                         const std::string& name) {
  if (changes.empty()) return std::string(text);
  try {
    toml::table root = toml::parse(text, name);
    for (const std::string& change : changes) merge(root, toml::parse(change, name));
    std::ostringstream out;
    out << root << '\n';
    return out.str();
  } catch (const toml::parse_error& error) {
    throw InputError(std::string(error.description()));
  }
}

}  // namespace dissensus::experiment
