// Receiving vertices, adding them to the DAG, and asking for those that are missing.
#include <algorithm>

#include "systems/dag/node.h"

namespace dissensus::dag {

namespace {
/// Nothing further ahead is kept: it can be fetched when its time has come.
constexpr std::uint32_t kHorizon = 1000;
constexpr std::size_t kEarlyMax = 4096;
/// How many rounds one fetch asks for, and how many of them lie before the gap: what is missing
/// may have ancestors that are missing, too.
constexpr std::size_t kFetchRounds = 32;
constexpr std::uint32_t kFetchBefore = 12;
}  // namespace

/// Not too far ahead for the memory of a node.
bool DagNode::is_bounded(const Place& place) const {
  const std::uint32_t base = place.epoch == disk_.epoch ? disk_.round : 0;
  return place.creator < settings_.nodes && place.round <= base + kHorizon;
}

/// Whether broadcasts of this epoch are followed: now, or to be early for the next one.
bool DagNode::is_current(const Place& place) const {
  return is_bounded(place) && (place.epoch == disk_.epoch || is_next_epoch(place.epoch));
}
bool DagNode::is_next_epoch(std::uint32_t epoch) const {
  return settings_.epoch_waves != 0 && epoch == disk_.epoch + 1;
}

void DagNode::on_vertex(Context& context, NodeId from, const Vertex& vertex) {
  const Place place{vertex.epoch, vertex.round, vertex.creator};
  if (!is_bounded(place)) return;
  if (!settings_.reliable || !is_current(place)) {
    take_vertex(context, vertex);
    return;
  }
  const Committee& committee = committee_of(vertex.epoch);
  follow(context, committee,
         disk_.broadcast.on_vertex(committee, settings_.guards, id_, from, vertex));
}

/// Sends the votes that a message led to, which counts them here, too, and takes the vertex.
void DagNode::follow(Context& context, const Committee& committee,
                     ReliableBroadcast::Outcome outcome) {
  if (outcome.echo) {
    send_to_members(context, committee, context.make(*outcome.echo));
    follow(context, committee,
           disk_.broadcast.on_echo(committee, settings_.guards, id_, *outcome.echo));
  }
  if (outcome.ready) {
    send_to_members(context, committee, context.make(*outcome.ready));
    follow(context, committee,
           disk_.broadcast.on_ready(committee, settings_.guards, id_, *outcome.ready));
  }
  if (outcome.vertex && outcome.vertex->creator != id_) take_vertex(context, *outcome.vertex);
}

bool DagNode::is_valid(const Vertex& vertex) const {
  const Committee& committee = disk_.committee;
  return check(Guard::receiver_member, committee.has(id_)) &&
         check(Guard::vertex_epoch, vertex.epoch == disk_.epoch) &&
         check(Guard::members_only,
               committee.has(vertex.creator) && (vertex.parents & ~committee.members()) == 0) &&
         check(Guard::parents_quorum, committee.is_quorum(committee.stake_of(vertex.parents))) &&
         check(Guard::self_parent, (vertex.parents & mask_of(vertex.creator)) != 0) &&
         check(Guard::first_in_slot,
               (disk_.dag.row(vertex.round).seen & mask_of(vertex.creator)) == 0);
}

void DagNode::take_vertex(Context& context, const Vertex& vertex) {
  if (is_next_epoch(vertex.epoch)) {
    if (disk_.early.size() < kEarlyMax) disk_.early.push_back(vertex);
    return;
  }
  if (!is_valid(vertex)) return;
  if (vertex.round > highest_seen_) {
    highest_seen_ = vertex.round;
    highest_from_ = vertex.creator == id_ ? kNoNode : vertex.creator;
  }
  disk_.dag.buffer(vertex);
  disk_.dag.touch(vertex.round).seen |= mask_of(vertex.creator);
  report_step(context, Step::receive,
              {id_, vertex.creator, told_round(vertex.round), vertex.variant});
  schedule_ready(context, vertex.round);
}

void DagNode::receive_early(Context& context) {
  const auto due =
      std::find_if(disk_.early.begin(), disk_.early.end(),
                   [this](const Vertex& vertex) { return vertex.epoch <= disk_.epoch; });
  if (due == disk_.early.end()) return;
  const Vertex vertex = *due;
  disk_.early.erase(due);
  context.set_timer(Duration{}, timer_tag(TimerKind::inbox));
  take_vertex(context, vertex);
}

// ---- adding

bool DagNode::is_ready(std::uint32_t round, NodeId creator) const {
  const Row& row = disk_.dag.row(round);
  const Mask bit = mask_of(creator);
  return check(Guard::buffered, (row.buffered & bit) != 0) &&
         check(Guard::round_bound, round <= disk_.round) &&
         check(Guard::slot_empty, (row.present & bit) == 0) &&
         check(Guard::parents_present,
               disk_.dag.parents_present(round, row.waiting[creator].parents));
}

/// Sets a timer for each vertex of a row that can be added.
void DagNode::schedule_ready(Context& context, std::uint32_t round) {
  const Row& row = disk_.dag.row(round);
  for_each_node(row.buffered & ~row.scheduled, [&](NodeId creator) {
    if (!is_ready(round, creator)) return;
    disk_.dag.touch(round).scheduled |= mask_of(creator);
    context.set_timer(draw(context, settings_.receive_delay),
                      timer_tag(TimerKind::add, round, creator));
  });
}

void DagNode::add_vertex(Context& context, std::uint32_t round, NodeId creator) {
  if (round >= disk_.dag.row_count() || creator >= settings_.nodes) return;
  Row& row = disk_.dag.touch(round);
  row.scheduled &= ~mask_of(creator);
  if (!is_ready(round, creator)) return;
  row.buffered &= ~mask_of(creator);
  const VertexRecord record = row.waiting[creator];
  disk_.dag.insert(round, creator, record, disk_.committee.stake_of(creator));
  report_step(context, Step::add, {id_, creator, told_round(round), record.variant});
  schedule_ready(context, round + 1);
}

// ---- fetching

void DagNode::on_fetch(Context& context, NodeId from, const Fetch& fetch) {
  if (fetch.epoch < disk_.epoch) context.send(from, disk_.seals[fetch.epoch]);
  const bool is_last = fetch.epoch + 1 == disk_.epoch;
  if (fetch.epoch != disk_.epoch && !is_last) return;
  const Mask members = settings_.committee(fetch.epoch).members();
  if ((members & mask_of(from)) == 0) return;
  const LocalDag& dag = is_last ? *disk_.previous : disk_.dag;
  for (std::size_t i = 0; i < std::min(fetch.missing.size(), kFetchRounds); ++i) {
    const std::uint32_t round = fetch.round + static_cast<std::uint32_t>(i);
    if (round == 0 || round >= dag.row_count()) continue;
    for_each_node(fetch.missing[i] & members, [&](NodeId creator) {
      answer(context, from, dag, {fetch.epoch, round, creator});
    });
  }
}

void DagNode::answer(Context& context, NodeId to, const LocalDag& dag, const Place& place) {
  if (dag.has(place.round, place.creator)) {
    const VertexRecord& record = dag.vertex(place.round, place.creator);
    context.send(to, Vertex{record.parents, record.payload, place.epoch, place.round, place.creator,
                            record.variant});
  }
  if (!settings_.reliable) return;
  const auto votes = disk_.broadcast.votes_of(place);
  if (votes.echo) context.send(to, *votes.echo);
  if (votes.ready) context.send(to, *votes.ready);
}

/// The first round in which a parent of a buffered vertex is missing, and who has that parent
/// because they built on it; else the current round and nobody.
DagNode::Gap DagNode::lowest_gap() const {
  for (std::uint32_t round = 1; round <= disk_.round; ++round) {
    const Row& row = disk_.dag.row(round);
    Mask holders = 0;
    for_each_node(row.buffered, [&](NodeId creator) {
      if (!disk_.dag.parents_present(round, row.waiting[creator].parents)) {
        holders |= mask_of(creator);
      }
    });
    if (holders != 0) return {round - 1, holders};
  }
  return {disk_.round, 0};
}

Fetch DagNode::make_fetch(std::uint32_t gap) const {
  Fetch fetch{disk_.epoch, std::max(gap, kFetchBefore + 1) - kFetchBefore, {}};
  for (std::uint32_t i = 0; i < kFetchRounds; ++i) {
    const Row& row = disk_.dag.row(fetch.round + i);
    fetch.missing.push_back(disk_.committee.members() & ~row.present & ~row.buffered &
                            ~mask_of(id_));
  }
  return fetch;
}

/// A node that stands still asks those who have what it lacks, who sent it the highest vertex, and
/// each node in turn. In a reliable broadcast the answers are votes, so it asks all.
void DagNode::fetch_missing(Context& context) {
  fetch_timer_ = context.set_timer(settings_.fetch_interval, timer_tag(TimerKind::fetch));
  const bool stands_still = disk_.round == round_fetched_;
  round_fetched_ = disk_.round;
  if (completing_wave() != 0) context.set_timer(Duration{}, kEpochTimer);
  const std::span<const NodeId> peers = context.peers();
  if (!stands_still || peers.empty()) return;
  const Gap gap = lowest_gap();
  Mask asked = settings_.reliable ? ~Mask{0} : gap.holders;
  if (highest_from_ != kNoNode) asked |= mask_of(highest_from_);
  asked |= mask_of(peers[next_peer_++ % peers.size()]);
  // A gap that nobody can fill, left by a liar, must not keep the node from asking for the rest.
  const Message for_gap = context.make(make_fetch(gap.round));
  const Message for_round = context.make(make_fetch(disk_.round));
  for (const NodeId peer : peers) {
    if ((asked & mask_of(peer)) == 0) continue;
    context.send_message(peer, for_gap);
    if (gap.round + kFetchBefore < disk_.round) context.send_message(peer, for_round);
  }
}

}  // namespace dissensus::dag
