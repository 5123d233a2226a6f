#include "tla/liveness/fair_cycle.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/assert.h"
#include "tla/liveness/automaton.h"
#include "tla/liveness/product.h"

namespace dissensus::tla {

namespace {

constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

/// Reaches every node of the product breadth first, then looks at its strongly connected
/// components. A component that breaks a choice which it cannot meet is taken apart again without
/// the edges that break it (Emerson and Lei; Streett's condition).
class FairCycleSearch {
 public:
  FairCycleSearch(const Product& product, const FairCycleLimits& limits)
      : product_(product), limits_(limits) {}

  static std::uint64_t bytes_for(std::uint64_t nodes) { return nodes * 6 * sizeof(std::uint32_t); }

  FairCycleResult run() {
    FairCycleResult result;
    if (reach()) search();
    if (!cycle_nodes_.empty()) result.lasso = lasso();
    if (is_over_ && !result.lasso) result.limit = "the time for liveness is over";
    return result;
  }

 private:
  /// A set of nodes, all of one region, and the choices that its cycles must not break.
  struct Task {
    std::vector<std::uint32_t> nodes;
    std::vector<bool> forbidden;
  };

  bool is_over() {
    constexpr std::uint32_t kBetween = 1 << 16;
    if (++steps_ % kBetween == 0 && limits_.is_enough && limits_.is_enough()) is_over_ = true;
    return is_over_;
  }

  bool reach() {
    parent_.assign(product_.size(), kNoNode);
    position_.assign(product_.size(), kNoNode);
    const auto add = [this](std::uint32_t node, std::uint32_t parent) {
      if (position_[node] != kNoNode) return;
      position_[node] = static_cast<std::uint32_t>(order_.size());
      parent_[node] = parent;
      order_.push_back(node);
    };
    for (const std::uint32_t node : product_.initial()) add(node, kNoNode);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (is_over()) return false;
      const std::uint32_t node = order_[i];
      Product::Cursor cursor = product_.start(node);
      Product::Edge edge;
      while (product_.next(node, cursor, edge)) add(edge.target, node);
    }
    return true;
  }

  /// Of all components that will do, the one that is nearest is kept.
  void search() {
    if (order_.empty()) return;  // no initial state: there is no behaviour
    index_.assign(product_.size(), 0);
    low_.assign(product_.size(), 0);
    region_.assign(product_.size(), 0);
    for (const std::uint32_t node : order_) region_[node] = 1;
    regions_ = 1;
    tasks_.push_back({order_, std::vector<bool>(product_.choices(), false)});
    while (!tasks_.empty()) {
      const Task task = std::move(tasks_.back());
      tasks_.pop_back();
      find_components(task);
      if (is_over_) return;
    }
  }

  bool is_allowed(const Product::Edge& edge, const std::vector<bool>& forbidden) const {
    if (!product_.may_repeat(edge)) return false;
    for (std::size_t i = 0; i < forbidden.size(); ++i) {
      if (forbidden[i] && product_.breaks_choice(edge, i)) return false;
    }
    return true;
  }

  /// Tarjan's algorithm without recursion.
  void find_components(const Task& task) {
    const std::uint32_t region = region_[task.nodes.front()];
    for (const std::uint32_t node : task.nodes) index_[node] = 0;
    std::uint32_t visited = 0;
    std::vector<std::uint32_t> open;
    struct Visit {
      std::uint32_t node;
      Product::Cursor cursor;
    };
    std::vector<Visit> path;
    for (const std::uint32_t root : task.nodes) {
      if (index_[root] != 0 || region_[root] != region) continue;
      const auto enter = [&](std::uint32_t node) {
        index_[node] = low_[node] = ++visited;
        open.push_back(node);
        path.push_back({node, product_.start(node)});
      };
      enter(root);
      while (!path.empty()) {
        if (is_over()) return;
        Visit& visit = path.back();
        const std::uint32_t node = visit.node;
        Product::Edge edge;
        std::uint32_t unseen = kNoNode;
        while (unseen == kNoNode && product_.next(node, visit.cursor, edge)) {
          // Nodes of finished components are in other regions.
          if (region_[edge.target] != region || !is_allowed(edge, task.forbidden)) continue;
          if (index_[edge.target] == 0) {
            unseen = edge.target;
          } else {
            low_[node] = std::min(low_[node], index_[edge.target]);
          }
        }
        if (unseen != kNoNode) {
          enter(unseen);
          continue;
        }
        path.pop_back();
        if (!path.empty()) low_[path.back().node] = std::min(low_[path.back().node], low_[node]);
        if (low_[node] == index_[node]) close(node, open, task.forbidden);
      }
    }
  }

  /// The component that ends at `root` is complete.
  void close(std::uint32_t root, std::vector<std::uint32_t>& open,
             const std::vector<bool>& forbidden) {
    const auto begin = std::find(open.rbegin(), open.rend(), root).base() - 1;
    ++regions_;
    for (auto node = begin; node != open.end(); ++node) region_[*node] = regions_;
    judge({&*begin, static_cast<std::size_t>(open.end() - begin)}, forbidden);
    open.erase(begin, open.end());
  }

  void judge(std::span<const std::uint32_t> nodes, const std::vector<bool>& forbidden) {
    std::vector<std::size_t> unmet;
    for (std::size_t mark = 0; mark < product_.marks(); ++mark) unmet.push_back(mark);
    std::vector<bool> broken(product_.choices());
    bool has_edge = false;
    for (const std::uint32_t node : nodes) {
      Product::Cursor cursor = product_.start(node);
      Product::Edge edge;
      while (product_.next(node, cursor, edge)) {
        if (region_[edge.target] != regions_ || !is_allowed(edge, forbidden)) continue;
        has_edge = true;
        std::erase_if(unmet, [&](std::size_t mark) { return product_.meets(edge, mark); });
        for (std::size_t i = 0; i < broken.size(); ++i) {
          if (!broken[i] && product_.breaks_choice(edge, i)) broken[i] = true;
        }
      }
    }
    if (!has_edge) return;
    Task again;
    again.forbidden = forbidden;
    bool is_broken = false;
    for (const std::size_t mark : unmet) {
      if (mark < product_.choice_mark(0)) return;  // no part of it can meet this
      const std::size_t choice = mark - product_.choice_mark(0);
      if (!broken[choice]) continue;
      again.forbidden[choice] = true;
      is_broken = true;
    }
    if (!is_broken) return keep(nodes, forbidden, unmet);
    again.nodes.assign(nodes.begin(), nodes.end());
    tasks_.push_back(std::move(again));
  }

  void keep(std::span<const std::uint32_t> nodes, const std::vector<bool>& forbidden,
            const std::vector<std::size_t>& unmet) {
    const std::uint32_t start = *std::min_element(
        nodes.begin(), nodes.end(),
        [this](std::uint32_t a, std::uint32_t b) { return position_[a] < position_[b]; });
    if (!cycle_nodes_.empty() && position_[start] > position_[cycle_start_]) return;
    cycle_start_ = start;
    cycle_nodes_.assign(nodes.begin(), nodes.end());
    cycle_forbidden_ = forbidden;
    cycle_unmet_ = unmet;
  }

  struct PathStep {
    std::uint32_t node;  ///< where it starts
    Product::Edge edge;
  };

  /// A shortest way inside the component from `from`, of one step at least, whose last edge is
  /// wanted.
  std::vector<PathStep> way(std::uint32_t from,
                            const std::function<bool(const Product::Edge&)>& is_wanted) {
    const std::uint32_t region = region_[from];
    std::vector<PathStep> found;             // the edges by which nodes were found
    std::vector<std::uint32_t> found_by{0};  // per queued node: its edge + 1
    std::vector<std::uint32_t> queue{from};
    for (const std::uint32_t node : cycle_nodes_) index_[node] = 0;
    index_[from] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      Product::Cursor cursor = product_.start(queue[i]);
      Product::Edge edge;
      while (product_.next(queue[i], cursor, edge)) {
        if (region_[edge.target] != region || !is_allowed(edge, cycle_forbidden_)) continue;
        if (is_wanted(edge)) {
          std::vector<PathStep> path{{queue[i], edge}};
          for (std::size_t at = i; found_by[at] != 0;) {
            const PathStep& step = found[found_by[at] - 1];
            path.push_back(step);
            at = index_[step.node] - 1;
          }
          std::reverse(path.begin(), path.end());
          return path;
        }
        if (index_[edge.target] != 0) continue;
        found.push_back({queue[i], edge});
        found_by.push_back(static_cast<std::uint32_t>(found.size()));
        queue.push_back(edge.target);
        index_[edge.target] = static_cast<std::uint32_t>(queue.size());
      }
    }
    DISSENSUS_ASSERT(false, "FairCycleSearch::way : the component has such an edge");
    return {};
  }

  /// A step from a node to itself is a cycle that everybody understands.
  bool is_enough_alone(const Product::Edge& edge) const {
    for (std::size_t mark = 0; mark < product_.marks(); ++mark) {
      if (product_.meets(edge, mark)) continue;
      const bool is_choice = mark >= product_.choice_mark(0);
      if (!is_choice || product_.breaks_choice(edge, mark - product_.choice_mark(0))) return false;
    }
    return true;
  }

  std::vector<PathStep> cycle_from(std::uint32_t start) {
    Product::Cursor cursor = product_.start(start);
    for (Product::Edge own; product_.next(start, cursor, own);) {
      if (own.target == start && product_.may_repeat(own) && is_enough_alone(own)) {
        return {{start, own}};
      }
    }
    std::vector<std::size_t> wanted;
    for (std::size_t mark = 0; mark < product_.marks(); ++mark) {
      const bool is_unmet =
          std::find(cycle_unmet_.begin(), cycle_unmet_.end(), mark) != cycle_unmet_.end();
      if (!is_unmet) wanted.push_back(mark);
    }
    std::vector<PathStep> cycle;
    std::uint32_t at = start;
    const auto go = [&](const std::function<bool(const Product::Edge&)>& is_wanted) {
      for (const PathStep& step : way(at, is_wanted)) {
        std::erase_if(wanted, [&](std::size_t mark) { return product_.meets(step.edge, mark); });
        cycle.push_back(step);
      }
      at = cycle.back().edge.target;
    };
    while (!wanted.empty()) {
      go([&](const Product::Edge& edge) {
        return std::any_of(wanted.begin(), wanted.end(),
                           [&](std::size_t mark) { return product_.meets(edge, mark); });
      });
    }
    if (cycle.empty() || at != start) {
      go([start](const Product::Edge& edge) { return edge.target == start; });
    }
    return cycle;
  }

  Lasso lasso() {
    std::vector<std::uint32_t> prefix;
    for (std::uint32_t node = cycle_start_; node != kNoNode; node = parent_[node])
      prefix.push_back(node);
    std::reverse(prefix.begin(), prefix.end());
    Lasso result;
    for (std::size_t i = 0; i + 1 < prefix.size(); ++i) {
      Product::Cursor cursor = product_.start(prefix[i]);
      Product::Edge edge;
      while (product_.next(prefix[i], cursor, edge) && edge.target != prefix[i + 1]) {
      }
      result.states.push_back(product_.state_of(prefix[i]));
      result.letters.push_back(edge.letter);
    }
    result.loop = result.states.size();
    for (const PathStep& step : cycle_from(cycle_start_)) {
      result.states.push_back(product_.state_of(step.node));
      result.letters.push_back(step.edge.letter);
    }
    return result;
  }

  const Product& product_;
  const FairCycleLimits& limits_;
  std::uint64_t steps_ = 0;
  bool is_over_ = false;
  // By node.
  std::vector<std::uint32_t> parent_, position_, index_, low_, region_;
  std::vector<std::uint32_t> order_;  // nodes as they were reached
  std::uint32_t regions_ = 0;
  std::vector<Task> tasks_;
  // The component that was found.
  std::uint32_t cycle_start_ = 0;
  std::vector<std::uint32_t> cycle_nodes_;
  std::vector<bool> cycle_forbidden_;
  std::vector<std::size_t> cycle_unmet_;
};

}  // namespace

FairCycleResult find_fair_cycle(const BehaviourGraph& graph, const Obligations& obligations,
                                const FairCycleLimits& limits) {
  FairCycleResult result;
  Automaton automaton;
  if (!make_automaton(obligations.others, limits.automaton_states, automaton)) {
    result.limit = fmt::format("the automaton of the formula has more than {} states",
                               limits.automaton_states);
    return result;
  }
  const std::uint64_t nodes = graph.size() * automaton.size();
  if (nodes >= kNoNode) {
    result.limit = fmt::format("{} states, each with {} of the formula's automaton, are too many",
                               graph.size(), automaton.size());
    return result;
  }
  if (limits.bytes != 0 && FairCycleSearch::bytes_for(nodes) > limits.bytes) {
    result.limit =
        fmt::format("liveness needs {} MB more", FairCycleSearch::bytes_for(nodes) >> 20);
    return result;
  }
  const Product product(graph, automaton, obligations);
  return FairCycleSearch(product, limits).run();
}

}  // namespace dissensus::tla
