#include "experiment/representation_genotypes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "core/assert.h"
#include "faults/schedule_distance.h"

namespace dissensus::experiment {
namespace {

using Vector = std::vector<std::uint32_t>;

/// Where each rank stands: the inverse of a permutation of 1..n, itself one.
Vector inverse(const Vector& permutation) {
  Vector result(permutation.size());
  for (std::uint32_t index = 0; index < permutation.size(); ++index) {
    result[permutation[index] - 1] = index + 1;
  }
  return result;
}

/// The permutation 1..n in the order of the keys; equal keys by index.
Vector ranks_of(const std::vector<double>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  Vector ranks(keys.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank + 1;
  return ranks;
}

/// Rankings around a common one: the more noise, the farther apart.
std::vector<Vector> noisy_rankings(const Vector& centre,
                                   const std::vector<std::vector<double>>& noise, double strength) {
  std::vector<Vector> rankings;
  for (const std::vector<double>& own : noise) {
    std::vector<double> keys(centre.size());
    for (std::size_t gene = 0; gene < keys.size(); ++gene) {
      keys[gene] = static_cast<double>(centre[gene]) + strength * own[gene];
    }
    rankings.push_back(ranks_of(keys));
  }
  return rankings;
}

double mean_kendall_tau(const std::vector<Vector>& rankings) {
  double sum = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < rankings.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      sum += static_cast<double>(faults::kendall_tau_distance(rankings[i], rankings[j]));
    }
  }
  return pairs == 0 ? 0 : sum / static_cast<double>(pairs);
}

/// Up or down, where both are possible.
bool goes_up(std::uint32_t value, std::uint32_t low, std::uint32_t high, std::uint32_t step,
             Random& stream) {
  const bool up = high - value >= step;
  const bool down = value - low >= step;
  DISSENSUS_ASSERT(up || down, "GenotypeSpace::neighbour : step <= step_max()");
  return up && (!down || stream.chance(0.5));
}

/// One element takes another rank and those between make room: as many exchanges of neighbours.
void move_rank(Vector& ranking, std::size_t gene, std::uint32_t to) {
  const std::uint32_t from = ranking[gene];
  for (std::uint32_t& rank : ranking) {
    if (rank > from && rank <= to) --rank;
    if (rank < from && rank >= to) ++rank;
  }
  ranking[gene] = to;
}

constexpr std::array<std::string_view, 3> kRepresentationNames{"delay", "priority",
                                                               "priority by position"};

}  // namespace

std::string_view to_string(Representation representation) {
  return kRepresentationNames[static_cast<std::size_t>(representation)];
}

std::vector<std::size_t> draw_distinct(std::size_t count, std::size_t size, Random& stream) {
  std::vector<std::size_t> elements(size);
  std::iota(elements.begin(), elements.end(), std::size_t{0});
  const std::size_t drawn = std::min(count, size);
  for (std::size_t i = 0; i < drawn; ++i) {
    std::swap(elements[i], elements[i + stream.below(size - i)]);
  }
  elements.resize(drawn);
  return elements;
}

GenotypeSpace::GenotypeSpace(const run::Scenario& scenario, Representation representation)
    : representation_(representation),
      all_genes_(scenario.genes().size()),
      max_delay_ms_(static_cast<std::uint32_t>(
          std::chrono::duration_cast<std::chrono::milliseconds>(scenario.space.max_delay).count())),
      rate_(scenario.space.rate) {
  std::vector<bool> varies(scenario.system_description().kinds.size(),
                           representation != Representation::delay || scenario.space.kinds.empty());
  for (const MessageKind kind : scenario.space.kinds) varies[kind] = true;
  for (std::size_t gene = 0; gene < all_genes_; ++gene) {
    if (varies[scenario.genes().gene(gene).kind]) genes_.push_back(gene);
  }
}

double GenotypeSpace::distance_max() const {
  return representation_ == Representation::delay
             ? faults::euclidean_distance_max(genes_.size(), max_delay_ms_)
             : static_cast<double>(faults::kendall_tau_distance_max(genes_.size()));
}

double GenotypeSpace::distance(const faults::Schedule& first,
                               const faults::Schedule& second) const {
  if (representation_ == Representation::delay) {
    return faults::euclidean_distance(std::get<faults::DelaySchedule>(first.scheduler).delay_ms,
                                      std::get<faults::DelaySchedule>(second.scheduler).delay_ms);
  }
  const Vector& one = std::get<faults::PrioritySchedule>(first.scheduler).priority;
  const Vector& other = std::get<faults::PrioritySchedule>(second.scheduler).priority;
  return static_cast<double>(representation_ == Representation::priority
                                 ? faults::kendall_tau_distance(one, other)
                                 : faults::kendall_tau_distance(inverse(one), inverse(other)));
}

std::uint32_t GenotypeSpace::step_max() const {
  if (genes_.empty()) return 0;
  return representation_ == Representation::delay ? max_delay_ms_ / 2
                                                  : static_cast<std::uint32_t>(genes_.size() / 2);
}

faults::Schedule GenotypeSpace::random(Random& stream) const {
  faults::Schedule schedule;
  if (representation_ == Representation::delay) {
    faults::DelaySchedule delays{Vector(all_genes_, 0)};
    for (const std::size_t gene : genes_) {
      delays.delay_ms[gene] =
          static_cast<std::uint32_t>(stream.below(std::uint64_t{max_delay_ms_} + 1));
    }
    schedule.scheduler = std::move(delays);
    return schedule;
  }
  Vector ranking;
  for (const std::size_t element : draw_distinct(all_genes_, all_genes_, stream)) {
    ranking.push_back(static_cast<std::uint32_t>(element + 1));
  }
  return with_ranking(std::move(ranking));
}

std::vector<faults::Schedule> GenotypeSpace::sample_apart(std::size_t count, double share,
                                                          Random& stream) const {
  DISSENSUS_ASSERT(share > 0 && share <= 0.25, "GenotypeSpace::sample_apart : 0 < share <= 1/4");
  return representation_ == Representation::delay ? delays_apart(count, share, stream)
                                                  : priorities_apart(count, share, stream);
}

std::vector<faults::Schedule> GenotypeSpace::delays_apart(std::size_t count, double share,
                                                          Random& stream) const {
  // Each genotype is the centre plus or minus an offset, with signs from the rows of a Hadamard
  // matrix: any two of them differ in half of the genes, hence by 2 x offset x sqrt(genes / 2).
  const double wanted = share * static_cast<double>(max_delay_ms_) * 0.70710678118654752;
  const auto offset = static_cast<std::uint32_t>(wanted + 0.5);
  const std::size_t rows = std::bit_ceil(count + 1);
  faults::DelaySchedule centre{Vector(all_genes_, 0)};
  for (const std::size_t gene : genes_) {
    centre.delay_ms[gene] =
        offset + static_cast<std::uint32_t>(stream.below(max_delay_ms_ - 2 * offset + 1));
  }
  const std::vector<std::size_t> order = draw_distinct(genes_.size(), genes_.size(), stream);
  std::vector<faults::Schedule> sample(count);
  for (std::size_t index = 0; index < count; ++index) {
    faults::DelaySchedule delays = centre;
    for (std::size_t column = 0; column < genes_.size(); ++column) {
      std::uint32_t& delay = delays.delay_ms[genes_[order[column]]];
      const bool minus = std::popcount((index + 1) & (column % rows)) % 2 != 0;
      delay = minus ? delay - offset : delay + offset;
    }
    sample[index].scheduler = std::move(delays);
  }
  return sample;
}

std::vector<faults::Schedule> GenotypeSpace::priorities_apart(std::size_t count, double share,
                                                              Random& stream) const {
  Vector centre;
  for (const std::size_t element : draw_distinct(all_genes_, all_genes_, stream)) {
    centre.push_back(static_cast<std::uint32_t>(element + 1));
  }
  std::vector<std::vector<double>> noise(count, std::vector<double>(all_genes_));
  for (std::vector<double>& own : noise) {
    for (double& value : own) value = stream.unit();
  }
  // The mean distance grows with the strength, up to half of the maximum.
  const double wanted = share * distance_max();
  double weak = 0;
  double strong = 64 * static_cast<double>(all_genes_);
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = (weak + strong) / 2;
    const bool too_near = mean_kendall_tau(noisy_rankings(centre, noise, middle)) < wanted;
    (too_near ? weak : strong) = middle;
  }
  std::vector<faults::Schedule> sample;
  for (Vector& ranking : noisy_rankings(centre, noise, strong)) {
    sample.push_back(with_ranking(std::move(ranking)));
  }
  return sample;
}

/// `ranking` is the permutation between which distances are measured.
faults::Schedule GenotypeSpace::with_ranking(Vector ranking) const {
  if (representation_ == Representation::priority_by_position) ranking = inverse(ranking);
  faults::Schedule schedule;
  schedule.scheduler = faults::PrioritySchedule{std::move(ranking), rate_};
  return schedule;
}

faults::Schedule GenotypeSpace::neighbour(const faults::Schedule& genotype, std::size_t gene,
                                          std::uint32_t step, Random& stream) const {
  faults::Schedule result = genotype;
  if (auto* delays = std::get_if<faults::DelaySchedule>(&result.scheduler)) {
    std::uint32_t& delay = delays->delay_ms[gene];
    delay = goes_up(delay, 0, max_delay_ms_, step, stream) ? delay + step : delay - step;
    return result;
  }
  Vector& priority = std::get<faults::PrioritySchedule>(result.scheduler).priority;
  const bool by_position = representation_ == Representation::priority_by_position;
  if (by_position) priority = inverse(priority);
  // By position, what moves along the vector is the priority that this gene has.
  const std::size_t element =
      by_position ? std::get<faults::PrioritySchedule>(genotype.scheduler).priority[gene] - 1
                  : gene;
  const std::uint32_t rank = priority[element];
  const auto last = static_cast<std::uint32_t>(priority.size());
  move_rank(priority, element, goes_up(rank, 1, last, step, stream) ? rank + step : rank - step);
  if (by_position) priority = inverse(priority);
  return result;
}

faults::Schedule GenotypeSpace::redrawn(const faults::Schedule& genotype, std::size_t gene,
                                        Random& stream) const {
  faults::Schedule result = genotype;
  if (auto* delays = std::get_if<faults::DelaySchedule>(&result.scheduler)) {
    delays->delay_ms[gene] =
        static_cast<std::uint32_t>(stream.below(std::uint64_t{max_delay_ms_} + 1));
  } else {
    Vector& priority = std::get<faults::PrioritySchedule>(result.scheduler).priority;
    move_rank(priority, gene, static_cast<std::uint32_t>(1 + stream.below(priority.size())));
  }
  return result;
}

}  // namespace dissensus::experiment
