// Which transaction must come before which, and why.
//
// Order in real time would be as many edges as there are pairs; instead, every answer is a node of
// its own in one chain: a transaction leads to the node of its answer, the chain leads on, and the
// last answer before an invocation leads to the invoked transaction. Such nodes are passed without
// being counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dissensus::history {

enum class EdgeKind : std::uint8_t {
  ww,          ///< wrote the version after
  wr,          ///< read what was written
  rw,          ///< read the version before
  atomic,      ///< wrote the version before, or who read both would have seen half of a transaction
  process,     ///< the same client, later
  ww_process,  ///< wrote the version before: a client used the two in this order
  rw_process,  ///< read the version before, in such an order
  real_time,   ///< invoked after the answer; leads into the chain of answers
  ww_real_time,  ///< wrote the version before: it was out of use when the other was still in use
  rw_real_time,  ///< read the version before, in such an order
  pass,          ///< along and out of nodes that are no transactions
};

using EdgeMask = std::uint32_t;
constexpr EdgeMask mask_of(EdgeKind kind) {
  return EdgeMask{1} << static_cast<std::uint32_t>(kind);
}

/// Edges of a reader that did not see what a later transaction wrote.
constexpr EdgeMask kAntiDependencies =
    mask_of(EdgeKind::rw) | mask_of(EdgeKind::rw_process) | mask_of(EdgeKind::rw_real_time);
constexpr bool is_anti_dependency(EdgeKind kind) {
  return (kAntiDependencies & mask_of(kind)) != 0;
}

struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  EdgeKind kind = EdgeKind::ww;
  std::uint32_t key = 0;  ///< of ww, wr, rw
};

class DependencyGraph {
 public:
  explicit DependencyGraph(std::uint32_t transactions)
      : transactions_(transactions), nodes_(transactions) {}

  /// What edges out of it say of a transaction: that it begins after, or only that it commits after
  /// (which is all that readers ask of who overwrites what they read).
  enum class Leads : std::uint8_t { to_begin, to_commit };
  std::uint32_t add_passing_node(Leads leads = Leads::to_begin) {
    leads_.push_back(leads);
    return nodes_++;
  }
  Leads leads(std::uint32_t passing_node) const { return leads_[passing_node - transactions_]; }
  void add(std::uint32_t from, std::uint32_t to, EdgeKind kind, std::uint32_t key = 0) {
    if (from != to) edges_.push_back({from, to, kind, key});
  }
  /// Makes out() usable; to be called once all edges are there.
  void finish();

  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t transactions() const { return transactions_; }
  bool is_transaction(std::uint32_t node) const { return node < transactions_; }
  std::size_t edge_count() const { return edges_.size(); }
  std::span<const Edge> edges() const { return edges_; }
  std::span<const Edge> out(std::uint32_t node) const {
    return {edges_.data() + begin_[node], begin_[node + 1] - begin_[node]};
  }
  std::size_t memory_bytes() const { return edges_.capacity() * sizeof(Edge); }

 private:
  std::uint32_t transactions_;
  std::uint32_t nodes_;
  std::vector<Leads> leads_;  ///< of passing nodes
  std::vector<Edge> edges_;
  std::vector<std::size_t> begin_;
};

/// Strongly connected components over edges of some kinds: nodes that reach each other have the
/// same number. A component that leads to another has the larger number of the two.
struct Components {
  std::vector<std::uint32_t> of;  ///< by node
  std::vector<std::uint32_t> size;
};
Components components_of(const DependencyGraph& graph, EdgeMask mask);

}  // namespace dissensus::history
