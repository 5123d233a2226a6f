#include "search/algorithms.h"

namespace dissensus::search {

namespace {
/// A maker with the defaults of a paper's configuration; every parameter can still be set.
template <auto kMake, const VariationDefaults& kDefaults>
std::unique_ptr<Search> make_with(const SearchContext& context, const Options& options) {
  return kMake(context, options, kDefaults);
}

constexpr VariationDefaults kUsual{};
constexpr VariationDefaults kThesis{.exchange = 0};
// Kanhai 2025, Table 2: The Thing, The Torch, The Invisible.
constexpr VariationDefaults kThing{
    .crossover = "sbx", .exchange = 0, .mutation = "gaussian", .sigma = 40};
constexpr VariationDefaults kTorch{.crossover = "blend", .mutation = "gaussian", .sigma = 40};
constexpr VariationDefaults kInvisible{.crossover = "sbx", .exchange = 0, .mutation = "polynomial"};
// The programs behind the papers (docs/results/programs.md). Rocket mutates a gene with probability
// 1/42, whatever their number; 140 genes make that 10/3.
constexpr VariationDefaults kDiscoTest{.crossover = "bounded-sbx",
                                       .sigma = 40,
                                       .assignment = BoundedBinaryCrossover::Assignment::split,
                                       .priority_crossover = "own-cuts-pmx",
                                       .mutated_share = 0.05};
constexpr VariationDefaults kRocket{.crossover = "bounded-sbx",
                                    .sigma = 40,
                                    .assignment = BoundedBinaryCrossover::Assignment::exchange,
                                    .mutated_genes = 140.0 / 42};
}  // namespace

const std::vector<SearchEntry>& evolutionary_searches() {
  static const std::vector<std::string> kOne{"time"};
  static const std::vector<std::string> kTwo{"validation-time", "violations"};
  static const std::vector<std::string> kDiscoTestTime{"discotest-time"};
  static const std::vector<std::string> kRocketTwo{"close-time", "violations"};
  static const std::vector<SearchEntry> kEntries{
      {"random", "Every schedule is drawn anew: the baseline", {}, make_random},
      {"mu+lambda", "Evolutionary algorithm of the DiscoTest thesis, 4+4", kOne,
       make_with<make_mu_plus_lambda, kThesis>},
      {"nsga2", "NSGA-II: several objectives, crowded tournament", kTwo,
       make_with<make_nsga2, kUsual>},
      {"spea2", "SPEA2: several objectives, archive by strength and density", kTwo,
       make_with<make_spea2, kUsual>},
      {"moead", "MOEA/D: several objectives, a sub-problem per weight vector", kTwo,
       make_with<make_moead, kUsual>},
      {"age-moea", "AGE-MOEA: several objectives, follows the shape of the front", kTwo,
       make_with<make_age_moea, kUsual>},
      {"mosa", "MOSA: many objectives, the best of each before all others", kTwo,
       make_with<make_mosa, kUsual>},
      {"uhv-gomea", "UHV-GOMEA: sets of schedules by hypervolume, one member replaced at a time",
       kTwo, make_uhv_gomea},
      {"cma-es", "CMA-ES: learns steps and their directions", kOne, make_cma_es},
      {"hill-climbing", "Takes the first step that is no worse, restarts when stuck", kOne,
       make_hill_climbing},
      {"simulated-annealing", "Takes worse steps too, ever fewer of them", kOne,
       make_simulated_annealing},
      {"thesis", "As in the thesis: mu+lambda, SBX and Gaussian, or PMX and swap", kOne,
       make_with<make_mu_plus_lambda, kThesis>},
      {"discotest", "DiscoTest as programmed: 4+4, SBX that splits low from high, 13 mutations",
       kDiscoTestTime, make_with<make_discotest, kDiscoTest>},
      {"discotest-random",
       "DiscoTest's random search: completes the case that the budget ends in",
       {},
       make_discotest_random},
      {"rocket", "Rocket as programmed: NSGA-II, bounded SBX as in DEAP, Gaussian, 1/42 per gene",
       kRocketTwo, make_with<make_nsga2, kRocket>},
      {"rocket-prefilled", "Rocket with its defect: offspring are random vectors, a control",
       kRocketTwo, make_random},
      {"fantastic", "The Fantastic (Kanhai 2025): every generation is random", kTwo, make_random},
      {"thing", "The Thing (Kanhai 2025): NSGA-II, SBX, Gaussian with sigma 40", kTwo,
       make_with<make_nsga2, kThing>},
      {"torch", "The Torch (Kanhai 2025): NSGA-II, blend-alpha, Gaussian with sigma 40", kTwo,
       make_with<make_nsga2, kTorch>},
      {"invisible", "The Invisible (Kanhai 2025): NSGA-II, SBX, polynomial", kTwo,
       make_with<make_nsga2, kInvisible>},
  };
  return kEntries;
}

}  // namespace dissensus::search
