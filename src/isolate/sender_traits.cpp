#include "isolate/sender_traits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <map>

namespace dissensus::isolate {
namespace {

using NodeCounts = std::array<std::uint8_t, kNodesMax>;

/// Who sent a combination of values of two fields of one kind (the second is 0 where only one is
/// looked at), in ascending order.
struct Sent {
  std::int64_t value = 0;
  std::int64_t other = 0;
  NodeMask senders = 0;
};
using Table = std::vector<Sent>;

constexpr std::size_t kNoField = ~std::size_t{0};

Table collect(const Run& run, std::size_t kind, std::size_t field, std::size_t other_field) {
  Table table;
  for (const Inbox& inbox : run.inboxes) {
    for (const Inbox::Entry& entry : inbox.entries) {
      if (entry.kind != kind) continue;
      const std::int64_t* values = inbox.values.data() + entry.first_value;
      const std::int64_t other = other_field == kNoField ? 0 : values[other_field];
      const NodeMask sender = NodeMask{1} << entry.sender;
      // Copies of a message tend to come one after the other.
      if (!table.empty() && table.back().value == values[field] && table.back().other == other) {
        table.back().senders |= sender;
      } else {
        table.push_back({values[field], other, sender});
      }
    }
  }
  std::sort(table.begin(), table.end(), [](const Sent& a, const Sent& b) {
    return a.value != b.value ? a.value < b.value : a.other < b.other;
  });
  std::size_t kept = 0;
  for (const Sent& sent : table) {
    if (kept > 0 && table[kept - 1].value == sent.value && table[kept - 1].other == sent.other) {
      table[kept - 1].senders |= sent.senders;
    } else {
      table[kept++] = sent;
    }
  }
  table.resize(kept);
  return table;
}

void count(NodeMask nodes, NodeCounts& counts) {
  for (; nodes != 0; nodes &= nodes - 1) {
    std::uint8_t& number = counts[static_cast<std::size_t>(std::countr_zero(nodes))];
    if (number < 255) ++number;
  }
}

std::size_t size_of(NodeMask nodes) {
  return static_cast<std::size_t>(std::popcount(nodes));
}

void count_omissions(const Table& own, const Table& others, std::size_t threshold,
                     NodeCounts& counts) {
  auto other = others.begin();
  for (const Sent& sent : own) {
    while (other != others.end() && other->value < sent.value) ++other;
    if (other == others.end() || other->value != sent.value) continue;
    if (size_of(other->senders) >= threshold) count(sent.senders & ~other->senders, counts);
  }
}

/// Calls visit with each run of entries of equal value.
template <class Visit>
void for_each_value(const Table& table, const Visit& visit) {
  for (std::size_t begin = 0; begin < table.size();) {
    std::size_t end = begin + 1;
    while (end < table.size() && table[end].value == table[begin].value) ++end;
    visit(std::span<const Sent>(table.data() + begin, end - begin));
    begin = end;
  }
}

void count_equivocations(const Table& table, NodeCounts& counts) {
  for_each_value(table, [&](std::span<const Sent> entries) {
    NodeMask once = 0;
    NodeMask twice = 0;
    for (const Sent& sent : entries) {
      twice |= once & sent.senders;
      once |= sent.senders;
    }
    count(twice, counts);
  });
}

void count_deviations(const Table& table, std::size_t threshold, NodeCounts& counts) {
  for_each_value(table, [&](std::span<const Sent> entries) {
    NodeMask deviating = 0;
    for (const Sent& sent : entries) {
      const bool outvoted = std::any_of(entries.begin(), entries.end(), [&](const Sent& other) {
        return other.other != sent.other && size_of(other.senders) >= threshold &&
               size_of(other.senders) > size_of(sent.senders);
      });
      if (outvoted) deviating |= sent.senders;
    }
    count(deviating, counts);
  });
}

void count_factions(const Table& table, std::size_t threshold, NodeCounts& counts) {
  for (const Sent& sent : table) {
    NodeMask camp = 0;
    for (const Sent& rival : table) {
      const NodeMask own = sent.senders & ~rival.senders;
      if (size_of(own) >= threshold && size_of(rival.senders & ~sent.senders) >= threshold)
        camp |= own;
    }
    count(camp, counts);
  }
}

/// Tables of a run, each made once.
class Tables {
 public:
  explicit Tables(const Run& run) : run_(run) {}
  const Table& of(std::size_t kind, std::size_t field, std::size_t other_field = kNoField) {
    const std::array<std::size_t, 3> key{kind, field, other_field};
    const auto found = tables_.find(key);
    if (found != tables_.end()) return found->second;
    return tables_.emplace(key, collect(run_, kind, field, other_field)).first->second;
  }

 private:
  const Run& run_;
  std::map<std::array<std::size_t, 3>, Table> tables_;
};

}  // namespace

std::vector<std::uint8_t> sender_traits(const PredicateSpace& space, const Run& run) {
  std::vector<std::uint8_t> result;
  Tables tables(run);
  for (const SenderTrait& trait : space.traits()) {
    NodeCounts counts{};
    switch (trait.type) {
      case SenderTrait::Type::omission:
        count_omissions(tables.of(trait.kind, trait.field),
                        tables.of(trait.other_kind, trait.other_field), trait.threshold, counts);
        break;
      case SenderTrait::Type::equivocation:
        count_equivocations(tables.of(trait.kind, trait.field, trait.other_field), counts);
        break;
      case SenderTrait::Type::deviation:
        count_deviations(tables.of(trait.kind, trait.field, trait.other_field), trait.threshold,
                         counts);
        break;
      case SenderTrait::Type::faction:
        count_factions(tables.of(trait.kind, trait.field), trait.threshold, counts);
        break;
    }
    result.insert(result.end(), counts.begin(),
                  counts.begin() + std::ptrdiff_t(space.schema().nodes));
  }
  return result;
}

}  // namespace dissensus::isolate
