// One node's DAG of one epoch: rows of vertices, a bit per creator for every question about them.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/digest.h"

#include "systems/dag/committee.h"
#include "systems/dag/messages.h"

namespace dissensus::dag {

/// What is kept of a vertex besides its place.
struct VertexRecord {
  Mask parents = 0;
  std::uint64_t payload = 0;
  Digest id{};
  std::uint8_t variant = 0;
};

struct Row {
  Mask seen = 0;       ///< received, or created here
  Mask buffered = 0;   ///< received and not added yet
  Mask scheduled = 0;  ///< of these: the node has set a timer to add it
  Mask present = 0;    ///< added
  Mask delivered = 0;  ///< in a block
  // Counted as vertices are added, not derived from `present`.
  std::uint64_t stake = 0;
  std::uint32_t count = 0;
  std::vector<VertexRecord> vertices;  ///< by creator, where present
  std::vector<VertexRecord> waiting;   ///< by creator, where buffered
};

class LocalDag {
 public:
  /// An epoch begins with one vertex of each member in round 0, known to all. `seal` is what the
  /// epoch before ended with.
  LocalDag(std::size_t nodes, const Committee& committee, std::uint32_t epoch, const Digest& seal);

  /// Rows up to the highest touched one exist; others read as empty.
  const Row& row(std::uint32_t round) const { return round < rows_.size() ? rows_[round] : empty_; }
  Row& touch(std::uint32_t round);
  std::uint32_t row_count() const { return static_cast<std::uint32_t>(rows_.size()); }

  bool has(std::uint32_t round, NodeId creator) const {
    return (row(round).present & mask_of(creator)) != 0;
  }
  const VertexRecord& vertex(std::uint32_t round, NodeId creator) const {
    return row(round).vertices[creator];
  }
  bool parents_present(std::uint32_t round, Mask parents) const {
    return round > 0 && (parents & ~row(round - 1).present) == 0;
  }

  void buffer(const Vertex& vertex);
  void insert(std::uint32_t round, NodeId creator, const VertexRecord& record, std::uint64_t stake);

  /// The vertices of round `to` that are reachable from those of `start` in round `from`.
  Mask reachable(std::uint32_t from, Mask start, std::uint32_t to) const;
  /// One step of it: the parents of the vertices of `start` in `round`.
  Mask parents_of(std::uint32_t round, Mask start) const;

 private:
  std::vector<Row> rows_;
  Row empty_;
};

VertexRecord record_of(const Vertex& vertex);

}  // namespace dissensus::dag
