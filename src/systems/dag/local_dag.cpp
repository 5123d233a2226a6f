#include "systems/dag/local_dag.h"

namespace dissensus::dag {

VertexRecord record_of(const Vertex& vertex) {
  return {vertex.parents, vertex.payload, vertex.digest(), vertex.variant};
}

LocalDag::LocalDag(std::size_t nodes, const Committee& committee, std::uint32_t epoch,
                   const Digest& seal) {
  empty_.vertices.resize(nodes);
  empty_.waiting.resize(nodes);
  Row& genesis = touch(0);
  genesis.seen = committee.members();
  for_each_node(committee.members(), [&](NodeId member) {
    const Digest id = DigestBuilder{}.add(seal).add(epoch).add(member).finish();
    insert(0, member, {0, 0, id, 0}, committee.stake_of(member));
  });
}

Row& LocalDag::touch(std::uint32_t round) {
  while (rows_.size() <= round) rows_.push_back(empty_);
  return rows_[round];
}

void LocalDag::buffer(const Vertex& vertex) {
  Row& row = touch(vertex.round);
  row.buffered |= mask_of(vertex.creator);
  row.waiting[vertex.creator] = record_of(vertex);
}

void LocalDag::insert(std::uint32_t round, NodeId creator, const VertexRecord& record,
                      std::uint64_t stake) {
  Row& row = touch(round);
  row.vertices[creator] = record;
  row.present |= mask_of(creator);
  row.stake += stake;
  ++row.count;
}

Mask LocalDag::parents_of(std::uint32_t round, Mask start) const {
  const Row& from = row(round);
  Mask result = 0;
  for_each_node(start, [&](NodeId creator) { result |= from.vertices[creator].parents; });
  return result;
}

Mask LocalDag::reachable(std::uint32_t from, Mask start, std::uint32_t to) const {
  Mask current = start & row(from).present;
  for (std::uint32_t round = from; round > to && current != 0; --round) {
    current = parents_of(round, current) & row(round - 1).present;
  }
  return current;
}

}  // namespace dissensus::dag
