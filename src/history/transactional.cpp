#include "history/transactional.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "history/anomalies.h"
#include "history/cycle_search.h"
#include "history/describe.h"
#include "history/index.h"
#include "history/order_search.h"
#include "history/version_orders.h"

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

void Fan::add(std::uint32_t from, EdgeKind kind, std::uint32_t key) {
  constexpr std::size_t kFew = 4;
  if (targets_.size() <= kFew) {
    for (const std::uint32_t target : targets_) graph_.add(from, target, kind, key);
    return;
  }
  if (from_.empty()) prepare();
  const auto place =
      static_cast<std::size_t>(std::ranges::lower_bound(targets_, from) - targets_.begin());
  const bool is_target = place < targets_.size() && targets_[place] == from;
  if (!is_target) {
    graph_.add(from, from_[0], kind, key);
    return;
  }
  if (place > 0) graph_.add(from, up_to_[place - 1], kind, key);
  if (place + 1 < targets_.size()) graph_.add(from, from_[place + 1], kind, key);
}

void Fan::prepare() {
  const std::size_t count = targets_.size();
  for (std::size_t i = 0; i < count; ++i) {
    up_to_.push_back(graph_.add_passing_node(leads_));
    from_.push_back(graph_.add_passing_node(leads_));
  }
  for (std::size_t i = 0; i < count; ++i) {
    graph_.add(up_to_[i], targets_[i], EdgeKind::pass);
    graph_.add(from_[i], targets_[i], EdgeKind::pass);
    if (i > 0) graph_.add(up_to_[i], up_to_[i - 1], EdgeKind::pass);
    if (i + 1 < count) graph_.add(from_[i], from_[i + 1], EdgeKind::pass);
  }
}

namespace {

/// The order of clients and of real time, for transactions that committed. One that may have
/// committed comes after what was answered before it; nothing comes after it.
void add_order_edges(const History& history, const std::vector<Operation>& operations,
                     const Transactions& transactions, Dependencies& dependencies) {
  DependencyGraph& graph = dependencies.graph;
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
      dependencies.answers.push_back(node);
      graph.add(i, node, EdgeKind::real_time);
      if (last_answer != kNone) graph.add(last_answer, node, EdgeKind::pass);
      last_answer = node;
    }
  }
}

std::string_view label_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::ww:
    case EdgeKind::atomic:
    case EdgeKind::ww_process:
    case EdgeKind::ww_real_time:
      return "ww";
    case EdgeKind::wr:
      return "wr";
    case EdgeKind::rw:
    case EdgeKind::rw_process:
    case EdgeKind::rw_real_time:
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
  const auto on_key = [&](std::string_view text) {
    const std::string key = anomalies.key_name(edge.key);
    return fmt::format(fmt::runtime(text), fmt::arg("from", from), fmt::arg("to", to),
                       fmt::arg("key", key));
  };
  switch (edge.kind) {
    case EdgeKind::ww:
      return on_key("{from} wrote key {key} before {to}");
    case EdgeKind::wr:
      return on_key("{from} wrote what {to} read of key {key}");
    case EdgeKind::rw:
      return on_key("{from} did not see what {to} wrote to key {key}");
    case EdgeKind::atomic:
      return on_key("{from} wrote key {key} before {to}, since somebody saw {from} and read {to}");
    case EdgeKind::process:
      return fmt::format("{} came before {} in the same process", from, to);
    case EdgeKind::ww_process:
      return on_key(
          "{from} wrote key {key} before {to}, in the order in which a process used both");
    case EdgeKind::rw_process:
      return on_key("{from} did not see what {to} wrote to key {key}, which a process used later");
    case EdgeKind::ww_real_time:
      return on_key("{from} wrote key {key} before {to}, which was in use later");
    case EdgeKind::rw_real_time:
      return on_key("{from} did not see what {to} wrote to key {key}, which was in use later");
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

/// Decides levels one by one.
class Levels {
 public:
  Levels(const History& history, const std::vector<Operation>& operations,
         const Transactions& transactions, TransactionKind kind, const Dependencies& dependencies)
      : dependencies_(dependencies), kind_(kind) {
    const auto events = static_cast<std::uint32_t>(history.events().size());
    for (const Transaction& transaction : transactions.all) {
      const Operation& operation = operations[transaction.operation];
      const bool is_ok = transaction.outcome == EventKind::ok;
      priorities_.push_back(is_ok ? operation.completed : events + operation.invoked);
    }
  }

  /// Whether dependencies leave an order; what is wrong without them is not looked at.
  OrderResult decide(Isolation level, Work& work) const {
    constexpr EdgeMask kWritten = mask_of(EdgeKind::ww) | mask_of(EdgeKind::pass);
    constexpr EdgeMask kCommitted = kWritten | mask_of(EdgeKind::wr);
    constexpr EdgeMask kAtomicReads = kCommitted | mask_of(EdgeKind::atomic);
    constexpr EdgeMask kData = kAtomicReads | mask_of(EdgeKind::rw);
    constexpr EdgeMask kSessions = kData | mask_of(EdgeKind::process) |
                                   mask_of(EdgeKind::ww_process) | mask_of(EdgeKind::rw_process);
    constexpr EdgeMask kRealTime = kSessions | mask_of(EdgeKind::real_time) |
                                   mask_of(EdgeKind::ww_real_time) |
                                   mask_of(EdgeKind::rw_real_time);
    OrderProblem problem;
    problem.graph = &dependencies_.graph;
    problem.priorities = priorities_;
    switch (level) {
      case Isolation::read_uncommitted:
        problem.graph = &dependencies_.acknowledged;
        problem.mask = kWritten;
        return find_order(problem, work);
      case Isolation::read_committed:
        problem.mask = kCommitted;
        return find_order(problem, work);
      case Isolation::read_atomic:
        problem.mask = kAtomicReads;
        return find_order(problem, work);
      case Isolation::snapshot_isolation:
      case Isolation::strong_session_snapshot_isolation:
      case Isolation::strong_snapshot_isolation:
        problem.has_snapshots = true;
        break;
      // Without predicates, repeatable reads are all that serializability asks for.
      case Isolation::repeatable_read:
      case Isolation::serializable:
      case Isolation::strong_session_serializable:
      case Isolation::strict_serializable:
        break;
    }
    const bool is_session = level == Isolation::strong_session_snapshot_isolation ||
                            level == Isolation::strong_session_serializable;
    const bool is_real_time =
        level == Isolation::strong_snapshot_isolation || level == Isolation::strict_serializable;
    problem.mask = is_real_time ? kRealTime : is_session ? kSessions : kData;
    if (is_real_time) problem.chain = dependencies_.answers;
    // Appends that nobody read can be in any order, unless two must not overlap.
    if (kind_ == TransactionKind::rw_register || problem.has_snapshots) {
      problem.keys = dependencies_.keys;
    }
    return find_order(problem, work);
  }

 private:
  const Dependencies& dependencies_;
  const TransactionKind kind_;
  std::vector<std::uint32_t> priorities_;
};

bool is_weaker(Isolation weak, Isolation strong) {
  ExcludedLevels excluded;
  excluded.add(weak);
  return excluded.is_excluded(strong);
}

/// What is known of each level.
struct LevelTable {
  ExcludedLevels excluded;
  bool is_left[kIsolationLevels] = {};  ///< an order was found

  bool is_open(Isolation level) const {
    return !excluded.is_excluded(level) && !is_left[static_cast<std::size_t>(level)];
  }
  void take(Isolation level, Outcome outcome) {
    if (outcome == Outcome::fail) excluded.add(level);
    for (std::size_t i = 0; i < kIsolationLevels; ++i) {
      const auto weak = static_cast<Isolation>(i);
      if (outcome == Outcome::pass && is_weaker(weak, level)) is_left[i] = true;
    }
    if (excluded.is_excluded(Isolation::serializable)) excluded.add(Isolation::repeatable_read);
  }
};

/// Adya's G0 is about transactions that committed. That an unanswered one did is known from reads,
/// and so from the level that promises that these show what was committed.
std::string name_in_findings(const Cycle& cycle, const Transactions& transactions,
                             bool excludes_read_uncommitted) {
  if (cycle.name != "G0") return cycle.name;
  const bool are_acknowledged = std::ranges::all_of(cycle.edges, [&](const Edge& edge) {
    return transactions.all[edge.from].outcome == EventKind::ok;
  });
  return are_acknowledged && excludes_read_uncommitted ? "G0" : "G1c";
}

Finding no_order(Isolation level, const OrderResult& result, const Anomalies& anomalies) {
  Finding finding;
  finding.name = "no-order";
  finding.text =
      fmt::format("{}: no order of the transactions explains what they read", to_string(level));
  if (!result.conflict.empty()) {
    finding.text +=
        fmt::format("; whichever of T1 and T2 wrote key {} first, some read is impossible",
                    anomalies.key_name(result.key));
  }
  for (std::size_t i = 0; i < result.conflict.size(); ++i) {
    finding.parts.push_back(anomalies.part(result.conflict[i], fmt::format("T{}", i + 1)));
  }
  return finding;
}

}  // namespace

Verdict check_transactions(const History& history, const std::vector<Operation>& operations,
                           TransactionKind kind, const TransactionOptions& options) {
  const Transactions transactions = transactions_of(history, operations, kind);
  const ElementTable elements(history, operations, transactions);
  Dependencies dependencies(static_cast<std::uint32_t>(transactions.all.size()));
  DependencyGraph& graph = dependencies.graph;
  Anomalies anomalies(history, operations, transactions);
  if (kind == TransactionKind::list_append) {
    find_list_append_dependencies(transactions, elements, dependencies, anomalies);
  } else {
    find_rw_register_dependencies(transactions, elements, dependencies, anomalies);
  }
  const std::size_t data_edges = graph.edge_count();
  if (kind == TransactionKind::rw_register) {
    add_version_orders(history, operations, transactions, dependencies);
  }
  add_order_edges(history, operations, transactions, dependencies);

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
  dependencies.acknowledged.finish();
  Work work(options.limits);
  const Levels levels(history, operations, transactions, kind, dependencies);
  LevelTable table;
  table.take(Isolation::read_uncommitted, levels.decide(Isolation::read_uncommitted, work).outcome);

  const CycleReport cycles = find_cycles(graph, work);
  for (const auto& [name, cycle] : cycles.kinds) {
    Finding finding = finding_of(cycle, anomalies);
    finding.name = name_in_findings(cycle.shortest, transactions,
                                    table.excluded.is_excluded(Isolation::read_uncommitted));
    const auto same = std::ranges::find(verdict.findings, finding.name, &Finding::name);
    if (same == verdict.findings.end()) verdict.findings.push_back(std::move(finding));
  }
  for (Finding& finding : anomalies.take()) verdict.findings.push_back(std::move(finding));
  ExcludedLevels explained;
  for (const Finding& finding : verdict.findings) {
    explained.add(finding.name);
    table.excluded.add(finding.name);
  }

  OrderResult promised;
  if (table.is_open(options.promised)) {
    promised = levels.decide(options.promised, work);
    table.take(options.promised, promised.outcome);
  }
  // The others are told, too, as far as that is cheap: the strongest first, which decides the rest.
  constexpr std::uint64_t kStepsForOthers = 100'000'000;
  CheckLimits limits = options.limits;
  limits.steps = std::min(limits.steps - std::min(limits.steps, work.steps()), kStepsForOthers);
  std::vector<Isolation> undecided;
  for (std::size_t i = kIsolationLevels; i-- > 0;) {
    const auto level = static_cast<Isolation>(i);
    if (!table.is_open(level) || level == options.promised) continue;
    Work for_others(limits);
    table.take(level, levels.decide(level, for_others).outcome);
  }
  for (std::size_t i = 0; i < kIsolationLevels; ++i) {
    if (table.is_open(static_cast<Isolation>(i))) undecided.push_back(static_cast<Isolation>(i));
  }

  verdict.figures.emplace_back("cyclic components", fmt::to_string(cycles.cyclic_components));
  verdict.figures.emplace_back("promised", to_string(options.promised));
  verdict.figures.emplace_back("weakest level excluded",
                               names_of(table.excluded.weakest_excluded()));
  verdict.figures.emplace_back("strongest level left", names_of(table.excluded.strongest_left()));
  if (!undecided.empty()) verdict.figures.emplace_back("not decided", names_of(undecided));
  if (table.excluded.is_excluded(options.promised)) {
    verdict.outcome = Outcome::fail;
    if (!explained.is_excluded(options.promised)) {
      verdict.findings.push_back(no_order(options.promised, promised, anomalies));
    }
  } else if (table.is_open(options.promised)) {
    verdict.outcome = Outcome::unknown;
    verdict.reason = promised.reason;
  } else if (std::ranges::none_of(transactions.micros, &MicroOperation::is_read)) {
    // Only reads of acknowledged transactions are known.
    verdict.outcome = Outcome::unknown;
    verdict.reason = "no transaction with a read was acknowledged: nothing was checked";
  }
  return verdict;
}

}  // namespace dissensus::history
