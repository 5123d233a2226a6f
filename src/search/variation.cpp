#include "search/variation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace dissensus::search {

namespace {
using namespace std::string_view_literals;

std::size_t index_of(std::span<const std::string_view> words, std::string_view word) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

Crossover read_crossover(const SearchSpace& space, const Options& options,
                         const VariationDefaults& defaults, std::string_view fallback) {
  const auto names = crossover_names();
  const std::size_t chosen = options.choice("crossover", names, index_of(names, fallback));
  const double eta = options.number("crossover_eta", 3, 0, 1000);
  const double gene_probability = options.number("gene_probability", 0.5, 0, 1);
  const double exchange = options.number("exchange_probability", defaults.exchange, 0, 1);
  const double alpha = options.number("alpha", 0.7, 0, 100);
  static constexpr std::array kAssignments{"split"sv, "exchange"sv, "keep"sv};
  const auto assignment = static_cast<BoundedBinaryCrossover::Assignment>(
      options.choice("assignment", kAssignments, static_cast<std::size_t>(defaults.assignment)));
  const std::array<Crossover, std::variant_size_v<Crossover>> all{
      NoCrossover{},
      SimulatedBinaryCrossover{eta, gene_probability, exchange},
      BlendCrossover{alpha},
      UniformCrossover{gene_probability},
      PartiallyMappedCrossover{},
      BoundedBinaryCrossover{eta, gene_probability, assignment, space.low, space.high},
      OwnCutsCrossover{},
      OnePointCrossover{}};
  return all[chosen];
}

Mutation read_mutation(const Options& options, const VariationDefaults& defaults,
                       std::string_view fallback) {
  const auto names = mutation_names();
  const std::size_t chosen = options.choice("mutation", names, index_of(names, fallback));
  const double share = options.number("sigma_share", defaults.sigma_share, 0, 10);
  // A share that somebody asks for is not overruled by a default.
  const double sigma =
      options.number("sigma", options.has("sigma_share") ? 0 : defaults.sigma, 0, 1e9);
  const double eta = options.number("mutation_eta", 20, 0, 1000);
  const std::array<Mutation, std::variant_size_v<Mutation>> all{
      GaussianMutation{share, sigma}, PolynomialMutation{eta}, UniformMutation{}, SwapMutation{}};
  return all[chosen];
}

void check_fit(const SearchSpace& space, const Options& options, const Crossover& crossover,
               const Mutation& mutation) {
  const bool pmx = std::holds_alternative<PartiallyMappedCrossover>(crossover) ||
                   std::holds_alternative<OwnCutsCrossover>(crossover);
  const bool swap = std::holds_alternative<SwapMutation>(mutation);
  if (space.type == SearchSpace::Type::priority) {
    if (!pmx && !std::holds_alternative<NoCrossover>(crossover)) {
      options.fail("crossover", "the genes are priorities, expected pmx, own-cuts-pmx or none");
    }
    if (!swap) options.fail("mutation", "the genes are priorities, expected swap");
  } else if (pmx) {
    options.fail(
        "crossover",
        "the genes are delays, expected sbx, bounded-sbx, blend, uniform, one-point or none");
  }
}

/// By crossover, then mutation, in the order of the variants.
constexpr std::array<std::array<std::string_view, 4>, 8> kOrigins{{
    {"gaussian"sv, "polynomial"sv, "uniform"sv, "swap"sv},
    {"sbx+gaussian"sv, "sbx+polynomial"sv, "sbx+uniform"sv, "sbx+swap"sv},
    {"blend+gaussian"sv, "blend+polynomial"sv, "blend+uniform"sv, "blend+swap"sv},
    {"uniform+gaussian"sv, "uniform+polynomial"sv, "uniform+uniform"sv, "uniform+swap"sv},
    {"pmx+gaussian"sv, "pmx+polynomial"sv, "pmx+uniform"sv, "pmx+swap"sv},
    {"bounded-sbx+gaussian"sv, "bounded-sbx+polynomial"sv, "bounded-sbx+uniform"sv,
     "bounded-sbx+swap"sv},
    {"own-cuts-pmx+gaussian"sv, "own-cuts-pmx+polynomial"sv, "own-cuts-pmx+uniform"sv,
     "own-cuts-pmx+swap"sv},
    {"one-point+gaussian"sv, "one-point+polynomial"sv, "one-point+uniform"sv, "one-point+swap"sv},
}};
}  // namespace

Variation::Variation(const SearchSpace& space, const Options& options,
                     const VariationDefaults& defaults)
    : space_(space) {
  const bool priority = space.type == SearchSpace::Type::priority;
  crossover_ = read_crossover(space, options, defaults,
                              priority ? defaults.priority_crossover : defaults.crossover);
  mutation_ = read_mutation(options, defaults, priority ? "swap" : defaults.mutation);
  check_fit(space, options, crossover_, mutation_);
  crossover_probability_ = options.number("crossover_probability", 1, 0, 1);
  const auto size = static_cast<double>(std::max<std::size_t>(space.size(), 1));
  const double usual =
      defaults.mutated_share > 0 ? defaults.mutated_share * size : defaults.mutated_genes;
  const double mutated_genes = options.number("mutated_genes", usual, 0, 1e6);
  gene_probability_ = mutated_genes / size;
  static constexpr std::array kCounts{"by-chance"sv, "fixed"sv};
  counted_ = options.choice("mutation_count", kCounts,
                            defaults.mutated_share > 0 ? std::size_t{1} : std::size_t{0}) == 1;
  static constexpr std::array kPlanCrossovers{"none"sv, "one-point"sv, "uniform"sv};
  plan_crossover_ =
      static_cast<PlanCrossover>(options.choice("plan_crossover", kPlanCrossovers, std::size_t{2}));
  plan_probability_ =
      options.number("plan_mutation_probability", space.size() == 0 ? 1 : 0.5, 0, 1);
  origin_ = kOrigins[crossover_.index()][mutation_.index()];
}

std::string_view Variation::neighbour_origin() const {
  return kOrigins[0][mutation_.index()];
}

void Variation::cross(Genotype& first, Genotype& second, Random& random) const {
  if (!random.chance(crossover_probability_)) return;
  std::visit([&](const auto& operation) { operation(first.genes, second.genes, random); },
             crossover_);
  const bool keeps_bounds = std::holds_alternative<BoundedBinaryCrossover>(crossover_) ||
                            std::holds_alternative<NoCrossover>(crossover_);
  if (counted_ && keeps_bounds) {
    // What has drifted beyond its upper bound stays there until a crossover touches it, and the
    // bounded one keeps its bounds by itself.
    for (Genotype* const child : {&first, &second}) {
      if (space_.type == SearchSpace::Type::priority) break;
      for (double& gene : child->genes) gene = std::floor(gene + 0.5);
    }
  } else {
    repair(first.genes, space_);
    repair(second.genes, space_);
  }
  cross_plans(first.faults, second.faults, plan_crossover_, space_.faults_max, random);
}

void Variation::mutate(Genotype& genotype, Random& random) const {
  if (counted_) {
    mutate_count(genotype.genes, space_, mutation_,
                 gene_probability_ * static_cast<double>(space_.size()), random);
  } else {
    search::mutate(genotype.genes, space_, mutation_, gene_probability_, random);
  }
  if (space_.fault_strategy && random.chance(plan_probability_)) {
    mutate_plan(genotype.faults, space_, random);
  }
}

std::pair<Genotype, Genotype> Variation::children(const Genotype& first, const Genotype& second,
                                                  Random& random) const {
  std::pair<Genotype, Genotype> result{first, second};
  cross(result.first, result.second, random);
  mutate(result.first, random);
  mutate(result.second, random);
  return result;
}

Genotype Variation::child(const Genotype& first, const Genotype& second, Random& random) const {
  Genotype result = first;
  Genotype other = second;
  cross(result, other, random);
  mutate(result, random);
  return result;
}

Genotype Variation::neighbour(const Genotype& genotype, Random& random) const {
  constexpr int kAttempts = 8;
  Genotype result = genotype;
  mutate(result, random);
  // With one gene in n on average, a good third of all mutations change nothing.
  for (int i = 0; i < kAttempts && result == genotype; ++i) {
    if (space_.size() == 0) {
      mutate_plan(result.faults, space_, random);
    } else {
      mutate_gene(result.genes, random.below(space_.size()), space_, mutation_, random);
    }
  }
  return result;
}

}  // namespace dissensus::search
