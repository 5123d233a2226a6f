#include "history/order_search.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <unordered_map>

#include <fmt/format.h>

#include "history/index.h"

namespace dissensus::history {

namespace {

/// Moments of transactions and the edges between them. A transaction is one moment, or two: its
/// beginning and its commit.
class Moments {
 public:
  explicit Moments(const OrderProblem& problem)
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
  bool is_begin(std::uint32_t moment) const { return !has_snapshots_ || moment % 2 == 0; }
  bool is_commit(std::uint32_t moment) const { return !has_snapshots_ || moment % 2 == 1; }

 private:
  std::uint32_t passing(std::uint32_t node) const {
    return has_snapshots_ ? node + transactions_ : node;
  }
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
  Placement(const OrderProblem& problem, const Moments& moments, Work& work)
      : problem_(problem),
        moments_(moments),
        work_(work),
        uses_(problem, moments.transactions()),
        open_(edges_into(moments)),
        keys_(problem.keys.size()),
        state_(moments.size(), State::idle),
        place_(moments.size(), kNone) {
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
    return problem_.priorities[transaction];
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
    for (const std::uint32_t next : found->second) visit(next);
  }

  /// Everybody waits. Somebody in the circle of who waits for whom waits because of a version that
  /// is in use: its writer came too early.
  bool give_way() {
    struct Choice {
      std::uint32_t first = kNone;   ///< transaction that goes first from now on
      std::uint32_t second = kNone;  ///< the one that came too early
    };
    if (!has_in_) find_in();
    std::uint32_t moment = kNone;
    for (const Key& key : keys_) {
      for (const std::uint32_t parked : key.parked) {
        if (state_[parked] == State::parked && place_[parked] == kNone && open_[parked] == 0) {
          moment = parked;
        }
      }
      if (moment != kNone) break;
    }
    if (moment == kNone) return false;
    std::unordered_map<std::uint32_t, std::size_t> visited;
    std::vector<Choice> hops;
    while (visited.try_emplace(moment, hops.size()).second) {
      if (!spend(1)) return false;
      Choice choice;
      const std::uint32_t next = waits_for(moment, choice.first, choice.second);
      if (next == kNone) return false;
      hops.push_back(choice);
      moment = next;
    }
    Choice best;
    for (std::size_t i = visited[moment]; i < hops.size(); ++i) {
      if (hops[i].second == kNone) continue;
      const std::uint32_t place = place_[moments_.begin(hops[i].second)];
      if (best.second == kNone || place > place_[moments_.begin(best.second)]) best = hops[i];
    }
    if (best.second == kNone || best.first == best.second) return false;
    const std::uint32_t from = moments_.commit(best.first);
    const std::uint32_t to = moments_.begin(best.second);
    const std::size_t keep = place_[to];
    if (!spend((order_.size() - keep) * 4)) return false;
    std::vector<std::uint32_t> again;
    while (order_.size() > keep) {
      again.push_back(order_.back());
      take_back();
    }
    chosen_[from].push_back(to);
    chosen_in_[to].push_back(from);
    ++open_[to];
    for (Key& key : keys_) {
      if (key.parked.empty()) continue;
      if (!spend(key.parked.size())) return false;
      wake(key);
    }
    for (const std::uint32_t back : again) {
      if (open_[back] == 0) push(back);
    }
    return true;
  }

  /// Something that is not placed and has to be before the moment can be. If the only reason is the
  /// order of two writers, they are told.
  std::uint32_t waits_for(std::uint32_t moment, std::uint32_t& first, std::uint32_t& second) {
    if (open_[moment] > 0) {
      for (std::size_t i = in_first_[moment]; i < in_first_[moment + 1]; ++i) {
        if (place_[in_[i]] == kNone) return in_[i];
      }
      const auto found = chosen_in_.find(moment);
      if (found == chosen_in_.end()) return kNone;
      for (const std::uint32_t before : found->second) {
        if (place_[before] == kNone) return before;
      }
      return kNone;
    }
    const std::uint32_t number = obstacle(moment);
    if (number == kNone) return kNone;
    const Key& key = keys_[number];
    first = moments_.transaction(moment);
    const bool is_locked = moments_.has_snapshots() && moments_.is_begin(moment);
    if (is_locked && key.open != kNone) {
      second = key.open;
      return moments_.commit(key.open);
    }
    if (key.current == kNone) return kNone;
    const UnorderedKey::Version& version = problem_.keys[number].versions[key.current];
    second = version.writer;
    for (const std::uint32_t reader : version.readers) {
      if (reader != first && place_[moments_.begin(reader)] == kNone) return moments_.begin(reader);
    }
    return kNone;
  }

  void find_in() {
    has_in_ = true;
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
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> order_;
  std::vector<Overwritten> overwritten_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  /// Edges that giving way added, by either end.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> chosen_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> chosen_in_;
  bool has_in_ = false;
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
  const Moments moments(problem);
  if (!work.spend(moments.size() + moments.edges())) {
    result.reason =
        fmt::format("the search took all {} steps that it may take", work.limits().steps);
    return result;
  }
  const std::vector<std::uint32_t> order = sorted(moments);
  if (order.size() < moments.size()) {
    result.outcome = Outcome::fail;
    return result;
  }
  if (problem.keys.empty()) {
    result.outcome = Outcome::pass;
    return result;
  }
  const std::uint64_t before = work.steps();
  if (Placement(problem, moments, work).run(kPlacementStepsMax)) {
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
