// Which chain the trusted validators prefer (consensus.md 11.4): the uncompressed form of the
// ancestry trie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systems/xrpl/ledger.h"

namespace dissensus::xrpl {

/// The last ledgers of the trusted validators, as a multiset.
class Tips {
 public:
  void add(const Ledger* ledger);
  void remove(const Ledger* ledger);
  bool empty() const { return tips_.empty(); }

  /// The preferred ledger given the largest sequence this node itself has validated. Null stands
  /// for the common root of everything: also when there are no tips.
  const Ledger* preferred(std::uint32_t largest_issued) const;

  /// Validators whose last ledger is a strict descendant of `ledger`.
  std::size_t strict_descendants(const Ledger& ledger) const;
  /// Validators whose last ledger's parent has this id.
  std::size_t children_of(const Digest& parent) const;

 private:
  struct Tip {
    const Ledger* ledger;
    std::uint32_t count;
  };
  struct Branch;
  std::size_t total() const;
  std::size_t below(std::uint32_t seq) const;
  /// The deepest ledger on all chains; null where they have nothing known in common.
  const Ledger* common_ancestor() const;
  const Ledger* compute(std::uint32_t largest_issued) const;

  std::vector<Tip> tips_;
  mutable const Ledger* cached_ = nullptr;
  mutable std::uint32_t cached_for_ = 0;
  mutable bool cache_valid_ = false;
};

}  // namespace dissensus::xrpl
