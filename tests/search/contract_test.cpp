// What a hunt relies on, for every search of the table.
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems.h"
#include "search/algorithms.h"

namespace dissensus::search {
namespace {

SearchSpace mixed_space() {
  SearchSpace space = delay_space(12);
  space.fault_strategy = std::make_shared<SilenceStrategy>();
  space.faults_max = 4;
  return space;
}

/// Two objectives that pull apart, of genes of any kind.
Point objectives_of_genes(const std::vector<double>& genes) {
  double sum = 0;
  double late = 0;
  for (std::size_t i = 0; i < genes.size(); ++i) {
    sum += genes[i];
    late += genes[i] * static_cast<double>(i);
  }
  return {sum, -late};
}

void expect_valid(const Genotype& genotype, const SearchSpace& space) {
  ASSERT_EQ(genotype.genes.size(), space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    ASSERT_GE(genotype.genes[i], space.low[i]);
    ASSERT_LE(genotype.genes[i], space.high[i]);
    ASSERT_EQ(genotype.genes[i], std::floor(genotype.genes[i]));
  }
  if (space.type == SearchSpace::Type::priority) {
    const std::set<double> different(genotype.genes.begin(), genotype.genes.end());
    ASSERT_EQ(different.size(), space.size());
  }
  ASSERT_LE(genotype.faults.size(), space.faults_max);
}

/// The genotypes asked for in `count` runs with `lag` of them under way; checks the contract.
std::vector<Genotype> sequence(const SearchEntry& entry, const SearchSpace& space,
                               std::uint64_t seed, std::size_t count, std::size_t lag,
                               std::size_t objectives = 2) {
  const Options options = parameters();
  const auto search = entry.make({space, objectives, seed}, options);
  std::vector<Genotype> asked;
  std::deque<Candidate> under_way;
  for (std::size_t told = 0; told < count; ++told) {
    while (under_way.size() < lag) {
      std::optional<Candidate> candidate = search->ask();
      if (!candidate) break;
      EXPECT_FALSE(candidate->origin.empty());
      expect_valid(candidate->genotype, space);
      asked.push_back(candidate->genotype);
      under_way.push_back(std::move(*candidate));
    }
    if (under_way.empty()) {
      ADD_FAILURE() << entry.name << ": no candidate although nothing is under way";
      return asked;
    }
    Evaluation evaluation;
    evaluation.objectives = objectives_of_genes(under_way.front().genotype.genes);
    evaluation.objectives.resize(objectives);
    search->tell(under_way.front(), evaluation);
    under_way.pop_front();
  }
  return asked;
}

using Parameter = std::tuple<std::size_t, std::string>;
class Contract : public testing::TestWithParam<Parameter> {
 protected:
  const SearchEntry& entry() const { return evolutionary_searches()[std::get<0>(GetParam())]; }
  SearchSpace space() const {
    const std::string& name = std::get<1>(GetParam());
    if (name == "delay") return delay_space(12);
    if (name == "priority") return priority_space(12);
    return mixed_space();
  }
};

TEST_P(Contract, SameSeedSameSequenceWithAnyLag) {
  for (const std::size_t lag : {1U, 3U, 16U}) {
    const auto first = sequence(entry(), space(), 7, 120, lag);
    EXPECT_EQ(first, sequence(entry(), space(), 7, 120, lag));
    EXPECT_NE(first, sequence(entry(), space(), 8, 120, lag));
    EXPECT_GE(first.size(), 120U);
  }
}

TEST_P(Contract, OneObjectiveAndNoneAreEnough) {
  EXPECT_GE(sequence(entry(), space(), 1, 80, 2, 1).size(), 80U);
  EXPECT_GE(sequence(entry(), space(), 1, 80, 2, 0).size(), 80U);
}

TEST_P(Contract, NumbersThatAreNoneDoNoHarm) {
  const auto search = entry().make({space(), 2, 1}, parameters());
  const std::vector<double> odd{std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(), 1.0};
  for (std::size_t i = 0; i < 200; ++i) {
    const std::optional<Candidate> candidate = search->ask();
    ASSERT_TRUE(candidate);
    expect_valid(candidate->genotype, space());
    Evaluation evaluation;
    evaluation.objectives = {odd[i % 4], odd[i % 3]};
    search->tell(*candidate, evaluation);
  }
}

TEST_P(Contract, AnUnknownParameterIsRefused) {
  EXPECT_THROW(entry().make({space(), 2, 1}, parameters("poplation = 4")), InputError);
}

std::vector<std::size_t> all_searches() {
  std::vector<std::size_t> indices(evolutionary_searches().size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  return indices;
}
INSTANTIATE_TEST_SUITE_P(All, Contract,
                         testing::Combine(testing::ValuesIn(all_searches()),
                                          testing::Values("delay", "priority", "mixed")),
                         [](const auto& test) {
                           std::string name =
                               evolutionary_searches()[std::get<0>(test.param)].name + "_" +
                               std::get<1>(test.param);
                           for (char& c : name) {
                             if (c == '-' || c == '+') c = '_';
                           }
                           return name;
                         });

TEST(Searches, GenerationalOnesWaitForTheirGeneration) {
  const auto search = make_nsga2({delay_space(5), 2, 1}, parameters("population = 6"));
  std::vector<Candidate> generation;
  while (auto candidate = search->ask()) generation.push_back(*candidate);
  EXPECT_EQ(generation.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(search->ask().has_value(), false);
    Evaluation evaluation;
    evaluation.objectives = objectives_of_genes(generation[i].genotype.genes);
    search->tell(generation[i], evaluation);
  }
  const auto next = search->ask();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->origin, "sbx+gaussian");
}

TEST(Searches, ThePapersConfigurationsAreThere) {
  // Kanhai 2025, Table 2, and the thesis, 3.3: operators by the origin of the second generation.
  const std::vector<std::tuple<std::string, std::string, std::string>> expected{
      {"thesis", "sbx+gaussian", "pmx+swap"},
      {"fantastic", "random", "random"},
      {"thing", "sbx+gaussian", "pmx+swap"},
      {"torch", "blend+gaussian", "pmx+swap"},
      {"invisible", "sbx+polynomial", "pmx+swap"}};
  for (const auto& [name, delay, priority] : expected) {
    const std::string& wanted = name;
    const auto entry = std::find_if(evolutionary_searches().begin(), evolutionary_searches().end(),
                                    [&](const SearchEntry& e) { return e.name == wanted; });
    ASSERT_NE(entry, evolutionary_searches().end()) << name;
    for (const bool delays : {true, false}) {
      const auto search =
          entry->make({delays ? delay_space(6) : priority_space(6), 2, 1}, parameters());
      std::string_view origin;
      for (int i = 0; i < 12; ++i) {
        const auto candidate = search->ask();
        ASSERT_TRUE(candidate);
        origin = candidate->origin;
        Evaluation evaluation;
        evaluation.objectives = {1, 2};
        search->tell(*candidate, evaluation);
      }
      EXPECT_EQ(origin, delays ? delay : priority) << name;
    }
  }
}

TEST(Searches, OperatorsThatDoNotFitTheSpaceAreRefused) {
  const auto message = [](const SearchSpace& space, const std::string& toml) -> std::string {
    try {
      make_nsga2({space, 2, 1}, parameters(toml));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(priority_space(5), "crossover = 'sbx'"),
              testing::HasSubstr(
                  "crossover: the genes are priorities, expected pmx, own-cuts-pmx or none"));
  EXPECT_THAT(message(priority_space(5), "mutation = 'gaussian'"),
              testing::HasSubstr("mutation: the genes are priorities, expected swap"));
  EXPECT_THAT(message(delay_space(5), "crossover = 'pmx'"),
              testing::HasSubstr("crossover: the genes are delays"));
  EXPECT_THAT(message(delay_space(5), "population = 1"), testing::HasSubstr("population"));
}

TEST(Searches, FaultPlansEvolve) {
  // The goal is a plan with four faults; genes say nothing.
  for (const SearchEntry& entry : evolutionary_searches()) {
    const auto search = entry.make({mixed_space(), 1, 3}, parameters());
    std::size_t most = 0;
    for (int i = 0; i < 400; ++i) {
      const auto candidate = search->ask();
      ASSERT_TRUE(candidate);
      most = std::max(most, candidate->genotype.faults.size());
      Evaluation evaluation;
      evaluation.objectives = {-static_cast<double>(candidate->genotype.faults.size())};
      search->tell(*candidate, evaluation);
    }
    EXPECT_EQ(most, 4U) << entry.name;
  }
}

TEST(Searches, PlansAloneCanBeSearched) {
  SearchSpace space = mixed_space();
  space.low.clear();
  space.high.clear();
  space.subjects.clear();
  for (const SearchEntry& entry : evolutionary_searches()) {
    if (entry.name == "cma-es") {
      EXPECT_THROW(entry.make({space, 1, 1}, parameters()), InputError);
      continue;
    }
    EXPECT_GE(sequence(entry, space, 1, 60, 4, 1).size(), 60U) << entry.name;
  }
}

}  // namespace
}  // namespace dissensus::search
