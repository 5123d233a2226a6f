// What a node knows of its direct peers from StatusChange and HaveTransactionSet.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "dissensus/digest.h"
#include "dissensus/ids.h"
#include "dissensus/random.h"

namespace dissensus::xrpl {

/// Who announced which of the last ids. rippled keeps 128 ids per peer; this keeps the last 128
/// ids of all peers together.
class Announcements {
 public:
  explicit Announcements(std::size_t nodes) : words_((nodes + 63) / 64) {}
  void note(const Digest& id, NodeId peer);
  bool has(const Digest& id, NodeId peer) const;

 private:
  static constexpr std::size_t kKept = 128;
  struct Entry {
    Digest id;
    std::vector<std::uint64_t> peers;
  };
  std::size_t words_;
  std::deque<Entry> entries_;
};

struct PeerStatus {
  Digest closed;
  Digest previous;
  std::uint32_t first_seq = 0;
  std::uint32_t last_seq = 0;
  bool diverged = false;
};

struct PeerTable {
  explicit PeerTable(std::size_t nodes) : status(nodes), sets(nodes), ledgers(nodes) {}
  std::vector<PeerStatus> status;  ///< by node
  Announcements sets;
  Announcements ledgers;
};

/// Appends to `chosen` up to `count` peers that are not in it yet, best score first: a random
/// number, and those that announced `id` before all others (12.1).
void choose_peers(std::span<const NodeId> peers, const Announcements& announced, const Digest& id,
                  std::size_t count, Random& random, std::vector<NodeId>& chosen);

}  // namespace dissensus::xrpl
