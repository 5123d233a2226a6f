#include "systems/pbft/log.h"

#include <algorithm>

namespace dissensus::pbft {

namespace {
/// Correct replicas vote once per view, and few views are alive at a time.
constexpr std::size_t kVotesPerReplica = 6;
}  // namespace

void Votes::make_room(NodeId from) {
  const auto has_vote = [from](const Tally& tally) { return (tally.voters & mask_of(from)) != 0; };
  if (static_cast<std::size_t>(std::count_if(tallies_.begin(), tallies_.end(), has_vote)) <
      kVotesPerReplica) {
    return;
  }
  const auto oldest = std::min_element(
      tallies_.begin(), tallies_.end(), [&](const Tally& left, const Tally& right) {
        return std::pair(!has_vote(left), left.view) < std::pair(!has_vote(right), right.view);
      });
  oldest->voters &= ~mask_of(from);
  if (oldest->voters == 0) tallies_.erase(oldest);
}

void Votes::add(std::uint64_t view, RequestId request, NodeId from) {
  auto found = std::find_if(tallies_.begin(), tallies_.end(), [&](const Tally& tally) {
    return tally.view == view && tally.request == request;
  });
  if (found == tallies_.end() || (found->voters & mask_of(from)) == 0) {
    make_room(from);
    found = std::find_if(tallies_.begin(), tallies_.end(), [&](const Tally& tally) {
      return tally.view == view && tally.request == request;
    });
    if (found == tallies_.end()) found = tallies_.insert(found, {view, request, 0, 0});
  }
  found->voters |= mask_of(from);
  ++found->messages;
}

const Tally* Votes::find(std::uint64_t view, RequestId request) const {
  for (const Tally& tally : tallies_) {
    if (tally.view == view && tally.request == request) return &tally;
  }
  return nullptr;
}

Mask Votes::voters_in(std::uint64_t view) const {
  Mask voters = 0;
  for (const Tally& tally : tallies_) {
    if (tally.view == view) voters |= tally.voters;
  }
  return voters;
}

Slot* Log::find(std::uint64_t sequence) {
  const auto found = slots_.find(sequence);
  return found == slots_.end() ? nullptr : &found->second;
}

bool Log::holds(std::uint64_t view, RequestId request) const {
  return std::any_of(slots_.begin(), slots_.end(), [&](const auto& entry) {
    const std::optional<PrePrepare>& accepted = entry.second.accepted;
    return accepted && accepted->view == view && accepted->request == request;
  });
}

bool Log::is_quorum(const Tally* tally, std::size_t size) const {
  if (tally == nullptr) return size == 0;
  return (settings_->has(Bug::votes_repeated) ? tally->messages : size_of(tally->voters)) >= size;
}

bool Log::note_prepared(std::uint64_t sequence, Slot& slot) const {
  if (!slot.accepted) return false;
  const std::uint64_t view = slot.accepted->view;
  if (slot.certificate && slot.certificate->view >= view) return false;
  // The primary's pre-prepare is its vote; prepares are the backups'.
  const Tally* tally = slot.prepares.find(view, slot.accepted->request);
  Mask voters = tally == nullptr ? 0 : tally->voters;
  if (settings_->has(Bug::prepares_any_request)) {
    voters = slot.prepares.voters_in(view);
    if (size_of(voters) + 1 < settings_->quorum()) return false;
  } else if (!is_quorum(tally, settings_->quorum() - 1)) {
    return false;
  }
  slot.certificate = Certificate{view, sequence, slot.accepted->request,
                                 voters | mask_of(settings_->primary(view))};
  return true;
}

bool Log::note_committed(Slot& slot) const {
  if (slot.committed || !slot.accepted) return false;
  const std::uint64_t view = slot.accepted->view;
  if (settings_->has(Bug::commit_any_request)) {
    if (size_of(slot.commits.voters_in(view)) < settings_->quorum()) return false;
  } else {
    const bool prepared = slot.certificate && slot.certificate->view == view;
    if (!prepared ||
        !is_quorum(slot.commits.find(view, slot.accepted->request), settings_->quorum())) {
      return false;
    }
  }
  slot.committed = slot.accepted->request;
  return true;
}

std::vector<Certificate> Log::certificates(std::uint64_t stable) const {
  std::vector<Certificate> result;
  if (settings_->has(Bug::view_change_forgets)) return result;
  for (const auto& [sequence, slot] : slots_) {
    if (sequence > stable && slot.certificate) result.push_back(*slot.certificate);
  }
  return result;
}

}  // namespace dissensus::pbft
