// What each server has built and proposed lately, whether or not a run goes on: a run that begins
// in the middle of a network's life knows what its first decisions rest on.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "dissensus/ids.h"

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/frame.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live {

class Watch {
 public:
  struct Built {
    Hash256 ledger{};
    Hash256 parent{};
    std::uint32_t seq = 0;
  };
  struct Proposed {
    Hash256 position{};
    Hash256 previous{};
  };

  /// Validator keys by node.
  explicit Watch(std::vector<PublicKey> validators);

  /// A frame that `from` sent. Throws WireError.
  void on_frame(NodeId from, const Frame& frame);

  /// Oldest first.
  const std::deque<Built>& built(NodeId node) const { return nodes_[node].built; }
  const std::deque<Proposed>& proposed(NodeId node) const { return nodes_[node].proposed; }

 private:
  static constexpr std::size_t kKept = 32;
  struct State {
    std::deque<Built> built;
    std::deque<Proposed> proposed;
  };
  std::vector<PublicKey> validators_;
  std::vector<State> nodes_;
};

}  // namespace dissensus::live
