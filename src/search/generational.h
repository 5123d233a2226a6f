// What population-based searches share: a generation is asked for member by member, and the next
// one is bred when all of it has been told.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "dissensus/search.h"

#include "search/pareto.h"
#include "search/variation.h"

namespace dissensus::search {

/// A genotype whose run is known.
struct Individual {
  Genotype genotype;
  Point objectives;
};

/// The objectives of a run as finite numbers, one at least: comparisons must be an order.
Point finite_objectives(const Evaluation& evaluation, std::size_t count);

/// The order of single-objective searches: by the first objective, equal ones by the next.
inline bool better(const Individual& a, const Individual& b) {
  return a.objectives < b.objectives;
}

class Generational : public Search {
 public:
  std::optional<Candidate> ask() final;
  void tell(const Candidate& candidate, const Evaluation& evaluation) final;

 protected:
  /// `name` is that of the random stream. The first generation has `size` random members.
  Generational(const SearchContext& context, std::string_view name, std::size_t size);
  Generational(const Generational&) = delete;
  Generational& operator=(const Generational&) = delete;

  /// Instead of random members, for a search that was made with none.
  void begin(std::vector<Genotype> first);
  /// The generation is told; returns the next one, never an empty one.
  virtual std::vector<Genotype> next_generation(std::vector<Individual> told) = 0;
  /// For Candidate::origin; random members excepted.
  virtual std::string_view origin() const = 0;

  const SearchContext& context() const { return context_; }
  const SearchSpace& space() const { return context_.space; }
  Random& random() { return random_; }

 private:
  SearchContext context_;
  Random random_;
  std::vector<Individual> members_;
  std::size_t asked_ = 0;
  std::size_t told_ = 0;
  std::string_view origin_ = "random";
};

/// The objectives alone.
Points objectives_of(const std::vector<Individual>& individuals);

}  // namespace dissensus::search
