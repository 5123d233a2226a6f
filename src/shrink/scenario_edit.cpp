#include "shrink/scenario_edit.h"

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/assert.h"

namespace dissensus::shrink {

namespace {

constexpr const char* kVirtualTime = "limits.virtual_time";

/// A duration in quotes; none if something else is written.
std::optional<Duration> duration_at(const TomlText& text, std::string_view key) {
  const std::optional<std::string_view> written = text.value(key);
  if (!written || written->size() < 2) return std::nullopt;
  const char quote = written->front();
  if ((quote != '"' && quote != '\'') || written->back() != quote) return std::nullopt;
  return parse_duration(written->substr(1, written->size() - 2));
}

std::string quoted(Duration duration) {
  return fmt::format("\"{}\"", to_string(duration));
}

}  // namespace

ScenarioText::ScenarioText(const run::Scenario& scenario)
    : text_(scenario.text, scenario.path),
      requests_(text_.tables("workload")),
      virtual_time_(duration_at(text_, kVirtualTime)) {
  for (const char* key : {"phases.faults", "phases.faults.until"}) {
    if (const auto duration = duration_at(text_, key)) {
      faults_until_ = duration;
      faults_until_key_ = key;
    }
  }
}

std::string ScenarioText::edited(const ScenarioEdit& edit) const {
  TomlText text = text_;
  if (!edit.removed_requests.empty()) text.remove_tables("workload", edit.removed_requests);
  if (edit.faults_until) {
    DISSENSUS_ASSERT(faults_until_.has_value(), "ScenarioText::edited : the file has this value");
    text.set(faults_until_key_, quoted(*edit.faults_until));
  }
  if (edit.virtual_time) {
    DISSENSUS_ASSERT(virtual_time_.has_value(), "ScenarioText::edited : the file has this value");
    text.set(kVirtualTime, quoted(*edit.virtual_time));
  }
  return text.text();
}

}  // namespace dissensus::shrink
