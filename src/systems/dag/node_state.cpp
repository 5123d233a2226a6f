// What a node tells formal models about itself (docs/systems/dag.md).
#include <algorithm>

#include "systems/dag/node.h"

namespace dissensus::dag {

namespace {

StateValue tuple(std::initializer_list<std::int64_t> numbers) {
  StateValue::Sequence sequence;
  sequence.items.assign(numbers.begin(), numbers.end());
  return sequence;
}

StateValue set_of(Mask nodes) {
  StateValue::Set set;
  for_each_node(nodes, [&](NodeId node) { set.items.emplace_back(node); });
  return set;
}

}  // namespace

StateValue::Record DagNode::state() const {
  const Row& row = disk_.dag.row(disk_.round);
  StateValue::Sequence waves;
  waves.items.assign(disk_.waves.begin(), disk_.waves.end());
  const bool outside = settings_.has(Bug::genesis_outside_wave_one) && disk_.round == 0;
  const std::uint32_t wave = outside ? 0 : wave_of(disk_.round);
  if (settings_.has(Bug::leader_sentinels)) {
    waves.items.clear();
    std::size_t next = 0;
    for (std::uint32_t w = 1; w <= std::max(wave, disk_.waves.empty() ? 0 : disk_.waves.back());
         ++w) {
      const bool decided = next < disk_.waves.size() && disk_.waves[next] == w;
      if (decided) ++next;
      waves.items.emplace_back(decided ? std::int64_t{w} : std::int64_t{-1});
    }
  }
  StateValue::Sequence block;
  if (!disk_.blocks.empty()) {
    for (const Slot& slot : disk_.blocks.back().vertices) {
      block.items.emplace_back(told_round(slot.round) * kSlotBase + slot.creator);
    }
  }
  StateValue::Sequence new_leaders;
  for (std::size_t i = leaders_told_; i < disk_.leaders.size(); ++i) {
    new_leaders.items.push_back(tuple({disk_.leaders[i].wave, disk_.leaders[i].creator}));
  }
  StateValue::Sequence new_blocks;
  for (std::size_t i = blocks_told_; i < disk_.blocks.size(); ++i) {
    new_blocks.items.emplace_back(to_string(disk_.blocks[i].value));
  }
  StateValue::Record record;
  record.fields = {
      {"round", told_round(disk_.round)},
      {"wave", wave},
      {"row", row.count},
      {"decided", disk_.decided},
      {"leaders", std::move(waves)},
      {"last_leader", disk_.leaders.empty() ? -1 : int{disk_.leaders.back().creator}},
      {"last_block", disk_.blocks.size()},
      {"block", std::move(block)},
      {"block_known", disk_.blocks.empty() || disk_.blocks.back().is_known},
      {"new_leaders", std::move(new_leaders)},
      {"new_blocks", std::move(new_blocks)},
      {"parents", set_of(row.vertices[id_].parents)},
      {"epoch", disk_.epoch},
      {"committee", disk_.committee.size()},
      {"alive", alive_},
  };
  if (settings_.full_state) add_full_state(record);
  return record;
}

void DagNode::add_full_state(StateValue::Record& record) const {
  StateValue::Set dag;
  StateValue::Set buffer;
  for (std::uint32_t round = 0; round < disk_.dag.row_count(); ++round) {
    const Row& row = disk_.dag.row(round);
    for_each_node(row.present, [&](NodeId creator) {
      const VertexRecord& vertex = row.vertices[creator];
      StateValue::Record item;
      item.fields = {{"round", told_round(round)},
                     {"creator", creator},
                     {"parents", set_of(vertex.parents)},
                     {"variant", vertex.variant}};
      dag.items.emplace_back(std::move(item));
    });
    for_each_node(row.buffered, [&](NodeId creator) {
      buffer.items.push_back(tuple({told_round(round), creator}));
    });
  }
  StateValue::Sequence chain;
  for (const DecidedLeader& leader : disk_.leaders) {
    chain.items.push_back(tuple({leader.epoch, leader.wave, leader.creator}));
  }
  StateValue::Sequence blocks;
  for (const Block& block : disk_.blocks) {
    StateValue::Sequence vertices;
    for (const Slot& slot : block.vertices) {
      vertices.items.push_back(tuple({told_round(slot.round), slot.creator}));
    }
    blocks.items.emplace_back(std::move(vertices));
  }
  record.fields.emplace_back("dag", std::move(dag));
  record.fields.emplace_back("buffer", std::move(buffer));
  record.fields.emplace_back("chain", std::move(chain));
  record.fields.emplace_back("blocks", std::move(blocks));
}

}  // namespace dissensus::dag
