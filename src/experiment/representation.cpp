#include "experiment/representation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "dissensus/options.h"

#include "core/assert.h"
#include "core/parallel.h"

namespace dissensus::experiment {
namespace {

/// One run that is compared with the run of its genotype.
struct Comparison {
  faults::Schedule schedule;
  std::size_t genotype = 0;
  std::size_t condition = 0;
  std::optional<std::uint64_t> chance;  ///< seed of what is left to chance; none: nothing is
  PairSample* sample = nullptr;
};

class RepresentationStudy {
 public:
  RepresentationStudy(const run::Scenario& scenario, const RepresentationOptions& options,
                      std::uint64_t seed, std::size_t jobs,
                      const std::function<void(const RepresentationProgress&)>& on_progress)
      : options_(options),
        seed_(seed),
        jobs_(jobs),
        on_progress_(on_progress),
        space_(scenario, options.representation) {
    // Condition 0 is the scenario as it is.
    scenarios_.push_back(scenario);
    for (const Noise& noise : options.noise) {
      scenarios_.push_back(with_jitter(scenario, noise.jitter));
    }
  }

  RepresentationResult run() {
    prepare();
    run_genotypes();
    run_comparisons();
    run_random_genotypes();
    finish();
    return std::move(result_);
  }

 private:
  const SystemDescription& description() const { return scenarios_[0].system_description(); }
  // 53 bits: a seed survives every JSON reader.
  std::uint64_t seed_of(const char* name, std::size_t index) const {
    return derive_seed(seed_, name, index) >> 11;
  }
  std::uint64_t genotype_seed(std::size_t genotype) const { return seed_of("run", genotype); }

  /// All schedules, before anything runs: the total is known, and no draw depends on a result.
  void prepare() {
    result_.representation = options_.representation;
    result_.name = options_.name.empty() ? to_string(options_.representation) : options_.name;
    result_.seeds = {seed_};
    result_.genes = space_.genes().size();
    result_.random_genotypes = options_.random_genotypes;
    Random random(seed_, "genotypes");
    genotypes_ = space_.sample_apart(options_.genotypes, options_.apart, random);
    // Samples are pointed at from here on: none is added later.
    for (const std::uint32_t wanted : options_.steps) {
      const std::uint32_t step = std::min(wanted, space_.step_max());
      if (result_.steps.empty() || result_.steps.back().step < step) {
        result_.steps.push_back({step, {}});
      }
    }
    for (const PayloadDescription& payload : description().payloads) {
      result_.types.push_back({payload.name, {}, {}});
    }
    for (const Noise& noise : options_.noise) result_.noise.push_back({noise, {}, {}});
    for (std::size_t genotype = 0; genotype < genotypes_.size(); ++genotype) {
      add_steps(genotype);
      add_influences(genotype);
      add_noise(genotype);
      add_unrelated(genotype);
    }
    progress_.total =
        scenarios_.size() * genotypes_.size() + comparisons_.size() + options_.random_genotypes;
  }

  void add_steps(std::size_t genotype) {
    for (StepResult& step : result_.steps) {
      // The same genes for every length.
      Random random(seed_, "neighbours", genotype);
      for (const std::size_t gene : draw_genes(space_.genes(), random)) {
        comparisons_.push_back({space_.neighbour(genotypes_[genotype], gene, step.step, random),
                                genotype, 0, std::nullopt, &step.pairs});
      }
    }
  }

  void add_influences(std::size_t genotype) {
    Random random(seed_, "influence", genotype);
    const faults::GeneSpace all = scenarios_[0].genes();
    for (std::size_t payload = 0; payload < result_.types.size(); ++payload) {
      std::vector<std::size_t> genes;
      for (const std::size_t gene : space_.genes()) {
        if (description().kinds[all.gene(gene).kind].payload == payload) genes.push_back(gene);
      }
      for (const std::size_t gene : draw_genes(genes, random)) {
        comparisons_.push_back({space_.redrawn(genotypes_[genotype], gene, random), genotype, 0,
                                std::nullopt, &result_.types[payload].influence});
      }
    }
  }

  void add_noise(std::size_t genotype) {
    for (std::size_t index = 0; index < result_.noise.size(); ++index) {
      Random random(seed_, "noise", genotype);
      NoiseResult& noise = result_.noise[index];
      for (const std::size_t gene : draw_genes(space_.genes(), random)) {
        comparisons_.push_back(
            {genotypes_[genotype], genotype, index + 1, random.next() >> 11, &noise.same_schedule});
        faults::Schedule near = space_.neighbour(genotypes_[genotype], gene, 1, random);
        comparisons_.push_back(
            {std::move(near), genotype, index + 1, random.next() >> 11, &noise.neighbours});
      }
    }
  }

  void add_unrelated(std::size_t genotype) {
    for (std::size_t other = 0; other < genotype; ++other) {
      comparisons_.push_back({genotypes_[other], genotype, 0, std::nullopt, &result_.unrelated});
    }
  }

  std::vector<std::size_t> draw_genes(const std::vector<std::size_t>& genes, Random& random) const {
    std::vector<std::size_t> drawn;
    for (const std::size_t index : draw_distinct(options_.neighbours, genes.size(), random)) {
      drawn.push_back(genes[index]);
    }
    return drawn;
  }

  /// work(runner, index) on all threads, consume(result) in order.
  template <class Work, class Consume>
  void for_each(std::size_t count, const Work& work, const Consume& consume) {
    for_each_in_order(
        count, jobs_, [] { return std::make_unique<run::Runner>(); }, work,
        [&](std::size_t, auto result) {
          consume(std::move(result));
          ++progress_.done;
          ++result_.runs;
          if (on_progress_) on_progress_(progress_);
          return true;
        });
  }

  void run_genotypes() {
    const std::size_t genotypes = genotypes_.size();
    for_each(
        scenarios_.size() * genotypes,
        [&](run::Runner& runner, std::size_t index) {
          PhenotypeRequest request;
          request.schedule = &genotypes_[index % genotypes];
          request.seed = genotype_seed(index % genotypes);
          return make_phenotype(runner, scenarios_[index / genotypes], request);
        },
        [&](Phenotype phenotype) { phenotypes_.push_back(std::move(phenotype)); });
  }
  const Phenotype& phenotype(std::size_t condition, std::size_t genotype) const {
    return phenotypes_[condition * genotypes_.size() + genotype];
  }

  void run_comparisons() {
    std::size_t next = 0;
    for_each(
        comparisons_.size(),
        [&](run::Runner& runner, std::size_t index) {
          const Comparison& comparison = comparisons_[index];
          const Phenotype& original = phenotype(comparison.condition, comparison.genotype);
          PhenotypeRequest request;
          request.schedule = &comparison.schedule;
          request.seed = genotype_seed(comparison.genotype);
          if (comparison.chance && options_.noise[comparison.condition - 1].same_start) {
            request.then_seed = comparison.chance;
            request.started = original.started;
          } else if (comparison.chance) {
            request.seed = *comparison.chance;
          }
          const run::Scenario& scenario = scenarios_[comparison.condition];
          return distance_between(original, make_phenotype(runner, scenario, request));
        },
        [&](const PairDistance& distance) { comparisons_[next++].sample->add(distance); });
  }

  void run_random_genotypes() {
    struct Outcome {
      std::vector<double> shares;
      Digest identity;
    };
    // Two schedules can give the same trace only from the same start: few seeds, many schedules.
    const std::size_t seeds = std::max<std::size_t>(genotypes_.size(), 1);
    std::set<Digest> traces;
    for_each(
        options_.random_genotypes,
        [&](run::Runner& runner, std::size_t index) {
          Random random(seed_, "random-genotype", index);
          const faults::Schedule schedule = space_.random(random);
          PhenotypeRequest request;
          request.schedule = &schedule;
          request.seed = genotype_seed(index % seeds);
          Phenotype made = make_phenotype(runner, scenarios_[0], request);
          return Outcome{std::move(made.payload_shares), made.identity};
        },
        [&](const Outcome& outcome) {
          traces.insert(outcome.identity);
          for (std::size_t type = 0; type < outcome.shares.size(); ++type) {
            result_.types[type].shares.push_back(outcome.shares[type]);
          }
        });
    result_.distinct_traces = traces.size();
  }

  void finish() {
    for (const double edits : result_.steps.front().pairs.hausdorff_edits) {
      result_.locality_sum += std::abs(edits - 1);
    }
    result_.apart_min = 1;
    for (std::size_t one = 0; one < genotypes_.size(); ++one) {
      result_.vertices.push_back(static_cast<double>(phenotype(0, one).events.vertices()));
      result_.edges.push_back(static_cast<double>(phenotype(0, one).events.edges.size()));
      for (std::size_t other = 0; other < one; ++other) {
        const double apart =
            space_.distance(genotypes_[one], genotypes_[other]) / space_.distance_max();
        result_.apart_min = std::min(result_.apart_min, apart);
        result_.apart_max = std::max(result_.apart_max, apart);
      }
    }
  }

  const RepresentationOptions& options_;
  std::uint64_t seed_;
  std::size_t jobs_;
  const std::function<void(const RepresentationProgress&)>& on_progress_;
  GenotypeSpace space_;
  std::vector<run::Scenario> scenarios_;  ///< by condition
  std::vector<faults::Schedule> genotypes_;
  std::vector<Phenotype> phenotypes_;  ///< [condition * genotypes + genotype]
  std::vector<Comparison> comparisons_;
  RepresentationProgress progress_;
  RepresentationResult result_;
};

/// Adds the samples of another seed.
void pool(RepresentationResult& all, const RepresentationResult& one) {
  all.seeds.insert(all.seeds.end(), one.seeds.begin(), one.seeds.end());
  all.apart_min = std::min(all.apart_min, one.apart_min);
  all.apart_max = std::max(all.apart_max, one.apart_max);
  append(all.vertices, one.vertices);
  append(all.edges, one.edges);
  for (std::size_t i = 0; i < all.steps.size(); ++i) all.steps[i].pairs.add(one.steps[i].pairs);
  all.locality_sum += one.locality_sum;
  all.unrelated.add(one.unrelated);
  all.random_genotypes += one.random_genotypes;
  all.distinct_traces += one.distinct_traces;
  for (std::size_t i = 0; i < all.types.size(); ++i) {
    append(all.types[i].shares, one.types[i].shares);
    all.types[i].influence.add(one.types[i].influence);
  }
  for (std::size_t i = 0; i < all.noise.size(); ++i) {
    all.noise[i].same_schedule.add(one.noise[i].same_schedule);
    all.noise[i].neighbours.add(one.noise[i].neighbours);
  }
  all.runs += one.runs;
}

}  // namespace

RepresentationResult study_representation(
    const run::Scenario& scenario, const RepresentationOptions& options,
    std::span<const std::uint64_t> seeds, std::size_t jobs,
    const std::function<void(const RepresentationProgress&)>& on_progress) {
  DISSENSUS_ASSERT(!seeds.empty(), "study_representation : a seed");
  const std::vector<std::uint32_t>& steps = options.steps;
  DISSENSUS_ASSERT(
      !steps.empty() && steps.front() == 1 && std::is_sorted(steps.begin(), steps.end()),
      "study_representation : steps ascend from 1");
  if (GenotypeSpace(scenario, options.representation).step_max() == 0) {
    throw InputError(scenario.path +
                     ": schedule: no gene can vary, expected kinds, nodes and a max_delay that let "
                     "schedules differ");
  }
  RepresentationResult all;
  for (std::size_t index = 0; index < seeds.size(); ++index) {
    const auto progress = [&](const RepresentationProgress& of_seed) {
      if (!on_progress) return;
      on_progress({index * of_seed.total + of_seed.done, seeds.size() * of_seed.total});
    };
    RepresentationResult one =
        RepresentationStudy(scenario, options, seeds[index], jobs, progress).run();
    if (index == 0) {
      all = std::move(one);
    } else {
      pool(all, one);
    }
  }
  all.locality_sum /= static_cast<double>(seeds.size());
  return all;
}

}  // namespace dissensus::experiment
