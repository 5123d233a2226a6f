// Registers that transactions write and read. A read shows one version and not those before it, so
// that less of their order is known than for lists: a version comes after the one that its writer
// had read, and after the initial one. If the store is serializable, both are so; a contradiction
// therefore shows that it is not.
#include <fmt/format.h>

#include "history/anomalies.h"
#include "history/index.h"

namespace dissensus::history {

namespace {

class RwRegister {
 public:
  RwRegister(const Transactions& transactions, const ElementTable& elements, DependencyGraph& graph,
             Anomalies& anomalies)
      : transactions_(transactions),
        elements_(elements),
        graph_(graph),
        anomalies_(anomalies),
        keys_(transactions.keys.size()),
        seen_(transactions.keys.size()),
        versions_(elements.size()) {}

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
    std::vector<std::uint32_t> readers;
    std::uint32_t updater = kNone;  ///< who read it and wrote the next one
    std::uint32_t key = 0;
  };
  struct Key {
    std::vector<std::uint32_t> initial_readers;  ///< that did not write the key themselves
    std::uint32_t initial_updater = kNone;
    std::vector<std::uint32_t> writers;  ///< of final versions
  };
  struct Seen {
    std::uint32_t transaction = kNone;
    bool has_value = false;     ///< read or wrote
    bool has_external = false;  ///< read before it wrote
    bool has_written = false;
    std::uint32_t element = kNone;  ///< what it read at first; kNone: the initial value
    Value value;
  };

  bool is_failed(std::uint32_t transaction) const {
    return transactions_.all[transaction].outcome == EventKind::fail;
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
      if (micro.is_read && seen.has_value) {
        if (!(micro.value == seen.value)) internal(transaction, micro);
      } else if (micro.is_read) {
        seen.has_external = read(transaction, micro, seen);
      } else {
        seen.has_written = true;
      }
      seen.has_value = true;
      seen.value = micro.value;
    }
    for (const std::uint32_t key : touched_) {
      const Seen& seen = seen_[key];
      if (!seen.has_external) continue;
      if (seen.has_written) {
        update(transaction, key, seen);
      } else if (seen.element == kNone) {
        keys_[key].initial_readers.push_back(transaction);
      }
    }
  }

  void internal(std::uint32_t transaction, const MicroOperation& micro) {
    if (!anomalies_.count("internal")) return;
    anomalies_.explain("internal",
                       fmt::format("a read of key {} does not agree with what the same transaction "
                                   "read or wrote before",
                                   anomalies_.key_name(micro.key)),
                       {anomalies_.part(transaction)});
  }

  /// True where it is known which version was read.
  bool read(std::uint32_t transaction, const MicroOperation& micro, Seen& seen) {
    if (micro.value.is_nil()) return true;
    const std::string key = anomalies_.key_name(micro.key);
    const std::uint32_t element = elements_.find(micro.key, micro.value);
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
      // Read before it was written, by the same transaction.
      internal(transaction, micro);
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
    versions_[element].readers.push_back(transaction);
    seen.element = element;
    return true;
  }

  void update(std::uint32_t transaction, std::uint32_t key, const Seen& seen) {
    std::uint32_t& first =
        seen.element == kNone ? keys_[key].initial_updater : versions_[seen.element].updater;
    if (first == kNone) {
      first = transaction;
      return;
    }
    if (!anomalies_.count("lost-update")) return;
    anomalies_.explain("lost-update",
                       fmt::format("two transactions read the same version of key {} and both "
                                   "wrote it",
                                   anomalies_.key_name(key)),
                       {anomalies_.part(first, "T1"), anomalies_.part(transaction, "T2")});
  }

  /// Which versions follow the initial one: all that committed. What nobody saw of a transaction
  /// that may have failed counts for nothing.
  void list_writes(std::uint32_t transaction) {
    for (const MicroOperation& micro : transactions_.micros_of(transactions_.all[transaction])) {
      if (micro.is_read) continue;
      const std::uint32_t element = elements_.find(micro.key, micro.value);
      versions_[element].key = micro.key;
      const bool is_ok = transactions_.all[transaction].outcome == EventKind::ok;
      const bool is_seen = !versions_[element].readers.empty();
      if (is_failed(transaction) || !elements_.element(element).is_final) continue;
      if (is_ok || is_seen) keys_[micro.key].writers.push_back(transaction);
    }
  }

  void add_edges_of_version(std::uint32_t element) {
    const Version& version = versions_[element];
    if (version.updater == kNone) return;
    graph_.add(elements_.element(element).writer, version.updater, EdgeKind::ww, version.key);
    for (const std::uint32_t reader : version.readers) {
      graph_.add(reader, version.updater, EdgeKind::rw, version.key);
    }
  }

  /// The initial value comes before all others, and the version of who updated it before the rest.
  void add_edges_of_initial(std::uint32_t number) {
    const Key& key = keys_[number];
    if (key.initial_updater != kNone) {
      for (const std::uint32_t writer : key.writers) {
        graph_.add(key.initial_updater, writer, EdgeKind::ww, number);
      }
    }
    if (key.initial_readers.empty() || key.writers.empty()) return;
    const std::uint32_t node = graph_.add_passing_node();
    for (const std::uint32_t reader : key.initial_readers) {
      graph_.add(reader, node, EdgeKind::rw, number);
    }
    for (const std::uint32_t writer : key.writers) graph_.add(node, writer, EdgeKind::pass);
  }

  const Transactions& transactions_;
  const ElementTable& elements_;
  DependencyGraph& graph_;
  Anomalies& anomalies_;
  std::vector<Key> keys_;
  std::vector<Seen> seen_;
  std::vector<Version> versions_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace

void add_rw_register_edges(const Transactions& transactions, const ElementTable& elements,
                           DependencyGraph& graph, Anomalies& anomalies) {
  RwRegister(transactions, elements, graph, anomalies).run();
}

}  // namespace dissensus::history
