#include "systems/pbft/view_change.h"

#include <algorithm>

namespace dissensus::pbft {

bool is_valid(const ViewChange& change, const Settings& settings) {
  const StableCheckpoint& stable = change.stable;
  if (stable.sequence > 0 && size_of(stable.signers) < settings.quorum()) return false;
  std::uint64_t last = stable.sequence;
  for (const Certificate& certificate : change.prepared) {
    if (certificate.sequence <= last || certificate.sequence > stable.sequence + settings.window ||
        certificate.view >= change.view) {
      return false;
    }
    // Repeated votes have fewer signers than votes; who counts so cannot demand more.
    if (!settings.has(Bug::votes_repeated) && size_of(certificate.signers) < settings.quorum()) {
      return false;
    }
    last = certificate.sequence;
  }
  return true;
}

namespace {
/// Which of two certificates for a number a new view follows.
bool outranks(const Certificate& certificate, const Certificate& other, const Settings& settings) {
  return settings.has(Bug::oldest_certificate) ? certificate.view < other.view
                                               : certificate.view > other.view;
}
}  // namespace

Start start_of(std::span<const ViewChange> changes, const Settings& settings) {
  Start start;
  for (const ViewChange& change : changes) {
    if (change.stable.sequence > start.stable.sequence) start.stable = change.stable;
    if (settings.has(Bug::first_checkpoint)) break;
  }
  start.last = start.stable.sequence;
  for (const ViewChange& change : changes) {
    if (!change.prepared.empty()) {
      start.last = std::max(start.last, change.prepared.back().sequence);
    }
  }
  for (std::uint64_t sequence = start.stable.sequence + 1; sequence <= start.last; ++sequence) {
    const Certificate* best = nullptr;
    for (const ViewChange& change : changes) {
      for (const Certificate& certificate : change.prepared) {
        if (certificate.sequence != sequence) continue;
        if (settings.has(Bug::own_certificates) &&
            change.replica != settings.primary(change.view)) {
          continue;
        }
        if (best == nullptr || outranks(certificate, *best, settings)) best = &certificate;
      }
    }
    if (best == nullptr && settings.has(Bug::skips_gaps)) continue;
    start.proposals.push_back({sequence, best == nullptr ? kNullRequest : best->request});
  }
  return start;
}

bool is_valid(const NewView& new_view, const Settings& settings) {
  Mask replicas = 0;
  for (const ViewChange& change : new_view.changes) {
    if (change.view != new_view.view || !is_valid(change, settings)) return false;
    replicas |= mask_of(change.replica);
  }
  const bool repeats = size_of(replicas) != new_view.changes.size();
  if (repeats && !settings.has(Bug::votes_repeated)) return false;
  if (new_view.changes.size() < settings.quorum()) return false;
  return settings.has(Bug::new_view_unchecked) ||
         start_of(new_view.changes, settings).proposals == new_view.proposals;
}

}  // namespace dissensus::pbft
