#include "supported_consensus.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "record_fields.h"

namespace dissensus::studies {
namespace {

struct Proposal {
  NodeId origin = 0;
  std::uint64_t seq = 0;
  std::uint64_t parent = 0;  ///< the bits of the parent's id that number rounds
  Digest position;
};
struct Newest {
  std::uint64_t seq = 0;
  Digest position;
  Time seen{};
};
/// Newest positions that reached a node, by (round's parent, proposer).
using Positions = std::map<std::pair<std::uint64_t, NodeId>, Newest>;

constexpr std::uint64_t kBowOut = 0xFFFFFFFF;
/// proposeFRESHNESS is 20 s of a clock of whole seconds.
constexpr Duration kSurelyFresh = std::chrono::seconds(19);
constexpr std::size_t kConsensusPercent = 80;

bool is_supported(const Positions& positions, std::uint64_t parent, const Digest& declared,
                  Time now) {
  std::size_t agree = 1;
  std::size_t total = 1;
  const auto end = positions.upper_bound({parent, kNoNode});
  for (auto entry = positions.lower_bound({parent, 0}); entry != end; ++entry) {
    const Newest& newest = entry->second;
    const bool left = newest.seq == kBowOut;
    const bool counts_against =
        !left && newest.position != declared && now - newest.seen < kSurelyFresh;
    ++total;
    agree += counts_against ? 0 : 1;
  }
  return agree * 100 / total >= kConsensusPercent;
}

}  // namespace

std::size_t unsupported_declarations(std::span<const trace::Record> records,
                                     const SystemDescription& description) {
  const RecordFields fields(description);
  const std::size_t sets = fields.level("transaction-set");
  const std::uint8_t scope_bits = description.levels[sets].scope_bits;
  const std::uint64_t scope_mask = (std::uint64_t{1} << scope_bits) - 1;
  std::map<EventId, Proposal> sent;
  std::vector<Positions> nodes(kMaxNodes);
  std::size_t unsupported = 0;
  for (const trace::Record& record : records) {
    const bool is_proposal = record.kind != kNoKind && fields.is_proposal(record.kind);
    if (record.type == EventType::send && is_proposal) {
      sent[record.id] = {static_cast<NodeId>(fields.number(record, "origin")),
                         fields.number(record, "propose_seq"),
                         fields.digest(record, "previous_ledger").low & scope_mask,
                         fields.digest(record, "position")};
    } else if (record.type == EventType::deliver && is_proposal) {
      const Proposal& proposal = sent.at(record.cause);
      if (proposal.origin == record.node) continue;  // its own one, relayed back to it
      const auto [place, fresh] =
          nodes[record.node].try_emplace({proposal.parent, proposal.origin});
      Newest& newest = place->second;
      if (fresh || proposal.seq > newest.seq) {
        newest = {proposal.seq, proposal.position, record.time};
      }
    } else if (record.type == EventType::decide && record.detail == sets) {
      if (!is_supported(nodes[record.node], record.number & scope_mask, record.value,
                        record.time)) {
        ++unsupported;
      }
    }
  }
  return unsupported;
}

}  // namespace dissensus::studies
