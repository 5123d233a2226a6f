#include "systems/xrpl/peers.h"

#include <algorithm>
#include <utility>

namespace dissensus::xrpl {

void Announcements::note(const Digest& id, NodeId peer) {
  const std::uint64_t bit = std::uint64_t{1} << (peer % 64);
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->id == id) {
      entry->peers[peer / 64] |= bit;
      return;
    }
  }
  Entry fresh;
  if (entries_.size() == kKept) {
    fresh = std::move(entries_.front());
    entries_.pop_front();
  }
  fresh.id = id;
  fresh.peers.assign(words_, 0);
  fresh.peers[peer / 64] = bit;
  entries_.push_back(std::move(fresh));
}

bool Announcements::has(const Digest& id, NodeId peer) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->id == id) return (entry->peers[peer / 64] >> (peer % 64) & 1) != 0;
  }
  return false;
}

void choose_peers(std::span<const NodeId> peers, const Announcements& announced, const Digest& id,
                  std::size_t count, Random& random, std::vector<NodeId>& chosen) {
  constexpr std::uint64_t kRandomScores = 10'000;
  constexpr std::uint64_t kAnnounced = 10'000;
  std::vector<std::pair<std::uint64_t, NodeId>> scores;
  scores.reserve(peers.size());
  for (const NodeId peer : peers) {
    if (std::find(chosen.begin(), chosen.end(), peer) != chosen.end()) continue;
    // Latency is unknown for all alike, so it does not decide.
    const std::uint64_t bonus = announced.has(id, peer) ? kAnnounced : 0;
    scores.emplace_back(random.below(kRandomScores) + bonus, peer);
  }
  count = std::min(count, scores.size());
  std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(count),
                    scores.end(), [](const auto& a, const auto& b) {
                      return a.first != b.first ? a.first > b.first : a.second < b.second;
                    });
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(scores[i].second);
}

}  // namespace dissensus::xrpl
