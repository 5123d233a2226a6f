// How parents become children: the operators that the parameters of a search name, on genes and
// fault plans alike.
#pragma once

#include <string_view>
#include <utility>

#include "dissensus/options.h"
#include "dissensus/search.h"

#include "search/operators.h"

namespace dissensus::search {

/// What a search takes in a delay space where its parameters say nothing. In a priority space that
/// is always PMX and swap.
struct VariationDefaults {
  std::string_view crossover = "sbx";
  double exchange = 0.5;  ///< SBX: exchange_probability
  std::string_view mutation = "gaussian";
  double sigma_share = 0.01;
  double sigma = 0;  ///< in units of the gene; 0: sigma_share counts
  BoundedBinaryCrossover::Assignment assignment = BoundedBinaryCrossover::Assignment::exchange;
  std::string_view priority_crossover = "pmx";
  /// DiscoTest: this share of the genes, a fixed number of them; 0: `mutated_genes`, by chance.
  double mutated_share = 0;
  double mutated_genes = 1;
};

/// Constant. Outlived by the space it was made for.
class Variation {
 public:
  /// Throws InputError for operators that do not fit the space.
  Variation(const SearchSpace& space, const Options& options, const VariationDefaults& defaults);

  /// Two mutated children of two parents.
  std::pair<Genotype, Genotype> children(const Genotype& first, const Genotype& second,
                                         Random& random) const;
  /// The first of them alone.
  Genotype child(const Genotype& first, const Genotype& second, Random& random) const;
  /// A mutation that differs from `genotype`, unless the space has nothing else.
  Genotype neighbour(const Genotype& genotype, Random& random) const;

  /// For Candidate::origin: "sbx+gaussian" and "gaussian".
  std::string_view origin() const { return origin_; }
  std::string_view neighbour_origin() const;

 private:
  void cross(Genotype& first, Genotype& second, Random& random) const;
  void mutate(Genotype& genotype, Random& random) const;

  const SearchSpace& space_;
  Crossover crossover_;
  Mutation mutation_;
  PlanCrossover plan_crossover_ = PlanCrossover::uniform;
  double crossover_probability_ = 1;
  double gene_probability_ = 0;  ///< of mutation
  bool counted_ = false;         ///< a fixed number of mutations, without an upper bound
  double plan_probability_ = 0.5;
  std::string_view origin_;
};

}  // namespace dissensus::search
