#include "systems/xrpl/preferred_branch.h"

#include <algorithm>

#include "core/assert.h"

namespace dissensus::xrpl {

void Tips::add(const Ledger* ledger) {
  cache_valid_ = false;
  for (Tip& tip : tips_) {
    if (tip.ledger == ledger) {
      ++tip.count;
      return;
    }
  }
  tips_.push_back({ledger, 1});
}

void Tips::remove(const Ledger* ledger) {
  cache_valid_ = false;
  for (std::size_t i = 0; i < tips_.size(); ++i) {
    if (tips_[i].ledger != ledger) continue;
    if (--tips_[i].count == 0) tips_.erase(tips_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
  DISSENSUS_ASSERT(false, "Tips::remove : a removed tip was added before");
}

std::size_t Tips::total() const {
  std::size_t sum = 0;
  for (const Tip& tip : tips_) sum += tip.count;
  return sum;
}

std::size_t Tips::below(std::uint32_t seq) const {
  std::size_t sum = 0;
  for (const Tip& tip : tips_) sum += tip.ledger->seq < seq ? tip.count : 0;
  return sum;
}

std::size_t Tips::strict_descendants(const Ledger& ledger) const {
  std::size_t sum = 0;
  for (const Tip& tip : tips_) {
    if (tip.ledger != &ledger && descends_from(*tip.ledger, ledger)) sum += tip.count;
  }
  return sum;
}

std::size_t Tips::children_of(const Digest& parent) const {
  std::size_t sum = 0;
  for (const Tip& tip : tips_) {
    if (tip.ledger->parent != nullptr && tip.ledger->parent->id == parent) sum += tip.count;
  }
  return sum;
}

const Ledger* Tips::common_ancestor() const {
  const Ledger* common = tips_.front().ledger;
  for (const Tip& tip : tips_) {
    std::uint32_t seq = std::min(common->seq, tip.ledger->seq);
    const Ledger* a = ancestor_at(*common, seq);
    const Ledger* b = ancestor_at(*tip.ledger, seq);
    for (std::uint32_t steps = 0; a != b; ++steps) {
      if (a == nullptr || b == nullptr || steps == kKnownAncestors) return nullptr;
      a = a->parent;
      b = b->parent;
    }
    if (a == nullptr) return nullptr;
    common = a;
  }
  return common;
}

const Ledger* Tips::preferred(std::uint32_t largest_issued) const {
  if (!cache_valid_ || cached_for_ != largest_issued) {
    cached_ = tips_.empty() ? nullptr : compute(largest_issued);
    cached_for_ = largest_issued;
    cache_valid_ = true;
  }
  return cached_;
}

/// One tip with its chain above the common ancestor.
struct Tips::Branch {
  Branch(const Tip& tip, const Ledger* base)
      : path(tip.ledger->seq - (base == nullptr ? 0 : base->seq)), count(tip.count) {
    std::size_t place = path.size();
    const Ledger* ledger = tip.ledger;
    for (; ledger != base && ledger != nullptr; ledger = ledger->parent) path[--place] = ledger;
    // Without a common ancestor chains differ from sequence 1 on, whatever is unknown there.
    std::fill_n(path.begin(), place, place < path.size() ? path[place] : nullptr);
  }
  /// True when the chain goes on at `step` and has `ledger` before it.
  bool continues(std::size_t step, const Ledger* ledger) const {
    return step < path.size() && (step == 0 || path[step - 1] == ledger);
  }

  std::vector<const Ledger*> path;  ///< path[k] has sequence base + 1 + k
  std::uint32_t count;
};

namespace {

struct Candidate {
  const Ledger* ledger;
  std::size_t support;
};

/// The candidate to go on with, or null where support is not clear enough.
const Ledger* choose(std::vector<Candidate>& candidates, std::size_t uncommitted) {
  if (candidates.size() == 1) {
    return candidates[0].support > uncommitted ? candidates[0].ledger : nullptr;
  }
  std::partial_sort(candidates.begin(), candidates.begin() + 2, candidates.end(),
                    [](const Candidate& a, const Candidate& b) {
                      return a.support != b.support ? a.support > b.support
                                                    : a.ledger->id > b.ledger->id;
                    });
  std::size_t margin = candidates[0].support - candidates[1].support;
  if (candidates[0].ledger->id > candidates[1].ledger->id) ++margin;
  return margin > uncommitted || uncommitted == 0 ? candidates[0].ledger : nullptr;
}

}  // namespace

const Ledger* Tips::compute(std::uint32_t largest_issued) const {
  // Below the common ancestor there is one candidate with the support of all: the walk passes as
  // long as some tip is not older than what this node has validated.
  if (below(largest_issued) >= total()) return nullptr;
  const Ledger* preferred = common_ancestor();
  if (tips_.size() == 1) return preferred;
  const std::uint32_t base = preferred == nullptr ? 0 : preferred->seq;
  std::vector<Branch> branches;
  branches.reserve(tips_.size());
  for (const Tip& tip : tips_) branches.emplace_back(tip, preferred);

  std::vector<Candidate> candidates;
  for (std::uint32_t seq = base + 1;; ++seq) {
    const std::size_t step = seq - base - 1;
    candidates.clear();
    for (const Branch& branch : branches) {
      if (!branch.continues(step, preferred)) continue;
      const auto same = std::find_if(
          candidates.begin(), candidates.end(),
          [&](const Candidate& candidate) { return candidate.ledger == branch.path[step]; });
      if (same == candidates.end()) {
        candidates.push_back({branch.path[step], branch.count});
      } else {
        same->support += branch.count;
      }
    }
    if (candidates.empty()) return preferred;
    const Ledger* next = choose(candidates, below(std::max(seq, largest_issued)));
    if (next == nullptr) return preferred;
    preferred = next;
  }
}

}  // namespace dissensus::xrpl
