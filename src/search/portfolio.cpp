#include "search/portfolio.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/suggestion.h"
#include "search/registry.h"
#include "search/shared_budget.h"

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
constexpr double kMemberMemory = 0.05;

class Portfolio final : public SharedBudget {
 public:
  Portfolio(std::vector<Member> members, std::vector<double> first_yields, double floor,
            std::uint64_t seed)
      : SharedBudget(std::move(members), floor, Random(seed, "portfolio")),
        yields_(std::move(first_yields)) {}

 private:
  double yield_of(std::size_t member) const override { return yields_[member]; }

  /// Each member has a turn before shares are drawn.
  std::optional<std::size_t> fixed_turn(const std::vector<std::size_t>& ready) const override {
    if (asked() < kLead && ready.size() == members().size()) {
      return std::min<std::size_t>(asked() % 2, ready.size() - 1);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (members()[ready[i]].asked == 0) return i;
    }
    return std::nullopt;
  }

  void learn(std::size_t member, const Evaluation& evaluation) override {
    yields_[member] += (reward(evaluation) - yields_[member]) * kMemberMemory;
  }
  void know(const std::string& signature) override { known_.insert(signature); }

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

  /// Moving averages of rewards, each 0..1; 0.5 is what is usual in this hunt.
  std::vector<double> yields_;
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
  std::vector<double> yields;
  for (std::size_t i = 0; i < names.size(); ++i) {
    members.push_back(make_member(context, names[i], i, defaults));
    yields.push_back(first_yield(names[i]));
  }
  return std::make_unique<Portfolio>(std::move(members), std::move(yields), floor, context.seed);
}

}  // namespace dissensus::search
