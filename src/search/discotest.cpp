// The search of DiscoTest as its program has it, where that differs from the thesis's text: see
// docs/results/programs.md. Each part can be set by itself.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "search/algorithms.h"
#include "search/generational.h"
#include "search/genotype.h"

namespace dissensus::search {

namespace {
using namespace std::string_view_literals;

struct Parts {
  std::size_t mu = 4;
  std::size_t lambda = 4;
  bool parents_win_ties = true;
  bool reuses_results = true;         ///< a genotype that has been run is never run again
  bool evaluates_parents = false;     ///< every generation runs its parents again
  bool completes_generations = true;  ///< the budget is tested between generations
};

Parts read_parts(const Options& options) {
  Parts parts;
  parts.mu = static_cast<std::size_t>(options.integer("mu", 4, 2, 10'000));
  parts.lambda = static_cast<std::size_t>(options.integer("lambda", 4, 1, 10'000));
  static constexpr std::array kTies{"parents"sv, "children"sv};
  parts.parents_win_ties = options.choice("ties", kTies, std::size_t{0}) == 0;
  parts.evaluates_parents = options.boolean("reevaluate", false);
  parts.reuses_results = options.boolean("cache", !parts.evaluates_parents);
  static constexpr std::array kTested{"generations"sv, "runs"sv};
  parts.completes_generations = options.choice("budget_tested", kTested, std::size_t{0}) == 0;
  return parts;
}

class DiscoTestSearch final : public Search {
 public:
  DiscoTestSearch(const SearchContext& context, const Parts& parts, const Options& options,
                  const VariationDefaults& defaults)
      : context_(context),
        parts_(parts),
        random_(context.seed, "discotest"),
        order_(program_order(context.space)),
        variation_(context_.space, options, defaults) {
    for (std::size_t i = 0; i < parts_.mu; ++i) add(first_genotype());
  }

  std::optional<Candidate> ask() override {
    while (asked_ < generation_.size() && generation_[asked_].known) ++asked_;
    if (asked_ == generation_.size()) return std::nullopt;
    Candidate candidate;
    candidate.genotype = in_space_order(generation_[asked_].individual.genotype);
    candidate.origin = bred_ ? variation_.origin() : "random"sv;
    candidate.tag = asked_++;
    return candidate;
  }

  void tell(const Candidate& candidate, const Evaluation& evaluation) override {
    Member& member = generation_[candidate.tag];
    member.individual.objectives = finite_objectives(evaluation, context_.objectives);
    member.known = true;
    if (parts_.reuses_results) {
      results_.emplace(member.individual.genotype.genes, member.individual.objectives);
    }
    // Of children that are all known already there may be several generations in a row.
    while (is_complete()) breed();
  }

  bool is_between_generations() const override { return asked_ == 0; }
  bool completes_generations() const override { return parts_.completes_generations; }

 private:
  struct Member {
    Individual individual;
    bool known = false;
  };

  /// The program's vectors go by sender, receiver, type; operators that cut them see that order.
  static std::vector<std::size_t> program_order(const SearchSpace& space) {
    std::vector<std::size_t> order(space.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (space.subjects.size() != space.size()) return order;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const SearchSpace::Subject& first = space.subjects[a];
      const SearchSpace::Subject& second = space.subjects[b];
      return std::tie(first.from, first.to, first.kind) <
             std::tie(second.from, second.to, second.kind);
    });
    return order;
  }
  Genotype in_space_order(const Genotype& genotype) const {
    Genotype result = genotype;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      result.genes[order_[i]] = genotype.genes[i];
    }
    return result;
  }

  /// Uniform as in random search, but without the upper bound itself.
  Genotype first_genotype() {
    Genotype genotype = random_genotype(context_.space, random_);
    if (context_.space.type == SearchSpace::Type::priority) return genotype;
    for (std::size_t i = 0; i < genotype.genes.size(); ++i) {
      const double high = context_.space.high[i];
      while (genotype.genes[i] >= high && high > context_.space.low[i]) {
        const double range = high - context_.space.low[i];
        genotype.genes[i] = context_.space.low[i] +
                            static_cast<double>(random_.below(static_cast<std::uint64_t>(range)));
      }
    }
    return genotype;
  }

  void add(Genotype genotype) {
    Member member;
    const auto known = results_.find(genotype.genes);
    if (parts_.reuses_results && genotype.faults.empty() && known != results_.end()) {
      member.individual.objectives = known->second;
      member.known = true;
    }
    member.individual.genotype = std::move(genotype);
    generation_.push_back(std::move(member));
  }

  bool is_complete() const {
    return std::all_of(generation_.begin(), generation_.end(),
                       [](const Member& member) { return member.known; });
  }

  void breed() {
    std::vector<Individual> told;
    for (Member& member : generation_) told.push_back(std::move(member.individual));
    generation_.clear();
    asked_ = 0;
    select(std::move(told));
    bred_ = true;
    // All parents in pairs, in random order; where more children are wanted, once again.
    std::vector<std::size_t> deck;
    while (generation_.size() < parts_.lambda) {
      if (deck.size() < 2) deck = shuffled_parents();
      const std::size_t first = deck[deck.size() - 1];
      const std::size_t second = deck[deck.size() - 2];
      deck.resize(deck.size() - 2);
      auto [child_1, child_2] =
          variation_.children(parents_[first].genotype, parents_[second].genotype, random_);
      add(std::move(child_1));
      if (generation_.size() < parts_.lambda) add(std::move(child_2));
    }
    if (!parts_.evaluates_parents) return;
    for (const Individual& parent : parents_) add(parent.genotype);
    parents_.clear();
  }

  void select(std::vector<Individual> told) {
    std::vector<Individual> all;
    const auto append = [&all](std::vector<Individual>& some) {
      std::move(some.begin(), some.end(), std::back_inserter(all));
    };
    if (parts_.parents_win_ties) append(parents_);
    append(told);
    if (!parts_.parents_win_ties) append(parents_);
    std::stable_sort(all.begin(), all.end(), better);
    if (all.size() > parts_.mu) all.resize(parts_.mu);
    parents_ = std::move(all);
  }

  std::vector<std::size_t> shuffled_parents() {
    std::vector<std::size_t> order(parents_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random_.below(i)]);
    }
    return order;
  }

  SearchContext context_;
  Parts parts_;
  Random random_;
  std::vector<std::size_t> order_;  ///< by gene of the program: gene of the space
  Variation variation_;
  std::vector<Individual> parents_;
  std::vector<Member> generation_;
  std::map<std::vector<double>, Point> results_;
  std::size_t asked_ = 0;
  bool bred_ = false;
};

/// Its random search: the budget is tested before each case, so that the last one is completed.
class DiscoTestRandom final : public Search {
 public:
  explicit DiscoTestRandom(const SearchContext& context)
      : space_(context.space), random_(context.seed, "discotest-random") {}
  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.genotype = random_genotype(space_, random_);
    candidate.origin = "random";
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}
  bool completes_generations() const override { return true; }

 private:
  SearchSpace space_;
  Random random_;
};
}  // namespace

std::unique_ptr<Search> make_discotest(const SearchContext& context, const Options& options,
                                       const VariationDefaults& defaults) {
  const Parts parts = read_parts(options);
  auto search = std::make_unique<DiscoTestSearch>(context, parts, options, defaults);
  options.finish();
  return search;
}

std::unique_ptr<Search> make_discotest_random(const SearchContext& context,
                                              const Options& options) {
  options.finish();
  return std::make_unique<DiscoTestRandom>(context);
}

}  // namespace dissensus::search
