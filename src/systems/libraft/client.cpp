#include "systems/libraft/client.h"

#include <numeric>

namespace dissensus::libraft {

void Client::add(Operation operation, std::uint64_t argument) {
  const std::uint64_t number = witness_.next_request();
  // Values of commands are unique, so that two of them are never the same entry.
  waiting_.push_back({number, operation == Operation::command ? number : argument, operation});
}

void Client::draw(Context& context) {
  const auto& weights = settings_.weights;
  double left = context.random().unit() * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t chosen = 0;
  while (chosen + 1 < kOperations && left >= weights[chosen]) left -= weights[chosen++];
  const auto operation = static_cast<Operation>(chosen);
  const bool any = operation == Operation::transfer || settings_.change_founders ||
                   settings_.voters == settings_.servers;
  const std::uint64_t spared = any ? 0 : settings_.voters;
  const std::uint64_t server = 1 + spared + context.random().below(settings_.servers - spared);
  const std::uint64_t role = context.random().below(3);
  add(operation, server << 8 | role);
}

std::optional<Client::Call> Client::next(Context& context, std::uint64_t leader) {
  const Time now = context.now();
  if (current_ && now >= current_->deadline) current_.reset();  // nobody knows whether it happened
  if (!current_) {
    if (waiting_.empty()) return std::nullopt;
    current_ =
        Asked{waiting_.front(), now + settings_.client_timeout, now, witness_.acknowledged()};
    waiting_.pop_front();
  }
  if (now < current_->retry) return std::nullopt;
  current_->retry = now + settings_.client_timeout / 2;
  std::uint64_t server = hint_ != 0 ? hint_ : leader;
  hint_ = 0;
  if (server == 0) server = 1 + context.random().below(settings_.servers);
  return Call{server, current_->request};
}

void Client::answered(Context& context, const ClientReply& reply) {
  if (!current_ || current_->request.number != reply.number) return;
  if (reply.status != 0) {
    hint_ = reply.leader;
    current_->retry = context.now();
    return;
  }
  if (current_->request.operation == Operation::command) {
    witness_.acknowledged(reply.index);
  } else if (current_->request.operation == Operation::read) {
    if (reply.index < current_->acknowledged) {
      context.broken(kLinearizableReads, current_->acknowledged);
    }
  }
  current_.reset();
}

}  // namespace dissensus::libraft
