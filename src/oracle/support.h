// Follows the positions that reach nodes, to say how well their decisions were supported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "dissensus/description.h"

#include "core/event.h"
#include "oracle/rule.h"

namespace dissensus::oracle {

class SupportTracker {
 public:
  /// `query` and `description` must outlive the tracker.
  SupportTracker(const SupportQuery& query, const SystemDescription& description,
                 std::size_t nodes);

  const SupportQuery& query() const { return query_; }
  void on_delivery(const Event& event);
  /// A decision of a correct node, on any level.
  void on_decision(const Event& event);
  /// The node starts again and knows nothing.
  void forget(NodeId node) { newest_[node].clear(); }
  /// In per cent; see SupportQuery.
  std::int64_t least() const;
  /// The node is a liar: how well it supported its decisions is nobody's concern.
  void pass_over(NodeId node) { least_[node] = kAll; }

 private:
  struct Newest {
    std::uint64_t order = 0;
    Digest position;
    Time seen{};
  };
  /// By scope, then author.
  using Positions = std::map<std::pair<std::uint64_t, NodeId>, Newest>;

  std::uint64_t scope_of(const FieldValue& value) const;
  bool counts(const std::vector<NodeId>& group, NodeId node) const;
  std::int64_t support(const Event& decision) const;

  const SupportQuery& query_;
  const SystemDescription& description_;
  std::uint64_t scope_mask_;
  std::vector<Positions> newest_;  ///< per node
  static constexpr std::int64_t kAll = 100;
  std::vector<std::int64_t> least_;  ///< of a node's decisions
};

}  // namespace dissensus::oracle
