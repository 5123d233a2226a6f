// What must hold across the servers of a run, beyond what the oracle sees: Raft's properties
// (Ongaro and Ousterhout, figure 3) and what clients were told. Servers tell it what they do; it
// answers whether that breaks something.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/ids.h"

namespace dissensus::libraft {

/// Indices into SystemDescription::invariants.
enum Invariant : std::uint32_t {
  kLeaderAppendOnly,
  kLogMatching,
  kLeaderCompleteness,
  kOneVotePerTerm,
  kSnapshotState,
  kLinearizableReads,
};
void describe_invariants(SystemDescription& description);

class Witness {
 public:
  /// A server stored an entry behind one of `previous_term`. False: another server has an entry of
  /// the same index and term that differs, or that follows another one.
  bool stored(std::uint64_t index, std::uint64_t term, std::uint64_t previous_term,
              const Digest& content);
  /// False: it has voted for another one in this term.
  bool voted(NodeId node, std::uint64_t term, std::uint64_t candidate);
  /// A server applied an entry, being in `current_term`.
  void applied(std::uint64_t index, std::uint64_t entry_term, std::uint64_t current_term);
  /// The first entry that some server applied in a term before `term` and that a new leader's log
  /// does not have; 0: none. `term_at(index)` is the term of the leader's entry, 0 where it has
  /// none, and `first` the first index that its log still holds.
  template <class TermAt>
  std::uint64_t missing(std::uint64_t term, std::uint64_t first, const TermAt& term_at) const {
    for (auto entry = applied_.lower_bound(first); entry != applied_.end(); ++entry) {
      const Applied& known = entry->second;
      if (known.current_term < term && term_at(entry->first) != known.entry_term)
        return entry->first;
    }
    return 0;
  }
  /// The state machine after an index. False: another server's was another one.
  bool state_after(std::uint64_t index, const Digest& state);

  /// A client was told that its command was applied at this index.
  void acknowledged(std::uint64_t index) {
    if (index > acknowledged_) acknowledged_ = index;
  }
  std::uint64_t acknowledged() const { return acknowledged_; }
  std::uint64_t next_request() { return ++requests_; }

 private:
  struct Applied {
    std::uint64_t entry_term;
    std::uint64_t current_term;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Digest> stored_;  ///< by index and term
  std::map<std::pair<NodeId, std::uint64_t>, std::uint64_t> votes_;
  std::map<std::uint64_t, Applied> applied_;  ///< by index: the first that was applied
  std::map<std::uint64_t, Digest> states_;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t requests_ = 0;
};

}  // namespace dissensus::libraft
