#include "oracle/support.h"

#include <algorithm>

namespace dissensus::oracle {
namespace {

std::uint64_t number_of(const FieldValue& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return static_cast<std::uint64_t>(*number);
  return 0;
}

Digest digest_of(const FieldValue& value) {
  if (const auto* digest = std::get_if<Digest>(&value)) return *digest;
  return number_of(value);
}

}  // namespace

SupportTracker::SupportTracker(const SupportQuery& query, const SystemDescription& description,
                               std::size_t nodes)
    : query_(query),
      description_(description),
      scope_mask_(~std::uint64_t{0}),
      newest_(nodes),
      least_(nodes, kAll) {
  const std::uint8_t bits = description.levels[query.level].scope_bits;
  if (bits > 0) scope_mask_ = (std::uint64_t{1} << bits) - 1;
}

std::uint64_t SupportTracker::scope_of(const FieldValue& value) const {
  const auto* digest = std::get_if<Digest>(&value);
  return (digest != nullptr ? digest->low : number_of(value)) & scope_mask_;
}

bool SupportTracker::counts(const std::vector<NodeId>& group, NodeId node) const {
  return group.empty() || std::find(group.begin(), group.end(), node) != group.end();
}

void SupportTracker::on_delivery(const Event& event) {
  const Message& message = *event.message;
  if (description_.kinds[message.kind()].payload != query_.payload) return;
  const PayloadDescription& payload = description_.payloads[query_.payload];
  const auto field = [&](std::size_t index) { return payload.getters[index](message.object()); };
  const NodeId author = payload.author == kNoField
                            ? event.peer
                            : static_cast<NodeId>(number_of(field(payload.author)));
  // A node's own position, passed on by others, tells it nothing.
  if (author == event.node || !counts(query_.trusted, author)) return;
  const std::uint64_t order = query_.order == kNoField ? 0 : number_of(field(query_.order));
  const auto [place, is_new] =
      newest_[event.node].try_emplace({scope_of(field(query_.scope)), author});
  Newest& newest = place->second;
  if (is_new || query_.order == kNoField || order > newest.order)
    newest = {order, digest_of(field(query_.position)), event.time};
}

void SupportTracker::on_decision(const Event& event) {
  if (event.detail != query_.level || !counts(query_.deciders, event.node)) return;
  std::int64_t& least = least_[event.node];
  least = std::min(least, support(event));
}

std::int64_t SupportTracker::least() const {
  return *std::min_element(least_.begin(), least_.end());
}

std::int64_t SupportTracker::support(const Event& decision) const {
  std::int64_t agree = 1;
  std::int64_t total = 1;
  const Positions& positions = newest_[decision.node];
  const std::uint64_t scope = decision.number & scope_mask_;
  const auto end = positions.upper_bound({scope, kNoNode});
  for (auto entry = positions.lower_bound({scope, 0}); entry != end; ++entry) {
    const Newest& newest = entry->second;
    const bool against = newest.order != query_.left && newest.position != decision.value &&
                         decision.time - newest.seen < query_.fresh;
    ++total;
    agree += against ? 0 : 1;
  }
  return agree * 100 / total;
}

}  // namespace dissensus::oracle
