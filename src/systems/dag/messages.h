// What nodes of the DAG system send each other.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/ids.h"

#include "systems/dag/committee.h"

namespace dissensus::dag {

/// One vertex. It names its parents by their creators: all are of the round before, and a creator
/// has one vertex per round, which is what reliable broadcast ensures.
struct Vertex {
  static constexpr MessageKind kind() { return 0; }
  Mask parents = 0;
  std::uint64_t payload = 0;  ///< identity of the client requests in it; 0: none
  std::uint32_t epoch = 0;
  std::uint32_t round = 0;
  NodeId creator = 0;
  std::uint8_t variant = 0;  ///< 1: the second vertex that a Byzantine creator made for the slot

  /// The identity of the content.
  Digest digest() const;
};

/// A place in the DAG of an epoch.
struct Place {
  std::uint32_t epoch = 0;
  std::uint32_t round = 0;
  NodeId creator = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// "I have this vertex from its creator" and "a quorum has": Bracha's broadcast. Both name the
/// vertex by its identity; its content travels once.
struct Echo {
  static constexpr MessageKind kind() { return 1; }
  Place place;
  Digest vertex;
};
struct Ready {
  static constexpr MessageKind kind() { return 2; }
  Place place;
  Digest vertex;
};

/// How an epoch ended: its decided waves and its blocks.
struct Seal {
  static constexpr MessageKind kind() { return 3; }
  std::uint32_t epoch = 0;
  std::vector<std::uint32_t> waves;
  std::vector<Digest> blocks;

  Digest digest() const;
};

/// Asks for vertices: those of `missing[i]` in round `round + i`. A node that has left the epoch
/// answers with its seal.
struct Fetch {
  static constexpr MessageKind kind() { return 4; }
  std::uint32_t epoch = 0;
  std::uint32_t round = 0;
  std::vector<Mask> missing;

  Digest digest() const;
};

/// Adds the messages to a description, in the order of their kinds.
void describe_messages(SystemDescription& description);

}  // namespace dissensus::dag
