// Levels of isolation by their definitions (docs/history.md), tried on every execution that there
// is: slow, short, and written without a look at the checkers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "dissensus/history.h"

#include "history/isolation.h"

namespace dissensus::history {

class TransactionJudge {
 public:
  TransactionJudge(const History& history, const std::vector<Operation>& operations, bool is_list)
      : is_list_(is_list) {
    for (const Operation& operation : operations) {
      const Event& asked = history.events()[operation.invoked];
      const bool is_ok = operation.outcome == EventKind::ok;
      const Event& told = is_ok ? history.events()[operation.completed] : asked;
      if (operation.outcome == EventKind::fail) continue;
      Transaction transaction;
      transaction.is_ok = is_ok;
      transaction.process = asked.process;
      transaction.invoked = operation.invoked;
      if (is_ok) transaction.answered = operation.completed;
      for (const Value& item : told.value.items()) {
        Micro micro;
        micro.is_read = item.items()[0].text() == "r";
        micro.key = item.items()[1].integer();
        const Value& value = item.items()[2];
        if (!micro.is_read) {
          micro.content = {value.integer()};
        } else if (is_list) {
          for (const Value& element : value.items()) micro.content.push_back(element.integer());
        } else if (!value.is_nil()) {
          micro.content = {value.integer()};
        }
        if (micro.is_read && !is_ok) continue;  // nobody knows what it read
        transaction.micros.push_back(micro);
      }
      all_.push_back(transaction);
    }
  }

  /// Is there a choice of unanswered transactions that happened, and an execution, that the level
  /// allows and that shows what was read?
  bool allows(Isolation level) {
    if (level == Isolation::read_uncommitted) return allows_uncommitted();
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!all_[i].is_ok) open.push_back(i);
    }
    for (std::size_t subset = 0; subset < (std::size_t{1} << open.size()); ++subset) {
      committed_.clear();
      for (std::size_t i = 0; i < all_.size(); ++i) {
        const auto place = std::ranges::find(open, i);
        const bool is_in = place == open.end() || (subset >> (place - open.begin()) & 1) != 0;
        if (is_in) committed_.push_back(&all_[i]);
      }
      if (has_execution(level)) return true;
    }
    return false;
  }

 private:
  using Content = std::vector<std::int64_t>;
  struct Micro {
    bool is_read = false;
    std::int64_t key = 0;
    Content content;  ///< what was read; what is written or appended
  };
  struct Transaction {
    bool is_ok = false;
    std::int64_t process = 0;
    std::size_t invoked = 0;
    std::optional<std::size_t> answered;
    std::vector<Micro> micros;
    bool writes(std::int64_t key) const {
      return std::ranges::any_of(
          micros, [key](const Micro& micro) { return !micro.is_read && micro.key == key; });
    }
  };
  using Store = std::map<std::int64_t, Content>;
  enum class Order { none, sessions, real_time };

  bool has_execution(Isolation level) {
    switch (level) {
      case Isolation::read_uncommitted:
      case Isolation::read_committed:
      case Isolation::read_atomic:
        order_.clear();
        return has_order(level);
      case Isolation::snapshot_isolation:
        return has_snapshots(Order::none);
      case Isolation::strong_session_snapshot_isolation:
        return has_snapshots(Order::sessions);
      case Isolation::strong_snapshot_isolation:
        return has_snapshots(Order::real_time);
      case Isolation::repeatable_read:
      case Isolation::serializable:
        return has_serial_order(Order::none);
      case Isolation::strong_session_serializable:
        return has_serial_order(Order::sessions);
      case Isolation::strict_serializable:
        return has_serial_order(Order::real_time);
    }
    return false;
  }

  static bool is_before(const Transaction& a, const Transaction& b, Order order) {
    if (order == Order::none || !a.answered || *a.answered > b.invoked) return false;
    return order == Order::real_time || a.process == b.process;
  }

  void write(Store& store, const Micro& micro) const {
    Content& content = store[micro.key];
    if (!is_list_) content.clear();
    content.insert(content.end(), micro.content.begin(), micro.content.end());
  }

  /// One after another on a store; false where a read is not what the store shows.
  bool carry_out(Store& store, const Transaction& transaction) const {
    for (const Micro& micro : transaction.micros) {
      if (!micro.is_read) {
        write(store, micro);
      } else if (store[micro.key] != micro.content) {
        return false;
      }
    }
    return true;
  }

  // ---- serial orders

  bool has_serial_order(Order order) {
    is_placed_.assign(committed_.size(), false);
    dead_ends_.clear();
    return place_serially({}, order);
  }
  bool place_serially(const Store& store, Order order) {
    if (std::ranges::all_of(is_placed_, std::identity())) return true;
    if (dead_ends_.contains({is_placed_, {}, store})) return false;
    for (std::size_t i = 0; i < committed_.size(); ++i) {
      if (is_placed_[i] || must_wait(i, is_placed_, order)) continue;
      Store after = store;
      if (!carry_out(after, *committed_[i])) continue;
      is_placed_[i] = true;
      const bool works = place_serially(after, order);
      is_placed_[i] = false;
      if (works) return true;
    }
    dead_ends_.insert({is_placed_, {}, store});
    return false;
  }
  bool must_wait(std::size_t i, const std::vector<bool>& is_done, Order order) const {
    for (std::size_t j = 0; j < committed_.size(); ++j) {
      if (!is_done[j] && is_before(*committed_[j], *committed_[i], order)) return true;
    }
    return false;
  }

  // ---- snapshots: a beginning, where it reads, and a commit each; of two that write the same key,
  // one commits before the other begins

  bool has_snapshots(Order order) {
    is_placed_.assign(committed_.size(), false);
    has_begun_.assign(committed_.size(), false);
    dead_ends_.clear();
    return place_moment({}, order);
  }
  bool place_moment(const Store& store, Order order) {
    if (std::ranges::all_of(is_placed_, std::identity())) return true;
    if (dead_ends_.contains({is_placed_, has_begun_, store})) return false;
    for (std::size_t i = 0; i < committed_.size(); ++i) {
      if (is_placed_[i]) continue;
      bool works = false;
      if (!has_begun_[i]) {
        Store view = store;
        if (must_wait(i, is_placed_, order) || overlaps(i) || !carry_out(view, *committed_[i])) {
          continue;
        }
        has_begun_[i] = true;
        works = place_moment(store, order);
        has_begun_[i] = false;
      } else {
        Store after = store;
        for (const Micro& micro : committed_[i]->micros) {
          if (!micro.is_read) write(after, micro);
        }
        is_placed_[i] = true;
        works = place_moment(after, order);
        is_placed_[i] = false;
      }
      if (works) return true;
    }
    dead_ends_.insert({is_placed_, has_begun_, store});
    return false;
  }
  /// Somebody who began and did not commit writes the same key.
  bool overlaps(std::size_t i) const {
    for (std::size_t j = 0; j < committed_.size(); ++j) {
      if (!has_begun_[j] || is_placed_[j]) continue;
      for (const Micro& micro : committed_[i]->micros) {
        if (!micro.is_read && committed_[j]->writes(micro.key)) return true;
      }
    }
    return false;
  }

  // ---- orders of versions: all transactions in an order, which orders the versions of each key,
  // and in which each comes after those of which it read

  bool has_order(Isolation level) {
    if (order_.size() == committed_.size()) return true;
    for (const Transaction* const next : committed_) {
      if (std::ranges::find(order_, next) != order_.end()) continue;
      if (next->is_ok && !reads_well(*next, level)) continue;
      order_.push_back(next);
      const bool works = has_order(level);
      order_.pop_back();
      if (works) return true;
    }
    return false;
  }

  /// The content of a key after the transactions before this place.
  Content content_before(std::int64_t key, std::size_t place) const {
    Store store;
    for (std::size_t i = 0; i < place; ++i) {
      for (const Micro& micro : order_[i]->micros) {
        if (!micro.is_read && micro.key == key) write(store, micro);
      }
    }
    return store[key];
  }

  /// Whose version of the key the content is, as a place from 1; 0: the initial version. Nothing
  /// where it is no version of a transaction before this place.
  std::optional<std::size_t> version_of(const Micro& read, std::size_t place) const {
    for (std::size_t i = 0; i <= place; ++i) {
      const bool is_version = i == 0 || order_[i - 1]->writes(read.key);
      if (is_version && content_before(read.key, i) == read.content) return i;
    }
    return std::nullopt;
  }

  bool reads_well(const Transaction& transaction, Isolation level) const {
    const std::size_t place = order_.size();  // it is the next one
    struct Read {
      std::int64_t key;
      std::size_t version;
    };
    std::vector<Read> reads;
    Store own;
    std::map<std::int64_t, Content> first;
    for (const Micro& micro : transaction.micros) {
      if (!micro.is_read) {
        write(own, micro);
        continue;
      }
      if (own.contains(micro.key)) {
        Content expected = is_list_ ? content_before(micro.key, place) : Content();
        // A read of what was there before has to go on where that ended.
        if (level == Isolation::read_atomic && is_list_ && first.contains(micro.key) &&
            first[micro.key] != expected) {
          return false;
        }
        const Content& mine = own[micro.key];
        expected.insert(expected.end(), mine.begin(), mine.end());
        if (micro.content != expected) return false;
        continue;
      }
      const std::optional<std::size_t> version = version_of(micro, place);
      if (!version) return false;
      reads.push_back({micro.key, *version});
      const auto [found, is_first] = first.try_emplace(micro.key, micro.content);
      if (level == Isolation::read_atomic && !is_first && found->second != micro.content) {
        return false;
      }
    }
    if (level == Isolation::read_committed) return true;
    // No fractured reads: who sees one write of a transaction sees all of it, or later versions.
    for (const Read& seen : reads) {
      if (seen.version == 0) continue;
      for (const Read& other : reads) {
        const bool is_older = other.version < seen.version;
        if (is_older && order_[seen.version - 1]->writes(other.key)) return false;
      }
    }
    return true;
  }

  // ---- writes alone

  /// Lists show the order in which they were written; registers show nothing of the kind. Keys
  /// whose reads contradict each other say nothing, and appends that no read shows come last.
  bool allows_uncommitted() {
    if (!is_list_) return true;
    std::map<std::int64_t, Content> longest;
    std::map<std::int64_t, bool> is_contradicted;
    for (const Transaction& transaction : all_) {
      for (const Micro& micro : transaction.micros) {
        Content& content = longest[micro.key];
        if (micro.is_read && micro.content.size() > content.size()) content = micro.content;
      }
    }
    for (const Transaction& transaction : all_) {
      for (const Micro& micro : transaction.micros) {
        const Content& content = longest[micro.key];
        if (!micro.is_read) continue;
        if (!std::equal(micro.content.begin(), micro.content.end(), content.begin())) {
          is_contradicted[micro.key] = true;
        }
        for (const std::int64_t element : content) {
          if (std::ranges::count(content, element) > 1) is_contradicted[micro.key] = true;
        }
      }
    }
    std::vector<const Transaction*> order;
    for (const Transaction& transaction : all_) {
      if (transaction.is_ok) order.push_back(&transaction);
    }
    std::sort(order.begin(), order.end());
    do {
      order_ = order;
      bool works = true;
      for (const auto& [key, content] : longest) {
        works = works && (is_contradicted[key] || writes_agree(key, content));
      }
      if (works) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }

  bool writes_agree(std::int64_t key, const Content& shown) const {
    const auto place_shown = [&](std::int64_t element) {
      return std::ranges::find(shown, element) - shown.begin();
    };
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (std::size_t j = i + 1; j < order_.size(); ++j) {
        for (const Micro& a : order_[i]->micros) {
          for (const Micro& b : order_[j]->micros) {
            if (a.is_read || b.is_read || a.key != key || b.key != key) continue;
            if (place_shown(a.content[0]) > place_shown(b.content[0])) return false;
          }
        }
      }
    }
    return true;
  }

  const bool is_list_;
  std::vector<Transaction> all_;  ///< that did not fail
  std::vector<const Transaction*> committed_;
  std::vector<const Transaction*> order_;
  std::vector<bool> is_placed_;
  std::vector<bool> has_begun_;
  /// What was placed and begun, and what it left behind: nothing works from there.
  std::set<std::tuple<std::vector<bool>, std::vector<bool>, Store>> dead_ends_;
};

}  // namespace dissensus::history
