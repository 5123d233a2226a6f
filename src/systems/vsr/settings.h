// The [system] table of kind "vsr", and the mistakes that a scenario can ask for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dissensus/options.h"
#include "dissensus/time.h"

namespace dissensus::vsr {

/// Mistakes that implementations of the protocol, or the papers themselves, have made.
enum class Mistake : std::uint8_t {
  forgetful_restart,
  forgets_view,
  one_recovery_answer,
  any_recovery_log,
  nonce_ignored,
  longest_log,
  small_view_change,
  small_commit,
  acks_in_view_change,
  old_prepares,
  transfer_forgets,
  keeps_tail,
  stale_acks,
  no_client_table,
  most_committed,
  fills_gaps,
  acks_gaps,
  transfer_keeps_tail,
  returns_to_view,
  view_as_normal,
  commits_new_log,
  commits_any_view,
  tells_in_view_change,
  old_changes,
  repeats_view,
  transfer_not_normal,
  own_log,
};
inline constexpr std::size_t kMistakes = 27;

struct Settings {
  std::size_t replicas = 5;
  Duration heartbeat = std::chrono::milliseconds(100);
  Duration view_timeout = std::chrono::milliseconds(500);
  Duration client_every = std::chrono::milliseconds(300);
  Duration client_timeout = std::chrono::milliseconds(600);
  std::array<bool, kMistakes> mistaken{};

  explicit Settings(const Options& options);
  bool makes(Mistake mistake) const { return mistaken[static_cast<std::size_t>(mistake)]; }
  /// The most replicas that may fail: f of 2f + 1.
  std::size_t faulty() const { return (replicas - 1) / 2; }
};

}  // namespace dissensus::vsr
