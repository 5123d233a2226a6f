// Pieces of the sentences in which faults are told to people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/schedule.h"

namespace dissensus::faults {

/// "250 us", "20 ms", "5.4 s".
std::string in_words(Duration duration);
/// "1", "1 and 2", "1, 2 and 3".
std::string listed(const std::vector<std::string>& items);
std::string listed(const NodeSet& nodes);
/// "1st".
std::string ordinal(std::uint64_t number);
/// " in rounds 3 to 4", " from 1 s to 2 s"; empty for the whole run.
std::string words_of(const Window& window);
/// "messages Proposal from 1".
std::string words_of(const MessageFilter& filter, const SystemDescription& description);

/// What sentences of a schedule share: whose numbers and names they are.
struct Speaker {
  const SystemDescription& description;
  std::size_t nodes;

  /// " 2 s after some node (N) enters leader, for 5 s".
  std::string when(const Window& window) const;
  /// When something begins: " at 2 s".
  std::string moment(const Window& window) const;
  std::string groups(const std::vector<NodeSet>& groups, const Window& when = {}) const;
};
/// Node numbers of an anchored fault may count from the node that did what it waits for.
std::string node_words(NodeId node, const Window& window);
std::string listed(const NodeSet& nodes, const Window& window);

}  // namespace dissensus::faults
