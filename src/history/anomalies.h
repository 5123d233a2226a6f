// What the two checkers of transactions share: the history they look at, the dependencies they
// find, and what they saw on the way.
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

/// A key whose versions are in no known order. Readers saw the version from outside: they had not
/// written the key before.
struct UnorderedKey {
  struct Version {
    std::uint32_t writer = 0;
    std::vector<std::uint32_t> readers;
  };
  std::uint32_t key = 0;
  std::vector<Version> versions;
};

/// What follows from reads and writes alone, whatever the level is.
///
/// Transactions that happened are those that committed, and unanswered ones of which a committed
/// one read something. Any other unanswered one can be left out: nobody saw it.
struct Dependencies {
  explicit Dependencies(std::uint32_t transactions)
      : graph(transactions), acknowledged(transactions) {}

  DependencyGraph graph;
  /// ww between acknowledged transactions alone, of keys whose reads do not contradict each other:
  /// where dirty reads are allowed, a read does not tell that an unanswered transaction committed.
  DependencyGraph acknowledged;
  std::vector<UnorderedKey> keys;
  std::vector<std::uint32_t> answers;  ///< nodes of the chain of answers
};

void find_list_append_dependencies(const Transactions& transactions, const ElementTable& elements,
                                   Dependencies& dependencies, Anomalies& anomalies);
void find_rw_register_dependencies(const Transactions& transactions, const ElementTable& elements,
                                   Dependencies& dependencies, Anomalies& anomalies);

/// Edges to many transactions through nodes that are passed: to all of them, or to all but one.
class Fan {
 public:
  Fan(DependencyGraph& graph, const std::vector<std::uint32_t>& targets,
      DependencyGraph::Leads leads)
      : graph_(graph), targets_(targets), leads_(leads) {}
  /// `from` may be one of the targets, which are in ascending order.
  void add(std::uint32_t from, EdgeKind kind, std::uint32_t key);

 private:
  void prepare();
  DependencyGraph& graph_;
  const std::vector<std::uint32_t>& targets_;
  DependencyGraph::Leads leads_;
  std::vector<std::uint32_t> up_to_;  ///< node that leads to this target and those before it
  std::vector<std::uint32_t> from_;   ///< node that leads to this target and those behind it
};

}  // namespace dissensus::history
