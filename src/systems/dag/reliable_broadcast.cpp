#include "systems/dag/reliable_broadcast.h"

#include <algorithm>

namespace dissensus::dag {

namespace {
/// Correct nodes vote for few vertices of a place; liars must not fill the memory.
constexpr std::size_t kCandidatesMax = 8;
/// A node without its guards must not flood the network.
constexpr std::uint8_t kReadiesMax = 4;
}  // namespace

ReliableBroadcast::Candidate* ReliableBroadcast::candidate_of(PlaceState& state, const Digest& id) {
  const auto found = std::find_if(state.candidates.begin(), state.candidates.end(),
                                  [&id](const Candidate& candidate) { return candidate.id == id; });
  if (found != state.candidates.end()) return &*found;
  if (state.candidates.size() == kCandidatesMax) return nullptr;
  state.candidates.push_back({id, std::nullopt, 0, 0});
  return &state.candidates.back();
}

void ReliableBroadcast::advance(const Committee& committee, const Guards& guards,
                                const Place& place, PlaceState& state, Candidate& candidate,
                                Outcome& outcome) {
  const std::uint64_t readies = committee.stake_of(candidate.readies);
  const bool quorum =
      guards.check(Guard::echo_quorum, committee.is_quorum(committee.stake_of(candidate.echoes)));
  const bool support = guards.check(Guard::ready_support, committee.is_support(readies));
  if ((quorum || support) && guards.check(Guard::ready_once, state.readies_sent == 0) &&
      state.readies_sent < kReadiesMax) {
    ++state.readies_sent;
    state.readied = candidate.id;
    outcome.ready = Ready{place, candidate.id};
  }
  if (candidate.content && guards.check(Guard::deliver_quorum, committee.is_quorum(readies)) &&
      !state.delivered) {
    state.delivered = true;
    outcome.vertex = candidate.content;
  }
}

ReliableBroadcast::Outcome ReliableBroadcast::on_vertex(const Committee& committee,
                                                        const Guards& guards, NodeId self,
                                                        NodeId from, const Vertex& vertex) {
  Outcome outcome;
  const Place place{vertex.epoch, vertex.round, vertex.creator};
  PlaceState& state = places_[place];
  Candidate* candidate = candidate_of(state, vertex.digest());
  if (candidate == nullptr) return outcome;
  candidate->content = vertex;
  if (guards.check(Guard::echo_creator, from == vertex.creator) && committee.has(self) &&
      guards.check(Guard::echo_once, !state.echoed)) {
    state.echoed = candidate->id;
    outcome.echo = Echo{place, candidate->id};
  }
  advance(committee, guards, place, state, *candidate, outcome);
  return outcome;
}

ReliableBroadcast::Outcome ReliableBroadcast::on_echo(const Committee& committee,
                                                      const Guards& guards, NodeId from,
                                                      const Echo& echo) {
  Outcome outcome;
  PlaceState& state = places_[echo.place];
  if (Candidate* candidate = candidate_of(state, echo.vertex)) {
    candidate->echoes |= mask_of(from);
    advance(committee, guards, echo.place, state, *candidate, outcome);
  }
  return outcome;
}

ReliableBroadcast::Outcome ReliableBroadcast::on_ready(const Committee& committee,
                                                       const Guards& guards, NodeId from,
                                                       const Ready& ready) {
  Outcome outcome;
  PlaceState& state = places_[ready.place];
  if (Candidate* candidate = candidate_of(state, ready.vertex)) {
    candidate->readies |= mask_of(from);
    advance(committee, guards, ready.place, state, *candidate, outcome);
  }
  return outcome;
}

ReliableBroadcast::Outcome ReliableBroadcast::votes_of(const Place& place) const {
  Outcome outcome;
  const auto found = places_.find(place);
  if (found == places_.end()) return outcome;
  const PlaceState& state = found->second;
  if (state.echoed) outcome.echo = Echo{place, *state.echoed};
  if (state.readied) outcome.ready = Ready{place, *state.readied};
  return outcome;
}

void ReliableBroadcast::forget_epochs_before(std::uint32_t epoch) {
  places_.erase(places_.begin(), places_.lower_bound(Place{epoch, 0, 0}));
}

}  // namespace dissensus::dag
