#include "faults/byzantine_plan.h"

#include <algorithm>

namespace dissensus::faults {

namespace {

std::vector<bool> member_table(const NodeSet& members, std::size_t nodes) {
  std::vector<bool> table(nodes);
  for (const NodeId node : members) table.at(node) = true;
  return table;
}

bool is_inside(const Window& window, const sim::World& world, NodeId node) {
  if (window.by_round()) {
    const std::uint64_t round = world.round_of(node);
    return round >= *window.from_round && (!window.until_round || round < *window.until_round);
  }
  const Duration now = world.now() - Time{};
  return now >= window.from && (!window.until || now < *window.until);
}

}  // namespace

std::optional<std::uint64_t> protocol_round(const sim::World& world, NodeId from,
                                            MessageKind kind) {
  const SystemDescription& description = world.description();
  const std::uint8_t step = description.kinds[kind].step;
  const std::uint64_t round = world.round_of(from);
  if (step == kNoStep || round < description.first_round) return std::nullopt;
  return (round - description.first_round) * description.round_steps + step;
}

ByzantinePlan::ByzantinePlan(const std::vector<Fault>& faults, Acted& acted, std::size_t nodes)
    : acted_(acted), nodes_(nodes) {
  for (std::size_t number = 0; number < faults.size(); ++number) {
    const Fault& fault = faults[number];
    if (const auto* mutate = std::get_if<MutateFault>(&fault)) {
      mutations_.push_back({mutate, number, member_table(mutate->receivers, nodes)});
    } else if (const auto* partition = std::get_if<RoundPartitionFault>(&fault)) {
      RoundPartition& entry = partitions_.emplace_back();
      entry.round = partition->round;
      entry.number = number;
      entry.group.resize(nodes);
      std::uint16_t side = 0;
      for (const NodeSet& group : partition->groups) {
        ++side;
        for (const NodeId node : group) entry.group.at(node) = side;
      }
    } else if (const auto* silence = std::get_if<SilenceFault>(&fault)) {
      silences_.push_back({silence, number, member_table(silence->receivers, nodes)});
    } else if (const auto* replay = std::get_if<ReplayFault>(&fault)) {
      replays_.push_back({replay, number, member_table(replay->receivers, nodes), {}});
    } else if (const auto* noise = std::get_if<NoiseFault>(&fault)) {
      noises_.push_back({noise, number, Random(noise->seed, "noise")});
    } else if (const auto* twins = std::get_if<TwinsFault>(&fault)) {
      twins_.push_back(
          {twins, number, member_table(twins->first, nodes), member_table(twins->second, nodes)});
    } else if (const auto* skew = std::get_if<SkewFault>(&fault)) {
      if (!skew->when.after)
        skews_.push_back({skew, number});  // else it belongs to EnvironmentPlan
    }
  }
  falsifies_ = !mutations_.empty() || !noises_.empty();
  sees_messages_ = falsifies_ || !partitions_.empty() || !silences_.empty() || !replays_.empty() ||
                   !twins_.empty();
}

// ---- messages

bool ByzantinePlan::is_separated(const sim::World& world, const sim::Transmission& sent,
                                 const std::optional<std::uint64_t>& round) {
  bool is_kept = false;
  for (const RoundPartition& partition : partitions_) {
    if (round == partition.round && partition.group[sent.from] != partition.group[sent.to]) {
      acted_.mark(partition.number);
      is_kept = true;
    }
  }
  for (const Silence& silence : silences_) {
    if (silence.fault->node != sent.from || !silence.receivers[sent.to]) continue;
    const bool applies = silence.fault->round ? round == silence.fault->round
                                              : is_inside(silence.fault->when, world, sent.from);
    if (!applies) continue;
    acted_.mark(silence.number);
    is_kept = true;
  }
  return is_kept;
}

void ByzantinePlan::falsify(sim::World& world, sim::Transmission& sent, const MutationOrder& order,
                            std::size_t number) {
  Mutation mutation = mutate(sent.message, order, *seen_, world.description(), world.pool());
  if (!mutation.message) return;
  sent.message = std::move(mutation.message);
  world.record(EventType::mutate, sent.from, sent.to, 0, mutation.text, sent.send, &sent.message);
  acted_.mark(number);
  world.lied(sent.from);
}

std::optional<sim::Transmission> ByzantinePlan::replayed(
    sim::World& world, const sim::Transmission& sent, const std::optional<std::uint64_t>& round) {
  constexpr std::size_t kKept = 64;
  std::optional<sim::Transmission> result;
  const auto type_of = [&world](const sim::Transmission& transmission) {
    return world.description().kinds[transmission.message.kind()].payload;
  };
  const bool is_once = world.description().kinds[sent.message.kind()].once;
  for (Replay& replay : replays_) {
    if (!round || is_once || replay.fault->node != sent.from || !replay.receivers[sent.to])
      continue;
    if (*round < replay.fault->round) {
      if (replay.sent.size() == kKept) replay.sent.erase(replay.sent.begin());
      replay.sent.push_back(sent);
    } else if (*round == replay.fault->round && !result) {
      std::vector<const sim::Transmission*> earlier;
      for (const sim::Transmission& candidate : replay.sent) {
        const bool fits = candidate.to == sent.to && type_of(candidate) == type_of(sent) &&
                          candidate.message.digest() != sent.message.digest();
        if (fits) earlier.push_back(&candidate);
      }
      if (earlier.empty()) continue;
      Random random(replay.fault->seed, "replay", type_of(sent));
      result = *earlier[random.below(earlier.size())];
      result->latency = sent.latency;
      acted_.mark(replay.number);
    }
  }
  return result;
}

ByzantinePlan::Fate ByzantinePlan::judge(sim::World& world, sim::Transmission& sent) {
  Fate fate;
  const std::optional<std::uint64_t> round = protocol_round(world, sent.from, sent.message.kind());
  const bool own_words = author_of(sent.message, sent.from, world.description()) == sent.from;
  if (falsifies_ && round && own_words) seen_->note(sent.message);
  const bool is_other_word = !twins_.empty() && contradicts_first(sent);
  if (is_separated(world, sent, round)) {
    fate.passes = false;
    fate.reason = DropReason::partition;
    return fate;
  }
  fate.passes = twins_.empty() || twins_let_pass(world, sent);
  for (Noise& noise : noises_) {
    const NoiseFault& fault = *noise.fault;
    if ((fault.node && *fault.node != sent.from) || !is_inside(fault.when, world, sent.from)) {
      continue;
    }
    if (noise.random.chance(fault.drop)) {
      fate.passes = false;
      acted_.mark(noise.number);
    }
    if (noise.random.chance(fault.corrupt) && fate.passes && own_words) {
      falsify(world, sent, {MutationScope::any, noise.random.next(), {}, nodes_}, noise.number);
    }
  }
  if (!fate.passes) return fate;
  if (is_other_word) world.lied(sent.from);
  if (!replays_.empty()) fate.replay = replayed(world, sent, round);
  for (const Mutate& mutation : mutations_) {
    const MutateFault& fault = *mutation.fault;
    const bool applies = own_words && fault.node == sent.from && round == fault.round;
    if (!applies || !mutation.receivers[sent.to]) continue;
    falsify(world, sent, {fault.scope, fault.seed, fault.field, nodes_}, mutation.number);
  }
  return fate;
}

// ---- twins

/// Null where the node is alone.
const ByzantinePlan::Twins* ByzantinePlan::twins_of(NodeId node) const {
  for (const Twins& twins : twins_) {
    if (twins.second != kNoNode && twins.fault->node == node) return &twins;
  }
  return nullptr;
}

bool ByzantinePlan::contradicts_first(const sim::Transmission& sent) {
  for (Twins& twins : twins_) {
    if (twins.fault->node != sent.from || twins.second == kNoNode) continue;
    if (sent.from_twin != kNoNode) return !twins.said.contains(sent.message.digest());
    twins.said.insert(sent.message.digest());
    return false;
  }
  return false;
}

void ByzantinePlan::note_copies(const sim::Transmission& sent, const Copies& copies) {
  for (const Twins& twins : twins_) {
    const bool is_second = twins.second != kNoNode &&
                           (sent.from_twin == twins.second || copies.second == twins.second);
    if (is_second) acted_.mark(twins.number);
  }
}

bool ByzantinePlan::twins_let_pass(const sim::World& world, const sim::Transmission& sent) const {
  const Copies copies = receivers_of(sent);
  if (!copies.first && copies.second == kNoNode) return false;
  const Twins* sender = twins_of(sent.from);
  if (sender != nullptr) {
    if (twins_of(sent.to) != nullptr) return true;
    return sent.from_twin == kNoNode ? sender->first_peers[sent.to] : sender->second_peers[sent.to];
  }
  for (const Twins& twins : twins_) {
    if (!twins.fault->apart_until || world.now() - Time{} >= *twins.fault->apart_until) continue;
    const bool both_first = twins.first_peers[sent.from] && twins.first_peers[sent.to];
    const bool both_second = twins.second_peers[sent.from] && twins.second_peers[sent.to];
    const bool to_twins = twins_of(sent.to) != nullptr;
    if (!both_first && !both_second && !to_twins) return false;
  }
  return true;
}

ByzantinePlan::Copies ByzantinePlan::receivers_of(const sim::Transmission& sent) const {
  const Twins* receiver = twins_of(sent.to);
  if (receiver == nullptr) return {};
  if (twins_of(sent.from) != nullptr) {
    const bool from_first = sent.from_twin == kNoNode;
    return {from_first, from_first ? kNoNode : receiver->second};
  }
  return {receiver->first_peers[sent.from],
          receiver->second_peers[sent.from] ? receiver->second : kNoNode};
}

void ByzantinePlan::forget() {
  for (Twins& twins : twins_) twins.said.clear();
  for (Replay& replay : replays_) replay.sent.clear();
}

// ---- nodes

void ByzantinePlan::start_skew(sim::World& world, Skew& skew) {
  if (skew.active) return;
  skew.active = true;
  skew.since = world.now();
  if (skew.fault->offset != Duration{} || skew.fault->drift_ppm != 0) acted_.mark(skew.number);
  world.adjust_clock(skew.fault->node, skew.fault->offset, skew.fault->drift_ppm);
}

void ByzantinePlan::stop_skew(sim::World& world, Skew& skew) {
  if (!skew.active) return;
  skew.active = false;
  __extension__ using Wide = __int128;
  const Wide drifted =
      static_cast<Wide>((world.now() - skew.since).count()) * skew.fault->drift_ppm / 1'000'000;
  world.adjust_clock(skew.fault->node,
                     -skew.fault->offset - Duration{static_cast<std::int64_t>(drifted)},
                     -skew.fault->drift_ppm);
}

void ByzantinePlan::attach(sim::World& world) {
  if (falsifies_) seen_.emplace(world.description());
  for (Twins& twins : twins_) {
    // One more copy per identity, however many faults ask for it.
    if (twins_of(twins.fault->node) == nullptr) twins.second = world.add_twin(twins.fault->node);
  }
  for (std::size_t i = 0; i < skews_.size(); ++i) {
    const Window& window = skews_[i].fault->when;
    if (is_inside(window, world, skews_[i].fault->node)) start_skew(world, skews_[i]);
    if (window.by_round()) continue;
    const Duration now = world.now() - Time{};
    if (window.from > now) world.set_alarm(window.from - now, kAlarmBit | i);
    if (window.until && *window.until > now) {
      world.set_alarm(*window.until - now, kAlarmBit | i);
    }
  }
}

void ByzantinePlan::on_alarm(sim::World& world, std::uint64_t tag) {
  if (ended_) return;
  Skew& skew = skews_[tag & ~kAlarmBit];
  if (is_inside(skew.fault->when, world, skew.fault->node)) {
    start_skew(world, skew);
  } else {
    stop_skew(world, skew);
  }
}

void ByzantinePlan::on_round(sim::World& world, NodeId node, std::uint64_t) {
  if (ended_) return;
  for (Skew& skew : skews_) {
    if (skew.fault->node != node || !skew.fault->when.by_round()) continue;
    if (is_inside(skew.fault->when, world, node)) {
      start_skew(world, skew);
    } else {
      stop_skew(world, skew);
    }
  }
}

void ByzantinePlan::end(sim::World& world) {
  if (ended_) return;
  ended_ = true;
  for (Skew& skew : skews_) stop_skew(world, skew);
  if (!twins_.empty()) world.stop_twins();
  forget();
}

}  // namespace dissensus::faults
