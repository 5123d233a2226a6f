// Every condition that the protocol tests before it acts, by name. A scenario can switch one of
// them off or turn it round, which shows whether those who judge the protocol would notice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dissensus::dag {

enum class Guard : std::uint8_t {
  alive,
  row_quorum,
  own_vertex,
  receiver_member,
  vertex_epoch,
  members_only,
  parents_quorum,
  self_parent,
  first_in_slot,
  buffered,
  round_bound,
  slot_empty,
  parents_present,
  wave_end,
  wave_undecided,
  epoch_open,
  leader_present,
  vote_quorum,
  earlier_leader_present,
  earlier_leader_reachable,
  undelivered,
  epoch_complete,
  seal_support,
  echo_creator,
  echo_once,
  echo_quorum,
  ready_once,
  ready_support,
  deliver_quorum,
};
inline constexpr std::size_t kGuards = 29;

struct GuardDescription {
  std::string_view name;
  std::string_view step;      ///< where it is tested
  std::string_view protects;  ///< what would go wrong without it
};

/// Indexed by Guard.
std::span<const GuardDescription> guards();
std::optional<Guard> find_guard(std::string_view name);

/// The conditions as this run applies them.
class Guards {
 public:
  bool check(Guard guard, bool condition) const {
    switch (modes_[static_cast<std::size_t>(guard)]) {
      case Mode::deleted:
        return true;
      case Mode::negated:
        return !condition;
      case Mode::kept:
        break;
    }
    return condition;
  }
  void remove(Guard guard) { modes_[static_cast<std::size_t>(guard)] = Mode::deleted; }
  void negate(Guard guard) { modes_[static_cast<std::size_t>(guard)] = Mode::negated; }

 private:
  enum class Mode : std::uint8_t { kept, deleted, negated };
  std::array<Mode, kGuards> modes_{};
};

}  // namespace dissensus::dag
