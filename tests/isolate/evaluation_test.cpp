// Which predicates hold in a run: hand-made inboxes, and random ones against an evaluator that is
// written straight from Algorithm 2 and shares no code with the fast one.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "isolate/inbox_reducer.h"
#include "isolate/run_evaluator.h"
#include "isolate/sample_runs.h"
#include "isolate/sender_traits.h"

namespace dissensus::isolate {
namespace {

using Values = std::vector<std::int64_t>;

RunTable table_of(const PredicateSpace& space, const std::vector<Run>& runs) {
  RunTable table(space);
  InboxReducer reducer(space);
  for (const Run& run : runs) {
    std::vector<Profile> profiles;
    for (std::size_t node = 0; node < run.inboxes.size(); ++node)
      profiles.push_back(reducer.reduce(run.inboxes[node], node));
    table.add(run, profiles, {}, sender_traits(space, run));
  }
  return table;
}

struct Message {
  std::size_t kind;
  std::size_t sender;
  Values values;
};

std::vector<Message> messages_of(const Schema& schema, const Inbox& inbox) {
  std::vector<Message> messages;
  for (const Inbox::Entry& entry : inbox.entries) {
    const auto first = inbox.values.begin() + entry.first_value;
    const auto count = static_cast<std::ptrdiff_t>(schema.kinds[entry.kind].fields.size());
    messages.push_back({entry.kind, entry.sender, Values(first, first + count)});
  }
  return messages;
}

bool compare(Operator operation, std::int64_t left, std::int64_t right) {
  switch (operation) {
    case Operator::equal:
      return left == right;
    case Operator::different:
      return left != right;
    case Operator::less:
      return left < right;
    case Operator::greater:
      return left > right;
    case Operator::next:
      return left + 1 == right;
    default:
      ADD_FAILURE() << "no comparison of numbers";
      return false;
  }
}

using Nodes = std::set<std::size_t>;

bool compare(Operator operation, const Nodes& left, const Nodes& right, std::size_t sender) {
  const auto within = [](const Nodes& a, const Nodes& b) {
    return std::includes(b.begin(), b.end(), a.begin(), a.end());
  };
  switch (operation) {
    case Operator::equal:
      return left == right;
    case Operator::different:
      return left != right;
    case Operator::disjoint:
      return std::none_of(left.begin(), left.end(),
                          [&](std::size_t n) { return right.contains(n); });
    case Operator::subset:
      return within(left, right);
    case Operator::superset:
      return within(right, left);
    case Operator::member:
      return left.contains(sender);
    case Operator::stranger:
      return !left.contains(sender);
    default:
      ADD_FAILURE() << "no comparison of sets";
      return false;
  }
}

/// Algorithm 2 for one predicate and one node, line by line.
bool holds_on_node(const PredicateSpace& space, const BasePredicate& predicate,
                   const std::vector<Message>& inbox, NodeMask trusted) {
  const KindPair& pair = space.pairs()[predicate.pair];
  std::map<std::pair<std::size_t, Values>, Nodes> seen;
  for (const Message& message : inbox) {
    if ((trusted >> message.sender & 1) == 0) continue;
    const auto key = std::make_pair(message.kind, message.values);
    Nodes right_senders = seen.contains(key) ? seen[key] : Nodes{};
    right_senders.insert(message.sender);
    for (const auto& [left, left_senders] : seen) {
      if (left.first != pair.left || message.kind != pair.right) continue;
      if (left_senders.size() < predicate.threshold) continue;
      bool all = true;
      for (const Assertion& assertion : pair.sets[predicate.set]) {
        const Comparison& comparison = pair.comparisons[assertion.comparison];
        all = all &&
              (comparison.subject == Comparison::Subject::fields
                   ? compare(assertion.operation, left.second[comparison.left_field],
                             message.values[comparison.right_field])
                   : compare(assertion.operation, left_senders, right_senders, message.sender));
      }
      if (all) return true;
    }
    seen[key].insert(message.sender);
  }
  return false;
}

/// Whether some value has enough senders apart from `senders`, and they apart from it, with the
/// node on their side only.
bool in_camp(const std::map<std::int64_t, Nodes>& sent, const Nodes& senders, std::size_t threshold,
             std::size_t node) {
  const auto apart = [](const Nodes& these, const Nodes& those) {
    return std::count_if(these.begin(), these.end(),
                         [&](const auto& one) { return !those.contains(one); });
  };
  return std::any_of(sent.begin(), sent.end(), [&](const auto& entry) {
    const Nodes& rivals = entry.second;
    return senders.contains(node) && !rivals.contains(node) &&
           static_cast<std::size_t>(apart(senders, rivals)) >= threshold &&
           static_cast<std::size_t>(apart(rivals, senders)) >= threshold;
  });
}

/// Sender traits from their definitions.
bool trait_on_node(const PredicateSpace& space, const BasePredicate& predicate, const Run& run,
                   std::size_t node) {
  const SenderTrait& trait = space.traits()[predicate.trait];
  std::map<std::int64_t, Nodes> own_field;
  std::map<std::int64_t, Nodes> other_field;
  std::map<std::int64_t, std::map<std::int64_t, Nodes>> both;
  for (const Inbox& inbox : run.inboxes) {
    for (const Message& message : messages_of(space.schema(), inbox)) {
      if (message.kind == trait.kind) {
        own_field[message.values[trait.field]].insert(message.sender);
        if (trait.type != SenderTrait::Type::omission)
          both[message.values[trait.field]][message.values[trait.other_field]].insert(
              message.sender);
      }
      if (message.kind == trait.other_kind)
        other_field[message.values[trait.other_field]].insert(message.sender);
    }
  }
  std::size_t shown = 0;
  if (trait.type == SenderTrait::Type::omission) {
    for (const auto& [value, senders] : own_field) {
      const Nodes& others = other_field[value];
      if (senders.contains(node) && !others.contains(node) && others.size() >= trait.threshold)
        ++shown;
    }
  }
  if (trait.type == SenderTrait::Type::faction) {
    for (const auto& [value, senders] : own_field)
      shown += in_camp(own_field, senders, trait.threshold, node) ? 1 : 0;
    return shown >= predicate.values;
  }
  for (const auto& [instance, values] : both) {
    std::size_t sent = 0;
    bool outvoted = false;
    for (const auto& [value, senders] : values) {
      if (!senders.contains(node)) continue;
      ++sent;
      for (const auto& [rival, voters] : values) {
        outvoted = outvoted || (rival != value && voters.size() >= trait.threshold &&
                                voters.size() > senders.size());
      }
    }
    const bool equivocates = trait.type == SenderTrait::Type::equivocation;
    shown += (equivocates ? sent > 1 : outvoted) ? 1 : 0;
  }
  return shown >= predicate.values;
}

bool brute_force(const PredicateSpace& space, const Candidate& candidate, const Run& run) {
  const BasePredicate predicate = space.describe(candidate.base);
  std::size_t largest = 0;
  for (const NodeMask group : space.schema().groups) {
    std::size_t count = 0;
    for (std::size_t node = 0; node < run.inboxes.size(); ++node) {
      if ((group >> node & 1) == 0) continue;
      const bool holds =
          predicate.is_trait
              ? trait_on_node(space, predicate, run, node)
              : holds_on_node(space, predicate, messages_of(space.schema(), run.inboxes[node]),
                              space.schema().trusted[node]);
      count += holds ? 1 : 0;
    }
    largest = std::max(largest, count);
  }
  return largest > candidate.tolerance;
}

Schema random_schema() {
  using enum SemanticType;
  Schema schema;
  schema.kinds = {{"A", {{"hash", hash, "thing"}, {"sequence", sequence, "sequence"}}},
                  {"B", {{"thing", hash, "thing"}, {"moment", time, "moment"}}}};
  schema.nodes = 4;
  schema.trusted = {0b0111, 0b0111, 0b1110, 0b1111};
  schema.groups = {0b0111, 0b1110};
  return schema;
}

Run random_run(Random& random, const Schema& schema) {
  isolate::Run run = empty_run("random", true, schema.nodes);
  for (std::size_t node = 0; node < schema.nodes; ++node) {
    const std::size_t count = 4 + random.below(16);
    for (std::size_t i = 0; i < count; ++i) {
      add_message(
          run, node, static_cast<std::uint16_t>(random.below(2)),
          static_cast<std::uint16_t>(random.below(schema.nodes)),
          {static_cast<std::int64_t>(random.below(3)), static_cast<std::int64_t>(random.below(3))});
    }
  }
  return run;
}

TEST(Evaluation, EqualsABruteForceEvaluatorOnRandomRuns) {
  const Schema schema = random_schema();
  for (const Mode mode : {Mode::reference, Mode::paper, Mode::improved}) {
    const PredicateSpace space(schema, space_options(mode, schema));
    Random random(7, "evaluation", static_cast<std::uint64_t>(mode));
    std::vector<isolate::Run> runs;
    for (int i = 0; i < 6; ++i) runs.push_back(random_run(random, schema));
    const RunTable table = table_of(space, runs);
    RunEvaluator evaluator(table);
    std::size_t compared = 0;
    std::size_t held = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      evaluator.evaluate(table.runs()[run]);
      for (std::uint32_t base = 0; base < space.words() * 64; ++base) {
        if ((space.ranked()[base / 64] >> (base % 64) & 1) == 0) continue;
        if (random.below(3) != 0) continue;
        for (const std::uint32_t tolerance : space.options().tolerances) {
          const bool expected = brute_force(space, {base, tolerance}, runs[run]);
          ASSERT_EQ(evaluator.is_true({base, tolerance}), expected)
              << "mode " << static_cast<int>(mode) << " run " << run << " base " << base
              << " tolerance " << tolerance;
          ++compared;
          held += expected ? 1 : 0;
        }
      }
    }
    EXPECT_GT(held, 100u);
    EXPECT_GT(compared, held);
  }
}

// Two senders vote 5 in round 1, then a third votes 6: "2 x Vote -> Vote with another value in the
// same round" holds on that node, with threshold 3 it does not.
TEST(Evaluation, CountsTheSendersOfEqualMessages) {
  const Schema schema = vote_schema(4);
  const PredicateSpace space(schema, space_options(Mode::reference, schema));
  isolate::Run run = empty_run("votes", true, 4);
  for (std::uint16_t sender = 0; sender < 2; ++sender) add_message(run, 3, 0, sender, {1, 5});
  add_message(run, 3, 0, 2, {1, 6});
  const RunTable table = table_of(space, {run});
  RunEvaluator evaluator(table);
  evaluator.evaluate(table.runs()[0]);
  // comparisons: 0 senders, 1 round, 2 value
  const std::size_t set =
      find_set(space.pairs()[0], {{1, Operator::equal}, {2, Operator::different}});
  EXPECT_TRUE(evaluator.is_true({bit_of(space, 0, 1, set), 0}));
  EXPECT_TRUE(evaluator.is_true({bit_of(space, 0, 2, set), 0}));
  EXPECT_FALSE(evaluator.is_true({bit_of(space, 0, 3, set), 0}));
  EXPECT_FALSE(evaluator.is_true({bit_of(space, 0, 2, set), 1})) << "on one node only";
  EXPECT_TRUE(evaluator.observed(space.observed_bit(bit_of(space, 0, 2, set))));
  EXPECT_FALSE(evaluator.observed(space.observed_bit(bit_of(space, 0, 3, set))));
}

// The second vote of node 0 comes while its first one has one sender: a message is compared with
// what came before, its own copies included.
TEST(Evaluation, AMessageIsComparedWithEarlierCopiesOfItself) {
  const Schema schema = vote_schema(3);
  const PredicateSpace space(schema, space_options(Mode::reference, schema));
  isolate::Run once = empty_run("once", true, 3);
  add_message(once, 0, 0, 1, {1, 5});
  isolate::Run twice = empty_run("twice", true, 3);
  add_message(twice, 0, 0, 1, {1, 5});
  add_message(twice, 0, 0, 2, {1, 5});
  const RunTable table = table_of(space, {once, twice});
  RunEvaluator evaluator(table);
  const std::size_t same = find_set(space.pairs()[0], {{2, Operator::equal}});
  evaluator.evaluate(table.runs()[0]);
  EXPECT_FALSE(evaluator.is_true({bit_of(space, 0, 1, same), 0}));
  evaluator.evaluate(table.runs()[1]);
  EXPECT_TRUE(evaluator.is_true({bit_of(space, 0, 1, same), 0}));
  // The copy's senders are then {1, 2}: node 1 is within them.
  EXPECT_TRUE(evaluator.is_true(
      {bit_of(space, 0, 1, find_set(space.pairs()[0], {{0, Operator::subset}})), 0}));
}

TEST(Evaluation, LooksOnlyAtTrustedSenders) {
  Schema schema = vote_schema(3);
  schema.trusted[0] = 0b010;
  const PredicateSpace space(schema, space_options(Mode::reference, schema));
  isolate::Run run = empty_run("untrusted", true, 3);
  add_message(run, 0, 0, 1, {1, 5});
  add_message(run, 0, 0, 2, {1, 6});
  const RunTable table = table_of(space, {run});
  RunEvaluator evaluator(table);
  evaluator.evaluate(table.runs()[0]);
  EXPECT_FALSE(evaluator.is_true({bit_of(space, 0, 1, 0), 0}));
}

}  // namespace
}  // namespace dissensus::isolate
