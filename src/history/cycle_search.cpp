#include "history/cycle_search.h"

#include <algorithm>
#include <array>
#include <deque>

#include "history/index.h"

namespace dissensus::history {

namespace {

constexpr EdgeMask kWrites = mask_of(EdgeKind::ww);
constexpr EdgeMask kReads = mask_of(EdgeKind::ww) | mask_of(EdgeKind::wr);
constexpr EdgeMask kAtomic = kReads | mask_of(EdgeKind::atomic);
constexpr EdgeMask kData = kAtomic | kAntiDependencies;
constexpr EdgeMask kPass = mask_of(EdgeKind::pass);
constexpr EdgeMask kProcess =
    mask_of(EdgeKind::process) | mask_of(EdgeKind::ww_process) | mask_of(EdgeKind::rw_process);
constexpr EdgeMask kRealTime = mask_of(EdgeKind::real_time) | mask_of(EdgeKind::ww_real_time) |
                               mask_of(EdgeKind::rw_real_time);

/// How a path back to the start of an edge may use rw edges, which the edge itself may be.
enum class Rule : std::uint8_t {
  any,       ///< as the mask says
  apart,     ///< at least one, and never two in a row, around the whole cycle
  adjacent,  ///< two in a row, somewhere around the cycle
};

struct Shape {
  const char* name;
  EdgeMask first;  ///< an edge of the cycle
  EdgeMask path;   ///< of the others
  Rule rule;
};
constexpr std::array<Shape, 6> kShapes{{
    {"G0", mask_of(EdgeKind::ww), kWrites, Rule::any},
    {"G1c", mask_of(EdgeKind::wr) | mask_of(EdgeKind::ww_process) | mask_of(EdgeKind::ww_real_time),
     kReads, Rule::any},
    {"fractured-read", mask_of(EdgeKind::atomic), kAtomic, Rule::any},
    {"G-single", kAntiDependencies, kAtomic, Rule::any},
    {"G-nonadjacent", kAntiDependencies, kData, Rule::apart},
    {"G2-item", kAntiDependencies, kData, Rule::adjacent},
}};

/// What orders transactions besides what they read and wrote.
constexpr std::array<EdgeMask, 3> kOrders{kPass, kPass | kProcess, kPass | kProcess | kRealTime};
/// Of these, what rules about anti-dependencies judge; the rest any path may use.
constexpr EdgeMask without_anti_dependencies(EdgeMask mask) {
  return mask & ~kAntiDependencies;
}

/// One component, with nodes of its own numbers.
class Component {
 public:
  Component(const DependencyGraph& graph, const std::vector<std::uint32_t>& members,
            const std::vector<std::uint32_t>& local_of)
      : graph_(graph), members_(members), local_of_(local_of) {
    for (std::uint32_t node : members_) {
      if (!graph.is_transaction(node)) continue;
      for (const Edge& edge : graph.out(node)) {
        if (contains(edge.to)) starts_.push_back(edge);
      }
    }
    came_from_.resize(members.size() * kStates);
    stamp_.assign(members.size() * kStates, 0);
    distance_.resize(members.size() * kStates);
  }

  /// The shortest cycle of the shape, within the limits; empty if none was found.
  std::vector<Edge> find(const Shape& shape, EdgeMask order, Work& work, bool& is_complete) {
    constexpr std::size_t kEdgesTriedMax = 2000;
    std::vector<Edge> shortest;
    std::size_t tried = 0;
    // What follows from an order counts only where that order is looked at.
    const EdgeMask known = order | kAtomic | mask_of(EdgeKind::rw);
    const Shape allowed{shape.name, shape.first & known,
                        (shape.path & known) | without_anti_dependencies(order), shape.rule};
    for (const Edge& start : starts_) {
      if ((allowed.first & mask_of(start.kind)) == 0) continue;
      if (work.is_exhausted() || tried == kEdgesTriedMax) {
        // One cycle of the kind is enough; that there is none takes all.
        is_complete = is_complete && !shortest.empty();
        break;
      }
      ++tried;
      const std::uint32_t limit =
          shortest.empty() ? kNone : static_cast<std::uint32_t>(shortest.size() - 1);
      std::vector<Edge> cycle = shortest_through(start, allowed, limit, work);
      if (!cycle.empty()) shortest = std::move(cycle);
      if (shortest.size() == 2) break;  // no cycle is shorter
    }
    return shortest;
  }

 private:
  static constexpr std::uint32_t kStates = 4;  ///< of a path
  static constexpr std::uint32_t kDone = 1;    ///< has what the rule asks for
  static constexpr std::uint32_t kEndsWithRw = 2;

  bool contains(std::uint32_t node) const {
    const std::uint32_t local = local_of_[node];
    return local < members_.size() && members_[local] == node;
  }

  /// The state of a path after an edge; kNone where the rule forbids it.
  static std::uint32_t next_state(std::uint32_t state, EdgeKind kind, Rule rule) {
    if (rule == Rule::any) return 0;
    if (kind == EdgeKind::pass) return state;
    if (!is_anti_dependency(kind)) return state & kDone;
    const bool is_second = (state & kEndsWithRw) != 0;
    if (rule == Rule::apart) return is_second ? kNone : kDone | kEndsWithRw;
    return (is_second ? kDone : state & kDone) | kEndsWithRw;
  }
  /// The path ends where the first edge of the cycle begins, which is rw unless any path will do.
  static bool is_end(std::uint32_t state, Rule rule) {
    if (rule == Rule::any) return true;
    return rule == Rule::apart ? state == kDone : state != 0;
  }

  /// From the end of `start` back to its beginning, breadth first; edges that only pass cost
  /// nothing.
  std::vector<Edge> shortest_through(const Edge& start, const Shape& shape, std::uint32_t limit,
                                     Work& work) {
    const EdgeMask mask = shape.path;
    ++round_;
    std::deque<std::uint32_t> queue;
    const std::uint32_t begin_state = shape.rule == Rule::any ? 0 : kEndsWithRw;
    const std::uint32_t begin = local_of_[start.to] * kStates + begin_state;
    stamp_[begin] = round_;
    distance_[begin] = 1;
    came_from_[begin] = {kNone, nullptr};
    queue.push_back(begin);
    while (!queue.empty()) {
      const std::uint32_t place = queue.front();
      queue.pop_front();
      const std::uint32_t node = members_[place / kStates];
      const std::uint32_t state = place % kStates;
      if (node == start.from && is_end(state, shape.rule)) {
        std::vector<Edge> cycle = collect(start, place);
        return is_simple(cycle) ? cycle : std::vector<Edge>();
      }
      if (distance_[place] >= limit && graph_.is_transaction(node)) continue;
      for (const Edge& edge : graph_.out(node)) {
        if (!work.spend(1)) return {};
        if ((mask & mask_of(edge.kind)) == 0 || !contains(edge.to)) continue;
        const std::uint32_t after = next_state(state, edge.kind, shape.rule);
        if (after == kNone) continue;
        const std::uint32_t next = local_of_[edge.to] * kStates + after;
        const bool is_free = edge.kind == EdgeKind::pass;
        const std::uint32_t distance = distance_[place] + (is_free ? 0 : 1);
        if (stamp_[next] == round_ && distance_[next] <= distance) continue;
        stamp_[next] = round_;
        distance_[next] = distance;
        came_from_[next] = {place, &edge};
        if (is_free) {
          queue.push_front(next);
        } else {
          queue.push_back(next);
        }
      }
    }
    return {};
  }

  std::vector<Edge> collect(const Edge& start, std::uint32_t end) const {
    std::vector<Edge> path;
    for (std::uint32_t place = end; came_from_[place].edge != nullptr;
         place = came_from_[place].place) {
      path.push_back(*came_from_[place].edge);
    }
    path.push_back(start);
    std::reverse(path.begin(), path.end());
    // What passes through other nodes becomes one edge from transaction to transaction.
    std::vector<Edge> cycle;
    for (const Edge& edge : path) {
      if (edge.kind == EdgeKind::pass) {
        cycle.back().to = edge.to;
      } else {
        cycle.push_back(edge);
      }
    }
    return cycle;
  }

  /// A walk that passes a transaction twice is two cycles, which have names of their own.
  static bool is_simple(const std::vector<Edge>& cycle) {
    std::vector<std::uint32_t> nodes;
    for (const Edge& edge : cycle) nodes.push_back(edge.from);
    std::sort(nodes.begin(), nodes.end());
    return std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end();
  }

  struct Origin {
    std::uint32_t place;
    const Edge* edge;
  };
  const DependencyGraph& graph_;
  const std::vector<std::uint32_t>& members_;
  const std::vector<std::uint32_t>& local_of_;
  std::vector<Edge> starts_;
  std::vector<Origin> came_from_;
  std::vector<std::uint32_t> stamp_;
  std::vector<std::uint32_t> distance_;
  std::uint32_t round_ = 0;
};

std::string name_of(const Shape& shape, const std::vector<Edge>& cycle) {
  const auto has = [&](EdgeMask kinds) {
    return std::ranges::any_of(
        cycle, [kinds](const Edge& edge) { return (mask_of(edge.kind) & kinds) != 0; });
  };
  const char* suffix = has(kRealTime) ? "-realtime" : has(kProcess) ? "-process" : "";
  return std::string(shape.name) + suffix;
}

void search(Component& component, CycleReport& report, Work& work) {
  for (const EdgeMask order : kOrders) {
    bool found_any = false;
    for (const Shape& shape : kShapes) {
      std::vector<Edge> cycle = component.find(shape, order, work, report.is_complete);
      if (cycle.empty()) continue;
      found_any = true;
      const std::string name = name_of(shape, cycle);
      CycleReport::Kind& kind = report.kinds[name];
      ++kind.components;
      if (kind.shortest.edges.empty() || cycle.size() < kind.shortest.edges.size()) {
        kind.shortest = {name, std::move(cycle)};
      }
    }
    // Real time is looked at where nothing else explains the component.
    if (found_any) return;
  }
}

}  // namespace

CycleReport find_cycles(const DependencyGraph& graph, Work& work) {
  CycleReport report;
  const Components components = components_of(graph, ~EdgeMask{0});
  std::vector<std::vector<std::uint32_t>> members;
  std::vector<std::uint32_t> place(components.size.size(), kNone);
  std::vector<std::uint32_t> local_of(graph.nodes(), kNone);
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    const std::uint32_t component = components.of[node];
    if (components.size[component] < 2) continue;
    if (place[component] == kNone) {
      place[component] = static_cast<std::uint32_t>(members.size());
      members.emplace_back();
    }
    std::vector<std::uint32_t>& list = members[place[component]];
    local_of[node] = static_cast<std::uint32_t>(list.size());
    list.push_back(node);
  }
  report.cyclic_components = members.size();
  // Small ones first: they are cheap, and say as much.
  std::ranges::stable_sort(members, {}, &std::vector<std::uint32_t>::size);
  for (const std::vector<std::uint32_t>& list : members) {
    if (work.is_exhausted()) {
      report.is_complete = false;
      break;
    }
    Component component(graph, list, local_of);
    search(component, report, work);
  }
  return report;
}

}  // namespace dissensus::history
