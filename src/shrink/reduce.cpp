#include "shrink/reduce.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dissensus/digest.h"
#include "dissensus/random.h"

#include "core/assert.h"

namespace dissensus::shrink {

namespace {

/// Lowers some units to a level, and redraws others.
struct Move {
  Units units;
  std::int64_t level = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> redrawn = {};
};
/// Of so few units all subsets are tried.
constexpr std::size_t kAllSubsets = 10;
/// How many moves are prepared at once: preparing costs time and an accepted move outdates the
/// rest.
constexpr std::size_t kMovesAhead = 256;

Digest digest_of(const Levels& levels) {
  DigestBuilder builder;
  for (const std::int64_t level : levels) builder.add(static_cast<std::uint64_t>(level));
  return builder.finish();
}

class Reducer {
 public:
  Reducer(const Problem& problem, const Judge& judge, const ReduceOptions& options)
      : problem_(problem), judge_(judge), options_(options) {
    reduction_.levels = problem.start;
  }

  Reduction run() { return options_.frugal ? run_frugally() : run_thoroughly(); }

 private:
  Reduction run_frugally() {
    try_first({{problem_.unused, 0}});
    sweep(lowerings(Part::rest));
    remove_chunks();
    while (sweep(single_removals())) {
    }
    reduction_.minimal = !stopped_;
    return std::move(reduction_);
  }

  Reduction run_thoroughly() {
    // Less time and work for the bulk to act on: what it does there cannot matter any more.
    sweep(single_removals(Part::rest));
    sweep(lowerings(Part::rest));
    try_first(story_keepings());
    do {
      do {
        sweep(group_removals());
        remove_chunks();
        while (sweep(single_removals())) {
        }
      } while (jump());
      // Nothing can be removed: smaller levels, and whether they make something removable.
    } while (!stopped_ && (sweep(lowerings()) || sweep(single_removals())));
    // The last round tried every removal and every lowering from these levels, in vain.
    reduction_.minimal = !stopped_;
    return std::move(reduction_);
  }

  enum class Part : std::uint8_t { all, rest };  ///< rest: what is not bulk

  std::vector<Move> group_removals() const {
    std::vector<Move> moves;
    for (const Units& units : problem_.groups) moves.push_back({units, 0});
    return moves;
  }

  /// Of the bulk nothing but one story, smallest first: as it is, or all of it at one level, the
  /// highest, a half or a quarter of it. A plain story that fails is worth more than a subset that
  /// does.
  std::vector<Move> story_keepings() const {
    std::vector<const Units*> stories;
    for (const Units& units : problem_.stories) stories.push_back(&units);
    std::stable_sort(stories.begin(), stories.end(),
                     [](const Units* a, const Units* b) { return a->size() < b->size(); });
    std::vector<Move> moves;
    for (const std::int64_t part : {0, 1, 2, 4}) {
      for (const Units* units : stories) moves.push_back(keeping(*units, part));
    }
    std::erase_if(moves, [](const Move& move) { return move.units.empty(); });
    return moves;
  }

  /// `part` 0: at the levels they have, else at that part of the highest.
  Move keeping(const Units& kept, std::int64_t part) const {
    const std::set<std::uint32_t> inside(kept.begin(), kept.end());
    Move move;
    for (const std::uint32_t unit : problem_.bulk) {
      if (!inside.contains(unit)) {
        move.units.push_back(unit);
      } else if (part > 0 && reduction_.levels[unit] > 0 && problem_.most &&
                 problem_.most(unit) >= part) {
        move.redrawn.emplace_back(unit, problem_.most(unit) / part);
      }
    }
    return move;
  }

  /// Leaves a place from which no single step leads on. True if a smaller candidate fails.
  bool jump() {
    Units units;
    for (const std::uint32_t unit : problem_.bulk) {
      if (reduction_.levels[unit] > 0) units.push_back(unit);
    }
    if (stopped_ || units.size() < 3 || options_.jumps == 0) return false;
    if (units.size() <= kAllSubsets) return try_first(all_subsets(units));
    return try_first(random_stories(units.size())) || try_first(random_neighbours(units));
  }

  /// Largest removals first.
  static std::vector<Move> all_subsets(const Units& units) {
    std::vector<Move> moves;
    for (std::uint32_t removed = 1; removed < (1U << units.size()); ++removed) {
      Move move;
      for (std::size_t i = 0; i < units.size(); ++i) {
        if ((removed >> i & 1U) != 0) move.units.push_back(units[i]);
      }
      moves.push_back(std::move(move));
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move& a, const Move& b) { return a.units.size() > b.units.size(); });
    return moves;
  }

  /// Removes some units, most often few, and redraws others: a place from which no
  /// subset leads on may have a smaller neighbour.
  std::vector<Move> random_neighbours(const Units& units) {
    Random random(options_.seed, "jump", jumps_++);
    std::vector<Move> moves;
    for (std::size_t i = 0; i < options_.jumps; ++i) {
      std::size_t removed = 1;
      while (removed + 4 < units.size() && random.chance(0.7)) ++removed;
      Units order = units;
      for (std::size_t k = 0; k < removed + 3; ++k) {
        std::swap(order[k], order[k + random.below(order.size() - k)]);
      }
      Move move{Units(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(removed)), 0};
      // Most often a few; at times all, as late as can be.
      const bool all = random.chance(0.2);
      const std::size_t redrawn = all ? order.size() - removed : random.below(4);
      for (std::size_t k = removed; k < removed + redrawn; ++k) {
        const std::int64_t most = problem_.most ? problem_.most(order[k]) : 0;
        if (most <= 1) continue;
        const bool highest = all || random.chance(0.5);
        move.redrawn.emplace_back(order[k], highest ? most : random.between(1, most));
      }
      moves.push_back(std::move(move));
    }
    return moves;
  }

  /// One to four groups, each at one level, and nothing else: fewer than `count` units in all. Only
  /// groups that are there by half are drawn; units of them that were removed may come back, since
  /// others go in their place.
  std::vector<Move> random_stories(std::size_t count) {
    std::vector<Move> moves;
    const std::vector<const Units*> groups = groups_half_there(count);
    if (groups.empty() || !problem_.most) return moves;
    Random random(options_.seed, "story", jumps_++);
    for (std::size_t i = 0; i < options_.jumps; ++i) {
      Move move{problem_.bulk, 0};
      std::set<std::uint32_t> inside;
      const std::size_t parts = 1 + random.below(4);
      for (std::size_t part = 0; part < parts; ++part) {
        const Units& group = *groups[random.below(groups.size())];
        const auto quarters =
            static_cast<std::int64_t>(random.chance(0.5) ? 4 : 1 + random.below(4));
        for (const std::uint32_t unit : group) {
          const std::int64_t most = problem_.start[unit] > 0 ? problem_.most(unit) : 0;
          if (most < 4 || !inside.insert(unit).second) continue;
          move.redrawn.emplace_back(unit, most * quarters / 4);
        }
      }
      if (!inside.empty() && inside.size() < count) moves.push_back(std::move(move));
    }
    return moves;
  }

  std::vector<const Units*> groups_half_there(std::size_t size_max) const {
    std::vector<const Units*> result;
    for (const Units& group : problem_.groups) {
      const auto there = std::count_if(group.begin(), group.end(), [&](std::uint32_t unit) {
        return reduction_.levels[unit] > 0;
      });
      const bool half = 2 * static_cast<std::size_t>(there) >= group.size();
      if (half && group.size() < size_max) result.push_back(&group);
    }
    return result;
  }

  void remove_chunks() {
    for (std::size_t size = present().size() / 2; size > 1 && !stopped_; size /= 2) {
      const Units units = present();
      std::vector<Move> moves;
      for (std::size_t first = 0; first < units.size(); first += size) {
        const std::size_t end = std::min(first + size, units.size());
        moves.push_back({Units(units.begin() + static_cast<std::ptrdiff_t>(first),
                               units.begin() + static_cast<std::ptrdiff_t>(end)),
                         0});
      }
      sweep(moves);
    }
  }

  std::vector<Move> single_removals(Part part = Part::all) const {
    std::vector<Move> moves;
    for (const std::uint32_t unit : present(part)) moves.push_back({{unit}, 0});
    return moves;
  }

  std::vector<Move> lowerings(Part part = Part::all) const {
    std::vector<Move> moves;
    for (const std::uint32_t unit : present(part)) {
      for (const std::int64_t level : problem_.smaller(unit, reduction_.levels[unit])) {
        moves.push_back({{unit}, level});
      }
    }
    return moves;
  }

  Units present(Part part = Part::all) const {
    Units units;
    for (std::size_t unit = 0; unit < reduction_.levels.size(); ++unit) {
      const auto number = static_cast<std::uint32_t>(unit);
      if (reduction_.levels[unit] == 0) continue;
      if (part == Part::rest &&
          std::binary_search(problem_.bulk.begin(), problem_.bulk.end(), number)) {
        continue;
      }
      units.push_back(number);
    }
    return units;
  }

  Levels after(const Move& move) const {
    Levels levels = reduction_.levels;
    for (const std::uint32_t unit : move.units) levels[unit] = std::min(levels[unit], move.level);
    for (const auto& [unit, level] : move.redrawn) levels[unit] = level;
    if (problem_.normalise) problem_.normalise(levels);
    return levels;
  }

  /// Makes each move once, in order, and keeps those after which the candidate fails. True if any
  /// was kept.
  bool sweep(const std::vector<Move>& moves) {
    bool changed = false;
    std::size_t position = 0;
    while (position < moves.size() && !stopped_) changed = step(moves, position) || changed;
    return changed;
  }

  /// Keeps the first move after which the candidate fails. True if there is one.
  bool try_first(const std::vector<Move>& moves) {
    std::size_t position = 0;
    while (position < moves.size() && !stopped_) {
      if (step(moves, position)) return true;
    }
    return false;
  }

  /// Tries the next moves up to the first that is kept; `position` advances behind the last tried.
  bool step(const std::vector<Move>& moves, std::size_t& position) {
    const std::vector<std::size_t> open = open_moves(moves, position);
    if (open.empty()) return false;
    const auto make = [&](std::size_t index) { return after(moves[open[index]]); };
    const Tried tried = judge_(open.size(), make);
    reduction_.judged += tried.count;
    stopped_ = tried.stopped;
    const std::size_t passed = tried.count - (tried.failing ? 1 : 0);
    for (std::size_t index = 0; index < passed; ++index) passing_.insert(digest_of(make(index)));
    if (!tried.failing) return false;
    reduction_.levels = make(*tried.failing);
    position = open[*tried.failing] + 1;
    return true;
  }

  /// The next moves that change something and lead to candidates not judged before; `position`
  /// advances behind the last move looked at.
  std::vector<std::size_t> open_moves(const std::vector<Move>& moves, std::size_t& position) {
    std::vector<std::size_t> open;
    std::set<Digest> prepared;
    for (; position < moves.size() && open.size() < kMovesAhead; ++position) {
      if (!lowers(moves[position])) continue;
      const Digest digest = digest_of(after(moves[position]));
      if (passing_.contains(digest)) {
        ++reduction_.known;
      } else if (prepared.insert(digest).second) {
        open.push_back(position);
      }
    }
    return open;
  }

  bool lowers(const Move& move) const {
    return std::any_of(move.units.begin(), move.units.end(),
                       [&](std::uint32_t unit) { return reduction_.levels[unit] > move.level; });
  }

  const Problem& problem_;
  const Judge& judge_;
  const ReduceOptions& options_;
  std::uint64_t jumps_ = 0;
  Reduction reduction_;
  std::set<Digest> passing_;
  bool stopped_ = false;
};

}  // namespace

Reduction reduce(const Problem& problem, const Judge& judge, const ReduceOptions& options) {
  DISSENSUS_ASSERT(static_cast<bool>(problem.smaller) && static_cast<bool>(judge),
                   "reduce : the problem is complete");
  return Reducer(problem, judge, options).run();
}

std::vector<std::int64_t> round_values_below(std::int64_t value) {
  std::vector<std::int64_t> values;
  const auto add = [&](std::int64_t candidate) {
    if (candidate < value) values.push_back(candidate);
  };
  for (const std::int64_t small : {1, 2, 5, 10, 20, 50}) add(small);
  for (std::int64_t hundreds = 100; hundreds < 1'000; hundreds += 100) add(hundreds);
  for (std::int64_t halves = 1'000; halves <= 10'000; halves += 500) add(halves);
  for (const std::int64_t large : {15'000, 20'000, 30'000, 45'000, 60'000}) add(large);
  for (std::int64_t power = 100'000; power < value && power < INT64_MAX / 100; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) add(factor * power);
  }
  return values;
}

}  // namespace dissensus::shrink
