#include "history/version_orders.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "history/index.h"

namespace dissensus::history {

namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

class VersionOrders {
 public:
  VersionOrders(const History& history, const std::vector<Operation>& operations,
                const Transactions& transactions, DependencyGraph& graph)
      : history_(history), operations_(operations), transactions_(transactions), graph_(graph) {}

  void add(const UnorderedKey& key) {
    key_ = &key;
    writers_.clear();
    for (const UnorderedKey::Version& version : key.versions) writers_.push_back(version.writer);
    std::sort(writers_.begin(), writers_.end());
    order_by_processes();
    order_by_real_time();
  }

 private:
  std::uint32_t invoked(std::uint32_t transaction) const {
    return operations_[transactions_.all[transaction].operation].invoked;
  }
  std::uint32_t answered(std::uint32_t transaction) const {
    const bool is_ok = transactions_.all[transaction].outcome == EventKind::ok;
    return is_ok ? operations_[transactions_.all[transaction].operation].completed : kNever;
  }

  void order_by_processes() {
    struct Touch {
      std::int64_t process;
      std::uint32_t transaction;
      bool is_write;  ///< comes after the read of the same transaction
      std::uint32_t version;
    };
    std::vector<Touch> uses;
    const auto use = [&](std::uint32_t transaction, bool is_write, std::uint32_t version) {
      uses.push_back(
          {history_.events()[invoked(transaction)].process, transaction, is_write, version});
    };
    for (std::uint32_t i = 0; i < key_->versions.size(); ++i) {
      use(key_->versions[i].writer, true, i);
      for (const std::uint32_t reader : key_->versions[i].readers) use(reader, false, i);
    }
    std::ranges::sort(uses, {}, [](const Touch& item) {
      return std::tuple(item.process, item.transaction, item.is_write);
    });
    begin_order(EdgeKind::ww_process, EdgeKind::rw_process);
    const Touch* last = nullptr;
    for (const Touch& next : uses) {
      if (last != nullptr && last->process == next.process &&
          last->transaction != next.transaction) {
        add_order(last->version, next.version);
      }
      // Nothing comes after what nobody answered.
      const bool is_ok = transactions_.all[next.transaction].outcome == EventKind::ok;
      if (is_ok) last = &next;
    }
  }

  void order_by_real_time() {
    struct Span {
      std::uint32_t first_answer = kNever;
      std::uint32_t last_answer = 0;
      std::uint32_t last_invocation = 0;
      std::uint32_t version = 0;
    };
    constexpr std::size_t kLookedAtMax = 64;  ///< before each version
    std::vector<Span> spans;
    for (std::uint32_t i = 0; i < key_->versions.size(); ++i) {
      Span span{kNever, 0, 0, i};
      const auto widen = [&](std::uint32_t transaction) {
        span.first_answer = std::min(span.first_answer, answered(transaction));
        span.last_answer = std::max(span.last_answer, answered(transaction));
        span.last_invocation = std::max(span.last_invocation, invoked(transaction));
      };
      widen(key_->versions[i].writer);
      for (const std::uint32_t reader : key_->versions[i].readers) widen(reader);
      spans.push_back(span);
    }
    std::ranges::sort(spans, {}, &Span::first_answer);
    std::vector<std::uint32_t> last_answer_so_far;
    for (const Span& span : spans) {
      const std::uint32_t before = last_answer_so_far.empty() ? 0 : last_answer_so_far.back();
      last_answer_so_far.push_back(std::max(before, span.last_answer));
    }
    begin_order(EdgeKind::ww_real_time, EdgeKind::rw_real_time);
    for (const Span& later : spans) {
      const std::uint32_t begin = invoked(key_->versions[later.version].writer);
      auto at = static_cast<std::size_t>(
          std::ranges::lower_bound(spans, later.last_invocation, {}, &Span::first_answer) -
          spans.begin());
      // What was out of use when the writer was invoked comes before it anyway.
      for (std::size_t tried = 0; tried < kLookedAtMax && at-- > 0; ++tried) {
        if (last_answer_so_far[at] < begin) break;
        const Span& earlier = spans[at];
        if (earlier.version == later.version || earlier.last_answer < begin) continue;
        add_order(earlier.version, later.version);
      }
    }
  }

  void begin_order(EdgeKind ww, EdgeKind rw) {
    ww_ = ww;
    rw_ = rw;
    known_.clear();
    readers_.clear();
  }

  void add_order(std::uint32_t earlier, std::uint32_t later) {
    if (earlier == later || !known_.emplace(earlier, later).second) return;
    const UnorderedKey::Version& before = key_->versions[earlier];
    const std::uint32_t writer = key_->versions[later].writer;
    graph_.add(before.writer, writer, ww_, key_->key);
    if (before.readers.empty()) return;
    // Readers that write the key have edges of their own: they may be the later writer.
    const auto [node, is_first] = readers_.try_emplace(earlier, kNone);
    if (is_first) node->second = graph_.add_passing_node(DependencyGraph::Leads::to_commit);
    for (const std::uint32_t reader : before.readers) {
      if (std::ranges::binary_search(writers_, reader)) {
        graph_.add(reader, writer, rw_, key_->key);
      } else if (is_first) {
        graph_.add(reader, node->second, rw_, key_->key);
      }
    }
    graph_.add(node->second, writer, EdgeKind::pass);
  }

  const History& history_;
  const std::vector<Operation>& operations_;
  const Transactions& transactions_;
  DependencyGraph& graph_;
  const UnorderedKey* key_ = nullptr;
  std::vector<std::uint32_t> writers_;
  EdgeKind ww_ = EdgeKind::ww_process;
  EdgeKind rw_ = EdgeKind::rw_process;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known_;
  std::map<std::uint32_t, std::uint32_t> readers_;  ///< by version, the node that they lead to
};

}  // namespace

void add_version_orders(const History& history, const std::vector<Operation>& operations,
                        const Transactions& transactions, Dependencies& dependencies) {
  VersionOrders orders(history, operations, transactions, dependencies.graph);
  for (const UnorderedKey& key : dependencies.keys) orders.add(key);
}

}  // namespace dissensus::history
