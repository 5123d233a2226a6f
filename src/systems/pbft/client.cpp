#include "systems/pbft/client.h"

#include <algorithm>

namespace dissensus::pbft {

Request Client::next(NodeId self) {
  ++timestamp_;
  answers_.clear();
  waiting_ = Request{self, static_cast<std::uint16_t>(timestamp_ * 7 + self), timestamp_};
  return *waiting_;
}

std::optional<Digest> Client::on_reply(NodeId from, const Reply& reply) {
  if (!waiting_ || reply.timestamp != waiting_->timestamp) return std::nullopt;
  auto answer = std::find_if(answers_.begin(), answers_.end(),
                             [&](const Answer& one) { return one.result == reply.result; });
  // The first answer of a replica is the one that counts, so that liars do not fill the memory.
  const bool has_answered = std::any_of(answers_.begin(), answers_.end(), [&](const Answer& one) {
    return (one.replicas & mask_of(from)) != 0;
  });
  if (has_answered) return std::nullopt;
  if (answer == answers_.end()) answer = answers_.insert(answer, {reply.result, 0});
  answer->replicas |= mask_of(from);
  const std::size_t needed = settings_->has(Bug::first_reply) ? 1 : settings_->faulty() + 1;
  if (size_of(answer->replicas) < needed) return std::nullopt;
  view_ = reply.view;
  waiting_.reset();
  return answer->result;
}

}  // namespace dissensus::pbft
