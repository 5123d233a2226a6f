// Registers that transactions write and read. A read shows one version and not those before it, so
// that less of their order is known than for lists: the initial version comes first, and a version
// comes after the one that its writer had read. Whatever else is known follows from a level
// (an atomic read), from the order of a client, or from real time; order_search.h looks for the
// rest.
#include <algorithm>

#include <fmt/format.h>

#include "history/anomalies.h"
#include "history/index.h"

namespace dissensus::history {

namespace {

class RwRegister {
 public:
  RwRegister(const Transactions& transactions, const ElementTable& elements,
             Dependencies& dependencies, Anomalies& anomalies)
      : transactions_(transactions),
        elements_(elements),
        dependencies_(dependencies),
        graph_(dependencies.graph),
        anomalies_(anomalies),
        keys_(transactions.keys.size()),
        seen_(transactions.keys.size()),
        versions_(elements.size()),
        is_shown_(transactions.all.size()) {}

  void run() {
    for (std::uint32_t i = 0; i < transactions_.all.size(); ++i) {
      if (transactions_.all[i].outcome == EventKind::ok) look_at(i);
    }
    for (std::uint32_t i = 0; i < transactions_.all.size(); ++i) list_writes(i);
    for (std::uint32_t element = 0; element < versions_.size(); ++element) {
      add_edges_of_version(element);
    }
    for (std::uint32_t key = 0; key < keys_.size(); ++key) add_edges_of_initial(key);
  }

 private:
  struct Version {
    std::vector<std::uint32_t> readers;   ///< each once
    std::vector<std::uint32_t> updaters;  ///< of these, who wrote the key afterwards
    /// Writers of versions that come after this one: who read both would have seen half of one.
    std::vector<std::uint32_t> later;
    std::uint32_t key = 0;
  };
  struct Key {
    std::vector<std::uint32_t> initial_readers;
    std::uint32_t initial_updater = kNone;
    std::vector<std::uint32_t> writers;   ///< of final versions, in ascending order
    std::vector<std::uint32_t> elements;  ///< that these wrote
  };
  struct Seen {
    std::uint32_t transaction = kNone;
    bool has_read = false;          ///< before it wrote
    bool is_known = false;          ///< which version it read first
    std::uint32_t element = kNone;  ///< that version; kNone: the initial one
    Value value;
    bool has_written = false;
    Value written;
  };

  bool is_failed(std::uint32_t transaction) const {
    return transactions_.all[transaction].outcome == EventKind::fail;
  }
  /// See Dependencies.
  bool happened(std::uint32_t transaction) const {
    const EventKind outcome = transactions_.all[transaction].outcome;
    return outcome == EventKind::ok || (outcome == EventKind::info && is_shown_[transaction]);
  }

  void look_at(std::uint32_t transaction) {
    touched_.clear();
    for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[transaction])) {
      Seen& seen = seen_[micro.key];
      if (seen.transaction != transaction) {
        seen = {};
        seen.transaction = transaction;
        touched_.push_back(micro.key);
      }
      if (!micro.is_read) {
        seen.has_written = true;
        seen.written = micro.value;
      } else if (seen.has_written) {
        if (!(micro.value == seen.written)) own_write(transaction, micro);
      } else if (!seen.has_read) {
        seen.has_read = true;
        seen.value = micro.value;
        seen.is_known = read(transaction, micro, seen.element);
      } else if (!(micro.value == seen.value)) {
        internal(transaction, micro);
        std::uint32_t element = kNone;
        read(transaction, micro, element);
      }
    }
    for (const std::uint32_t key : touched_) {
      const Seen& seen = seen_[key];
      if (!seen.is_known) continue;
      if (seen.has_written) update(transaction, key, seen);
      if (seen.element == kNone) {
        keys_[key].initial_readers.push_back(transaction);
      } else {
        look_for_halves(transaction, seen.element, key);
      }
    }
  }

  void own_write(std::uint32_t transaction, const MicroOperation& micro) {
    if (!anomalies_.count("own-write")) return;
    anomalies_.explain("own-write",
                       fmt::format("a read of key {} does not show what the same transaction wrote "
                                   "before, or shows what it writes later",
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

  /// A read from outside. True where it is known which version was read.
  bool read(std::uint32_t transaction, const MicroOperation& micro, std::uint32_t& element) {
    if (micro.value.is_nil()) return true;
    const std::string key = anomalies_.key_name(micro.key);
    element = elements_.find(micro.key, micro.value);
    if (element == kNone) {
      if (anomalies_.count("garbage-read")) {
        anomalies_.explain("garbage-read",
                           fmt::format("{} was read of key {}, and nobody wrote it",
                                       to_string(micro.value, 40), key),
                           {anomalies_.part(transaction)});
      }
      return false;
    }
    const ElementTable::Element& written = elements_.element(element);
    if (written.writer == transaction) {
      own_write(transaction, micro);  // before it wrote it
      return false;
    }
    if (is_failed(written.writer)) {
      if (anomalies_.count("G1a")) {
        anomalies_.explain(
            "G1a", fmt::format("a read of key {} shows what a transaction wrote that failed", key),
            {anomalies_.part(written.writer, "failed"), anomalies_.part(transaction, "reader")});
      }
      return false;
    }
    if (!written.is_final && anomalies_.count("G1b")) {
      anomalies_.explain(
          "G1b",
          fmt::format(
              "a read of key {} shows what a transaction wrote in between, and not its last "
              "write",
              key),
          {anomalies_.part(written.writer, "writer"), anomalies_.part(transaction, "reader")});
    }
    graph_.add(written.writer, transaction, EdgeKind::wr, micro.key);
    is_shown_[written.writer] = true;
    std::vector<std::uint32_t>& readers = versions_[element].readers;
    if (readers.empty() || readers.back() != transaction) readers.push_back(transaction);
    return true;
  }

  void update(std::uint32_t transaction, std::uint32_t key, const Seen& seen) {
    std::uint32_t first = kNone;
    if (seen.element == kNone) {
      first = keys_[key].initial_updater;
      if (first == kNone) keys_[key].initial_updater = transaction;
    } else {
      std::vector<std::uint32_t>& updaters = versions_[seen.element].updaters;
      if (!updaters.empty()) first = updaters.front();
      updaters.push_back(transaction);
    }
    if (first == kNone || !anomalies_.count("lost-update")) return;
    anomalies_.explain("lost-update",
                       fmt::format("two transactions read the same version of key {} and both "
                                   "wrote it",
                                   anomalies_.key_name(key)),
                       {anomalies_.part(first, "T1"), anomalies_.part(transaction, "T2")});
  }

  /// Who wrote this version also wrote other keys: the reader sees these writes, or later ones.
  void look_for_halves(std::uint32_t transaction, std::uint32_t element, std::uint32_t key) {
    const std::uint32_t writer = elements_.element(element).writer;
    for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[writer])) {
      const Seen& seen = seen_[micro.key];
      if (micro.is_read || seen.transaction != transaction || !seen.is_known) continue;
      if (seen.element != kNone) {
        const std::uint32_t other = elements_.element(seen.element).writer;
        if (other == writer) continue;
        graph_.add(writer, other, EdgeKind::atomic, micro.key);
        // Who reads the earlier version of the two comes before the other one's writer.
        const std::uint32_t earlier = elements_.find(micro.key, micro.value);
        if (elements_.element(earlier).is_final) versions_[earlier].later.push_back(other);
        continue;
      }
      if (!anomalies_.count("fractured-read")) continue;
      anomalies_.explain(
          "fractured-read",
          fmt::format("a transaction sees what another one wrote to key {} and not what the same "
                      "one wrote to key {}",
                      anomalies_.key_name(key), anomalies_.key_name(micro.key)),
          {anomalies_.part(writer, "writer"), anomalies_.part(transaction, "reader")});
    }
  }

  void list_writes(std::uint32_t transaction) {
    for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[transaction])) {
      if (micro.is_read) continue;
      const std::uint32_t element = elements_.find(micro.key, micro.value);
      versions_[element].key = micro.key;
      if (!happened(transaction) || !elements_.element(element).is_final) continue;
      keys_[micro.key].writers.push_back(transaction);
      keys_[micro.key].elements.push_back(element);
    }
  }

  /// Who read the version comes before whoever wrote a later one. A few of these are enough to name
  /// what is wrong; two that updated the same version are in a cycle already.
  void add_edges_of_version(std::uint32_t element) {
    constexpr std::size_t kLaterMax = 4;
    Version& version = versions_[element];
    std::vector<std::uint32_t>& later = version.later;
    std::sort(later.begin(), later.end());
    later.erase(std::unique(later.begin(), later.end()), later.end());
    later.insert(later.begin(), version.updaters.begin(), version.updaters.end());
    if (later.size() > kLaterMax) later.resize(kLaterMax);
    for (const std::uint32_t writer : later) {
      for (const std::uint32_t reader : version.readers) {
        graph_.add(reader, writer, EdgeKind::rw, version.key);
      }
    }
  }

  /// The initial version comes before all others.
  void add_edges_of_initial(std::uint32_t number) {
    const Key& key = keys_[number];
    Fan fan(graph_, key.writers, DependencyGraph::Leads::to_commit);
    for (const std::uint32_t reader : key.initial_readers) {
      fan.add(reader, EdgeKind::rw, number);
    }
    if (key.writers.size() < 2) return;
    UnorderedKey& unordered = dependencies_.keys.emplace_back();
    unordered.key = number;
    for (std::size_t i = 0; i < key.writers.size(); ++i) {
      unordered.versions.push_back({key.writers[i], versions_[key.elements[i]].readers});
    }
  }

  const Transactions& transactions_;
  const ElementTable& elements_;
  Dependencies& dependencies_;
  DependencyGraph& graph_;
  Anomalies& anomalies_;
  std::vector<Key> keys_;
  std::vector<Seen> seen_;
  std::vector<Version> versions_;
  std::vector<bool> is_shown_;  ///< transactions of which a read shows something
  std::vector<std::uint32_t> touched_;
};

}  // namespace

void find_rw_register_dependencies(const Transactions& transactions, const ElementTable& elements,
                                   Dependencies& dependencies, Anomalies& anomalies) {
  RwRegister(transactions, elements, dependencies, anomalies).run();
}

}  // namespace dissensus::history
