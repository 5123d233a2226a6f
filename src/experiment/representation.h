// The representation study of thesis 4.1: locality, redundancy and scaling of a representation, and
// what chance adds to them on a live network. docs/results/representation.md explains and discusses
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiment/representation_genotypes.h"
#include "experiment/representation_phenotypes.h"
#include "run/scenario.h"

namespace dissensus::experiment {

struct RepresentationOptions {
  std::string name;  ///< in tables; empty: that of the representation
  Representation representation = Representation::delay;
  std::size_t genotypes = 10;  ///< with each seed: sampled, a quarter of the maximal distance apart
  std::size_t neighbours = 10;  ///< of each genotype, for each of the questions below
  double apart = 0.25;
  /// Distances of neighbours, in smallest steps, ascending from 1; longer ones than the space has
  /// are cut to its longest.
  std::vector<std::uint32_t> steps = {1, 10, 100, 1000};
  std::size_t random_genotypes = 500;  ///< for the frequencies of message types
  std::vector<Noise> noise = {{"running", {}, true},
                              {"running, 10 ms jitter", std::chrono::milliseconds(10), true},
                              {"start and running", {}, false}};
};

/// Neighbours at one distance, without noise: the same seed for both.
struct StepResult {
  std::uint32_t step = 1;
  PairSample pairs;
};

/// A message type: how often it occurs, and what its genes can do (scaling).
struct TypeResult {
  std::string name;
  std::vector<double> shares;  ///< of all deliveries, one per random genotype
  PairSample influence;        ///< genotypes against themselves with one gene of the type redrawn
};

struct NoiseResult {
  Noise noise;
  PairSample same_schedule;  ///< runs that differ by chance alone
  PairSample neighbours;     ///< runs that differ by chance and one smallest step
};

struct RepresentationResult {
  std::string name;
  Representation representation = Representation::delay;
  std::vector<std::uint64_t> seeds;
  std::size_t genes = 0;
  double apart_min = 0;  ///< distances of the sampled genotypes, as shares of the maximum
  double apart_max = 0;
  std::vector<double> vertices;  ///< of the graphs of the sampled genotypes
  std::vector<double> edges;
  std::vector<StepResult> steps;
  /// d_m = sum of |d^p - d^p_min| over neighbours at the smallest distance; d^p_min = 1 edit. Mean
  /// of the seeds.
  double locality_sum = 0;
  PairSample unrelated;  ///< the sampled genotypes against each other, same seed
  std::size_t random_genotypes = 0;
  std::size_t distinct_traces = 0;  ///< of the random genotypes
  std::vector<TypeResult> types;
  std::vector<NoiseResult> noise;
  std::size_t runs = 0;
};

struct RepresentationProgress {
  std::size_t done = 0;  ///< pieces of work; nearly all are one run
  std::size_t total = 0;
};

/// Samples of all seeds are pooled. The same seeds give the same result with any number of jobs.
/// `on_progress` may be empty; it is
/// called on this thread. Throws InputError where the scenario cannot be studied.
RepresentationResult study_representation(
    const run::Scenario& scenario, const RepresentationOptions& options,
    std::span<const std::uint64_t> seeds, std::size_t jobs,
    const std::function<void(const RepresentationProgress&)>& on_progress = {});

}  // namespace dissensus::experiment
