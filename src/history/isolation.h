// Isolation levels, what each forbids, and which ones a set of anomalies leaves.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus::history {

/// From weak to strong, where they can be compared at all.
enum class Isolation : unsigned char {
  read_uncommitted,
  read_committed,
  read_atomic,
  snapshot_isolation,
  repeatable_read,
  serializable,
  strong_session_snapshot_isolation,
  strong_session_serializable,
  strong_snapshot_isolation,
  strict_serializable,
};
inline constexpr std::size_t kIsolationLevels = 10;

std::string_view to_string(Isolation level);
std::optional<Isolation> isolation_named(std::string_view name);
std::vector<std::string> isolation_names();

class ExcludedLevels {
 public:
  /// Excludes the levels that forbid the anomaly, and all stronger ones. Every anomaly that a
  /// checker can name is known here.
  void add(std::string_view anomaly);
  /// Excludes this one and all stronger ones.
  void add(Isolation level);
  bool is_excluded(Isolation level) const { return excluded_[static_cast<std::size_t>(level)]; }
  /// Excluded, while no weaker one is.
  std::vector<Isolation> weakest_excluded() const;
  /// Not excluded, while all stronger ones are.
  std::vector<Isolation> strongest_left() const;

 private:
  bool excluded_[kIsolationLevels] = {};
};

}  // namespace dissensus::history
