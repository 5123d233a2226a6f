// Decided leaders, blocks, and the change of epochs.
#include <algorithm>

#include "systems/dag/node.h"

namespace dissensus::dag {

void DagNode::try_commit(Context& context, std::uint32_t wave) {
  if (wave == 0) return;
  const std::uint32_t before = disk_.decided;
  const std::vector<std::uint32_t> chain =
      decided_with(disk_.dag, disk_.committee, settings_.guards, wave, before);
  for (const std::uint32_t decided : chain) {
    const bool open = settings_.epoch_waves == 0 || disk_.waves.size() < settings_.epoch_waves;
    if (!check(Guard::epoch_open, open)) return;
    const std::uint32_t skipped = decided > disk_.decided ? decided - disk_.decided - 1 : 0;
    disk_.decided = decided;
    decide_leader(context, decided);
    if (skipped > 0) context.observe(kSkippedObservable, skipped);
  }
  if (!chain.empty() && settings_.has(Bug::wave_underflow)) {
    disk_.decided = wave_by_unsigned_lag(chain, before);
  }
}

void DagNode::decide_leader(Context& context, std::uint32_t wave) {
  const NodeId creator = disk_.committee.leader(wave);
  const std::uint32_t round = leader_round(wave);
  disk_.waves.push_back(wave);
  disk_.leaders.push_back({disk_.epoch, wave, creator});
  const Digest leader = disk_.dag.vertex(round, creator).id;
  context.decided(static_cast<Level>(Report::leader), leader_instance(disk_.epoch, wave), leader);

  LinearOrder order;
  order.genesis = !settings_.has(Bug::genesis_outside_wave_one);
  if (settings_.has(Bug::unordered_blocks)) order.hash_seed = mix64(id_ + 1u, 0x5EED);
  Block block{disk_.epoch, {}, {}, true};
  block.vertices = deliver_history(disk_.dag, settings_.guards, {round, creator}, order);
  DigestBuilder content;
  content.add(disk_.epoch).add(leader);
  for (const Slot& slot : block.vertices) {
    const Digest& id = disk_.dag.vertex(slot.round, slot.creator).id;
    content.add(id);
    // The genesis row is computed by everybody, proposed by nobody.
    if (slot.round == 0) continue;
    context.decided(static_cast<Level>(Report::vertex),
                    vertex_instance(disk_.epoch, slot.round, slot.creator), id);
  }
  block.value = content.finish();
  disk_.blocks.push_back(std::move(block));
  context.decided(static_cast<Level>(Report::block), disk_.blocks.size(),
                  disk_.blocks.back().value);
}

// ---- epochs

bool DagNode::is_epoch_complete() const {
  if (settings_.epoch_waves == 0 || settings_.has(Bug::ignore_epoch_change)) return false;
  return check(Guard::epoch_complete, disk_.waves.size() >= settings_.epoch_waves);
}

void DagNode::on_seal(Context& context, NodeId from, const Seal& seal) {
  if (settings_.epoch_waves == 0 || seal.epoch != disk_.epoch ||
      settings_.has(Bug::ignore_epoch_change)) {
    return;
  }
  const auto same = std::find_if(
      seal_votes_.begin(), seal_votes_.end(),
      [&seal](const SealVotes& votes) { return votes.seal.digest() == seal.digest(); });
  if (same != seal_votes_.end()) {
    same->authors |= mask_of(from);
  } else if (seal_votes_.size() < settings_.nodes) {
    seal_votes_.push_back({seal, mask_of(from)});
  }
  if (supported_seal() != nullptr || completing_wave() != 0)
    context.set_timer(Duration{}, kEpochTimer);
}

/// What enough members of the epoch say it ended with.
const Seal* DagNode::supported_seal() const {
  for (const SealVotes& votes : seal_votes_) {
    const std::uint64_t stake = disk_.committee.stake_of(votes.authors);
    if (check(Guard::seal_support, disk_.committee.is_support(stake))) return &votes.seal;
  }
  return nullptr;
}

/// Once others have sealed the epoch: a wave from theirs on (which may be decided through a later
/// one) that this node's own DAG decides, with as many leaders as the epoch needs; 0: none. A seal
/// may be a lie, the node's own DAG is not.
std::uint32_t DagNode::completing_wave() const {
  for (const SealVotes& votes : seal_votes_) {
    const std::uint32_t sealing =
        votes.seal.waves.empty() ? 1 : std::max(votes.seal.waves.back(), 1u);
    for (std::uint32_t wave = sealing; std::uint64_t{2} * wave <= disk_.round; ++wave) {
      const auto chain =
          decided_with(disk_.dag, disk_.committee, settings_.guards, wave, disk_.decided);
      if (!chain.empty() && disk_.waves.size() + chain.size() >= settings_.epoch_waves) return wave;
    }
  }
  return 0;
}

/// Leaders and blocks that this node has not decided itself.
void DagNode::adopt(Context& context, const Seal& seal) {
  for (std::size_t i = disk_.waves.size(); i < seal.waves.size(); ++i) {
    const std::uint32_t wave = std::max(seal.waves[i], 1u);
    disk_.waves.push_back(wave);
    disk_.decided = wave;
    disk_.leaders.push_back({disk_.epoch, wave, disk_.committee.leader(wave)});
  }
  for (std::size_t i = disk_.blocks.size() - disk_.blocks_before; i < seal.blocks.size(); ++i) {
    disk_.blocks.push_back({disk_.epoch, seal.blocks[i], {}, false});
    context.decided(static_cast<Level>(Report::block), disk_.blocks.size(), seal.blocks[i]);
  }
}

void DagNode::change_epoch(Context& context) {
  if (!is_epoch_complete()) {
    if (const std::uint32_t wave = completing_wave()) {
      try_commit(context, wave);
    } else if (const Seal* seal = supported_seal()) {
      adopt(context, *seal);
    } else {
      return;
    }
  }
  Seal seal{disk_.epoch, disk_.waves, {}};
  for (std::size_t i = disk_.blocks_before; i < disk_.blocks.size(); ++i) {
    seal.blocks.push_back(disk_.blocks[i].value);
  }
  const Message message = context.make(seal);
  for (const NodeId peer : context.peers()) dispatch(context, peer, message);

  Disk next(settings_, disk_.epoch + 1, seal.digest());
  next.rounds_before = disk_.rounds_before + disk_.round;
  next.blocks_before = disk_.blocks.size();
  next.leaders = std::move(disk_.leaders);
  next.blocks = std::move(disk_.blocks);
  next.seals = std::move(disk_.seals);
  next.seals.push_back(std::move(seal));
  next.broadcast = std::move(disk_.broadcast);
  next.broadcast.forget_epochs_before(disk_.epoch);
  next.previous = std::move(disk_.dag);
  next.early = std::move(disk_.early);
  next.pending = disk_.pending;
  disk_ = std::move(next);
  seal_votes_.clear();
  highest_seen_ = 0;
  highest_from_ = kNoNode;
  round_fetched_ = 0;
  round_due_ = false;
  context.observe(kEpochObservable, disk_.epoch);
  report_step(context, Step::epoch_change, {id_, disk_.epoch});
  enter_round(context);
  if (!disk_.early.empty()) context.set_timer(Duration{}, timer_tag(TimerKind::inbox));
}

}  // namespace dissensus::dag
