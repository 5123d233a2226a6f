#include "search/portfolio.h"

#include <deque>
#include <map>

#include <gmock/gmock.h>

#include "search/registry.h"

namespace dissensus::search {
namespace {

SearchContext context(std::uint64_t seed = 1) {
  SearchContext result;
  result.space.nodes = 4;
  const faults::GeneSpace genes{4, 2};
  for (std::size_t i = 0; i < genes.size(); ++i) {
    const faults::GeneSpace::Gene gene = genes.gene(i);
    result.space.subjects.push_back({gene.from, gene.to, gene.kind});
  }
  result.space.low.assign(genes.size(), 0);
  result.space.high.assign(genes.size(), 1000);
  result.objectives = 2;
  result.seed = seed;
  return result;
}

std::unique_ptr<Search> portfolio(std::string_view parameters, std::uint64_t seed = 1) {
  return make_portfolio(context(seed), Options::from_toml(parameters, "parameters"));
}

Evaluation evaluation(double margin) {
  Evaluation result;
  result.objectives = {-margin, -margin};
  result.disagreement_margin = margin;
  return result;
}

/// Drives a search as a hunt does, with 16 candidates under way, and counts runs by member.
template <class Margin>
std::map<std::string, int> shares(Search& search, int runs, const Margin& margin) {
  std::map<std::string, int> result;
  std::deque<Candidate> under_way;
  for (int told = 0; told < runs;) {
    while (under_way.size() < 16) {
      std::optional<Candidate> candidate = search.ask();
      if (!candidate) break;
      ++result[std::string(candidate->member)];
      under_way.push_back(std::move(*candidate));
    }
    EXPECT_FALSE(under_way.empty()) << "a search with nothing under way must have a candidate";
    if (under_way.empty()) break;
    search.tell(under_way.front(), evaluation(margin(under_way.front().member)));
    under_way.pop_front();
    ++told;
  }
  return result;
}

// Each member of the default portfolio has its turn.
TEST(Portfolio, EveryMemberHasATurn) {
  const auto search = portfolio("");
  const auto runs = shares(*search, 60, [](std::string_view) { return 0.5; });
  EXPECT_EQ(runs.size(), 6u);
  for (const auto& [member, count] : runs) EXPECT_GT(count, 0) << member;
}

// The member that yields more gets more of the budget; the floor keeps the others alive.
TEST(Portfolio, SharesFollowYield) {
  const auto search = portfolio("members = ['structured', 'random', 'coverage']");
  const auto runs =
      shares(*search, 3000, [](std::string_view member) { return member == "random" ? 1 : 0.1; });
  EXPECT_GT(runs.at("random"), 1800);
  EXPECT_GT(runs.at("structured"), 300);
  EXPECT_GT(runs.at("coverage"), 300);
}

// A floor of 1 deals the budget out evenly whatever the yields are.
TEST(Portfolio, FloorOfOneIsEven) {
  const auto search = portfolio("members = ['structured', 'random']\nfloor = 1.0");
  const auto runs =
      shares(*search, 2000, [](std::string_view member) { return member == "random" ? 1 : 0; });
  EXPECT_NEAR(runs.at("random"), 1000, 120);
}

// Single-objective members hear one number: nothing breaks in a hunt with two objectives.
TEST(Portfolio, MixesSingleAndMultiObjectiveMembers) {
  const auto search = portfolio("members = ['nsga2', 'hill-climbing', 'cma-es', 'mu+lambda']");
  const auto runs = shares(*search, 400, [](std::string_view) { return 0.3; });
  EXPECT_EQ(runs.size(), 4u);
}

TEST(Portfolio, FollowsItsSeed) {
  const auto margin = [](std::string_view member) { return member == "random" ? 0.7 : 0.2; };
  EXPECT_EQ(shares(*portfolio("", 5), 300, margin), shares(*portfolio("", 5), 300, margin));
}

// Mistakes in the list of members are told with a suggestion; a portfolio cannot contain itself.
TEST(Portfolio, RefusesUnknownMembers) {
  const auto message = [](std::string_view parameters) -> std::string {
    try {
      portfolio(parameters);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("members = ['randon']"), testing::HasSubstr("random"));
  EXPECT_THAT(message("members = ['portfolio']"), testing::HasSubstr("expected the name"));
  EXPECT_THAT(message("members = []"), testing::HasSubstr("at least one"));
  EXPECT_THAT(message("floor = 2.0"), testing::HasSubstr("parameters:1: floor"));
  EXPECT_THAT(message("flor = 0.5"), testing::HasSubstr("flor"));
}

}  // namespace
}  // namespace dissensus::search
