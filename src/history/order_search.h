// Is there an order of transactions in which they would have read what they read?
//
// Dependencies that are known are edges, and a cycle of them says no. Where the order of the
// versions of a key is not known, each two of them are in one order or the other, and whoever reads
// the earlier one comes before the writer of the later one. Whether these choices can be made
// without a cycle is a hard problem in general, so that the search works in three steps:
//
//   1. edges alone: a cycle is an answer, and so is an order where nothing is to be chosen. Where
//      real time counts, it decides between most versions: what leads to an answer comes before
//      what follows from a later invocation;
//   2. transactions are placed one after another as a store would carry them out; where that gets
//      stuck, the writer that came too early goes behind the one that had to wait, and on it goes
//      from there. An order that is found this way is a proof;
//   3. small problems: all choices, with what follows from each.
//
// What none of them decides within its share of the steps is unknown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "history/anomalies.h"
#include "history/dependency_graph.h"
#include "history/verdict.h"

namespace dissensus::history {

struct OrderProblem {
  const DependencyGraph* graph = nullptr;  ///< finished
  EdgeMask mask = 0;                       ///< of the edges that count
  /// false: a transaction is one moment. true: it reads at its beginning, writes at its commit, and
  /// of two that write the same key one commits before the other begins.
  bool has_snapshots = false;
  std::span<const UnorderedKey> keys;
  /// Nodes in one chain of which each transaction that was answered leads to one and each that was
  /// invoked later comes after one: the answers, where real time counts.
  std::span<const std::uint32_t> chain;
  /// By transaction: which ones to try first. Any numbers will do; good ones save work.
  std::span<const std::uint32_t> priorities;
};

struct OrderResult {
  Outcome outcome = Outcome::unknown;  ///< pass: there is an order. fail: there is none
  std::string reason;                  ///< of unknown
  /// Of fail: two writers of a key of which neither can be first, if it is as simple as that.
  std::vector<std::uint32_t> conflict;
  std::uint32_t key = 0;
};

OrderResult find_order(const OrderProblem& problem, Work& work);

}  // namespace dissensus::history
