// The [system] table of a scenario for PBFT (docs/systems/pbft.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dissensus/options.h"
#include "dissensus/time.h"

#include "systems/pbft/replicas.h"

namespace dissensus::pbft {

/// Mistakes that implementations of PBFT and its descendants have made, to be found again.
enum class Bug : std::uint8_t {
  small_quorum,
  votes_repeated,
  commit_any_request,
  view_change_forgets,
  oldest_certificate,
  new_view_unchecked,
  constant_timeout,
  early_collection,
  sequence_reuse,
  first_reply,
  first_checkpoint,
  own_certificates,
  votes_after_leaving,
  forgets_older_views,
  prepares_any_request,
  skips_gaps,
};
struct BugDescription {
  std::string_view name;
  std::string_view what;
};
/// Indexed by Bug.
std::span<const BugDescription> bugs();

struct Settings {
  explicit Settings(const Options& options);

  bool has(Bug bug) const { return (bug_mask >> static_cast<unsigned>(bug) & 1u) != 0; }
  bool is_client(NodeId node) const { return (clients & mask_of(node)) != 0; }
  std::size_t faulty() const { return faulty_max(nodes); }
  std::size_t quorum() const { return quorum_of(nodes) - (has(Bug::small_quorum) ? 1 : 0); }
  NodeId primary(std::uint64_t view) const { return static_cast<NodeId>(view % nodes); }

  std::size_t nodes = 4;
  Mask clients = 0;  ///< replicas with a client beside them
  Duration think = std::chrono::milliseconds(40);
  Duration client_timeout = std::chrono::milliseconds(400);
  Duration view_timeout = std::chrono::milliseconds(400);
  Duration status_interval = std::chrono::milliseconds(250);
  std::uint64_t checkpoint_interval = 4;
  std::uint64_t window = 8;  ///< the high watermark is so far above the low one
  std::uint32_t bug_mask = 0;

 private:
  void read_clients(const Options& options);
  void read_bugs(const Options& options);
};

}  // namespace dissensus::pbft
