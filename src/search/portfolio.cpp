#include "search/portfolio.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/assert.h"
#include "core/suggestion.h"
#include "search/immigration.h"
#include "search/registry.h"

namespace dissensus::search {

namespace {

/// Members in the order of their first turns: shapes first, they need no learning.
constexpr std::array<std::string_view, 6> kDefaultMembers{"structured", "overtaking", "slow",
                                                          "coverage",   "discotest",  "random"};
/// Where only faults vary: the two that are about delays would repeat others.
constexpr std::array<std::string_view, 4> kFaultMembers{"structured", "coverage", "discotest",
                                                        "random"};
constexpr double kDefaultFloor = 0.25;
/// States and margins say less about plans of faults than about delays: shares stay closer
/// together.
constexpr double kFaultFloor = 0.6;
/// So many turns at the beginning are those of the first two members, which need no results to
/// start from.
constexpr std::size_t kLead = 12;
/// How fast yields forget: the weight of the newest result.
constexpr double kMemory = 0.05;

struct Member {
  std::string_view name;
  std::unique_ptr<Search> search;
  bool single_objective = false;
  double yield = 0.5;  ///< moving average of rewards, each 0..1; 0.5 is what is usual in this hunt
  std::size_t asked = 0;
};

class Portfolio final : public Search, public Immigration {
 public:
  Portfolio(std::vector<Member> members, double floor, std::uint64_t seed)
      : members_(std::move(members)), floor_(floor), random_(seed, "portfolio") {}

  std::optional<Candidate> ask() override {
    // Each member has a turn before shares are drawn; one that waits for results is passed over.
    std::vector<std::size_t> ready(members_.size());
    for (std::size_t i = 0; i < ready.size(); ++i) ready[i] = i;
    while (!ready.empty()) {
      const auto chosen = ready.begin() + static_cast<std::ptrdiff_t>(choose(ready));
      Member& member = members_[*chosen];
      if (std::optional<Candidate> candidate = member.search->ask()) {
        ++member.asked;
        ++asked_;
        under_way_.push_back({*chosen, candidate->tag});
        candidate->member = member.name;
        return candidate;
      }
      ready.erase(chosen);
    }
    return std::nullopt;
  }

  void tell(const Candidate& candidate, const Evaluation& evaluation) override {
    const UnderWay asked = under_way_.front();
    under_way_.pop_front();
    Member& member = members_[asked.member];
    member.yield += (reward(evaluation) - member.yield) * kMemory;

    Candidate own = candidate;
    own.tag = asked.tag;
    member.search->tell(own, member.single_objective ? summed(evaluation) : evaluation);
  }

  /// Every member that listens; nobody's yield: no member has asked for it.
  void welcome(const Genotype& genotype, const Evaluation& evaluation) override {
    if (evaluation.failed) known_.insert(evaluation.signature);
    for (Member& member : members_) {
      search::welcome(*member.search, genotype,
                      member.single_objective ? summed(evaluation) : evaluation);
    }
  }

 private:
  static Evaluation summed(const Evaluation& evaluation) {
    Evaluation single = evaluation;
    double sum = 0;
    for (const double objective : evaluation.objectives) sum += objective;
    single.objectives = {sum};
    return single;
  }

  struct UnderWay {
    std::size_t member;
    std::uint64_t tag;
  };

  /// A position in `ready`.
  std::size_t choose(const std::vector<std::size_t>& ready) {
    if (asked_ < kLead && ready.size() == members_.size()) {
      return std::min<std::size_t>(asked_ % 2, ready.size() - 1);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (members_[ready[i]].asked == 0) return i;
    }
    double total = 0;
    for (const std::size_t member : ready) total += share(member);
    double left = random_.unit() * total;
    for (std::size_t i = 0; i + 1 < ready.size(); ++i) {
      left -= share(ready[i]);
      if (left < 0) return i;
    }
    return ready.size() - 1;
  }
  double share(std::size_t index) const {
    double yields = 0;
    for (const Member& member : members_) yields += power(member.yield);
    const double even = 1 / static_cast<double>(members_.size());
    const double own = power(members_[index].yield);
    return floor_ * even + (1 - floor_) * (yields > 0 ? own / yields : even);
  }

  /// A search that yields a fifth more than another gets about twice as many runs.
  static double power(double yield) { return yield * yield * yield * yield; }

  /// A violation that is new to the hunt counts most. Otherwise: states that no run had reached and
  /// closeness to a violation, each against what is usual in this hunt, for the time that it took.
  double reward(const Evaluation& evaluation) {
    if (evaluation.failed) return known_.insert(evaluation.signature).second ? 1.0 : 0.8;
    const double margin =
        std::min(1.0, std::max(evaluation.disagreement_margin, evaluation.termination_margin));
    const double brought = 0.6 * usual_states_.judge(static_cast<double>(evaluation.new_states)) +
                           0.4 * usual_margin_.judge(margin);
    // Long runs reach more and come closer to a stall by nature: what counts is what a run brings
    // for its time.
    const double slowness = usual_seconds_.judge(evaluation.virtual_seconds);
    return std::min(1.0, brought * 2 * (1 - slowness));
  }

  /// What is usual: a moving average, and how a value compares with it, 0.5 for one that equals it.
  struct Usual {
    double mean = 0;
    double judge(double value) {
      const double sum = value + mean;
      mean += (value - mean) * kMemory;
      return sum > 0 ? value / sum : 0.5;
    }
  };

  std::vector<Member> members_;
  double floor_;
  Random random_;
  std::size_t asked_ = 0;
  std::deque<UnderWay> under_way_;
  std::set<std::string> known_;
  Usual usual_states_;
  Usual usual_margin_;
  Usual usual_seconds_;
};

/// Shapes have no need to learn: they are trusted until they disappoint.
double first_yield(std::string_view name) {
  if (name == "overtaking" || name == "slow") return 0.7;
  return name == "structured" ? 0.55 : 0.45;
}

std::vector<std::string> member_names(const Options& options, bool has_genes) {
  std::vector<std::string> names;
  const std::optional<OptionValue> list = options.find("members");
  if (!list && !has_genes) return {kFaultMembers.begin(), kFaultMembers.end()};
  if (!list) return {kDefaultMembers.begin(), kDefaultMembers.end()};
  for (const OptionValue& name : list->list()) {
    const SearchEntry* entry = find_search(built_in_searches(), name.text());
    if (!entry || entry->make == &make_portfolio) {
      std::vector<std::string> known;
      for (const SearchEntry& search : built_in_searches()) known.push_back(search.name);
      name.fail("expected the name of a search" + suggestion(name.text(), known));
    }
    names.push_back(name.text());
  }
  if (names.empty()) list->fail("expected at least one search");
  return names;
}

}  // namespace

std::unique_ptr<Search> make_portfolio(const SearchContext& context, const Options& options) {
  const bool has_genes = context.space.size() > 0;
  const std::vector<std::string> names = member_names(options, has_genes);
  const double floor = options.number("floor", has_genes ? kDefaultFloor : kFaultFloor, 0, 1);
  options.finish();

  const Options defaults = Options::from_toml("", "portfolio");
  std::vector<Member> members;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SearchEntry* entry = find_search(built_in_searches(), names[i]);
    DISSENSUS_ASSERT(entry, "make_portfolio : members are built in");
    SearchContext own = context;
    own.seed = derive_seed(context.seed, names[i], i);
    const bool single = entry->fitness.size() == 1 && context.objectives > 1;
    if (single) own.objectives = 1;
    members.push_back({entry->name, entry->make(own, defaults), single, first_yield(names[i])});
  }
  return std::make_unique<Portfolio>(std::move(members), floor, context.seed);
}

}  // namespace dissensus::search
