#include "isolate/inbox_reducer.h"

#include <algorithm>
#include <bit>

#include "core/assert.h"

namespace dissensus::isolate {
namespace {

constexpr std::uint32_t kCodesMax = 1u << 24;

std::uint64_t hash_of(const Inbox& inbox, const Inbox::Entry& entry, std::size_t count) {
  std::uint64_t hash = entry.kind;
  for (std::size_t i = 0; i < count; ++i)
    hash = mix64(hash, static_cast<std::uint64_t>(inbox.values[entry.first_value + i])) + i;
  return hash;
}

}  // namespace

InboxReducer::InboxReducer(const PredicateSpace& space) : space_(space), best_(space.codes(), 0) {
  DISSENSUS_ASSERT(space.codes() <= kCodesMax && space.options().thresholds < 256,
                   "InboxReducer : a sighting fits into its bits");
  for (const KindPair& pair : space.pairs()) {
    std::vector<Comparison>& fields = field_comparisons_.emplace_back();
    for (const Comparison& comparison : pair.comparisons) {
      if (comparison.subject == Comparison::Subject::fields) fields.push_back(comparison);
      if (comparison.subject == Comparison::Subject::sender) compares_sender_ = true;
    }
  }
}

std::size_t InboxReducer::find_or_add(const Inbox& inbox, const Inbox::Entry& entry) {
  const std::size_t count = space_.schema().kinds[entry.kind].fields.size();
  const std::uint64_t hash = hash_of(inbox, entry, count);
  const auto [begin, end] = by_hash_.equal_range(hash);
  const std::int64_t* values = inbox.values.data();
  for (auto it = begin; it != end; ++it) {
    const Body& body = bodies_[it->second];
    if (body.kind == entry.kind &&
        std::equal(values + entry.first_value, values + entry.first_value + count,
                   values + body.first_value)) {
      return it->second;
    }
  }
  const std::size_t index = body_count_++;
  if (bodies_.size() < body_count_) bodies_.emplace_back();
  Body& body = bodies_[index];
  body.kind = entry.kind;
  body.first_value = entry.first_value;
  body.senders = 0;
  body.field_codes.clear();
  by_hash_.emplace(hash, index);
  return index;
}

std::uint32_t InboxReducer::field_code(const Inbox& inbox, const Body& left,
                                       const Body& right) const {
  const std::size_t pair = left.kind * space_.schema().kinds.size() + right.kind;
  std::size_t code = space_.pairs()[pair].first_code;
  for (const Comparison& comparison : field_comparisons_[pair]) {
    code += comparison.stride *
            outcome_of(comparison.scale, inbox.values[left.first_value + comparison.left_field],
                       inbox.values[right.first_value + comparison.right_field]);
  }
  return static_cast<std::uint32_t>(code);
}

/// Compares a message that has just come with every distinct message before it.
void InboxReducer::look_back(const Inbox& inbox, Body& right, std::uint16_t sender) {
  const NodeMask sender_bit = NodeMask{1} << sender;
  const NodeMask right_senders = right.senders | sender_bit;
  const std::size_t set_outcomes = outcomes(Scale::set);
  const std::size_t thresholds = space_.options().thresholds;
  for (std::size_t index = 0; index < body_count_; ++index) {
    const Body& left = bodies_[index];
    if (index == right.field_codes.size())
      right.field_codes.push_back(field_code(inbox, left, right));
    if (left.senders == 0) continue;  // it is what has just come, for the first time
    std::size_t code =
        right.field_codes[index] + outcome_of(Scale::set, static_cast<std::int64_t>(left.senders),
                                              static_cast<std::int64_t>(right_senders));
    if (compares_sender_ && (left.senders & sender_bit) == 0) code += set_outcomes;
    const auto threshold = static_cast<std::uint8_t>(
        std::min(static_cast<std::size_t>(std::popcount(left.senders)), thresholds));
    if (best_[code] == 0) touched_.push_back(static_cast<std::uint32_t>(code));
    best_[code] = std::max(best_[code], threshold);
  }
  right.senders = right_senders;
}

Profile InboxReducer::so_far() {
  std::sort(touched_.begin(), touched_.end());
  Profile profile;
  profile.reserve(touched_.size());
  for (const std::uint32_t code : touched_)
    profile.push_back({code & (kCodesMax - 1), best_[code]});
  return profile;
}

Profile InboxReducer::reduce(const Inbox& inbox, std::size_t node) {
  std::vector<Profile> none;
  return reduce(inbox, node, 1, none);
}

Profile InboxReducer::reduce(const Inbox& inbox, std::size_t node, std::size_t parts,
                             std::vector<Profile>& beginnings) {
  body_count_ = 0;
  by_hash_.clear();
  beginnings.clear();
  const NodeMask trusted = space_.schema().trusted[node];
  const std::size_t count = inbox.entries.size();
  for (std::size_t i = 0; i < count; ++i) {
    while (beginnings.size() + 1 < parts && i >= count * (beginnings.size() + 1) / parts)
      beginnings.push_back(so_far());
    const Inbox::Entry& entry = inbox.entries[i];
    DISSENSUS_ASSERT(entry.sender < kNodesMax, "InboxReducer : the sender is a node");
    if ((trusted >> entry.sender & 1) == 0) continue;
    look_back(inbox, bodies_[find_or_add(inbox, entry)], entry.sender);
  }
  Profile profile = so_far();
  beginnings.resize(parts - 1);
  for (const std::uint32_t code : touched_) best_[code] = 0;
  touched_.clear();
  return profile;
}

}  // namespace dissensus::isolate
