#include "hunt/budget.h"

#include <charconv>

#include <fmt/format.h>

#include "dissensus/options.h"

namespace dissensus::hunt {

Budget parse_budget(std::string_view text, std::string_view option) {
  Budget budget;
  static constexpr std::string_view kRuns = "runs";
  static constexpr std::string_view kVirtual = "-virtual";
  if (text.ends_with(kRuns)) {
    const char* const end = text.data() + text.size() - kRuns.size();
    const auto [position, error] = std::from_chars(text.data(), end, budget.runs);
    if (error == std::errc() && position == end && budget.runs > 0) return budget;
  } else if (text.ends_with(kVirtual)) {
    const auto time = parse_duration(text.substr(0, text.size() - kVirtual.size()));
    if (time && time->count() > 0) {
      budget.virtual_time = *time;
      return budget;
    }
  } else if (const auto time = parse_duration(text); time && time->count() > 0) {
    budget.wall = *time;
    return budget;
  }
  throw InputError(
      fmt::format("{}: expected e.g. 180runs, 1h-virtual or 30s, found '{}'", option, text));
}

}  // namespace dissensus::hunt
