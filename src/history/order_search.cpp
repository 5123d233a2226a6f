#include "history/order_search.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "history/index.h"

namespace dissensus::history {

namespace {

/// Moments of transactions and the edges between them. A transaction is one moment, or two: its
/// beginning and its commit.
class Moments {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  ///< an edge

  Moments(const OrderProblem& problem, const std::vector<Pair>& more)
      : has_snapshots_(problem.has_snapshots),
        transactions_(problem.graph->transactions()),
        size_(problem.graph->nodes() + (has_snapshots_ ? transactions_ : 0)) {
    const DependencyGraph& graph = *problem.graph;
    const EdgeMask mask = problem.mask | mask_of(EdgeKind::pass);
    const auto for_each = [&](auto&& use) {
      for (std::uint32_t i = 0; has_snapshots_ && i < transactions_; ++i) use(begin(i), commit(i));
      for (const Edge& edge : graph.edges()) {
        if ((mask & mask_of(edge.kind)) != 0) use(from(edge), to(graph, edge));
      }
      for (const auto& [a, b] : more) use(a, b);
    };
    first_.assign(std::size_t{size_} + 1, 0);
    for_each([&](std::uint32_t a, std::uint32_t) { ++first_[a + 1]; });
    for (std::uint32_t i = 0; i < size_; ++i) first_[i + 1] += first_[i];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    out_.resize(first_.back());
    for_each([&](std::uint32_t a, std::uint32_t b) { out_[next[a]++] = b; });
  }

  std::uint32_t size() const { return size_; }
  std::uint32_t transactions() const { return transactions_; }
  bool has_snapshots() const { return has_snapshots_; }
  std::size_t edges() const { return out_.size(); }
  std::span<const std::uint32_t> out(std::uint32_t moment) const {
    return {out_.data() + first_[moment], first_[moment + 1] - first_[moment]};
  }
  std::uint32_t begin(std::uint32_t transaction) const {
    return has_snapshots_ ? 2 * transaction : transaction;
  }
  std::uint32_t commit(std::uint32_t transaction) const {
    return has_snapshots_ ? 2 * transaction + 1 : transaction;
  }
  /// kNone for moments of nobody.
  std::uint32_t transaction(std::uint32_t moment) const {
    const std::uint32_t number = has_snapshots_ ? moment / 2 : moment;
    return number < transactions_ ? number : kNone;
  }
  std::uint32_t passing(std::uint32_t node) const {
    return has_snapshots_ ? node + transactions_ : node;
  }
  bool is_begin(std::uint32_t moment) const { return !has_snapshots_ || moment % 2 == 0; }
  bool is_commit(std::uint32_t moment) const { return !has_snapshots_ || moment % 2 == 1; }

 private:
  std::uint32_t from(const Edge& edge) const {
    if (edge.from >= transactions_) return passing(edge.from);
    return is_anti_dependency(edge.kind) ? begin(edge.from) : commit(edge.from);
  }
  std::uint32_t to(const DependencyGraph& graph, const Edge& edge) const {
    if (edge.to >= transactions_) return passing(edge.to);
    const bool is_at_commit = edge.from >= transactions_
                                  ? graph.leads(edge.from) == DependencyGraph::Leads::to_commit
                                  : is_anti_dependency(edge.kind);
    return is_at_commit ? commit(edge.to) : begin(edge.to);
  }

  const bool has_snapshots_;
  const std::uint32_t transactions_;
  const std::uint32_t size_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> out_;
};

std::vector<std::uint32_t> edges_into(const Moments& moments) {
  std::vector<std::uint32_t> count(moments.size(), 0);
  for (std::uint32_t i = 0; i < moments.size(); ++i) {
    for (const std::uint32_t next : moments.out(i)) ++count[next];
  }
  return count;
}

/// In the order of the edges; shorter than all moments where these have a cycle.
std::vector<std::uint32_t> sorted(const Moments& moments) {
  std::vector<std::uint32_t> open = edges_into(moments);
  std::vector<std::uint32_t> order;
  order.reserve(moments.size());
  for (std::uint32_t i = 0; i < moments.size(); ++i) {
    if (open[i] == 0) order.push_back(i);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (const std::uint32_t next : moments.out(order[at])) {
      if (--open[next] == 0) order.push_back(next);
    }
  }
  return order;
}

/// Edges that follow from the choices that are left: where a path through the chain forbids that
/// one version is the later one, it is the earlier one.
class FromChain {
 public:
  FromChain(const OrderProblem& problem, const Moments& moments,
            const std::vector<std::uint32_t>& order)
      : problem_(problem), moments_(moments) {
    leads_to_.assign(moments.size(), kNone);
    follows_.assign(moments.size(), 0);
    for (std::uint32_t i = 0; i < problem.chain.size(); ++i) {
      const std::uint32_t moment = moments.passing(problem.chain[i]);
      leads_to_[moment] = i + 1;
      follows_[moment] = i + 1;
    }
    for (const std::uint32_t moment : order) {
      for (const std::uint32_t next : moments.out(moment)) {
        follows_[next] = std::max(follows_[next], follows_[moment]);
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      for (const std::uint32_t next : moments.out(order[i])) {
        leads_to_[order[i]] = std::min(leads_to_[order[i]], leads_to_[next]);
      }
    }
  }

  std::vector<Moments::Pair> find() {
    for (const UnorderedKey& key : problem_.keys) look_at(key);
    return std::move(edges_);
  }

 private:
  struct Version {
    std::uint32_t first = 0;  ///< the first place in the chain that its writer leads to
    std::uint32_t last = 0;   ///< the first that all who use it lead to
    std::uint32_t last_so_far = 0;
    std::uint32_t begins = 0;  ///< the last place that its writer follows
    std::uint32_t used = 0;    ///< the last that a reader or its writer's commit follows
    const UnorderedKey::Version* version = nullptr;
  };

  void look_at(const UnorderedKey& key) {
    constexpr std::size_t kLookedAtMax = 64;  ///< before each version
    std::vector<Version> versions;
    for (const UnorderedKey::Version& version : key.versions) {
      Version& item = versions.emplace_back();
      const std::uint32_t begin = moments_.begin(version.writer);
      const std::uint32_t commit = moments_.commit(version.writer);
      item = {leads_to_[begin], leads_to_[commit], 0, follows_[begin], follows_[commit], &version};
      for (const std::uint32_t reader : version.readers) {
        item.last = std::max(item.last, leads_to_[moments_.begin(reader)]);
        item.used = std::max(item.used, follows_[moments_.begin(reader)]);
      }
    }
    std::ranges::sort(versions, {}, &Version::first);
    std::uint32_t last = 0;
    for (Version& version : versions) {
      last = std::max(last, version.last);
      version.last_so_far = last;
    }
    for (const Version& later : versions) {
      auto at = static_cast<std::size_t>(
          std::ranges::upper_bound(versions, later.used, {}, &Version::first) - versions.begin());
      for (std::size_t tried = 0; tried < kLookedAtMax && at-- > 0; ++tried) {
        const Version& earlier = versions[at];
        if (earlier.last_so_far <= later.begins) break;
        if (&earlier == &later || earlier.last <= later.begins) continue;
        if (cannot_follow(*earlier.version, *later.version)) {
          add(*earlier.version, *later.version);
        }
      }
    }
  }

  bool is_path(std::uint32_t from, std::uint32_t to) const {
    return leads_to_[from] <= follows_[to];
  }

  /// The first version cannot be later than the second.
  bool cannot_follow(const UnorderedKey::Version& first,
                     const UnorderedKey::Version& second) const {
    if (is_path(moments_.begin(first.writer), moments_.commit(second.writer))) return true;
    return std::ranges::any_of(second.readers, [&](std::uint32_t reader) {
      return reader != first.writer &&
             is_path(moments_.commit(first.writer), moments_.begin(reader));
    });
  }

  void add(const UnorderedKey::Version& earlier, const UnorderedKey::Version& later) {
    const auto edge = [&](std::uint32_t from, std::uint32_t to) {
      if (from == to || !is_path(from, to)) edges_.emplace_back(from, to);
    };
    edge(moments_.commit(earlier.writer), moments_.begin(later.writer));
    for (const std::uint32_t reader : earlier.readers) {
      if (reader != later.writer) edge(moments_.begin(reader), moments_.commit(later.writer));
    }
  }

  const OrderProblem& problem_;
  const Moments& moments_;
  std::vector<std::uint32_t> leads_to_;  ///< first place in the chain, from 1; kNone: to none
  std::vector<std::uint32_t> follows_;   ///< last place in the chain; 0: none
  std::vector<Moments::Pair> edges_;
};

/// What transactions do to keys whose versions are in no known order.
struct KeyUse {
  std::uint32_t key = 0;  ///< index into the keys of the problem
  std::uint32_t version = 0;
};
class Uses {
 public:
  Uses(const OrderProblem& problem, std::uint32_t transactions)
      : reads_(transactions), writes_(transactions) {
    for (std::uint32_t key = 0; key < problem.keys.size(); ++key) {
      const auto& versions = problem.keys[key].versions;
      for (std::uint32_t version = 0; version < versions.size(); ++version) {
        writes_[versions[version].writer].push_back({key, version});
        for (const std::uint32_t reader : versions[version].readers) {
          reads_[reader].push_back({key, version});
        }
      }
    }
  }
  const std::vector<KeyUse>& reads(std::uint32_t transaction) const { return reads_[transaction]; }
  const std::vector<KeyUse>& writes(std::uint32_t transaction) const {
    return writes_[transaction];
  }

 private:
  std::vector<std::vector<KeyUse>> reads_;
  std::vector<std::vector<KeyUse>> writes_;
};

/// Step 2. Places moments one after another; never wrong when it says that it found an order.
class Placement {
 public:
  Placement(const OrderProblem& problem, const Moments& moments,
            const std::vector<std::uint32_t>& order, Work& work)
      : problem_(problem),
        moments_(moments),
        work_(work),
        uses_(problem, moments.transactions()),
        open_(edges_into(moments)),
        keys_(problem.keys.size()),
        state_(moments.size(), State::idle),
        place_(moments.size(), kNone),
        priority_(moments.size(), kNone) {
    // As urgent as the most urgent of all that come after it.
    for (std::size_t i = order.size(); i-- > 0;) {
      std::uint32_t& priority = priority_[order[i]];
      const std::uint32_t transaction = moments.transaction(order[i]);
      if (transaction != kNone) priority = problem.priorities[transaction];
      for (const std::uint32_t next : moments.out(order[i])) {
        priority = std::min(priority, priority_[next]);
      }
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      for (const UnorderedKey::Version& version : problem.keys[i].versions) {
        keys_[i].unread.push_back(static_cast<std::uint32_t>(version.readers.size()));
      }
    }
  }

  bool run(std::uint64_t steps_max) {
    steps_left_ = steps_max;
    for (std::uint32_t i = 0; i < moments_.size(); ++i) {
      if (open_[i] == 0) push(i);
    }
    while (order_.size() < moments_.size()) {
      if (!spend(1)) return false;
      if (queue_.empty()) {
        if (!give_way()) return false;
        continue;
      }
      const std::uint32_t moment = queue_.top().second;
      queue_.pop();
      if (state_[moment] != State::queued) continue;
      state_[moment] = State::idle;
      if (open_[moment] > 0 || place_[moment] != kNone) continue;
      const std::uint32_t key = obstacle(moment);
      if (key == kNone) {
        place(moment);
      } else {
        state_[moment] = State::parked;
        keys_[key].parked.push_back(moment);
        parked_.push_back(moment);
      }
    }
    return true;
  }

 private:
  enum class State : std::uint8_t { idle, queued, parked };
  struct Key {
    std::uint32_t current = kNone;      ///< version; kNone: the initial one
    std::uint32_t open = kNone;         ///< a writer of the key that began and did not commit
    std::vector<std::uint32_t> unread;  ///< by version: readers that did not begin
    std::vector<std::uint32_t> parked;  ///< moments to be tried again when something changes
  };
  /// An edge that giving way added.
  struct Chosen {
    std::uint32_t other = kNone;
    bool is_guess = false;  ///< another one might have helped, too
  };
  struct Overwritten {
    std::uint32_t key;
    std::uint32_t version;
  };

  bool spend(std::uint64_t steps) {
    if (steps > steps_left_ || !work_.spend(steps)) return false;
    steps_left_ -= steps;
    return true;
  }

  std::uint32_t priority(std::uint32_t moment) const {
    const std::uint32_t transaction = moments_.transaction(moment);
    // What changes nothing can always come as soon as it fits.
    if (transaction == kNone || uses_.writes(transaction).empty()) return 0;
    return priority_[moment];
  }
  void push(std::uint32_t moment) {
    if (state_[moment] == State::queued) return;
    state_[moment] = State::queued;
    queue_.emplace(priority(moment), moment);
  }
  void wake(Key& key) {
    for (const std::uint32_t moment : key.parked) {
      if (state_[moment] == State::parked) push(moment);
    }
    key.parked.clear();
  }

  bool reads(std::uint32_t transaction, std::uint32_t key, std::uint32_t version) const {
    return std::ranges::any_of(uses_.reads(transaction), [&](const KeyUse& use) {
      return use.key == key && use.version == version;
    });
  }

  /// The key for which the moment has to wait; kNone: for none.
  std::uint32_t obstacle(std::uint32_t moment) const {
    const std::uint32_t transaction = moments_.transaction(moment);
    if (transaction == kNone) return kNone;
    if (moments_.is_begin(moment)) {
      for (const KeyUse& use : uses_.reads(transaction)) {
        if (keys_[use.key].current != use.version) return use.key;
      }
    }
    for (const KeyUse& use : uses_.writes(transaction)) {
      const Key& key = keys_[use.key];
      if (moments_.has_snapshots() && moments_.is_begin(moment)) {
        if (key.open != kNone) return use.key;
      } else if (key.current != kNone) {
        std::uint32_t readers = key.unread[key.current];
        const bool is_one_of_them =
            !moments_.has_snapshots() && reads(transaction, use.key, key.current);
        if (is_one_of_them) --readers;
        if (readers > 0) return use.key;
      }
    }
    return kNone;
  }

  void place(std::uint32_t moment) {
    place_[moment] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(moment);
    const std::uint32_t transaction = moments_.transaction(moment);
    if (transaction != kNone) {
      if (moments_.is_begin(moment)) {
        for (const KeyUse& use : uses_.reads(transaction)) {
          Key& key = keys_[use.key];
          if (--key.unread[use.version] <= 1) wake(key);  // the last one may write the next version
        }
      }
      for (const KeyUse& use : uses_.writes(transaction)) {
        Key& key = keys_[use.key];
        if (!moments_.is_commit(moment)) {
          key.open = transaction;
          continue;
        }
        overwritten_.push_back({use.key, key.current});
        key.current = use.version;
        key.open = kNone;
        wake(key);
      }
    }
    for_each_out(moment, [&](std::uint32_t next) {
      if (--open_[next] == 0) push(next);
    });
  }

  void take_back() {
    const std::uint32_t moment = order_.back();
    order_.pop_back();
    place_[moment] = kNone;
    for_each_out(moment, [&](std::uint32_t next) { ++open_[next]; });
    const std::uint32_t transaction = moments_.transaction(moment);
    if (transaction == kNone) return;
    const std::vector<KeyUse>& writes = uses_.writes(transaction);
    for (std::size_t i = writes.size(); i-- > 0;) {
      Key& key = keys_[writes[i].key];
      if (!moments_.is_commit(moment)) {
        key.open = kNone;
        continue;
      }
      key.current = overwritten_.back().version;
      overwritten_.pop_back();
      if (moments_.has_snapshots()) key.open = transaction;
    }
    if (!moments_.is_begin(moment)) return;
    for (const KeyUse& use : uses_.reads(transaction)) ++keys_[use.key].unread[use.version];
  }

  template <class Visit>
  void for_each_out(std::uint32_t moment, Visit visit) const {
    for (const std::uint32_t next : moments_.out(moment)) visit(next);
    const auto found = chosen_.find(moment);
    if (found == chosen_.end()) return;
    for (const Chosen& edge : found->second) visit(edge.other);
  }

  /// A step on the way from who waits to whom it waits for.
  struct Hop {
    std::uint32_t first = kNone;   ///< transaction that could go first
    std::uint32_t second = kNone;  ///< the one that came too early; kNone: an edge is the reason
    bool is_guess = false;         ///< the edge is one
  };

  /// Everybody waits. Somebody in the circle of who waits for whom waits because of a version that
  /// is in use: its writer came too early.
  bool give_way() {
    if (in_first_.empty()) find_in();
    const auto waits = [&](std::uint32_t parked) {
      return state_[parked] == State::parked && place_[parked] == kNone && open_[parked] == 0;
    };
    while (!parked_.empty() && !waits(parked_.back())) parked_.pop_back();
    std::uint32_t moment = parked_.empty() ? kNone : parked_.back();
    if (moment == kNone) return think_again();
    std::unordered_map<std::uint32_t, std::size_t> visited;
    std::vector<Hop> hops;
    while (visited.try_emplace(moment, hops.size()).second) {
      if (!spend(1)) return false;
      Hop hop;
      moment = waits_for(moment, hop);
      if (moment == kNone) return think_again();
      hops.push_back(hop);
    }
    hops.erase(hops.begin(), hops.begin() + static_cast<std::ptrdiff_t>(visited[moment]));
    const bool has_guess = std::ranges::any_of(hops, &Hop::is_guess);
    std::erase_if(hops, [](const Hop& hop) { return hop.second == kNone; });
    const bool is_guess = has_guess || hops.size() != 1;
    std::erase_if(hops, [&](const Hop& hop) {
      return hop.first == hop.second || comes_after(moments_.commit(hop.first), place_of(hop));
    });
    if (hops.empty()) return think_again();
    // The latest one, which takes the least back; where that did not help, any of them.
    std::ranges::sort(hops, std::greater(), [&](const Hop& hop) { return place_of(hop); });
    const Hop& best = hops[draw(hops.size())];
    const std::uint32_t from = moments_.commit(best.first);
    const std::uint32_t to = moments_.begin(best.second);
    if (!take_back_to(place_[to])) return false;
    chosen_[from].push_back({to, is_guess});
    chosen_in_[to].push_back({from, is_guess});
    ++open_[to];
    return true;
  }
  std::size_t place_of(const Hop& hop) const { return place_[moments_.begin(hop.second)]; }

  /// 0 at first; any number below `count` where the search got stuck before.
  std::size_t draw(std::size_t count) {
    if (stuck_ == 0) return 0;
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return (random_ >> 33) % count;
  }

  bool take_back_to(std::size_t keep) {
    if (!spend((order_.size() - keep) * 4)) return false;
    std::vector<std::uint32_t> again;
    while (order_.size() > keep) {
      again.push_back(order_.back());
      take_back();
    }
    if (!spend(parked_.size())) return false;
    for (const std::uint32_t moment : parked_) {
      if (state_[moment] == State::parked) push(moment);
    }
    parked_.clear();
    for (const std::uint32_t back : again) {
      if (open_[back] == 0) push(back);
    }
    return true;
  }

  /// Guesses contradict each other: drops those that concern the last part of what was placed, a
  /// larger part each time, and draws others.
  bool think_again() {
    constexpr std::size_t kStuckMax = 5000;
    if (order_.size() > farthest_ + 1000) {
      farthest_ = order_.size();
      stuck_ = 0;
    }
    if (++stuck_ > kStuckMax) return false;
    const std::size_t part = std::size_t{50} << stuck_ % 6;
    if (!take_back_to(order_.size() - std::min(order_.size(), part))) return false;
    std::vector<std::uint32_t> free;
    for (auto& [to, edges] : chosen_in_) {
      if (place_[to] != kNone) continue;
      for (const Chosen& edge : edges) {
        if (!edge.is_guess) continue;
        std::erase_if(chosen_[edge.other],
                      [&](const Chosen& out) { return out.other == to && out.is_guess; });
        if (place_[edge.other] == kNone) --open_[to];
      }
      if (!spend(1 + edges.size())) return false;
      std::erase_if(edges, &Chosen::is_guess);
      if (open_[to] == 0) free.push_back(to);
    }
    std::ranges::sort(free);
    for (const std::uint32_t moment : free) push(moment);
    return true;
  }

  /// Do edges lead from the moment at that place to this one? It is not placed; whatever leads to
  /// it is.
  bool comes_after(std::uint32_t moment, std::size_t place) {
    std::vector<std::uint32_t> open{moment};
    std::unordered_set<std::uint32_t> seen;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      const auto look = [&](std::uint32_t before) {
        if (place_[before] == kNone || place_[before] < place) return;
        if (seen.insert(before).second) open.push_back(before);
      };
      for (std::size_t i = in_first_[at]; i < in_first_[at + 1]; ++i) look(in_[i]);
      const auto found = chosen_in_.find(at);
      if (found != chosen_in_.end()) std::ranges::for_each(found->second, look, &Chosen::other);
      if (!spend(1 + in_first_[at + 1] - in_first_[at])) return true;
    }
    return seen.contains(order_[place]);
  }

  /// Something that is not placed and has to be before the moment can be. If the only reason is the
  /// order of two writers, they are told.
  std::uint32_t waits_for(std::uint32_t moment, Hop& hop) const {
    if (open_[moment] > 0) {
      for (std::size_t i = in_first_[moment]; i < in_first_[moment + 1]; ++i) {
        if (place_[in_[i]] == kNone) return in_[i];
      }
      const auto found = chosen_in_.find(moment);
      if (found == chosen_in_.end()) return kNone;
      for (const Chosen& edge : found->second) {
        hop.is_guess = edge.is_guess;
        if (place_[edge.other] == kNone) return edge.other;
      }
      return kNone;
    }
    const std::uint32_t number = obstacle(moment);
    if (number == kNone) return kNone;
    const Key& key = keys_[number];
    hop.first = moments_.transaction(moment);
    const bool is_locked = moments_.has_snapshots() && moments_.is_begin(moment);
    if (is_locked && key.open != kNone) {
      hop.second = key.open;
      return moments_.commit(key.open);
    }
    if (key.current == kNone) return kNone;
    const UnorderedKey::Version& version = problem_.keys[number].versions[key.current];
    hop.second = version.writer;
    for (const std::uint32_t reader : version.readers) {
      const std::uint32_t begin = moments_.begin(reader);
      if (reader != hop.first && place_[begin] == kNone) return begin;
    }
    return kNone;
  }

  void find_in() {
    in_first_.assign(std::size_t{moments_.size()} + 1, 0);
    for (std::uint32_t i = 0; i < moments_.size(); ++i) {
      for (const std::uint32_t next : moments_.out(i)) ++in_first_[next + 1];
    }
    for (std::uint32_t i = 0; i < moments_.size(); ++i) in_first_[i + 1] += in_first_[i];
    std::vector<std::size_t> next(in_first_.begin(), in_first_.end() - 1);
    in_.resize(in_first_.back());
    for (std::uint32_t i = 0; i < moments_.size(); ++i) {
      for (const std::uint32_t to : moments_.out(i)) in_[next[to]++] = i;
    }
  }

  using Entry = std::pair<std::uint32_t, std::uint32_t>;  ///< priority and moment

  const OrderProblem& problem_;
  const Moments& moments_;
  Work& work_;
  const Uses uses_;
  std::uint64_t steps_left_ = 0;
  std::vector<std::uint32_t> open_;  ///< edges into each moment from what is not placed
  std::vector<Key> keys_;
  std::vector<State> state_;
  std::vector<std::uint32_t> parked_;  ///< at any key; some of them no longer
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> priority_;
  std::vector<std::uint32_t> order_;
  std::vector<Overwritten> overwritten_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  /// By either end.
  std::unordered_map<std::uint32_t, std::vector<Chosen>> chosen_;
  std::map<std::uint32_t, std::vector<Chosen>> chosen_in_;
  std::size_t farthest_ = 0;  ///< place at which the search got stuck
  std::size_t stuck_ = 0;     ///< how often around there
  std::uint64_t random_ = 1;
  std::vector<std::size_t> in_first_;  ///< edges the other way round
  std::vector<std::uint32_t> in_;
};

/// Which moments come after which, directly or not.
class Reach {
 public:
  Reach(const Moments& moments, const std::vector<std::uint32_t>& order)
      : words_((moments.size() + 63) / 64), bits_(std::size_t{moments.size()} * words_) {
    for (std::size_t i = order.size(); i-- > 0;) {
      for (const std::uint32_t next : moments.out(order[i])) join(order[i], next);
    }
  }
  bool has(std::uint32_t from, std::uint32_t to) const {
    return (bits_[std::size_t{from} * words_ + to / 64] >> (to % 64) & 1) != 0;
  }
  bool allows(std::uint32_t from, std::uint32_t to) const { return from != to && !has(to, from); }
  /// To be called where it is allowed. How many steps it took.
  std::uint64_t add(std::uint32_t from, std::uint32_t to) {
    if (has(from, to)) return 1;
    const auto size = static_cast<std::uint32_t>(bits_.size() / words_);
    std::uint64_t steps = size;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (i != from && !has(i, from)) continue;
      join(i, to);
      steps += words_;
    }
    return steps;
  }
  std::size_t words() const { return bits_.size(); }

 private:
  void join(std::uint32_t from, std::uint32_t to) {
    std::uint64_t* const into = bits_.data() + std::size_t{from} * words_;
    const std::uint64_t* const more = bits_.data() + std::size_t{to} * words_;
    for (std::size_t i = 0; i < words_; ++i) into[i] |= more[i];
    into[to / 64] |= std::uint64_t{1} << (to % 64);
  }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Step 3. All choices, each with what follows from it.
class Choices {
 public:
  Choices(const OrderProblem& problem, const Moments& moments, Work& work, std::uint64_t steps_max)
      : problem_(problem), moments_(moments), work_(work), steps_left_(steps_max) {
    for (std::uint32_t key = 0; key < problem.keys.size(); ++key) {
      const auto count = static_cast<std::uint32_t>(problem.keys[key].versions.size());
      for (std::uint32_t i = 0; i < count; ++i) {
        for (std::uint32_t j = i + 1; j < count; ++j) pairs_.push_back({key, i, j});
      }
    }
  }

  Outcome run(Reach reach, OrderResult& result) {
    std::vector<Pair> open = pairs_;
    return decide(std::move(reach), std::move(open), 0, &result);
  }

 private:
  struct Pair {
    std::uint32_t key;
    std::uint32_t first;
    std::uint32_t second;
  };

  bool spend(std::uint64_t steps) {
    if (steps > steps_left_ || !work_.spend(steps)) return false;
    steps_left_ -= steps;
    return true;
  }

  const UnorderedKey::Version& version(std::uint32_t key, std::uint32_t number) const {
    return problem_.keys[key].versions[number];
  }

  /// Calls `use` with each edge that follows if `before` is the earlier of the two versions, until
  /// it returns false.
  template <class Visit>
  bool for_each_edge(const UnorderedKey::Version& before, const UnorderedKey::Version& after,
                     Visit visit) const {
    if (!visit(moments_.commit(before.writer), moments_.begin(after.writer))) return false;
    return std::ranges::all_of(before.readers, [&](std::uint32_t reader) {
      return reader == after.writer || visit(moments_.begin(reader), moments_.commit(after.writer));
    });
  }

  bool is_possible(const Reach& reach, const UnorderedKey::Version& before,
                   const UnorderedKey::Version& after) const {
    return for_each_edge(before, after, [&](std::uint32_t from, std::uint32_t to) {
      return reach.allows(from, to);
    });
  }

  /// False where the steps ran out, or one edge excludes another.
  bool choose(Reach& reach, const UnorderedKey::Version& before, const UnorderedKey::Version& after,
              bool& is_possible_still) {
    return for_each_edge(before, after, [&](std::uint32_t from, std::uint32_t to) {
      if (!reach.allows(from, to)) return is_possible_still = false;
      return spend(reach.add(from, to));
    });
  }

  Outcome decide(Reach reach, std::vector<Pair> open, int depth, OrderResult* result) {
    constexpr int kDepthMax = 500;
    bool has_changed = true;
    while (has_changed) {
      has_changed = false;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < open.size(); ++i) {
        const Pair pair = open[i];
        const UnorderedKey::Version& a = version(pair.key, pair.first);
        const UnorderedKey::Version& b = version(pair.key, pair.second);
        if (!spend(2 + a.readers.size() + b.readers.size())) return Outcome::unknown;
        const bool a_first = is_possible(reach, a, b);
        const bool b_first = is_possible(reach, b, a);
        if (a_first && b_first) {
          open[kept++] = pair;
          continue;
        }
        has_changed = true;
        bool is_possible_still = a_first || b_first;
        if (is_possible_still &&
            !choose(reach, a_first ? a : b, a_first ? b : a, is_possible_still) &&
            is_possible_still) {
          return Outcome::unknown;
        }
        if (is_possible_still) continue;
        if (result != nullptr) {
          result->conflict = {a.writer, b.writer};
          result->key = problem_.keys[pair.key].key;
        }
        return Outcome::fail;
      }
      open.resize(kept);
    }
    if (open.empty()) return Outcome::pass;
    if (depth == kDepthMax || !spend(reach.words() + open.size())) return Outcome::unknown;
    const Pair pair = open.back();
    open.pop_back();
    const UnorderedKey::Version& a = version(pair.key, pair.first);
    const UnorderedKey::Version& b = version(pair.key, pair.second);
    for (const bool a_first : {true, false}) {
      Reach next = reach;
      bool is_possible_still = true;
      if (!choose(next, a_first ? a : b, a_first ? b : a, is_possible_still)) {
        if (is_possible_still) return Outcome::unknown;
        continue;
      }
      const Outcome outcome = decide(std::move(next), open, depth + 1, nullptr);
      if (outcome != Outcome::fail) return outcome;
    }
    return Outcome::fail;
  }

  const OrderProblem& problem_;
  const Moments& moments_;
  Work& work_;
  std::uint64_t steps_left_;
  std::vector<Pair> pairs_;
};

}  // namespace

OrderResult find_order(const OrderProblem& problem, Work& work) {
  constexpr std::uint64_t kPlacementStepsMax = 200'000'000;
  constexpr std::uint64_t kChoiceStepsMax = 500'000'000;
  constexpr std::uint32_t kChoiceMomentsMax = 4096;
  constexpr std::size_t kChoicePairsMax = 100'000;
  OrderResult result;
  constexpr int kRoundsMax = 8;
  std::vector<Moments::Pair> more;
  std::optional<Moments> built;
  std::vector<std::uint32_t> order;
  for (int round = 0;; ++round) {
    built.emplace(problem, more);
    if (!work.spend(built->size() + built->edges())) {
      result.reason =
          fmt::format("the search took all {} steps that it may take", work.limits().steps);
      return result;
    }
    order = sorted(*built);
    if (order.size() < built->size()) {
      result.outcome = Outcome::fail;
      return result;
    }
    if (problem.keys.empty()) {
      result.outcome = Outcome::pass;
      return result;
    }
    if (problem.chain.empty() || round == kRoundsMax) break;
    const std::size_t known = more.size();
    const std::vector<Moments::Pair> found = FromChain(problem, *built, order).find();
    more.insert(more.end(), found.begin(), found.end());
    std::ranges::sort(more);
    more.erase(std::unique(more.begin(), more.end()), more.end());
    if (more.size() == known) break;
  }
  const Moments& moments = *built;
  const std::uint64_t before = work.steps();
  if (Placement(problem, moments, order, work).run(kPlacementStepsMax)) {
    result.outcome = Outcome::pass;
    return result;
  }
  std::size_t pairs = 0;
  for (const UnorderedKey& key : problem.keys) {
    pairs += key.versions.size() * (key.versions.size() - 1) / 2;
  }
  if (moments.size() <= kChoiceMomentsMax && pairs <= kChoicePairsMax) {
    Choices choices(problem, moments, work, kChoiceStepsMax);
    result.outcome = choices.run(Reach(moments, order), result);
  }
  if (result.outcome == Outcome::unknown) {
    result.reason = fmt::format(
        "the order of versions of {} keys is not known; in {} steps no order was found, and none "
        "was excluded",
        problem.keys.size(), work.steps() - before);
  }
  return result;
}

}  // namespace dissensus::history
