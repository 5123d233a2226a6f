// Where the nodes of a system live, and what can be done to them there. A fault names what it needs
// (src/faults/kinds.h); what needs more than the nodes offer is refused when it is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace dissensus {

/// Something that faults need. Losing, delaying and separating messages, and crashes, need nothing:
/// every node has links and an end.
enum class Offer : std::uint8_t {
  rounds,     ///< nodes report rounds (Context::round)
  phases,     ///< and phases (Context::phase)
  fields,     ///< messages have fields that can be changed
  pause,      ///< a node that stands still neither computes nor sends
  slow_disk,  ///< a sync can be made slower
  bad_disk,   ///< writes and syncs can fail, and reads can be wrong
  clock,      ///< a node reads the world's clock, which can be wrong
  twins,      ///< a second copy of a node can be made
};
inline constexpr std::size_t kOffers = 8;

class Offers {
 public:
  constexpr Offers() = default;
  constexpr Offers(std::initializer_list<Offer> list) {
    for (const Offer offer : list) bits_ |= bit(offer);
  }
  constexpr bool has(Offer offer) const { return (bits_ & bit(offer)) != 0; }
  constexpr Offers without(Offer offer) const {
    Offers rest = *this;
    rest.bits_ &= ~bit(offer);
    return rest;
  }

 private:
  static constexpr std::uint32_t bit(Offer offer) {
    return std::uint32_t{1} << static_cast<unsigned>(offer);
  }
  std::uint32_t bits_ = 0;
};

/// Where nodes live. A system says it in its description (SystemDescription::nodes).
enum class NodeKind : std::uint8_t {
  simulated,            ///< in the world, without a disk
  simulated_with_disk,  ///< in the world, where they may use one (dissensus/disk.h)
  told,                 ///< programs that say when they are done with a line
  plain_virtual,        ///< unmodified programs that speak lines, in virtual time
  server,               ///< servers in virtual time
  server_written,       ///< the same, whose messages can be written as well as read
  rippled,              ///< servers of the XRP Ledger
};
inline constexpr std::size_t kNodeKinds = 7;

struct NodeKindOffers {
  std::string_view name;     ///< as tables have it
  std::string_view in_full;  ///< as errors have it: "expected ... of"
  Offers offers;
};

inline constexpr std::array<NodeKindOffers, kNodeKinds> kNodeKindOffers{{
    {"simulated",
     "simulated nodes without a disk",
     {Offer::rounds, Offer::phases, Offer::fields, Offer::pause, Offer::clock, Offer::twins}},
    {"simulated, with a disk",
     "simulated nodes",
     {Offer::rounds, Offer::phases, Offer::fields, Offer::pause, Offer::slow_disk, Offer::bad_disk,
      Offer::clock, Offer::twins}},
    {"program, told",
     "programs with clock = \"told\"",
     {Offer::rounds, Offer::phases, Offer::fields, Offer::pause, Offer::clock, Offer::twins}},
    {"program, virtual",
     "programs with clock = \"virtual\"",
     {Offer::fields, Offer::pause, Offer::slow_disk}},
    {"server", "servers", {Offer::phases, Offer::pause, Offer::slow_disk}},
    {"server, written",
     "servers whose protocol can be written",
     {Offer::phases, Offer::fields, Offer::pause, Offer::slow_disk}},
    {"rippled", "rippled servers", {Offer::rounds, Offer::phases, Offer::fields}},
}};
constexpr const NodeKindOffers& offers_of(NodeKind kind) {
  return kNodeKindOffers[static_cast<std::size_t>(kind)];
}

}  // namespace dissensus
