// Operators on genes: each a small value with its parameters. docs/search-methods.md describes them
// with their sources.
//
// A crossover turns two parents, in place, into two children. A mutation draws a new value for one
// gene. Neither looks at bounds unless its definition does: repair() comes after.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "dissensus/random.h"
#include "dissensus/search.h"

namespace dissensus::search {

/// Parents are copied.
struct NoCrossover {
  void operator()(std::span<double>, std::span<double>, Random&) const {}
};

/// SBX (Deb and Agrawal 1995): the children lie symmetrically about the mean of the parents, at
/// beta times their distance; the density of beta is that of the thesis, 3.3.1. The papers leave it
/// at that; Deb's own programs also exchange half of the recombined genes between the children.
struct SimulatedBinaryCrossover {
  double eta = 3;
  double gene_probability = 0.5;
  double exchange_probability = 0;
  void operator()(std::span<double> first, std::span<double> second, Random& random) const;
  double beta(double unit) const;
};

/// Bounded SBX (Deb): beta is drawn so that the children stay within the bounds. Which child gets
/// which of the two recombined values decides what is searched for (docs/results/mechanism.md).
struct BoundedBinaryCrossover {
  enum class Assignment : unsigned char {
    split,     ///< the smaller one always goes to the first child, as DiscoTest's program does it
    exchange,  ///< either to either, by a coin per gene, as DEAP does it
    keep,      ///< each child stays on the side of its own parent
  };
  double eta = 3;
  double gene_probability = 0.5;
  Assignment assignment = Assignment::split;
  std::span<const double> low{};   ///< by gene
  std::span<const double> high{};  ///< by gene
  void operator()(std::span<double> first, std::span<double> second, Random& random) const;
};

/// BLX-alpha (Eshelman and Schaffer 1993): genes uniform between those of the parents, and beyond
/// them by alpha times their distance.
struct BlendCrossover {
  double alpha = 0.7;
  void operator()(std::span<double> first, std::span<double> second, Random& random) const;
};

/// Exchanges genes.
struct UniformCrossover {
  double gene_probability = 0.5;
  void operator()(std::span<double> first, std::span<double> second, Random& random) const;
};

/// One-point crossover (Holland 1975; thesis 2.4.2 and Figure 2.3): both parents are cut behind the
/// same gene, and exchange what follows.
struct OnePointCrossover {
  void operator()(std::span<double> first, std::span<double> second, Random& random) const;
};

/// PMX (Goldberg and Lingle 1985; thesis Figure 3.5) for permutations of 1..genes.
struct PartiallyMappedCrossover {
  void operator()(std::span<double> first, std::span<double> second, Random& random) const;
  /// With given cutting points: the child in `first` keeps the genes in [begin, end).
  static void cross(std::span<double> first, std::span<double> second, std::size_t begin,
                    std::size_t end);
};

/// PMX as the library below DiscoTest does it: each child has cutting points of its own, both
/// included, and starts as the other parent, into which the kept part is brought by exchanges.
struct OwnCutsCrossover {
  void operator()(std::span<double> first, std::span<double> second, Random& random) const;
  /// `child` gets positions first..last of `kept`; both are permutations of the same values.
  static void bring(std::span<double> child, std::span<const double> kept, std::size_t first,
                    std::size_t last);
};

using Crossover = std::variant<NoCrossover, SimulatedBinaryCrossover, BlendCrossover,
                               UniformCrossover, PartiallyMappedCrossover, BoundedBinaryCrossover,
                               OwnCutsCrossover, OnePointCrossover>;
/// In the order of the variant; "none", "sbx", "blend", "uniform", "pmx", "bounded-sbx",
/// "own-cuts-pmx", "one-point".
std::span<const std::string_view> crossover_names();

/// Bounds of one gene.
struct GeneBounds {
  double low = 0;
  double high = 0;
};

/// Adds a normal value with deviation sigma, or, where that is 0, share x range of the gene.
struct GaussianMutation {
  double share = 0.01;
  double sigma = 0;
  double operator()(double gene, const GeneBounds& bounds, Random& random) const;
};

/// Polynomial mutation of Deb and Deb (2014): towards either bound, never across it.
struct PolynomialMutation {
  double eta = 20;
  double operator()(double gene, const GeneBounds& bounds, Random& random) const;
};

/// A new value anywhere in the bounds.
struct UniformMutation {
  double operator()(double gene, const GeneBounds& bounds, Random& random) const;
};

/// Exchanges the values of two genes; the only mutation for permutations.
struct SwapMutation {};

using Mutation = std::variant<GaussianMutation, PolynomialMutation, UniformMutation, SwapMutation>;
/// In the order of the variant; "gaussian", "polynomial", "uniform", "swap".
std::span<const std::string_view> mutation_names();

/// Genes of the unit cube become genes of the space: delays are stretched to their bounds,
/// priorities are the ranks of the values.
void from_unit_cube(std::span<double> genes, const SearchSpace& space);

/// Whole numbers where the space has them, within the bounds. Leaves permutations alone.
void repair(std::span<double> genes, const SearchSpace& space);

/// Each gene with this probability. The result is repaired.
void mutate(std::span<double> genes, const SearchSpace& space, const Mutation& mutation,
            double gene_probability, Random& random);
/// Gene `index` only; a swap is with any other gene. The result is repaired.
void mutate_gene(std::span<double> genes, std::size_t index, const SearchSpace& space,
                 const Mutation& mutation, Random& random);

/// Two different genes at most `genes` - 3 apart, the smaller one first: DiscoTest's cutting points
/// and the genes that its swap exchanges. For fewer than five genes any two.
struct GenePair {
  std::size_t first = 0;
  std::size_t last = 0;
};
GenePair draw_pair(std::size_t genes, Random& random);

/// A fixed number of mutations, `count` rounded up or down by chance, at genes drawn with
/// replacement; whole numbers from the lower bound on, but no upper bound: DiscoTest's mutation.
void mutate_count(std::span<double> genes, const SearchSpace& space, const Mutation& mutation,
                  double count, Random& random);

/// One-point crossover cuts both plans at a point of its own; uniform crossover lets each fault go
/// to either child. No child has more than `faults_max` faults: what is too much is dropped.
enum class PlanCrossover : unsigned char { none, one_point, uniform };
void cross_plans(std::vector<faults::Fault>& first, std::vector<faults::Fault>& second,
                 PlanCrossover crossover, std::size_t faults_max, Random& random);
/// Adds, removes or varies one fault; only what is possible is drawn.
void mutate_plan(std::vector<faults::Fault>& plan, const SearchSpace& space, Random& random);

}  // namespace dissensus::search
