#include "faults/mutation.h"

#include <algorithm>

#include <fmt/format.h>

namespace dissensus::faults {

namespace {

/// Enough for the last few rounds; older values are of no more use to a liar.
constexpr std::size_t kSeenMax = 16;

bool is_identity(SemanticType type) {
  return type == SemanticType::value || type == SemanticType::hash;
}

const PayloadDescription& payload_of(const Message& message, const SystemDescription& description) {
  return description.payloads[description.kinds[message.kind()].payload];
}

std::uint64_t number_of(const FieldValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return static_cast<std::uint64_t>(*number);
  }
  const auto* number = std::get_if<std::uint64_t>(&value);
  return number == nullptr ? 0 : *number;
}

FieldValue like(const FieldValue& old, std::uint64_t number) {
  if (std::holds_alternative<std::int64_t>(old)) return static_cast<std::int64_t>(number);
  return number;
}

/// Any number: small and large ones are equally likely.
std::uint64_t any_number(Random& random) {
  return random.next() >> random.below(64);
}

std::string show(const FieldValue& value) {
  if (const auto* digest = std::get_if<Digest>(&value)) return to_string(*digest);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::to_string(*number);
  if (const auto* set = std::get_if<NodeSet>(&value)) {
    return fmt::format("[{}]", fmt::join(*set, ", "));
  }
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::to_string(std::get<std::uint64_t>(value));
}

/// A value that is known by its content only: one that was seen or, if there is none or anything
/// goes, one that nobody has.
FieldValue other_identity(const FieldValue& old, const std::vector<FieldValue>& seen, bool anything,
                          Random& random) {
  std::vector<FieldValue> others;
  std::copy_if(seen.begin(), seen.end(), std::back_inserter(others),
               [&old](const FieldValue& value) { return value != old; });
  if (!others.empty() && !(anything && random.chance(0.5))) {
    return others[random.below(others.size())];
  }
  if (const auto* text = std::get_if<std::string>(&old)) {
    return anything ? fmt::to_string(random.next()) : *text + "'";
  }
  const Digest& digest = std::get<Digest>(old);
  if (anything) return Digest{random.next() | 1, random.next()};
  return Digest{digest.high, digest.low ^ 1};
}

NodeSet other_set(NodeSet set, std::size_t nodes, bool anything, Random& random) {
  for (std::size_t node = 0; anything && node < nodes; ++node) {
    if (random.chance(0.5)) continue;
    const auto place = std::find(set.begin(), set.end(), static_cast<NodeId>(node));
    if (place == set.end()) {
      set.push_back(static_cast<NodeId>(node));
    } else {
      set.erase(place);
    }
  }
  if (!anything && nodes > 0) {
    const auto node = static_cast<NodeId>(random.below(nodes));
    if (std::erase(set, node) == 0) set.push_back(node);
  }
  std::sort(set.begin(), set.end());
  return set;
}

/// Another value of a field, by its semantic type.
FieldValue other_value(const FieldValue& old, SemanticType type,
                       const std::vector<FieldValue>& seen, const MutationOrder& order,
                       Random& random) {
  const bool anything = order.scope == MutationScope::any;
  if (std::holds_alternative<Digest>(old) || std::holds_alternative<std::string>(old)) {
    return other_identity(old, seen, anything, random);
  }
  if (const auto* set = std::get_if<NodeSet>(&old)) {
    return other_set(*set, order.nodes, anything, random);
  }
  const std::uint64_t number = number_of(old);
  switch (type) {
    case SemanticType::boolean:
      return like(old, number == 0 ? 1 : 0);
    case SemanticType::flags:
      return like(old, anything ? any_number(random) : number ^ (1ULL << random.below(8)));
    case SemanticType::node:
      return like(old, random.below(std::max<std::size_t>(order.nodes, 1)));
    default:
      break;
  }
  if (anything) return like(old, any_number(random));
  // Neighbours: twice as often the next one, since what is ahead is what nodes wait for.
  return like(old, number == 0 || random.below(3) != 0 ? number + 1 : number - 1);
}

std::vector<std::size_t> candidates(const PayloadDescription& payload, const MutationOrder& order) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < payload.fields.size(); ++i) {
    if (!payload.setters[i] || i == payload.author) continue;
    const bool chosen = order.field.empty()
                            ? order.scope == MutationScope::any || payload.fields[i].small_scope
                            : payload.fields[i].name == order.field;
    if (chosen) result.push_back(i);
  }
  return result;
}

}  // namespace

NodeId author_of(const Message& message, NodeId from, const SystemDescription& description) {
  const PayloadDescription& payload = payload_of(message, description);
  if (payload.author == kNoField) return from;
  return static_cast<NodeId>(number_of(payload.getters[payload.author](message.object())));
}

SeenValues::SeenValues(const SystemDescription& description) : description_(description) {
  for (const PayloadDescription& payload : description.payloads) {
    seen_.emplace_back(payload.fields.size());
  }
}

void SeenValues::note(const Message& message) {
  if (message.digest() == last_noted_) return;  // the next receiver of a broadcast
  last_noted_ = message.digest();
  const std::size_t index = description_.kinds[message.kind()].payload;
  const PayloadDescription& payload = description_.payloads[index];
  for (std::size_t i = 0; i < payload.fields.size(); ++i) {
    if (!is_identity(payload.fields[i].type)) continue;
    FieldValue value = payload.getters[i](message.object());
    if (!std::holds_alternative<Digest>(value) && !std::holds_alternative<std::string>(value)) {
      continue;
    }
    std::vector<FieldValue>& seen = seen_[index][i];
    if (std::find(seen.begin(), seen.end(), value) != seen.end()) continue;
    if (seen.size() == kSeenMax) seen.erase(seen.begin());
    seen.push_back(std::move(value));
  }
}

Mutation mutate(const Message& message, const MutationOrder& order, const SeenValues& seen,
                const SystemDescription& description, MessagePool& pool) {
  const std::size_t index = description.kinds[message.kind()].payload;
  const PayloadDescription& payload = description.payloads[index];
  const std::vector<std::size_t> fields = candidates(payload, order);
  if (fields.empty()) return {};
  Random random(order.seed, "mutation", index);
  const std::size_t field = fields[random.below(fields.size())];
  const FieldValue old = payload.getters[field](message.object());
  const FieldValue fresh =
      other_value(old, payload.fields[field].type, seen.of(index, field), order, random);
  Mutation result;
  result.message = pool.with_field(message, description, field, fresh);
  if (result.message.digest() == message.digest()) return {};
  result.text = fmt::format("{}: {} -> {}", payload.fields[field].name, show(old),
                            show(payload.getters[field](result.message.object())));
  return result;
}

}  // namespace dissensus::faults
