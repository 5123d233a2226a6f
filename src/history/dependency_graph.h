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
  ww,         ///< wrote the version after
  wr,         ///< read what was written
  rw,         ///< read the version before
  process,    ///< the same client, later
  real_time,  ///< invoked after the answer; leads into the chain of answers
  pass,       ///< along and out of nodes that are no transactions
};

using EdgeMask = std::uint32_t;
constexpr EdgeMask mask_of(EdgeKind kind) {
  return EdgeMask{1} << static_cast<std::uint32_t>(kind);
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

  std::uint32_t add_passing_node() { return nodes_++; }
  void add(std::uint32_t from, std::uint32_t to, EdgeKind kind, std::uint32_t key = 0) {
    if (from != to) edges_.push_back({from, to, kind, key});
  }
  /// Makes out() usable; to be called once all edges are there.
  void finish();

  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t transactions() const { return transactions_; }
  bool is_transaction(std::uint32_t node) const { return node < transactions_; }
  std::size_t edge_count() const { return edges_.size(); }
  std::span<const Edge> out(std::uint32_t node) const {
    return {edges_.data() + begin_[node], begin_[node + 1] - begin_[node]};
  }
  std::size_t memory_bytes() const { return edges_.capacity() * sizeof(Edge); }

 private:
  std::uint32_t transactions_;
  std::uint32_t nodes_;
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
