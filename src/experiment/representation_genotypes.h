// Genotypes of schedules as the representation study needs them: distances, samples that lie a
// given distance apart, neighbours (thesis 4.1.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dissensus/random.h"

#include "faults/schedule.h"
#include "run/scenario.h"

namespace dissensus::experiment {

enum class Representation : std::uint8_t {
  delay,  ///< one delay per gene; Euclidean distance
  /// One priority per gene; Kendall tau distance between the rankings of the genes. Neighbours
  /// exchange two neighbouring priorities.
  priority,
  /// The same, but with the thesis's formula read literally, over positions in the vector:
  /// neighbours exchange the priorities, of any size, of two genes that stand side by side.
  priority_by_position,
};
std::string_view to_string(Representation representation);

/// The genotypes of a scenario under a representation, whatever its own [schedule] type; maximal
/// delay, varying kinds (delays only) and rate are the scenario's. Steps are counted in smallest
/// distances: milliseconds, or exchanges of neighbours.
class GenotypeSpace {
 public:
  GenotypeSpace(const run::Scenario& scenario, Representation representation);

  /// Genes that vary, as indices of the scenario's gene space.
  const std::vector<std::size_t>& genes() const { return genes_; }
  double distance_max() const;
  double distance(const faults::Schedule& first, const faults::Schedule& second) const;
  /// The longest step that every gene can make; 0 where nothing can vary.
  std::uint32_t step_max() const;

  faults::Schedule random(Random& stream) const;
  /// `count` genotypes with pairwise distances near `share` of the maximum; the centre they lie
  /// around is random. share <= 1/4.
  std::vector<faults::Schedule> sample_apart(std::size_t count, double share, Random& stream) const;
  /// The genotype at distance `step` <= step_max() in which one gene has moved, up or down.
  faults::Schedule neighbour(const faults::Schedule& genotype, std::size_t gene, std::uint32_t step,
                             Random& stream) const;
  /// With one gene drawn anew.
  faults::Schedule redrawn(const faults::Schedule& genotype, std::size_t gene,
                           Random& stream) const;

 private:
  std::vector<faults::Schedule> delays_apart(std::size_t count, double share, Random& stream) const;
  std::vector<faults::Schedule> priorities_apart(std::size_t count, double share,
                                                 Random& stream) const;
  faults::Schedule with_ranking(std::vector<std::uint32_t> ranking) const;

  Representation representation_;
  std::size_t all_genes_;
  std::vector<std::size_t> genes_;
  std::uint32_t max_delay_ms_;
  faults::PriorityRate rate_;
};

/// `count` different elements of 0..size-1, or all of them in random order if there are fewer.
std::vector<std::size_t> draw_distinct(std::size_t count, std::size_t size, Random& stream);

}  // namespace dissensus::experiment
