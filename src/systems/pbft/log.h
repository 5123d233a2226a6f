// A replica's log between its watermarks: what was proposed for each sequence number, who voted for
// it, and how far it came (OSDI '99, section 4.2).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "systems/pbft/messages.h"
#include "systems/pbft/settings.h"

namespace dissensus::pbft {

/// Votes for one request in one view.
struct Tally {
  std::uint64_t view = 0;
  RequestId request = kNullRequest;
  Mask voters = 0;
  std::size_t messages = 0;  ///< repetitions count again
};

/// The votes of one phase for one sequence number. A replica's newest votes are kept; a liar that
/// votes for everything forgets its own old ones and nobody else's.
class Votes {
 public:
  void add(std::uint64_t view, RequestId request, NodeId from);
  const Tally* find(std::uint64_t view, RequestId request) const;
  /// Who voted in a view, for whatever request.
  Mask voters_in(std::uint64_t view) const;

 private:
  void make_room(NodeId from);
  std::vector<Tally> tallies_;
};

struct Slot {
  std::optional<PrePrepare> accepted;  ///< the newest view's
  std::optional<PrePrepare> early;     ///< of a view that this replica has not entered
  Votes prepares;
  Votes commits;
  std::optional<Certificate> certificate;    ///< of the newest view in which it was prepared
  std::optional<std::uint64_t> commit_sent;  ///< in this view
  std::optional<RequestId> committed;
};

class Log {
 public:
  explicit Log(const Settings& settings) : settings_(&settings) {}

  Slot& slot(std::uint64_t sequence) { return slots_[sequence]; }
  Slot* find(std::uint64_t sequence);
  const std::map<std::uint64_t, Slot>& slots() const { return slots_; }
  bool holds(std::uint64_t view, RequestId request) const;
  void collect(std::uint64_t until) { slots_.erase(slots_.begin(), slots_.upper_bound(until)); }

  /// Takes note that the accepted request is prepared, if it is; true: now for the first time.
  bool note_prepared(std::uint64_t sequence, Slot& slot) const;
  /// The same for committed-local.
  bool note_committed(Slot& slot) const;
  /// All that is prepared above `stable`, for a view change.
  std::vector<Certificate> certificates(std::uint64_t stable) const;

 private:
  bool is_quorum(const Tally* tally, std::size_t size) const;
  const Settings* settings_;
  std::map<std::uint64_t, Slot> slots_;
};

}  // namespace dissensus::pbft
