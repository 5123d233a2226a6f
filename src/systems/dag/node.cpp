#include "systems/dag/node.h"

#include <algorithm>
#include <array>

#include "core/assert.h"

namespace dissensus::dag {

namespace {
/// The pace of a node that knows it is behind.
constexpr Duration kCatchUp = std::chrono::milliseconds(1);
constexpr double kDuplicateChance = 1.0 / 200;
constexpr double kLateRoundChance = 1.0 / 50;
}  // namespace

DagNode::DagNode(const Settings& settings, NodeId id, std::uint64_t failure_seed)
    : settings_(settings),
      id_(id),
      failure_random_(failure_seed),
      may_fail_(failure_seed != 0),
      disk_(settings, 0, Digest{}) {}

// ---- life

void DagNode::start(Context& context) {
  context.phase(kRunningPhase);
  enter_round(context);
  arm_all(context, settings_.fetch_interval);
}

void DagNode::restart(Context& context, const Node& before) {
  const auto* earlier = dynamic_cast<const DagNode*>(&before);
  DISSENSUS_ASSERT(earlier != nullptr, "DagNode::restart : the same node as before");
  disk_ = earlier->disk_;
  failure_random_ = earlier->failure_random_;
  leaders_told_ = earlier->leaders_told_;
  blocks_told_ = earlier->blocks_told_;
  context.phase(kRunningPhase);
  enter_round(context);
  round_fetched_ = disk_.round;
  arm_all(context, settings_.iteration);
  send_last_vertex(context);
}

/// A node may have stopped before it could send it to everybody.
void DagNode::send_last_vertex(Context& context) {
  if (disk_.round == 0 || !disk_.dag.has(disk_.round, id_)) return;
  send_to_members(context, disk_.committee, context.make(make_vertex(disk_.round, 0)));
}

void DagNode::arm_all(Context& context, Duration first_fetch) {
  // Nodes do not tick in step with each other.
  const Duration first{static_cast<std::int64_t>(
      context.random().below(static_cast<std::uint64_t>(settings_.iteration.count())))};
  produce_timer_ = context.set_timer(first, kProduceTimer);
  if (settings_.fetch_interval > Duration{}) {
    fetch_timer_ = context.set_timer(first_fetch, timer_tag(TimerKind::fetch));
  }
  if (may_fail_) plan_failure(context);
  for (std::uint32_t round = 1; round < disk_.dag.row_count(); ++round) {
    if (disk_.dag.row(round).buffered == 0) continue;
    disk_.dag.touch(round).scheduled = 0;
    schedule_ready(context, round);
  }
  if (settings_.is_equivocator(id_) && disk_.equivocated < disk_.round) {
    context.set_timer(Duration{}, kEquivocateTimer);
  }
  if (!disk_.early.empty()) context.set_timer(Duration{}, timer_tag(TimerKind::inbox));
  if (is_epoch_complete()) context.set_timer(Duration{}, kEpochTimer);
}

void DagNode::plan_failure(Context& context) {
  will_stop_ = failure_random_.chance(settings_.failure_chance);
  const auto window = static_cast<std::uint64_t>(settings_.failure_window.count());
  const Duration at{will_stop_ ? static_cast<std::int64_t>(failure_random_.below(window))
                               : settings_.failure_window.count()};
  context.set_timer(at, timer_tag(TimerKind::fail));
}

void DagNode::stop(Context& context) {
  if (!will_stop_) {
    plan_failure(context);
    return;
  }
  alive_ = false;
  outgoing_.clear();
  context.cancel_timer(produce_timer_);
  context.cancel_timer(fetch_timer_);
  context.phase(kStoppedPhase);
  report_step(context, Step::stop, {id_});
  if (settings_.recovery > Duration{}) {
    context.set_timer(settings_.recovery, timer_tag(TimerKind::resume));
  }
}

void DagNode::resume(Context& context) {
  alive_ = true;
  context.phase(kRunningPhase);
  report_step(context, Step::resume, {id_});
  round_fetched_ = disk_.round;
  arm_all(context, settings_.iteration);
  send_last_vertex(context);
}

void DagNode::receive(Context& context, NodeId from, const Message& message) {
  if (!check(Guard::alive, alive_)) return;
  if (const auto* vertex = message.get<Vertex>()) {
    on_vertex(context, from, *vertex);
  } else if (const auto* echo = message.get<Echo>()) {
    if (!settings_.reliable || !is_current(echo->place)) return;
    const Committee& committee = committee_of(echo->place.epoch);
    follow(context, committee, disk_.broadcast.on_echo(committee, settings_.guards, from, *echo));
  } else if (const auto* ready = message.get<Ready>()) {
    if (!settings_.reliable || !is_current(ready->place)) return;
    const Committee& committee = committee_of(ready->place.epoch);
    follow(context, committee, disk_.broadcast.on_ready(committee, settings_.guards, from, *ready));
  } else if (const auto* seal = message.get<Seal>()) {
    on_seal(context, from, *seal);
  } else if (const auto* fetch = message.get<Fetch>()) {
    on_fetch(context, from, *fetch);
  }
}

void DagNode::timer(Context& context, TimerId, std::uint64_t tag) {
  const TimerKind kind = timer_kind(tag);
  if (kind == TimerKind::resume) {
    resume(context);
    return;
  }
  if (!check(Guard::alive, alive_)) return;
  switch (kind) {
    case TimerKind::produce:
      produce(context);
      break;
    case TimerKind::add:
      add_vertex(context, timer_round(tag), timer_creator(tag));
      break;
    case TimerKind::epoch:
      change_epoch(context);
      break;
    case TimerKind::equivocate:
      equivocate(context);
      break;
    case TimerKind::inbox:
      receive_early(context);
      break;
    case TimerKind::send:
      flush(context);
      break;
    case TimerKind::fetch:
      fetch_missing(context);
      break;
    case TimerKind::fail:
      stop(context);
      break;
    case TimerKind::resume:
      break;
  }
}

void DagNode::submit(Context& context, const dissensus::Request& request) {
  if (dynamic_cast<const NextRoundRequest*>(&request) != nullptr) {
    if (check(Guard::alive, alive_) && may_produce()) create_vertex(context, false);
    return;
  }
  DigestBuilder builder;
  builder.add(disk_.pending);
  for (const auto& [name, value] : request.fields()) {
    if (const auto* text = std::get_if<std::string>(&value)) builder.add(*text);
  }
  disk_.pending = builder.finish().low;
}

// ---- production

void DagNode::produce(Context& context) {
  if (round_due_) {
    round_due_ = false;
    ++disk_.round;
    enter_round(context);
    schedule_ready(context, disk_.round);
    arm_production(context, true);
    return;
  }
  if (settings_.is_forger(id_)) forge(context);
  const bool produced = may_produce();
  if (produced) {
    const bool late = settings_.has(Bug::late_round) && context.random().chance(kLateRoundChance);
    create_vertex(context, late);
  }
  arm_production(context, produced);
}

bool DagNode::may_produce() const {
  const Row& row = disk_.dag.row(disk_.round);
  return check(Guard::row_quorum, disk_.committee.is_quorum(row.stake)) &&
         check(Guard::own_vertex, (row.present & mask_of(id_)) != 0);
}

Vertex DagNode::make_vertex(std::uint32_t round, std::uint8_t variant) const {
  Vertex vertex;
  vertex.epoch = disk_.epoch;
  vertex.round = round;
  vertex.creator = id_;
  vertex.variant = variant;
  if (disk_.dag.has(round, id_)) {
    vertex.parents = disk_.dag.vertex(round, id_).parents;
    vertex.payload = disk_.dag.vertex(round, id_).payload;
  } else {
    vertex.parents = disk_.dag.row(round - 1).present;
    vertex.payload = disk_.pending;
  }
  return vertex;
}

void DagNode::create_vertex(Context& context, bool late_round) {
  const std::uint32_t left = disk_.round;
  const Vertex vertex = make_vertex(left + 1, 0);
  disk_.pending = 0;
  Row& row = disk_.dag.touch(left + 1);
  row.seen |= mask_of(id_);
  disk_.dag.insert(left + 1, id_, record_of(vertex), disk_.committee.stake_of(id_));
  context.proposed(static_cast<Level>(Report::vertex),
                   vertex_instance(disk_.epoch, vertex.round, id_), vertex.digest());
  if (vertex.round % 2 == 1 && disk_.committee.leader(wave_of(vertex.round)) == id_) {
    context.proposed(static_cast<Level>(Report::leader),
                     leader_instance(disk_.epoch, wave_of(vertex.round)), vertex.digest());
  }
  // An equivocator tells some nodes of its other vertex first.
  const bool byzantine = settings_.is_equivocator(id_);
  send_to_members(context, disk_.committee, context.make(vertex),
                  byzantine && !settings_.equivocates_late ? disk_.committee.minority(id_) : 0);
  if (settings_.reliable) {
    follow(context, disk_.committee,
           disk_.broadcast.on_vertex(disk_.committee, settings_.guards, id_, id_, vertex));
  }
  if (late_round) {
    round_due_ = true;
  } else {
    ++disk_.round;
  }
  if (check(Guard::wave_end, left % 2 == 0 && left > 0)) try_commit(context, left / 2);
  report_step(context, Step::next_round, {id_});
  if (!late_round) enter_round(context);
  if (byzantine) context.set_timer(Duration{}, kEquivocateTimer);
  if (is_epoch_complete()) context.set_timer(Duration{}, kEpochTimer);
  schedule_ready(context, disk_.round);
  schedule_ready(context, disk_.round + 1);
}

void DagNode::equivocate(Context& context) {
  if (!settings_.is_equivocator(id_) || disk_.equivocated >= disk_.round) return;
  disk_.equivocated = disk_.round;
  const Vertex first = make_vertex(disk_.round, 0);
  const Vertex second = make_vertex(disk_.round, 1);
  context.proposed(static_cast<Level>(Report::vertex),
                   vertex_instance(disk_.epoch, second.round, id_), second.digest());
  if (second.round % 2 == 1 && disk_.committee.leader(wave_of(second.round)) == id_) {
    context.proposed(static_cast<Level>(Report::leader),
                     leader_instance(disk_.epoch, wave_of(second.round)), second.digest());
  }
  const Mask minority = settings_.equivocates_late ? 0 : disk_.committee.minority(id_);
  // In a reliable broadcast the minority alone hears of it: its vertices go on with the first.
  send_to_members(context, disk_.committee, context.make(second),
                  settings_.reliable && minority != 0 ? ~minority : 0);
  send_to_members(context, disk_.committee, context.make(first), ~minority);
  report_step(context, Step::equivocate, {id_, told_round(disk_.round)});
}

/// One of the vertices that nobody may accept, each in turn, to all nodes; then its last proper one
/// to those outside the committee.
void DagNode::forge(Context& context) {
  Vertex vertex;
  vertex.epoch = disk_.epoch;
  vertex.round = disk_.round + 1;
  vertex.creator = id_;
  vertex.parents = disk_.dag.row(disk_.round).present | mask_of(id_);
  switch (forgeries_++ % 3) {
    case 0:
      vertex.epoch += 2;
      break;
    case 1:
      vertex.parents &= ~mask_of(id_);
      break;
    default:
      vertex.parents = mask_of(id_);
      break;
  }
  // An outsider's vertex is unacceptable as it is.
  if (!disk_.committee.has(id_)) {
    vertex.epoch = disk_.epoch;
    vertex.round = 1;
    vertex.parents = disk_.committee.members() | mask_of(id_);
  }
  const Message message = context.make(vertex);
  for (const NodeId peer : context.peers()) dispatch(context, peer, message);
  if (disk_.round == 0 || !disk_.dag.has(disk_.round, id_)) return;
  const Message proper = context.make(make_vertex(disk_.round, 0));
  for (const NodeId peer : context.peers()) {
    if (!disk_.committee.has(peer)) dispatch(context, peer, proper);
  }
}

void DagNode::arm_production(Context& context, bool produced) {
  Duration delay = settings_.iteration;
  if (produced) {
    const auto jitter = context.random().below(static_cast<std::uint64_t>(delay.count()) / 4 + 1);
    delay = settings_.production_interval() + Duration{static_cast<std::int64_t>(jitter)};
    if (highest_seen_ > disk_.round + 1) delay = std::min(settings_.iteration, kCatchUp);
  }
  produce_timer_ = context.set_timer(delay, kProduceTimer);
}

/// Tells the world which round's vertex comes next. After the step, so that a crash that is keyed
/// by round finds the step complete.
void DagNode::enter_round(Context& context) {
  context.round(disk_.rounds_before + disk_.round + 1);
}

// ---- sending

void DagNode::send_to_members(Context& context, const Committee& committee, const Message& message,
                              Mask except) {
  for_each_node(committee.members() & ~except & ~mask_of(id_), [&](NodeId member) {
    dispatch(context, member, message);
    if (settings_.has(Bug::duplicate_add) && message.kind() == Vertex::kind() &&
        context.random().chance(kDuplicateChance)) {
      dispatch(context, member, message);
    }
  });
}

void DagNode::dispatch(Context& context, NodeId to, const Message& message) {
  if (settings_.send_delay.is_zero()) {
    context.send_message(to, message);
    return;
  }
  outgoing_.push_back({to, message});
  context.set_timer(draw(context, settings_.send_delay), timer_tag(TimerKind::send));
}

void DagNode::flush(Context& context) {
  if (outgoing_.empty()) return;
  context.send_message(outgoing_.front().to, outgoing_.front().message);
  outgoing_.pop_front();
}

Duration DagNode::draw(Context& context, const DelayRange& range) const {
  return Duration{context.random().between(range.min.count(), range.max.count())};
}

void DagNode::report_step(Context& context, Step step,
                          std::initializer_list<std::int64_t> arguments) {
  if (!context.stepping()) return;
  const std::vector<StateValue> values(arguments.begin(), arguments.end());
  context.step(static_cast<std::uint32_t>(step), values);
  leaders_told_ = disk_.leaders.size();
  blocks_told_ = disk_.blocks.size();
}

}  // namespace dissensus::dag
