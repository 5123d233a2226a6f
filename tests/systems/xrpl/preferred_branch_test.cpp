// The preferred branch (consensus.md 11.4) against an independent implementation: the compressed
// trie with spans, split and merge, as the section describes it first.
#include "systems/xrpl/preferred_branch.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "systems/xrpl/store.h"

namespace dissensus::xrpl {
namespace {

using Chain = std::vector<const Ledger*>;  ///< index = sequence; index 0 is the common root

Chain chain_of(const Ledger* tip) {
  Chain chain(tip->seq + 1, nullptr);
  for (const Ledger* ledger = tip; ledger != nullptr; ledger = ledger->parent) {
    chain[ledger->seq] = ledger;
  }
  return chain;
}

/// Compressed prefix tree over chains. Written for the test; shares no code with Tips.
class CompressedTrie {
 public:
  CompressedTrie() {
    root_ = std::make_unique<Span>();
    root_->chain = {nullptr};
    root_->start = 0;
    root_->end = 1;
  }

  void insert(const Ledger* tip) {
    const Chain chain = chain_of(tip);
    Span* span = root_.get();
    for (;;) {
      std::uint32_t match = span->start;
      const auto limit =
          std::min<std::uint32_t>(span->end, static_cast<std::uint32_t>(chain.size()));
      while (match < limit && span->chain[match] == chain[match]) ++match;
      if (match < span->end) {
        split(span, match);
        if (match == chain.size()) {
          finish(span);
          return;
        }
        add_child(span, chain, match);
        return;
      }
      if (match == chain.size()) {
        finish(span);
        return;
      }
      Span* next = nullptr;
      for (const auto& child : span->children) {
        if (child->chain[child->start] == chain[child->start]) next = child.get();
      }
      if (next == nullptr) {
        add_child(span, chain, match);
        return;
      }
      span = next;
    }
  }

  const Ledger* preferred(std::uint32_t largest_issued) const {
    const Span* current = root_.get();
    std::size_t uncommitted = 0;
    auto cursor = support_.begin();
    for (;;) {
      std::uint32_t next = current->start + 1;
      while (cursor != support_.end() && cursor->first < std::max(next, largest_issued)) {
        uncommitted += cursor->second;
        ++cursor;
      }
      while (next < current->end && current->branch > uncommitted) {
        if (cursor != support_.end() && cursor->first < current->end) {
          next = cursor->first + 1;
          uncommitted += cursor->second;
          ++cursor;
        } else {
          next = current->end;
        }
      }
      if (next < current->end) return current->chain[next - 1];
      if (current->children.empty()) return current->chain[current->end - 1];
      std::vector<const Span*> order;
      for (const auto& child : current->children) order.push_back(child.get());
      const auto id = [](const Span* span) { return span->chain[span->start]->id; };
      std::sort(order.begin(), order.end(), [&](const Span* a, const Span* b) {
        return a->branch != b->branch ? a->branch > b->branch : id(a) > id(b);
      });
      std::size_t margin = order[0]->branch;
      if (order.size() > 1) {
        margin = order[0]->branch - order[1]->branch + (id(order[0]) > id(order[1]) ? 1 : 0);
      }
      if (margin > uncommitted || uncommitted == 0) {
        current = order[0];
      } else {
        return current->chain[current->end - 1];
      }
    }
  }

 private:
  struct Span {
    Chain chain;  ///< of a ledger at or above `end`
    std::uint32_t start = 0;
    std::uint32_t end = 0;
    std::size_t tip = 0;
    std::size_t branch = 0;
    Span* parent = nullptr;
    std::vector<std::unique_ptr<Span>> children;
  };

  static void split(Span* span, std::uint32_t at) {
    auto lower = std::make_unique<Span>();
    lower->chain = span->chain;
    lower->start = at;
    lower->end = span->end;
    lower->tip = span->tip;
    lower->branch = span->branch;
    lower->parent = span;
    lower->children = std::move(span->children);
    for (const auto& child : lower->children) child->parent = lower.get();
    span->end = at;
    span->tip = 0;
    span->children.clear();
    span->children.push_back(std::move(lower));
  }
  void add_child(Span* span, const Chain& chain, std::uint32_t start) {
    auto child = std::make_unique<Span>();
    child->chain = chain;
    child->start = start;
    child->end = static_cast<std::uint32_t>(chain.size());
    child->parent = span;
    span->children.push_back(std::move(child));
    finish(span->children.back().get());
  }
  void finish(Span* span) {
    ++span->tip;
    ++support_[span->end - 1];
    for (; span != nullptr; span = span->parent) ++span->branch;
  }

  std::unique_ptr<Span> root_;
  std::map<std::uint32_t, std::size_t> support_;
};

/// A random tree of ledgers that grows from one root with sequence 1.
class RandomTree {
 public:
  RandomTree(Random& random, std::size_t size) : store_(Fees{}) {
    ledgers_.push_back(store_.add_root(State{}, 1, 1000));
    while (ledgers_.size() < size) {
      // Mostly long chains, sometimes forks.
      const Ledger* parent =
          random.chance(0.6) ? ledgers_.back() : ledgers_[random.below(ledgers_.size())];
      const NetTime close = static_cast<NetTime>(1010 + 10 * random.below(1'000'000));
      ledgers_.push_back(store_.build(*parent, *store_.empty_set(), close, 10).ledger);
    }
  }
  const Ledger* pick(Random& random) const { return ledgers_[random.below(ledgers_.size())]; }
  const std::vector<const Ledger*>& ledgers() const { return ledgers_; }

 private:
  Store store_;
  std::vector<const Ledger*> ledgers_;
};

TEST(PreferredBranch, EqualsTheCompressedTrieOnRandomTrees) {
  Random random(7);
  for (int round = 0; round < 20'000; ++round) {
    const RandomTree tree(random, 2 + random.below(24));
    Tips tips;
    CompressedTrie trie;
    const std::size_t validators = 1 + random.below(9);
    for (std::size_t i = 0; i < validators; ++i) {
      const Ledger* tip = tree.pick(random);
      tips.add(tip);
      trie.insert(tip);
    }
    const auto largest_issued = static_cast<std::uint32_t>(random.below(16));
    ASSERT_EQ(tips.preferred(largest_issued), trie.preferred(largest_issued))
        << "round " << round << " issued " << largest_issued;
  }
}

TEST(PreferredBranch, RemovingATipUndoesAddingIt) {
  Random random(8);
  for (int round = 0; round < 2'000; ++round) {
    const RandomTree tree(random, 12);
    Tips kept;
    Tips changed;
    for (int i = 0; i < 5; ++i) {
      const Ledger* tip = tree.pick(random);
      const Ledger* passing = tree.pick(random);
      kept.add(tip);
      changed.add(passing);
      changed.add(tip);
      changed.preferred(0);
      changed.remove(passing);
    }
    ASSERT_EQ(kept.preferred(3), changed.preferred(3));
  }
}

TEST(PreferredBranch, NoTipsHaveNoPreference) {
  const Tips tips;
  EXPECT_TRUE(tips.empty());
  EXPECT_EQ(tips.preferred(0), nullptr);
}

TEST(PreferredBranch, CountsDescendantsStrictly) {
  Store store{Fees{}};
  const Ledger* root = store.add_root(State{}, 1, 1000);
  const Ledger* left = store.build(*root, *store.empty_set(), 1010, 10).ledger;
  const Ledger* right = store.build(*root, *store.empty_set(), 1020, 10).ledger;
  const Ledger* leaf = store.build(*left, *store.empty_set(), 1030, 10).ledger;
  Tips tips;
  tips.add(left);
  tips.add(leaf);
  tips.add(leaf);
  tips.add(right);
  EXPECT_EQ(tips.strict_descendants(*root), 4u);
  EXPECT_EQ(tips.strict_descendants(*left), 2u);
  EXPECT_EQ(tips.strict_descendants(*leaf), 0u);
  EXPECT_EQ(tips.children_of(root->id), 2u);
}

}  // namespace
}  // namespace dissensus::xrpl
