// Lists that transactions append to and read: every read shows the order of all versions before it,
// so that the longest read of a key orders them all.
#include <algorithm>

#include <fmt/format.h>

#include "history/anomalies.h"
#include "history/index.h"

namespace dissensus::history {

namespace {

class ListAppend {
 public:
  ListAppend(const Transactions& transactions, const ElementTable& elements, DependencyGraph& graph,
             Anomalies& anomalies)
      : transactions_(transactions),
        elements_(elements),
        graph_(graph),
        anomalies_(anomalies),
        keys_(transactions.keys.size()),
        seen_(transactions.keys.size()),
        is_read_(elements.size()) {}

  void run() {
    find_longest_reads();
    for (std::uint32_t key = 0; key < keys_.size(); ++key) order_versions(key);
    find_unread();
    for (std::uint32_t key = 0; key < keys_.size(); ++key) add_write_edges(key);
    for (std::uint32_t i = 0; i < transactions_.all.size(); ++i) {
      if (transactions_.all[i].outcome == EventKind::ok) look_at(i);
    }
  }

 private:
  struct Key {
    Value longest;
    std::uint32_t longest_reader = kNone;
    std::vector<std::uint32_t> versions;  ///< elements, or kNone for what nobody wrote
    std::vector<std::uint32_t> unread;    ///< writers that committed and that no read shows
    std::vector<std::uint32_t> updater;   ///< by version: who read it and then appended
  };
  /// What the current transaction knows of a key.
  struct Seen {
    std::uint32_t transaction = kNone;
    std::uint32_t version = kNone;  ///< number of elements before its own; kNone: has not read
    std::vector<Value> own;
    bool is_judged = false;  ///< its version is not to be trusted
  };

  void find_longest_reads() {
    for (std::uint32_t i = 0; i < transactions_.all.size(); ++i) {
      for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[i])) {
        if (!micro.is_read) continue;
        Key& key = keys_[micro.key];
        const bool is_longer = micro.value.items().size() > key.longest.items().size();
        if (key.longest_reader != kNone && !is_longer) continue;
        key.longest = micro.value;
        key.longest_reader = i;
      }
    }
  }

  void order_versions(std::uint32_t number) {
    Key& key = keys_[number];
    const std::span<const Value> items = key.longest.items();
    for (const Value& item : items) {
      const std::uint32_t element = elements_.find(number, item);
      if (element == kNone) {
        if (anomalies_.count("garbage-read")) {
          anomalies_.explain("garbage-read",
                             fmt::format("{} of key {} was read, and nobody appended it",
                                         to_string(item, 40), anomalies_.key_name(number)),
                             {anomalies_.part(key.longest_reader)});
        }
      } else if (is_read_[element]) {
        if (anomalies_.count("duplicate-elements")) {
          anomalies_.explain("duplicate-elements",
                             fmt::format("{} is twice in a read of key {}, and was appended once",
                                         to_string(item, 40), anomalies_.key_name(number)),
                             {anomalies_.part(key.longest_reader)});
        }
      }
      if (element != kNone) is_read_[element] = true;
      key.versions.push_back(element);
    }
    key.updater.assign(items.size() + 1, kNone);
  }

  /// Appends of committed transactions that no read shows come after all that reads show.
  void find_unread() {
    for (std::uint32_t i = 0; i < transactions_.all.size(); ++i) {
      if (transactions_.all[i].outcome != EventKind::ok) continue;
      for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[i])) {
        if (micro.is_read || is_read_[elements_.find(micro.key, micro.value)]) continue;
        std::vector<std::uint32_t>& unread = keys_[micro.key].unread;
        if (unread.empty() || unread.back() != i) unread.push_back(i);
      }
    }
  }

  std::uint32_t writer_of(std::uint32_t element) const {
    return element == kNone ? kNone : elements_.element(element).writer;
  }
  bool is_failed(std::uint32_t transaction) const {
    return transactions_.all[transaction].outcome == EventKind::fail;
  }
  /// Few enough that every reader can have an edge to each.
  static bool are_few(const std::vector<std::uint32_t>& unread) { return unread.size() <= 4; }

  void add_write_edges(std::uint32_t number) {
    const Key& key = keys_[number];
    std::uint32_t before = kNone;
    std::uint32_t failed = kNone;
    for (const std::uint32_t element : key.versions) {
      const std::uint32_t writer = writer_of(element);
      if (writer == kNone) continue;
      if (is_failed(writer)) {
        failed = writer;
        continue;
      }
      if (failed != kNone) {
        if (anomalies_.count("dirty-update")) {
          anomalies_.explain("dirty-update",
                             fmt::format("key {}: an append of a transaction that failed is "
                                         "followed by one that committed",
                                         anomalies_.key_name(number)),
                             {anomalies_.part(failed, "failed"), anomalies_.part(writer)});
        }
        failed = kNone;
      }
      if (before != kNone) graph_.add(before, writer, EdgeKind::ww, number);
      before = writer;
    }
    if (before == kNone || !are_few(key.unread)) return;
    for (const std::uint32_t writer : key.unread) graph_.add(before, writer, EdgeKind::ww, number);
  }

  Seen& seen_of(std::uint32_t transaction, std::uint32_t key) {
    Seen& seen = seen_[key];
    if (seen.transaction != transaction) {
      seen.transaction = transaction;
      seen.version = kNone;
      seen.own.clear();
      seen.is_judged = false;
    }
    return seen;
  }

  void look_at(std::uint32_t transaction) {
    for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[transaction])) {
      Seen& seen = seen_of(transaction, micro.key);
      if (micro.is_read) {
        read(transaction, micro, seen);
        continue;
      }
      if (seen.own.empty() && seen.version != kNone && !seen.is_judged) {
        update(transaction, micro.key, seen.version);
      }
      seen.own.push_back(micro.value);
    }
  }

  void update(std::uint32_t transaction, std::uint32_t key, std::uint32_t version) {
    std::uint32_t& first = keys_[key].updater[version];
    if (first == kNone) {
      first = transaction;
    } else if (anomalies_.count("lost-update")) {
      anomalies_.explain("lost-update",
                         fmt::format("two transactions read the same version of key {} and both "
                                     "appended to it",
                                     anomalies_.key_name(key)),
                         {anomalies_.part(first, "T1"), anomalies_.part(transaction, "T2")});
    }
  }

  void internal(std::uint32_t transaction, const MicroOperation& micro, Seen& seen) {
    seen.is_judged = true;
    if (!anomalies_.count("internal")) return;
    anomalies_.explain("internal",
                       fmt::format("a read of key {} does not agree with what the same transaction "
                                   "read or appended before",
                                   anomalies_.key_name(micro.key)),
                       {anomalies_.part(transaction)});
  }

  void read(std::uint32_t transaction, const MicroOperation& micro, Seen& seen) {
    if (seen.is_judged) return;
    const Key& key = keys_[micro.key];
    const std::span<const Value> items = micro.value.items();
    const std::span<const Value> longest = key.longest.items();
    if (!std::equal(items.begin(), items.end(), longest.begin())) {
      seen.is_judged = true;
      if (!anomalies_.count("incompatible-order")) return;
      anomalies_.explain(
          "incompatible-order",
          fmt::format("two reads of key {} show different orders", anomalies_.key_name(micro.key)),
          {anomalies_.part(transaction), anomalies_.part(key.longest_reader)});
      return;
    }
    const std::size_t own = seen.own.size();
    const bool shows_own =
        items.size() >= own && std::equal(seen.own.begin(), seen.own.end(),
                                          items.end() - static_cast<std::ptrdiff_t>(own));
    const auto version = static_cast<std::uint32_t>(items.size() - std::min(own, items.size()));
    if (!shows_own || (seen.version != kNone && seen.version != version)) {
      internal(transaction, micro, seen);
      return;
    }
    const bool is_first = seen.version == kNone;
    seen.version = version;
    if (is_first) read_version(transaction, micro.key, version);
  }

  void read_version(std::uint32_t transaction, std::uint32_t number, std::uint32_t version) {
    const Key& key = keys_[number];
    look_for_failed(transaction, number, version);
    if (version > 0) {
      const std::uint32_t element = key.versions[version - 1];
      const std::uint32_t writer = writer_of(element);
      if (writer != kNone && writer != transaction && !is_failed(writer)) {
        graph_.add(writer, transaction, EdgeKind::wr, number);
        if (!elements_.element(element).is_final && anomalies_.count("G1b")) {
          anomalies_.explain(
              "G1b",
              fmt::format("a read of key {} shows what a transaction appended in "
                          "between, and not its last append",
                          anomalies_.key_name(number)),
              {anomalies_.part(writer, "writer"), anomalies_.part(transaction, "reader")});
        }
      }
    }
    if (version < key.versions.size()) {
      const std::uint32_t writer = writer_of(key.versions[version]);
      if (writer != kNone && !is_failed(writer)) {
        graph_.add(transaction, writer, EdgeKind::rw, number);
      }
    } else if (are_few(key.unread)) {
      for (const std::uint32_t writer : key.unread) {
        graph_.add(transaction, writer, EdgeKind::rw, number);
      }
    }
  }

  void look_for_failed(std::uint32_t transaction, std::uint32_t number, std::uint32_t version) {
    Key& key = keys_[number];
    // Failed versions are rare: their places are looked up once per key.
    if (first_failed_.size() <= number) first_failed_.resize(keys_.size(), kNone - 1);
    std::uint32_t& failed = first_failed_[number];
    if (failed == kNone - 1) {
      failed = kNone;
      for (std::uint32_t i = 0; i < key.versions.size() && failed == kNone; ++i) {
        const std::uint32_t writer = writer_of(key.versions[i]);
        if (writer != kNone && is_failed(writer)) failed = i;
      }
    }
    if (failed == kNone || version <= failed || !anomalies_.count("G1a")) return;
    anomalies_.explain("G1a",
                       fmt::format("a read of key {} shows what a transaction appended that failed",
                                   anomalies_.key_name(number)),
                       {anomalies_.part(writer_of(key.versions[failed]), "failed"),
                        anomalies_.part(transaction, "reader")});
  }

  const Transactions& transactions_;
  const ElementTable& elements_;
  DependencyGraph& graph_;
  Anomalies& anomalies_;
  std::vector<Key> keys_;
  std::vector<Seen> seen_;     ///< by key, for the transaction that is looked at
  std::vector<bool> is_read_;  ///< elements that the longest reads show
  std::vector<std::uint32_t> first_failed_;
};

}  // namespace

void add_list_append_edges(const Transactions& transactions, const ElementTable& elements,
                           DependencyGraph& graph, Anomalies& anomalies) {
  ListAppend(transactions, elements, graph, anomalies).run();
}

}  // namespace dissensus::history
