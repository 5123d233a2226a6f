#include "history/linearizability.h"

#include <algorithm>

#include <fmt/format.h>

#include "history/describe.h"
#include "history/linear_objects.h"

namespace dissensus::history {

namespace {

constexpr std::size_t kFindingsMax = 20;
constexpr std::size_t kOrderShown = 12;  ///< of what was placed before the search got stuck

/// Operations that are open while another one is, as indices into the object.
std::vector<std::uint32_t> overlapping(const LinearObject& object, std::uint32_t stuck) {
  std::vector<std::uint32_t> open;
  bool is_stuck_open = false;
  for (const LinearObject::Moment& moment : object.moments) {
    if (moment.index == stuck) {
      if (moment.is_answer) break;
      is_stuck_open = true;
    } else if (!moment.is_answer) {
      open.push_back(moment.index);
    } else if (!is_stuck_open) {
      std::erase(open, moment.index);
    }
  }
  return open;
}

class Explainer {
 public:
  Explainer(const History& history, const std::vector<Operation>& operations,
            const LinearProblem& problem)
      : history_(history), operations_(operations), problem_(problem) {}

  Finding explain(std::uint32_t number, const LinearResult& result) const {
    const LinearObject& object = problem_.objects[number];
    const std::uint32_t stuck = object.operations[result.stuck].operation;
    Finding finding;
    finding.name = "not linearizable";
    const Value name = problem_.names.value(number);
    const std::string where = name.is_nil() ? "" : fmt::format("object {}: ", to_string(name, 40));
    const std::size_t answered = static_cast<std::size_t>(std::ranges::count_if(
        object.operations, [](const LinearObject::Operation& op) { return op.is_answered; }));
    const std::size_t placed = static_cast<std::size_t>(std::ranges::count_if(
        result.order, [&](std::uint32_t op) { return object.operations[op].is_answered; }));
    finding.text = fmt::format(
        "{}{} cannot be placed. The longest order found has {} of {} answered operations and ends "
        "in state {}",
        where, describe(history_, operations_[stuck]), placed, answered,
        problem_.states->name_after(object, result.order, result.state));
    add_parts(finding, object, result);
    return finding;
  }

 private:
  void add_parts(Finding& finding, const LinearObject& object, const LinearResult& result) const {
    const std::vector<std::uint32_t>& order = result.order;
    const std::size_t first = order.size() - std::min(order.size(), kOrderShown);
    std::vector<bool> is_shown(object.operations.size());
    const auto changed = std::find_if(order.rbegin(), order.rend(), [&](std::uint32_t op) {
      return !object.operations[op].step.is_pure;
    });
    for (std::size_t i = first; i < order.size(); ++i) {
      Part part;
      part.operation = object.operations[order[i]].operation;
      part.order = static_cast<std::uint32_t>(i + 1);
      if (changed != order.rend() && *changed == order[i]) {
        part.text = "the last change before it";
        part.is_conflict = true;
      }
      finding.parts.push_back(part);
      is_shown[order[i]] = true;
    }
    is_shown[result.stuck] = true;
    finding.parts.push_back({object.operations[result.stuck].operation,
                             fmt::format("impossible in state {}",
                                         problem_.states->name_after(object, order, result.state)),
                             true});
    std::vector<std::uint32_t> places(object.operations.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      places[order[i]] = static_cast<std::uint32_t>(i + 1);
    }
    for (const std::uint32_t op : overlapping(object, result.stuck)) {
      if (is_shown[op]) continue;
      finding.parts.push_back({object.operations[op].operation, {}, false, places[op]});
    }
  }

  const History& history_;
  const std::vector<Operation>& operations_;
  const LinearProblem& problem_;
};

Verdict check(const History& history, const std::vector<Operation>& operations,
              LinearProblem& problem, const CheckLimits& limits) {
  Verdict verdict;
  Work work(limits);
  LinearSearch search;
  std::size_t counted = 0;
  std::size_t failed = 0;
  std::size_t unknown = 0;
  bool is_memory = false;
  for (std::uint32_t number = 0; number < problem.objects.size(); ++number) {
    counted += problem.objects[number].operations.size();
    const LinearResult result = search.run(problem.objects[number], problem.machine.get(), work);
    if (result.outcome == Outcome::unknown) ++unknown;
    is_memory = is_memory || result.memory_exhausted;
    if (result.outcome != Outcome::fail) continue;
    ++failed;
    if (verdict.findings.size() == kFindingsMax) continue;
    verdict.findings.push_back(Explainer(history, operations, problem).explain(number, result));
  }
  for (Finding& finding : verdict.findings) finding.count = failed;
  verdict.figures = {{"operations", fmt::to_string(counted)},
                     {"objects", fmt::to_string(problem.objects.size())},
                     {"steps", fmt::to_string(work.steps())}};
  if (failed > 0) {
    verdict.figures.insert(verdict.figures.begin() + 2,
                           {"objects that fail", fmt::to_string(failed)});
  }
  verdict.outcome = failed > 0 ? Outcome::fail : (unknown > 0 ? Outcome::unknown : Outcome::pass);
  if (unknown > 0) {
    verdict.reason = fmt::format(
        "{} of {} objects: {}", unknown, problem.objects.size(),
        is_memory ? fmt::format("the search used all {} bytes of memory that it may use",
                                limits.memory_bytes)
                  : fmt::format("the search took all {} steps that it may take", limits.steps));
  }
  if (failed > 0 && !problem.open_reason.empty()) {
    verdict.outcome = Outcome::unknown;
    verdict.reason = problem.open_reason;
  }
  return verdict;
}

}  // namespace

Verdict check_linearizable(const History& history, const std::vector<Operation>& operations,
                           LinearKind kind, const LinearOptions& options) {
  LinearProblem problem;
  switch (kind) {
    case LinearKind::single_register:
    case LinearKind::key_value:
      problem = register_problem(history, operations, kind == LinearKind::key_value, options);
      break;
    case LinearKind::queue:
    case LinearKind::bag:
      problem = queue_problem(history, operations, kind == LinearKind::queue);
      break;
    case LinearKind::set:
      problem = set_problem(history, operations);
      break;
    case LinearKind::mutex:
      problem = mutex_problem(history, operations);
      break;
  }
  return check(history, operations, problem, options.limits);
}

Verdict check_linearizable(const History& history, const std::vector<Operation>& operations,
                           const Model& model, const CheckLimits& limits) {
  LinearProblem problem = model_problem(history, operations, model);
  return check(history, operations, problem, limits);
}

}  // namespace dissensus::history
