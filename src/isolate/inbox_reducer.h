// Algorithm 2, up to the predicates: from an inbox to the codes of its pairs of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "isolate/run_table.h"

namespace dissensus::isolate {

/// Keeps buffers: one reducer per thread.
class InboxReducer {
 public:
  explicit InboxReducer(const PredicateSpace& space);
  /// Looks only at messages of senders that the node trusts. Messages that differ in nothing but
  /// their sender are one message with several senders.
  Profile reduce(const Inbox& inbox, std::size_t node);
  /// The same; `beginnings` gets what it was after each of so many equal parts but the last.
  Profile reduce(const Inbox& inbox, std::size_t node, std::size_t parts,
                 std::vector<Profile>& beginnings);

 private:
  struct Body {
    std::uint16_t kind = 0;
    std::uint32_t first_value = 0;
    NodeMask senders = 0;
    /// Per body that came before some copy of this one: the code of the fields alone.
    std::vector<std::uint32_t> field_codes;
  };
  Profile so_far();
  std::size_t find_or_add(const Inbox& inbox, const Inbox::Entry& entry);
  void look_back(const Inbox& inbox, Body& right, std::uint16_t sender);
  std::uint32_t field_code(const Inbox& inbox, const Body& left, const Body& right) const;

  const PredicateSpace& space_;
  bool compares_sender_ = false;
  std::vector<std::vector<Comparison>> field_comparisons_;  ///< per pair of kinds
  std::deque<Body> bodies_;                                 ///< the first body_count_ are in use
  std::size_t body_count_ = 0;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
  std::vector<std::uint8_t> best_;  ///< largest threshold per code; zero between calls
  std::vector<std::uint32_t> touched_;
};

}  // namespace dissensus::isolate
