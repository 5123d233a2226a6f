// Smaller scenarios as texts: what a reduction takes out of a scenario is taken out of its file, so
// that the minimal run has a scenario.toml of its own, comments and layout kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/time.h"

#include "core/toml_text.h"
#include "run/scenario.h"

namespace dissensus::shrink {

/// What to take out; the default takes nothing.
struct ScenarioEdit {
  std::vector<std::uint32_t> removed_requests;  ///< [[workload]] tables by their order in the file
  std::optional<Duration> faults_until;         ///< the new end of the fault phase
  std::optional<Duration> virtual_time;         ///< the new limit
  friend auto operator<=>(const ScenarioEdit&, const ScenarioEdit&) = default;
  bool empty() const { return removed_requests.empty() && !faults_until && !virtual_time; }
};

/// A scenario file and what can be taken out of it. Requests in brackets (`workload = [{...}]`)
/// stay.
class ScenarioText {
 public:
  explicit ScenarioText(const run::Scenario& scenario);

  std::size_t requests() const { return requests_; }
  /// When the faults stop, where the file says so by time.
  std::optional<Duration> faults_until() const { return faults_until_; }
  std::optional<Duration> virtual_time() const { return virtual_time_; }

  std::string edited(const ScenarioEdit& edit) const;

 private:
  TomlText text_;
  std::size_t requests_ = 0;
  std::optional<Duration> faults_until_;
  std::string faults_until_key_;
  std::optional<Duration> virtual_time_;
};

}  // namespace dissensus::shrink
