#include "history/isolation.h"

#include <array>

#include "core/assert.h"

namespace dissensus::history {

namespace {

using Levels = std::uint16_t;
constexpr Levels bit(Isolation level) {
  return static_cast<Levels>(1u << static_cast<unsigned>(level));
}
template <class... More>
constexpr Levels levels(More... more) {
  return static_cast<Levels>((bit(more) | ... | 0));
}

using enum Isolation;

struct Description {
  std::string_view name;
  Levels stronger;  ///< the next ones
};
constexpr std::array<Description, kIsolationLevels> kLevels{{
    {"read-uncommitted", levels(read_committed)},
    {"read-committed", levels(read_atomic, repeatable_read)},
    {"read-atomic", levels(snapshot_isolation)},
    {"snapshot-isolation", levels(serializable, strong_session_snapshot_isolation)},
    {"repeatable-read", levels(serializable)},
    {"serializable", levels(strong_session_serializable)},
    {"strong-session-snapshot-isolation",
     levels(strong_session_serializable, strong_snapshot_isolation)},
    {"strong-session-serializable", levels(strict_serializable)},
    {"strong-snapshot-isolation", levels(strict_serializable)},
    {"strict-serializable", 0},
}};

struct Forbidden {
  std::string_view anomaly;
  Levels by;  ///< the weakest ones
};
constexpr Levels kSnapshots = levels(snapshot_isolation, repeatable_read);
/// Adya's thesis, chapter 3, for G0 to G2-item; Bailis and others (RAMP) for fractured reads;
/// Cerone and Gotsman for what snapshots exclude. A session or real time in a cycle moves it from a
/// level to its strong-session or strong variant.
constexpr std::array kForbidden{
    Forbidden{"G0", levels(read_uncommitted)},
    Forbidden{"G1a", levels(read_committed)},
    Forbidden{"G1b", levels(read_committed)},
    Forbidden{"G1c", levels(read_committed)},
    Forbidden{"dirty-update", levels(read_committed)},
    Forbidden{"garbage-read", levels(read_committed)},
    Forbidden{"duplicate-elements", levels(read_committed)},
    Forbidden{"incompatible-order", levels(read_committed)},
    Forbidden{"own-write", levels(read_committed)},
    Forbidden{"fractured-read", levels(read_atomic, repeatable_read)},
    Forbidden{"internal", levels(read_atomic, repeatable_read)},
    Forbidden{"lost-update", kSnapshots},
    Forbidden{"G-single", kSnapshots},
    Forbidden{"G-nonadjacent", kSnapshots},
    Forbidden{"G2-item", levels(repeatable_read)},
    Forbidden{"G0-process", levels(strong_session_snapshot_isolation)},
    Forbidden{"G1c-process", levels(strong_session_snapshot_isolation)},
    Forbidden{"fractured-read-process", levels(strong_session_snapshot_isolation)},
    Forbidden{"G-single-process", levels(strong_session_snapshot_isolation)},
    Forbidden{"G-nonadjacent-process", levels(strong_session_snapshot_isolation)},
    Forbidden{"G2-item-process", levels(strong_session_serializable)},
    Forbidden{"G0-realtime", levels(strong_snapshot_isolation)},
    Forbidden{"G1c-realtime", levels(strong_snapshot_isolation)},
    Forbidden{"fractured-read-realtime", levels(strong_snapshot_isolation)},
    Forbidden{"G-single-realtime", levels(strong_snapshot_isolation)},
    Forbidden{"G-nonadjacent-realtime", levels(strong_snapshot_isolation)},
    Forbidden{"G2-item-realtime", levels(strict_serializable)},
};

}  // namespace

std::string_view to_string(Isolation level) {
  return kLevels[static_cast<std::size_t>(level)].name;
}

std::optional<Isolation> isolation_named(std::string_view name) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i].name == name) return static_cast<Isolation>(i);
  }
  return std::nullopt;
}

std::vector<std::string> isolation_names() {
  std::vector<std::string> names;
  for (const Description& level : kLevels) names.emplace_back(level.name);
  return names;
}

void ExcludedLevels::add(Isolation level) {
  excluded_[static_cast<std::size_t>(level)] = true;
  // Levels are in such an order that one pass carries exclusion upwards.
  for (std::size_t i = 0; i < kIsolationLevels; ++i) {
    for (std::size_t j = 0; j < kIsolationLevels; ++j) {
      if (excluded_[i] && (kLevels[i].stronger >> j & 1) != 0) excluded_[j] = true;
    }
  }
}

void ExcludedLevels::add(std::string_view anomaly) {
  for (const Forbidden& forbidden : kForbidden) {
    if (forbidden.anomaly != anomaly) continue;
    for (std::size_t i = 0; i < kIsolationLevels; ++i) {
      if ((forbidden.by >> i & 1) != 0) add(static_cast<Isolation>(i));
    }
    return;
  }
  DISSENSUS_ASSERT(false, "ExcludedLevels::add : every anomaly has its levels");
}

std::vector<Isolation> ExcludedLevels::weakest_excluded() const {
  std::vector<Isolation> result;
  for (std::size_t i = 0; i < kIsolationLevels; ++i) {
    bool has_weaker = false;
    for (std::size_t j = 0; j < kIsolationLevels; ++j) {
      has_weaker = has_weaker || (excluded_[j] && (kLevels[j].stronger >> i & 1) != 0);
    }
    if (excluded_[i] && !has_weaker) result.push_back(static_cast<Isolation>(i));
  }
  return result;
}

std::vector<Isolation> ExcludedLevels::strongest_left() const {
  std::vector<Isolation> result;
  for (std::size_t i = 0; i < kIsolationLevels; ++i) {
    bool has_stronger = false;
    for (std::size_t j = 0; j < kIsolationLevels; ++j) {
      has_stronger = has_stronger || (!excluded_[j] && (kLevels[i].stronger >> j & 1) != 0);
    }
    if (!excluded_[i] && !has_stronger) result.push_back(static_cast<Isolation>(i));
  }
  return result;
}

}  // namespace dissensus::history
