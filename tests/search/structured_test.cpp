#include "search/structured.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "search/genotype.h"

namespace dissensus::search {
namespace {

/// Five nodes, three kinds, delays of 0 to 4000 ms.
SearchSpace delay_space() {
  SearchSpace space;
  space.nodes = 5;
  const faults::GeneSpace genes{5, 3};
  for (std::size_t i = 0; i < genes.size(); ++i) {
    const faults::GeneSpace::Gene gene = genes.gene(i);
    space.subjects.push_back({gene.from, gene.to, gene.kind});
  }
  space.low.assign(genes.size(), 0);
  space.high.assign(genes.size(), 4000);
  return space;
}

SearchSpace priority_space() {
  SearchSpace space = delay_space();
  space.type = SearchSpace::Type::priority;
  space.low.assign(space.size(), 1);
  space.high.assign(space.size(), static_cast<double>(space.size()));
  return space;
}

std::unique_ptr<Search> structured(const SearchSpace& space, std::uint64_t seed = 1) {
  return make_structured({space, 1, seed}, Options::from_toml("", "test"));
}

// Every draw of every shape is a legal genotype: whole milliseconds within bounds.
TEST(Structured, DelaysStayInBounds) {
  const SearchSpace space = delay_space();
  Random random(3);
  for (std::size_t shape = 0; shape < kShapes; ++shape) {
    for (int i = 0; i < 50; ++i) {
      const Genotype genotype = draw_shape(space, static_cast<Shape>(shape), random);
      ASSERT_EQ(genotype.genes.size(), space.size());
      for (const double gene : genotype.genes) {
        ASSERT_GE(gene, 0);
        ASSERT_LE(gene, 4000);
        ASSERT_EQ(gene, static_cast<double>(static_cast<int>(gene)));
      }
    }
  }
}

// In a priority space every shape is a permutation.
TEST(Structured, PrioritiesArePermutations) {
  const SearchSpace space = priority_space();
  Random random(4);
  for (std::size_t shape = 0; shape < kShapes; ++shape) {
    std::vector<double> genes = draw_shape(space, static_cast<Shape>(shape), random).genes;
    std::sort(genes.begin(), genes.end());
    for (std::size_t i = 0; i < genes.size(); ++i) {
      ASSERT_EQ(genes[i], static_cast<double>(i + 1)) << kShapeNames[shape];
    }
  }
}

// An even split delays all that crosses between two halves by the maximum, and nothing else.
TEST(Structured, EvenSplitSeparatesTwoHalves) {
  const SearchSpace space = delay_space();
  Random random(5);
  for (int draw = 0; draw < 30; ++draw) {
    const Genotype genotype = draw_shape(space, Shape::even_split, random);
    // The group of node 0: all that it exchanges undelayed messages with.
    std::set<NodeId> group{0};
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (space.subjects[i].from == 0 && genotype.genes[i] == 0) group.insert(space.subjects[i].to);
    }
    EXPECT_THAT(group.size(), testing::AnyOf(2, 3));
    for (std::size_t i = 0; i < space.size(); ++i) {
      const bool crosses =
          group.contains(space.subjects[i].from) != group.contains(space.subjects[i].to);
      EXPECT_EQ(genotype.genes[i], crosses ? 4000 : 0);
    }
  }
}

// Under slow links all kinds of a link are equally late.
TEST(Structured, SlowLinksTreatKindsAlike) {
  const SearchSpace space = delay_space();
  Random random(6);
  const Genotype genotype = draw_shape(space, Shape::slow_links, random);
  for (std::size_t link = 0; link < 20; ++link) {
    EXPECT_EQ(genotype.genes[link], genotype.genes[20 + link]);
    EXPECT_EQ(genotype.genes[link], genotype.genes[40 + link]);
  }
}

/// Two kinds of one type, told apart by a number that goes up.
SearchSpace ranked_space() {
  SearchSpace space = delay_space();
  for (SearchSpace::Subject& subject : space.subjects) {
    if (subject.kind > 1) continue;
    subject.rank = static_cast<std::uint8_t>(subject.kind);
    subject.ranks = 2;
  }
  return space;
}

// Each shape comes up within the first 17 candidates, and a third of these are even splits: a hunt
// that shares a hundred runs with other searches gets no more. A shape that the space does not have
// never comes up.
TEST(Structured, TriesEveryShapeFirst) {
  for (const bool ranked : {false, true}) {
    const auto search = structured(ranked ? ranked_space() : delay_space());
    std::set<std::string_view> seen;
    int splits = 0;
    for (int i = 0; i < 17; ++i) {
      const std::string_view origin = search->ask()->origin;
      seen.insert(origin);
      splits += origin == "even-split" ? 1 : 0;
    }
    EXPECT_EQ(seen.size(), ranked ? kShapes : kShapes - 1);
    EXPECT_GE(splits, 6);
    EXPECT_EQ(seen.contains("overtaking"), ranked);
  }
}

// The first message of a type is late by half of the maximum at least, the next one is not late.
TEST(Structured, LaterMessagesOvertakeTheFirst) {
  const SearchSpace space = ranked_space();
  Random random(9);
  for (int draw = 0; draw < 20; ++draw) {
    const Genotype genotype = draw_shape(space, Shape::overtaking, random);
    for (std::size_t i = 0; i < space.size(); ++i) {
      const SearchSpace::Subject& subject = space.subjects[i];
      if (subject.ranks < 2) continue;
      if (subject.rank == 0) {
        EXPECT_GE(genotype.genes[i], 2000);
      } else {
        EXPECT_EQ(genotype.genes[i], 0);
      }
    }
  }
}

// A shape whose runs come close to a violation is drawn more often; the others do not die out.
TEST(Structured, SharesFollowMargins) {
  const auto search = structured(delay_space());
  const auto good = kShapeNames[static_cast<std::size_t>(Shape::late_links)];
  std::array<int, 2> share{};
  std::set<std::string_view> late_shapes;
  for (int i = 0; i < 2000; ++i) {
    const Candidate candidate = *search->ask();
    Evaluation evaluation;
    evaluation.disagreement_margin = candidate.origin == good ? 0.9 : 0.1;
    search->tell(candidate, evaluation);
    share[i < 1000 ? 0 : 1] += candidate.origin == good ? 1 : 0;
    if (i >= 1000) late_shapes.insert(candidate.origin);
  }
  EXPECT_GT(share[1], 500);
  EXPECT_EQ(late_shapes.size(), kShapes - 1) << "this space has nothing that could overtake";
}

// The same seed gives the same candidates, another seed gives others.
TEST(Structured, FollowsItsSeed) {
  const auto one = structured(delay_space(), 7);
  const auto same = structured(delay_space(), 7);
  const auto other = structured(delay_space(), 8);
  bool differs = false;
  for (int i = 0; i < 20; ++i) {
    const Candidate candidate = *one->ask();
    EXPECT_EQ(candidate.genotype, same->ask()->genotype);
    differs = differs || candidate.genotype != other->ask()->genotype;
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace dissensus::search
