#include "search/coverage.h"

#include <algorithm>
#include <utility>

#include "search/genotype.h"
#include "search/immigration.h"
#include "search/operators.h"

namespace dissensus::search {

namespace {

/// A record of an objective is worth as much as so many new states.
constexpr std::size_t kRecordWorth = 4;

struct Parameters {
  std::uint64_t initial = 10;
  double fresh = 0.1;
  std::size_t corpus = 1000;
  bool records = false;
};

/// Genes that have something in common, drawn by a gene: its sender, receiver, kind or link.
std::vector<std::size_t> draw_group(const SearchSpace& space, Random& random) {
  const std::size_t first = random.below(space.size());
  const auto subject = [&](std::size_t gene) {
    return gene < space.subjects.size() ? space.subjects[gene] : SearchSpace::Subject{};
  };
  const SearchSpace::Subject wanted = subject(first);
  const std::uint64_t by = random.below(4);
  std::vector<std::size_t> group;
  for (std::size_t gene = 0; gene < space.size(); ++gene) {
    const SearchSpace::Subject found = subject(gene);
    const bool same_from = found.from == wanted.from;
    const bool same_to = found.to == wanted.to;
    const bool matches = by == 0   ? same_from
                         : by == 1 ? same_to
                         : by == 2 ? found.kind == wanted.kind
                                   : same_from && same_to;
    if (matches) group.push_back(gene);
  }
  return group;
}

/// Gives the group the highest or the lowest priorities; inside and outside of it the order stays.
void move_group(std::vector<double>& priorities, const std::vector<std::size_t>& group, bool up) {
  std::vector<bool> in_group(priorities.size());
  for (const std::size_t gene : group) in_group[gene] = true;
  std::vector<std::size_t> order(priorities.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return priorities[a] < priorities[b]; });
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t gene) { return in_group[gene] != up; });
  for (std::size_t i = 0; i < order.size(); ++i) priorities[order[i]] = static_cast<double>(i + 1);
}

class Coverage final : public Search, public Immigration {
 public:
  Coverage(const SearchContext& context, const Parameters& parameters)
      : space_(context.space), random_(context.seed, "coverage"), parameters_(parameters) {}

  std::optional<Candidate> ask() override {
    Candidate candidate;
    const bool starts = asked_++ < parameters_.initial;
    if (starts || corpus_.empty() || random_.chance(parameters_.fresh)) {
      candidate.genotype = random_genotype(space_, random_);
      candidate.origin = "random";
      if (space_.size() == 0 && space_.fault_strategy) {
        // Plans alone: faults that belong together are the better start.
        candidate.genotype.faults = space_.fault_strategy->draw_plan(space_.faults_max, random_);
        candidate.origin = "story";
      }
      return candidate;
    }
    Seed& seed = choose();
    ++seed.uses;
    candidate.genotype = seed.genotype;
    candidate.origin = "coverage";
    // Few steps are the most likely; now and then a leap.
    const std::uint64_t steps = std::uint64_t{1} << random_.below(5);
    for (std::uint64_t i = 0; i < steps; ++i) alter(candidate.genotype);
    return candidate;
  }

  void tell(const Candidate& candidate, const Evaluation& evaluation) override {
    welcome(candidate.genotype, evaluation);
  }

  /// A seed is a seed, whoever has found it.
  void welcome(const Genotype& genotype, const Evaluation& evaluation) override {
    const std::size_t worth =
        evaluation.new_states + (parameters_.records ? kRecordWorth * records_of(evaluation) : 0);
    if (worth == 0) return;
    if (corpus_.size() == parameters_.corpus) {
      corpus_.erase(
          std::min_element(corpus_.begin(), corpus_.end(),
                           [](const auto& a, const auto& b) { return a.energy() < b.energy(); }));
    }
    corpus_.push_back({genotype, worth, 0});
  }

 private:
  /// How many objectives were never as good before: one objective per property, each with a seed
  /// of its own (MOSA: Panichella and others 2015).
  std::size_t records_of(const Evaluation& evaluation) {
    const std::vector<double>& objectives = evaluation.objectives;
    if (best_.size() < objectives.size()) best_.resize(objectives.size(), 0);
    std::size_t records = 0;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      if (objectives[i] >= best_[i]) continue;
      best_[i] = objectives[i];
      ++records;
    }
    return records;
  }

  struct Seed {
    Genotype genotype;
    std::size_t found = 0;
    std::uint64_t uses = 0;
    double energy() const { return static_cast<double>(found) / static_cast<double>(1 + uses); }
  };

  Seed& choose() {
    double sum = 0;
    for (const Seed& seed : corpus_) sum += seed.energy();
    double left = random_.unit() * sum;
    std::size_t chosen = 0;
    while (chosen + 1 < corpus_.size() && left >= corpus_[chosen].energy()) {
      left -= corpus_[chosen++].energy();
    }
    return corpus_[chosen];
  }

  void alter(Genotype& genotype) {
    if (space_.fault_strategy && (space_.size() == 0 || random_.chance(0.25))) {
      mutate_plan(genotype.faults, space_, random_);
      return;
    }
    if (space_.size() == 0) return;
    if (space_.type == SearchSpace::Type::priority) {
      alter_priorities(genotype.genes);
    } else {
      alter_delays(genotype.genes);
    }
  }

  void alter_priorities(std::vector<double>& genes) {
    if (random_.chance(0.75)) {
      mutate_gene(genes, random_.below(genes.size()), space_, SwapMutation{}, random_);
    } else {
      move_group(genes, draw_group(space_, random_), random_.chance(0.5));
    }
  }

  void alter_delays(std::vector<double>& genes) {
    const std::size_t gene = random_.below(genes.size());
    switch (random_.below(4)) {
      case 0:
        mutate_gene(genes, gene, space_, UniformMutation{}, random_);
        break;
      case 1:
        genes[gene] = random_.chance(0.5) ? space_.low[gene] : space_.high[gene];
        break;
      case 2: {
        const double share = random_.chance(0.5) ? 0 : random_.unit();
        for (const std::size_t member : draw_group(space_, random_)) {
          genes[member] = space_.low[member] + share * (space_.high[member] - space_.low[member]);
        }
        break;
      }
      default: {
        const Genotype& other = corpus_[random_.below(corpus_.size())].genotype;
        for (const std::size_t member : draw_group(space_, random_)) {
          genes[member] = other.genes[member];
        }
      }
    }
    repair(genes, space_);
  }

  SearchSpace space_;
  Random random_;
  Parameters parameters_;
  std::uint64_t asked_ = 0;
  std::vector<Seed> corpus_;
  std::vector<double> best_;  ///< by objective
};

}  // namespace

std::unique_ptr<Search> make_coverage(const SearchContext& context, const Options& options) {
  Parameters parameters;
  parameters.initial = static_cast<std::uint64_t>(
      options.integer("initial", static_cast<std::int64_t>(parameters.initial), 1, 1'000'000));
  parameters.fresh = options.number("fresh", parameters.fresh, 0, 1);
  parameters.corpus = static_cast<std::size_t>(
      options.integer("corpus", static_cast<std::int64_t>(parameters.corpus), 1, 1'000'000));
  parameters.records = options.boolean("records", parameters.records);
  return std::make_unique<Coverage>(context, parameters);
}

const std::vector<SearchEntry>& coverage_searches() {
  static const std::vector<SearchEntry> entries{
      {"coverage",
       "Alters schedules that reached unseen abstract states: initial, fresh, corpus, records",
       {},
       make_coverage},
  };
  return entries;
}

}  // namespace dissensus::search
