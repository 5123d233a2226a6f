// What the two checkers of transactions share: the history they look at, the graph they build, and
// what they found on the way.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "history/dependency_graph.h"
#include "history/transactions.h"
#include "history/verdict.h"

namespace dissensus::history {

/// Anomalies that are seen without a cycle: one example each, and how many there are.
class Anomalies {
 public:
  Anomalies(const History& history, const std::vector<Operation>& operations,
            const Transactions& transactions)
      : history_(history), operations_(operations), transactions_(transactions) {}

  /// True for the first one of a name: then explain it.
  bool count(const std::string& name);
  void explain(const std::string& name, std::string text, std::vector<Part> parts,
               std::vector<Link> links = {});
  std::vector<Finding> take();

  std::string describe_transaction(std::uint32_t transaction) const;
  std::string key_name(std::uint32_t key) const;
  Part part(std::uint32_t transaction, std::string text = {}) const;
  std::uint32_t operation_of(std::uint32_t transaction) const {
    return transactions_.all[transaction].operation;
  }

 private:
  const History& history_;
  const std::vector<Operation>& operations_;
  const Transactions& transactions_;
  std::map<std::string, Finding> findings_;
};

/// Fill the graph with ww, wr and rw edges, and report what is wrong without a cycle.
void add_list_append_edges(const Transactions& transactions, const ElementTable& elements,
                           DependencyGraph& graph, Anomalies& anomalies);
void add_rw_register_edges(const Transactions& transactions, const ElementTable& elements,
                           DependencyGraph& graph, Anomalies& anomalies);

}  // namespace dissensus::history
