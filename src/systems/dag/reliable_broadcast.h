// Reliable broadcast after Bracha: of the vertices that a creator sends for one place, either all
// correct nodes take the same one or none does. Echoes and readies carry the vertex's identity;
// the content comes from its creator or from those who answer a fetch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "systems/dag/committee.h"
#include "systems/dag/guards.h"
#include "systems/dag/messages.h"

namespace dissensus::dag {

class ReliableBroadcast {
 public:
  /// What a message leads to: votes to send to all members, and a vertex to take.
  struct Outcome {
    std::optional<Echo> echo;
    std::optional<Ready> ready;
    std::optional<Vertex> vertex;
  };

  /// Votes count by the stake of their sender: nodes outside the committee have none. Own votes are
  /// counted by handing them to on_echo and on_ready like those of others.
  Outcome on_vertex(const Committee& committee, const Guards& guards, NodeId self, NodeId from,
                    const Vertex& vertex);
  Outcome on_echo(const Committee& committee, const Guards& guards, NodeId from, const Echo& echo);
  Outcome on_ready(const Committee& committee, const Guards& guards, NodeId from,
                   const Ready& ready);

  /// The votes that this node gave for a place, to be repeated for those who missed them.
  Outcome votes_of(const Place& place) const;
  void forget_epochs_before(std::uint32_t epoch);

 private:
  struct Candidate {
    Digest id;
    std::optional<Vertex> content;
    Mask echoes = 0;
    Mask readies = 0;
  };
  struct PlaceState {
    std::vector<Candidate> candidates;
    std::optional<Digest> echoed{};
    std::optional<Digest> readied{};
    bool delivered = false;
    std::uint8_t readies_sent = 0;
  };

  static Candidate* candidate_of(PlaceState& state, const Digest& id);
  static void advance(const Committee& committee, const Guards& guards, const Place& place,
                      PlaceState& state, Candidate& candidate, Outcome& outcome);

  std::map<Place, PlaceState> places_;
};

}  // namespace dissensus::dag
