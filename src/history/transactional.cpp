#include "history/transactional.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "history/anomalies.h"
#include "history/cycle_search.h"
#include "history/describe.h"
#include "history/index.h"

namespace dissensus::history {

bool Anomalies::count(const std::string& name) {
  const auto [found, is_first] = findings_.try_emplace(name);
  if (!is_first) ++found->second.count;
  return is_first;
}

void Anomalies::explain(const std::string& name, std::string text, std::vector<Part> parts,
                        std::vector<Link> links) {
  Finding& finding = findings_[name];
  finding.name = name;
  finding.text = std::move(text);
  finding.parts = std::move(parts);
  finding.links = std::move(links);
}

std::vector<Finding> Anomalies::take() {
  std::vector<Finding> result;
  for (auto& [name, finding] : findings_) result.push_back(std::move(finding));
  findings_.clear();
  return result;
}

std::string Anomalies::describe_transaction(std::uint32_t transaction) const {
  return describe(history_, operations_[operation_of(transaction)]);
}

std::string Anomalies::key_name(std::uint32_t key) const {
  return to_string(transactions_.keys.value(key), 40);
}

Part Anomalies::part(std::uint32_t transaction, std::string text) const {
  Part result;
  result.operation = operation_of(transaction);
  result.text = std::move(text);
  result.is_conflict = true;
  return result;
}

namespace {

/// The order of clients and of real time, for transactions that committed. One that may have
/// committed comes after what was answered before it; nothing comes after it.
void add_order_edges(const History& history, const std::vector<Operation>& operations,
                     const Transactions& transactions, DependencyGraph& graph) {
  std::vector<std::uint32_t> answered(history.events().size(), kNone);
  std::vector<std::uint32_t> invoked(history.events().size(), kNone);
  for (std::uint32_t i = 0; i < transactions.all.size(); ++i) {
    const Transaction& transaction = transactions.all[i];
    const Operation& operation = operations[transaction.operation];
    if (transaction.outcome == EventKind::fail) continue;
    invoked[operation.invoked] = i;
    if (transaction.outcome == EventKind::ok) answered[operation.completed] = i;
  }
  std::unordered_map<std::int64_t, std::uint32_t> last_of_process;
  std::uint32_t last_answer = kNone;
  for (std::uint32_t event = 0; event < answered.size(); ++event) {
    if (const std::uint32_t i = invoked[event]; i != kNone) {
      if (last_answer != kNone) graph.add(last_answer, i, EdgeKind::pass);
      const auto before = last_of_process.find(history.events()[event].process);
      if (before != last_of_process.end()) graph.add(before->second, i, EdgeKind::process);
    }
    if (const std::uint32_t i = answered[event]; i != kNone) {
      last_of_process[history.events()[event].process] = i;
      const std::uint32_t node = graph.add_passing_node();
      graph.add(i, node, EdgeKind::real_time);
      if (last_answer != kNone) graph.add(last_answer, node, EdgeKind::pass);
      last_answer = node;
    }
  }
}

std::string_view label_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::ww:
      return "ww";
    case EdgeKind::wr:
      return "wr";
    case EdgeKind::rw:
      return "rw";
    case EdgeKind::process:
      return "process";
    case EdgeKind::real_time:
    case EdgeKind::pass:
      break;
  }
  return "real-time";
}

/// `from` and `to` are the names of its two ends.
std::string reason_of(const Edge& edge, const std::string& from, const std::string& to,
                      const Anomalies& anomalies) {
  switch (edge.kind) {
    case EdgeKind::ww:
      return fmt::format("{} wrote key {} before {}", from, anomalies.key_name(edge.key), to);
    case EdgeKind::wr:
      return fmt::format("{} wrote what {} read of key {}", from, to, anomalies.key_name(edge.key));
    case EdgeKind::rw:
      return fmt::format("{} did not see what {} wrote to key {}", from, to,
                         anomalies.key_name(edge.key));
    case EdgeKind::process:
      return fmt::format("{} came before {} in the same process", from, to);
    case EdgeKind::real_time:
    case EdgeKind::pass:
      break;
  }
  return fmt::format("{} was answered before {} was invoked", from, to);
}

Finding finding_of(const CycleReport::Kind& kind, const Anomalies& anomalies) {
  Finding finding;
  finding.name = kind.shortest.name;
  finding.count = kind.components;
  const std::vector<Edge>& edges = kind.shortest.edges;
  finding.text = fmt::format("a cycle of {} transactions: ", edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::string from = fmt::format("T{}", i + 1);
    const std::string to = fmt::format("T{}", (i + 1) % edges.size() + 1);
    const std::string reason = reason_of(edges[i], from, to, anomalies);
    finding.text += fmt::format("{}{} ({})", i == 0 ? "" : "; ", reason, label_of(edges[i].kind));
    finding.parts.push_back(anomalies.part(edges[i].from, from));
    finding.links.push_back({anomalies.operation_of(edges[i].from),
                             anomalies.operation_of(edges[i].to),
                             std::string(label_of(edges[i].kind)), reason});
  }
  return finding;
}

std::string names_of(const std::vector<Isolation>& levels) {
  if (levels.empty()) return "none";
  std::string text;
  for (const Isolation level : levels) {
    if (!text.empty()) text += ", ";
    text += to_string(level);
  }
  return text;
}

}  // namespace

Verdict check_transactions(const History& history, const std::vector<Operation>& operations,
                           TransactionKind kind, const TransactionOptions& options) {
  const Transactions transactions = transactions_of(history, operations, kind);
  const ElementTable elements(history, operations, transactions);
  DependencyGraph graph(static_cast<std::uint32_t>(transactions.all.size()));
  Anomalies anomalies(history, operations, transactions);
  if (kind == TransactionKind::list_append) {
    add_list_append_edges(transactions, elements, graph, anomalies);
  } else {
    add_rw_register_edges(transactions, elements, graph, anomalies);
  }
  const std::size_t data_edges = graph.edge_count();
  add_order_edges(history, operations, transactions, graph);

  Verdict verdict;
  verdict.outcome = Outcome::pass;
  verdict.figures = {{"transactions", fmt::to_string(transactions.all.size())},
                     {"keys", fmt::to_string(transactions.keys.size())},
                     {"dependencies", fmt::to_string(data_edges)}};
  if (graph.memory_bytes() > options.limits.memory_bytes) {
    verdict.outcome = Outcome::unknown;
    verdict.reason =
        fmt::format("the dependency graph needs more than {} bytes", options.limits.memory_bytes);
    return verdict;
  }
  graph.finish();
  Work work(options.limits);
  const CycleReport cycles = find_cycles(graph, work);
  for (const auto& [name, cycle] : cycles.kinds) {
    verdict.findings.push_back(finding_of(cycle, anomalies));
  }
  for (Finding& finding : anomalies.take()) verdict.findings.push_back(std::move(finding));

  ExcludedLevels excluded;
  for (const Finding& finding : verdict.findings) excluded.add(finding.name);
  verdict.figures.emplace_back("cyclic components", fmt::to_string(cycles.cyclic_components));
  verdict.figures.emplace_back("promised", to_string(options.promised));
  verdict.figures.emplace_back("weakest level excluded", names_of(excluded.weakest_excluded()));
  verdict.figures.emplace_back("strongest level left", names_of(excluded.strongest_left()));
  if (excluded.is_excluded(options.promised)) {
    verdict.outcome = Outcome::fail;
  } else if (!cycles.is_complete) {
    verdict.outcome = Outcome::unknown;
  }
  if (!cycles.is_complete) {
    verdict.reason =
        fmt::format("there are cycles, and not all kinds were looked for within {} steps",
                    options.limits.steps);
  }
  return verdict;
}

}  // namespace dissensus::history
