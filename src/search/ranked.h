// The frame that NSGA-II, MOSA and AGE-MOEA share: the best of parents and offspring survive, by
// front and within a front by a score; parents win binary tournaments by the same order.
#pragma once

#include <string_view>
#include <vector>

#include "search/generational.h"

namespace dissensus::search {

class Ranked : public Generational {
 protected:
  Ranked(const SearchContext& context, std::string_view name, std::size_t population,
         const Options& options, const VariationDefaults& defaults)
      : Generational(context, name, population),
        population_size_(population),
        variation_(space(), options, defaults) {}

  /// One score per point, larger is better; compared within a front only. Of the fronts only those
  /// up to `last` have survivors and need scores. Default: crowding distances.
  virtual std::vector<double> scores(const Points& points, const std::vector<Front>& fronts,
                                     std::size_t last);

  /// Best first, none empty. Default: by domination.
  virtual std::vector<Front> fronts_of(const std::vector<Individual>& all, const Points& points);

 private:
  struct Survivor {
    Individual individual;
    std::size_t front = 0;
    double score = 0;
  };
  std::vector<Genotype> next_generation(std::vector<Individual> told) override;
  std::string_view origin() const override { return variation_.origin(); }
  void select_survivors(std::vector<Individual> all);
  const Genotype& tournament();

  std::size_t population_size_;
  Variation variation_;
  std::vector<Survivor> population_;
};

}  // namespace dissensus::search
