// The client beside a replica: one request at a time, to the primary first and to all if no answer
// comes; a result counts when f + 1 replicas say the same (OSDI '99, section 4.1).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systems/pbft/messages.h"
#include "systems/pbft/settings.h"

namespace dissensus::pbft {

class Client {
 public:
  explicit Client(const Settings& settings) : settings_(&settings) {}

  /// The next request; the one before is answered.
  Request next(NodeId self);
  /// The request that waits for an answer.
  const std::optional<Request>& waiting() const { return waiting_; }
  /// The result, as soon as enough replicas agree on it.
  std::optional<Digest> on_reply(NodeId from, const Reply& reply);
  NodeId primary() const { return settings_->primary(view_); }

 private:
  struct Answer {
    Digest result;
    Mask replicas = 0;
  };
  const Settings* settings_;
  std::uint64_t view_ = 0;
  std::uint32_t timestamp_ = 0;
  std::optional<Request> waiting_;
  std::vector<Answer> answers_;
};

}  // namespace dissensus::pbft
