#include "systems/libraft/witness.h"

namespace dissensus::libraft {

void describe_invariants(SystemDescription& description) {
  description.invariants = {
      {"leader-append-only", "a leader removed entries of its own log, from this index on"},
      {"log-matching", "its entry at this index differs from another server's of the same term"},
      {"leader-completeness",
       "it became leader without the entry at this index, which a server had applied before"},
      {"one-vote-per-term", "it voted for two candidates in this term"},
      {"snapshot-state",
       "the snapshot up to this index holds another state than another server had"},
      {"linearizable-reads",
       "a read did not see a command that was acknowledged before it, at this index"},
  };
}

bool Witness::stored(std::uint64_t index, std::uint64_t term, std::uint64_t previous_term,
                     const Digest& content) {
  const Digest value = DigestBuilder().add(previous_term).add(content).finish();
  const auto [known, fresh] = stored_.try_emplace({index, term}, value);
  return fresh || known->second == value;
}

bool Witness::voted(NodeId node, std::uint64_t term, std::uint64_t candidate) {
  const auto [known, fresh] = votes_.try_emplace({node, term}, candidate);
  return fresh || known->second == candidate;
}

void Witness::applied(std::uint64_t index, std::uint64_t entry_term, std::uint64_t current_term) {
  applied_.try_emplace(index, Applied{entry_term, current_term});
}

bool Witness::state_after(std::uint64_t index, const Digest& state) {
  const auto [known, fresh] = states_.try_emplace(index, state);
  return fresh || known->second == state;
}

}  // namespace dissensus::libraft
