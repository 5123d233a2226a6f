// Lists that transactions append to and read: every read shows the order of all versions before it,
// so that the longest read of a key orders them all. What committed and is in no read comes behind.
#include <algorithm>

#include <fmt/format.h>

#include "history/anomalies.h"
#include "history/index.h"

namespace dissensus::history {

namespace {

class ListAppend {
 public:
  ListAppend(const Transactions& transactions, const ElementTable& elements,
             Dependencies& dependencies, Anomalies& anomalies)
      : transactions_(transactions),
        elements_(elements),
        dependencies_(dependencies),
        graph_(dependencies.graph),
        anomalies_(anomalies),
        is_shown_(transactions.all.size()),
        keys_(transactions.keys.size()),
        seen_(transactions.keys.size()),
        place_(elements.size(), kNone) {}

  void run() {
    find_longest_reads();
    for (std::uint32_t key = 0; key < keys_.size(); ++key) order_versions(key);
    find_unread();
    for (std::uint32_t key = 0; key < keys_.size(); ++key) {
      Key& at = keys_[key];
      at.to_begin.emplace(graph_, at.unread, DependencyGraph::Leads::to_begin);
      at.to_commit.emplace(graph_, at.unread, DependencyGraph::Leads::to_commit);
      add_write_edges(key);
    }
    for (std::uint32_t i = 0; i < transactions_.all.size(); ++i) {
      if (transactions_.all[i].outcome == EventKind::ok) look_at(i);
    }
    for (std::uint32_t key = 0; key < keys_.size(); ++key) {
      add_acknowledged_edges(key);
      if (keys_[key].unread.size() < 2) continue;
      UnorderedKey& unordered = dependencies_.keys.emplace_back();
      unordered.key = key;
      for (const std::uint32_t writer : keys_[key].unread) {
        unordered.versions.push_back({writer, {}});
      }
    }
  }

 private:
  struct Key {
    Value longest;
    std::uint32_t longest_reader = kNone;
    bool is_contradicted = false;         ///< two reads disagree about the order of versions
    std::uint32_t first_failed = kNone;   ///< place of an append that failed
    std::vector<std::uint32_t> versions;  ///< elements, or kNone for what nobody wrote
    std::vector<std::uint32_t> unread;    ///< writers that happened, with an append in no read
    std::vector<std::uint32_t> updater;   ///< by version: who read it and then appended
    std::optional<Fan> to_begin;          ///< of those in `unread`
    std::optional<Fan> to_commit;
  };
  /// What the current transaction knows of a key.
  struct Seen {
    std::uint32_t transaction = kNone;
    std::uint32_t version = kNone;  ///< that it read first, without its own; kNone: has not read
    std::uint32_t last = kNone;     ///< that it read last, without its own
    std::vector<Value> own;
    bool has_read_before = false;  ///< before it appended
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
      const auto place = static_cast<std::uint32_t>(key.versions.size());
      key.versions.push_back(element);
      if (element == kNone) {
        if (anomalies_.count("garbage-read")) {
          anomalies_.explain("garbage-read",
                             fmt::format("{} of key {} was read, and nobody appended it",
                                         to_string(item, 40), anomalies_.key_name(number)),
                             {anomalies_.part(key.longest_reader)});
        }
        continue;
      }
      if (place_[element] != kNone) {
        key.is_contradicted = true;
        if (anomalies_.count("duplicate-elements")) {
          anomalies_.explain("duplicate-elements",
                             fmt::format("{} is twice in a read of key {}, and was appended once",
                                         to_string(item, 40), anomalies_.key_name(number)),
                             {anomalies_.part(key.longest_reader)});
        }
        continue;
      }
      place_[element] = place;
      is_shown_[writer_of(element)] = true;
      const std::uint32_t before = elements_.element(element).before;
      if (before != kNone && place_[before] == kNone) out_of_order(number, element);
      if (key.first_failed == kNone && is_failed(writer_of(element))) key.first_failed = place;
    }
    key.updater.assign(items.size() + 1, kNone);
  }

  /// An append is shown, and one that the same transaction made before it is not, or is behind it.
  void out_of_order(std::uint32_t number, std::uint32_t element) {
    if (!anomalies_.count("incompatible-order")) return;
    anomalies_.explain("incompatible-order",
                       fmt::format("a read of key {} shows appends of one transaction in another "
                                   "order than it made them",
                                   anomalies_.key_name(number)),
                       {anomalies_.part(keys_[number].longest_reader, "reader"),
                        anomalies_.part(writer_of(element), "writer")});
  }

  /// Appends that happened and that no read shows come after all that reads show.
  void find_unread() {
    for (std::uint32_t i = 0; i < transactions_.all.size(); ++i) {
      if (!happened(i)) continue;
      for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[i])) {
        if (micro.is_read || place_[elements_.find(micro.key, micro.value)] != kNone) continue;
        std::vector<std::uint32_t>& unread = keys_[micro.key].unread;
        if (unread.empty() || unread.back() != i) unread.push_back(i);
      }
    }
  }

  std::uint32_t writer_of(std::uint32_t element) const {
    return element == kNone ? kNone : elements_.element(element).writer;
  }
  /// See Dependencies.
  bool happened(std::uint32_t transaction) const {
    const EventKind outcome = transactions_.all[transaction].outcome;
    return outcome == EventKind::ok || (outcome == EventKind::info && is_shown_[transaction]);
  }
  bool is_failed(std::uint32_t transaction) const {
    return transactions_.all[transaction].outcome == EventKind::fail;
  }

  void add_write_edges(std::uint32_t number) {
    Key& key = keys_[number];
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
    if (before != kNone) key.to_begin->add(before, EdgeKind::ww, number);
  }

  /// To be called once all reads were compared with the longest.
  void add_acknowledged_edges(std::uint32_t number) {
    const Key& key = keys_[number];
    if (key.is_contradicted) return;
    DependencyGraph& graph = dependencies_.acknowledged;
    const auto is_acknowledged = [&](std::uint32_t writer) {
      return writer != kNone && transactions_.all[writer].outcome == EventKind::ok;
    };
    std::uint32_t before = kNone;
    for (const std::uint32_t element : key.versions) {
      const std::uint32_t writer = writer_of(element);
      if (!is_acknowledged(writer)) continue;
      if (before != kNone) graph.add(before, writer, EdgeKind::ww, number);
      before = writer;
    }
    std::vector<std::uint32_t> unread = key.unread;
    std::erase_if(unread, [&](std::uint32_t writer) { return !is_acknowledged(writer); });
    if (before != kNone) {
      Fan(graph, unread, DependencyGraph::Leads::to_begin).add(before, EdgeKind::ww, number);
    }
  }

  Seen& seen_of(std::uint32_t transaction, std::uint32_t key) {
    Seen& seen = seen_[key];
    if (seen.transaction != transaction) {
      seen.transaction = transaction;
      seen.version = kNone;
      seen.last = kNone;
      seen.own.clear();
      seen.has_read_before = false;
    }
    return seen;
  }

  void look_at(std::uint32_t transaction) {
    const auto micros = transactions_.micros_of(transactions_.all[transaction]);
    for (const MicroOperation& micro : micros) {
      Seen& seen = seen_of(transaction, micro.key);
      if (micro.is_read) {
        read(transaction, micro, seen);
        continue;
      }
      if (seen.own.empty() && seen.version != kNone) update(transaction, micro.key, seen.version);
      seen.own.push_back(micro.value);
    }
    for (const MicroOperation& micro : micros) {
      if (micro.is_read) look_for_halves(transaction, micro.key);
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

  void own_write(std::uint32_t transaction, const MicroOperation& micro) {
    if (!anomalies_.count("own-write")) return;
    anomalies_.explain("own-write",
                       fmt::format("a read of key {} does not end with what the same transaction "
                                   "appended before, or shows what it appends later",
                                   anomalies_.key_name(micro.key)),
                       {anomalies_.part(transaction)});
  }

  void internal(std::uint32_t transaction, const MicroOperation& micro) {
    if (!anomalies_.count("internal")) return;
    anomalies_.explain("internal",
                       fmt::format("a read of key {} does not agree with what the same transaction "
                                   "read before",
                                   anomalies_.key_name(micro.key)),
                       {anomalies_.part(transaction)});
  }

  void read(std::uint32_t transaction, const MicroOperation& micro, Seen& seen) {
    Key& key = keys_[micro.key];
    const std::span<const Value> items = micro.value.items();
    const std::span<const Value> longest = key.longest.items();
    if (!std::equal(items.begin(), items.end(), longest.begin())) {
      key.is_contradicted = true;
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
    if (!shows_own) {
      own_write(transaction, micro);
      return;
    }
    const auto version = static_cast<std::uint32_t>(items.size() - own);
    for (const MicroOperation& other : transactions_.micros_of(transactions_.all[transaction])) {
      if (other.is_read || other.key != micro.key) continue;
      if (place_[elements_.find(other.key, other.value)] < version) {
        own_write(transaction, micro);
        return;
      }
    }
    if (seen.version != kNone && seen.version != version) internal(transaction, micro);
    if (seen.own.empty()) seen.has_read_before = true;
    if (seen.version == kNone) seen.version = version;
    if (seen.last != version) read_version(transaction, micro.key, version);
    seen.last = version;
  }

  void read_version(std::uint32_t transaction, std::uint32_t number, std::uint32_t version) {
    Key& key = keys_[number];
    look_for_failed(transaction, number, version);
    if (version > 0) {
      const std::uint32_t element = key.versions[version - 1];
      const std::uint32_t writer = writer_of(element);
      if (writer != kNone && !is_failed(writer)) {
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
    } else {
      key.to_commit->add(transaction, EdgeKind::rw, number);
    }
  }

  void look_for_failed(std::uint32_t transaction, std::uint32_t number, std::uint32_t version) {
    const Key& key = keys_[number];
    if (key.first_failed == kNone || version <= key.first_failed || !anomalies_.count("G1a")) {
      return;
    }
    anomalies_.explain("G1a",
                       fmt::format("a read of key {} shows what a transaction appended that failed",
                                   anomalies_.key_name(number)),
                       {anomalies_.part(writer_of(key.versions[key.first_failed]), "failed"),
                        anomalies_.part(transaction, "reader")});
  }

  /// Of who wrote the version of this key, does the reader miss an append to another key?
  void look_for_halves(std::uint32_t transaction, std::uint32_t number) {
    const Seen& seen = seen_[number];
    if (seen.transaction != transaction || !seen.has_read_before || seen.version == 0) return;
    const std::uint32_t writer = writer_of(keys_[number].versions[seen.version - 1]);
    if (writer == kNone || is_failed(writer)) return;
    for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[writer])) {
      const Seen& other = seen_[micro.key];
      if (micro.is_read || other.transaction != transaction || !other.has_read_before) continue;
      if (place_[elements_.find(micro.key, micro.value)] < other.version) continue;
      if (!anomalies_.count("fractured-read")) continue;
      anomalies_.explain(
          "fractured-read",
          fmt::format("a transaction sees what another one appended to key {} and not what the "
                      "same one appended to key {}",
                      anomalies_.key_name(number), anomalies_.key_name(micro.key)),
          {anomalies_.part(writer, "writer"), anomalies_.part(transaction, "reader")});
    }
  }

  const Transactions& transactions_;
  const ElementTable& elements_;
  Dependencies& dependencies_;
  DependencyGraph& graph_;
  Anomalies& anomalies_;
  std::vector<bool> is_shown_;  ///< transactions of which a read shows something
  std::vector<Key> keys_;
  std::vector<Seen> seen_;            ///< by key, for the transaction that is looked at
  std::vector<std::uint32_t> place_;  ///< of elements, in the longest read of their key
};

}  // namespace

void find_list_append_dependencies(const Transactions& transactions, const ElementTable& elements,
                                   Dependencies& dependencies, Anomalies& anomalies) {
  ListAppend(transactions, elements, dependencies, anomalies).run();
}

}  // namespace dissensus::history
