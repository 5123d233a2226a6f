#include "isolate/predicate_space.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/assert.h"

namespace dissensus::isolate {
namespace {

using Subject = Comparison::Subject;

/// For the table of codes and predicates of one pair of kinds.
constexpr std::size_t kPairBytesMax = std::size_t{64} << 20;

/// Which operators are true, per outcome of a scale.
using Truths = std::vector<std::vector<Operator>>;

const Truths& truths(Scale scale) {
  using enum Operator;
  static const std::array<Truths, 5> tables{{
      // identity: equal; different
      {{equal}, {different}},
      // order: equal; left smaller; left larger
      {{equal}, {different, less}, {different, greater}},
      // succession: equal; right is the successor; left smaller by more; left larger
      {{equal}, {different, less, next}, {different, less}, {different, greater}},
      // set: equal; disjoint; left smaller; left larger; overlapping; both, left, right empty
      {{equal, subset, superset},
       {different, disjoint},
       {different, subset},
       {different, superset},
       {different},
       {equal, disjoint, subset, superset},
       {different, disjoint, subset},
       {different, disjoint, superset}},
      // membership: member; stranger
      {{member}, {stranger}},
  }};
  return tables[static_cast<std::size_t>(scale)];
}

Scale scale_of(SemanticType type, const SpaceOptions& options) {
  switch (type) {
    case SemanticType::sequence:
    case SemanticType::round:
      return options.richer_operators ? Scale::succession : Scale::order;
    case SemanticType::number:
    case SemanticType::amount:
      return Scale::order;
    case SemanticType::time:
      return options.time_is_ordered ? Scale::order : Scale::identity;
    case SemanticType::node_set:
      return Scale::set;
    default:
      return Scale::identity;
  }
}

std::vector<Operator> operators_of(Scale scale) {
  using enum Operator;
  switch (scale) {
    case Scale::identity:
      return {equal, different};
    case Scale::order:
      return {equal, different, less, greater};
    case Scale::succession:
      return {equal, different, less, greater, next};
    case Scale::set:
      return {equal, different, disjoint, subset, superset};
    case Scale::membership:
      return {member, stranger};
  }
  return {};
}

/// Fields whose values nodes vouch for.
bool names_a_thing(const Field& field) {
  return field.type == SemanticType::hash || field.type == SemanticType::value;
}

bool numbers_instances(const Field& field) {
  return field.type == SemanticType::sequence || field.type == SemanticType::round;
}

/// Calls visit with every choice of `count` of the numbers 0 to n - 1, ascending, in order.
void for_each_choice(std::size_t n, std::size_t count,
                     const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> choice(count);
  for (std::size_t i = 0; i < count; ++i) choice[i] = i;
  if (count > n) return;
  for (;;) {
    visit(choice);
    std::size_t place = count;
    while (place > 0 && choice[place - 1] == n - count + place - 1) --place;
    if (place == 0) return;
    ++choice[place - 1];
    for (std::size_t i = place; i < count; ++i) choice[i] = choice[i - 1] + 1;
  }
}

/// Every choice of one operator per chosen comparison, the first slowest.
void for_each_operators(const KindPair& pair, const std::vector<std::size_t>& choice,
                        AssertionSet& set, const std::function<void(const AssertionSet&)>& visit) {
  if (set.size() == choice.size()) {
    visit(set);
    return;
  }
  const std::size_t comparison = choice[set.size()];
  for (const Operator operation : pair.comparisons[comparison].operators) {
    set.push_back({static_cast<std::uint8_t>(comparison), operation});
    for_each_operators(pair, choice, set, visit);
    set.pop_back();
  }
}

std::vector<std::uint32_t> numbers(std::size_t first, std::size_t last) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = first; i <= last; ++i) result.push_back(static_cast<std::uint32_t>(i));
  return result;
}

}  // namespace

std::size_t outcomes(Scale scale) {
  return truths(scale).size();
}

bool holds(Scale scale, std::size_t outcome, Operator operation) {
  const std::vector<Operator>& held = truths(scale)[outcome];
  return std::find(held.begin(), held.end(), operation) != held.end();
}

std::size_t outcome_of(Scale scale, std::int64_t left, std::int64_t right) {
  switch (scale) {
    case Scale::identity:
      return left == right ? 0 : 1;
    case Scale::order:
      return left == right ? 0 : left < right ? 1 : 2;
    case Scale::succession:
      if (left >= right) return left == right ? 0 : 3;
      return left + 1 == right ? 1 : 2;
    case Scale::set:
      if (left == 0 || right == 0) return left == right ? 5 : left == 0 ? 6 : 7;
      if (left == right) return 0;
      if ((left & right) == 0) return 1;
      return (left & right) == left ? 2 : (left & right) == right ? 3 : 4;
    case Scale::membership:
      return (left & right) != 0 ? 0 : 1;
  }
  return 0;
}

namespace {

/// A bit per assertion set: with this outcome of a comparison one of its assertions does not hold.
std::vector<std::uint64_t> sets_ruled_out(const KindPair& pair, std::size_t comparison,
                                          std::size_t outcome) {
  std::vector<std::uint64_t> bits(pair.words, 0);
  const Scale scale = pair.comparisons[comparison].scale;
  for (std::size_t set = 0; set < pair.sets.size(); ++set) {
    for (const Assertion& assertion : pair.sets[set]) {
      if (assertion.comparison == comparison && !holds(scale, outcome, assertion.operation))
        bits[set / 64] |= std::uint64_t{1} << (set % 64);
    }
  }
  return bits;
}

}  // namespace

SpaceOptions space_options(Mode mode, const Schema& schema) {
  SpaceOptions options;
  const std::size_t size = schema.group_size();
  const std::size_t last_tolerance = size > 0 ? size - 1 : 0;
  switch (mode) {
    case Mode::reference:
      options.thresholds = std::max<std::size_t>(1, last_tolerance);
      options.tolerances = numbers(0, last_tolerance);
      options.ignore_fields = true;
      break;
    case Mode::paper:
      options.thresholds = schema.nodes;
      options.tolerances = numbers(1, schema.nodes);
      options.time_is_ordered = true;
      break;
    case Mode::improved:
      options.thresholds = std::max<std::size_t>(1, last_tolerance);
      options.tolerances = numbers(0, last_tolerance);
      options.time_is_ordered = true;
      options.richer_operators = true;
      options.trait_values = {1, 2, 3, 4, 5, 6, 8, 10};
      options.parts = 16;
      break;
  }
  return options;
}

PredicateSpace::PredicateSpace(const Schema& schema, const SpaceOptions& options)
    : schema_(schema), options_(options) {
  DISSENSUS_ASSERT(options.thresholds > 0 && !options.tolerances.empty(),
                   "PredicateSpace : there is something to ask");
  for (std::size_t left = 0; left < schema_.kinds.size(); ++left) {
    for (std::size_t right = 0; right < schema_.kinds.size(); ++right) add_pair(left, right);
  }
  if (!options_.trait_values.empty()) add_traits();
  ranked_.assign(words_, 0);
  for (const KindPair& pair : pairs_) {
    for (std::size_t set = 0; set < pair.sets.size(); ++set) {
      if (options_.ignore_fields && is_ignored(pair, pair.sets[set])) continue;
      for (std::size_t threshold = 0; threshold < options_.thresholds; ++threshold) {
        ranked_[pair.first_word + threshold * pair.words + set / 64] |= std::uint64_t{1}
                                                                        << (set % 64);
      }
    }
  }
  for (std::size_t bit = 0; bit < traits_.size() * options_.trait_values.size(); ++bit)
    ranked_[trait_word_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void PredicateSpace::add_traits() {
  using Type = SenderTrait::Type;
  const auto add = [&](Type type, std::size_t kind, std::size_t field, std::size_t other_kind,
                       std::size_t other_field, std::size_t thresholds) {
    for (std::size_t threshold = 1; threshold <= thresholds; ++threshold)
      traits_.push_back({type, kind, field, other_kind, other_field, threshold});
  };
  for (std::size_t kind = 0; kind < schema_.kinds.size(); ++kind) {
    const std::vector<Field>& fields = schema_.kinds[kind].fields;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      if (!names_a_thing(fields[field]) && !numbers_instances(fields[field])) continue;
      if (names_a_thing(fields[field]))
        add(Type::faction, kind, field, kind, field, options_.thresholds);
      for (std::size_t other_kind = 0; other_kind < schema_.kinds.size(); ++other_kind) {
        const std::vector<Field>& others = schema_.kinds[other_kind].fields;
        for (std::size_t other = 0; other < others.size(); ++other) {
          if (kind == other_kind && field == other) continue;
          if (fields[field].domain == others[other].domain)
            add(Type::omission, kind, field, other_kind, other, options_.thresholds);
          if (kind != other_kind) continue;
          if (numbers_instances(fields[field]) && names_a_thing(others[other])) {
            add(Type::equivocation, kind, field, kind, other, 1);
            add(Type::deviation, kind, field, kind, other, options_.thresholds);
          }
        }
      }
    }
  }
  const std::size_t bits = traits_.size() * options_.trait_values.size();
  trait_word_ = words_;
  words_ += (bits + 63) / 64;
  base_predicates_ += bits;
}

void PredicateSpace::add_pair(std::size_t left, std::size_t right) {
  KindPair& pair = pairs_.emplace_back();
  pair.left = left;
  pair.right = right;
  const auto add = [&](Subject subject, Scale scale, std::size_t left_field,
                       std::size_t right_field) {
    pair.comparisons.push_back(
        {subject, scale, left_field, right_field, pair.codes, operators_of(scale)});
    pair.codes *= outcomes(scale);
  };
  add(Subject::senders, Scale::set, 0, 0);
  if (options_.richer_operators) add(Subject::sender, Scale::membership, 0, 0);
  const std::vector<Field>& left_fields = schema_.kinds[left].fields;
  const std::vector<Field>& right_fields = schema_.kinds[right].fields;
  for (std::size_t l = 0; l < left_fields.size(); ++l) {
    for (std::size_t r = 0; r < right_fields.size(); ++r) {
      if (left_fields[l].domain == right_fields[r].domain)
        add(Subject::fields, scale_of(left_fields[l].type, options_), l, r);
    }
  }
  check_size(pair);
  add_sets(pair);
  fill_satisfied(pair);
  pair.first_code = codes_;
  pair.first_word = words_;
  codes_ += pair.codes;
  words_ += pair.words * options_.thresholds;
  base_predicates_ += pair.sets.size() * options_.thresholds;
}

/// Predicates grow with the cube of the comparisons, codes exponentially.
void PredicateSpace::check_size(const KindPair& pair) const {
  std::vector<std::size_t> sets{1};  // by number of assertions
  for (const Comparison& comparison : pair.comparisons) {
    if (sets.size() <= options_.assertions_max) sets.push_back(0);
    for (std::size_t count = sets.size(); count-- > 1;)
      sets[count] += sets[count - 1] * comparison.operators.size();
  }
  std::size_t total = 0;
  for (const std::size_t count : sets) total += count;
  if (pair.codes * (total / 8 + 8) <= kPairBytesMax) return;
  throw InputError(fmt::format(
      "{}kind: {} comparisons of {} with {} make too many predicates, expected fewer comparable "
      "fields",
      schema_.origin.empty() ? "" : schema_.origin + ": ", pair.comparisons.size(),
      schema_.kinds[pair.left].name, schema_.kinds[pair.right].name));
}

void PredicateSpace::add_sets(KindPair& pair) const {
  for (std::size_t count = 0; count <= options_.assertions_max; ++count) {
    for_each_choice(pair.comparisons.size(), count, [&](const std::vector<std::size_t>& choice) {
      AssertionSet set;
      for_each_operators(pair, choice, set,
                         [&](const AssertionSet& chosen) { pair.sets.push_back(chosen); });
    });
  }
  pair.words = (pair.sets.size() + 63) / 64;
}

/// A code satisfies the sets that no outcome of a comparison rules out: 64 sets at a time, because
/// there are codes times sets of them.
void PredicateSpace::fill_satisfied(KindPair& pair) const {
  pair.satisfied.assign(pair.codes * pair.words, ~std::uint64_t{0});
  for (std::size_t index = 0; index < pair.comparisons.size(); ++index) {
    const Comparison& comparison = pair.comparisons[index];
    for (std::size_t outcome = 0; outcome < outcomes(comparison.scale); ++outcome) {
      const std::vector<std::uint64_t> ruled_out = sets_ruled_out(pair, index, outcome);
      for (std::size_t code = 0; code < pair.codes; ++code) {
        if (code / comparison.stride % outcomes(comparison.scale) != outcome) continue;
        std::uint64_t* const satisfied = &pair.satisfied[code * pair.words];
        for (std::size_t word = 0; word < pair.words; ++word) satisfied[word] &= ~ruled_out[word];
      }
    }
  }
  if (pair.sets.size() % 64 == 0) return;
  const std::uint64_t last = (std::uint64_t{1} << (pair.sets.size() % 64)) - 1;
  for (std::size_t code = 1; code <= pair.codes; ++code)
    pair.satisfied[code * pair.words - 1] &= last;
}

bool PredicateSpace::is_ignored(const KindPair& pair, const AssertionSet& set) const {
  const auto ignored = [&](const Field& field) {
    return std::find(schema_.ignored_fields.begin(), schema_.ignored_fields.end(), field.name) !=
           schema_.ignored_fields.end();
  };
  return std::any_of(set.begin(), set.end(), [&](const Assertion& assertion) {
    const Comparison& comparison = pair.comparisons[assertion.comparison];
    return comparison.subject == Subject::fields &&
           (ignored(schema_.kinds[pair.left].fields[comparison.left_field]) ||
            ignored(schema_.kinds[pair.right].fields[comparison.right_field]));
  });
}

std::size_t PredicateSpace::ranked_predicates() const {
  std::size_t count = 0;
  for (const std::uint64_t word : ranked_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

BasePredicate PredicateSpace::describe(std::uint32_t base) const {
  const std::size_t word = base / 64;
  if (!traits_.empty() && word >= trait_word_) {
    const std::size_t bit = base - trait_word_ * 64;
    BasePredicate predicate;
    predicate.is_trait = true;
    predicate.trait = bit / options_.trait_values.size();
    predicate.values = options_.trait_values[bit % options_.trait_values.size()];
    return predicate;
  }
  const auto after = std::find_if(pairs_.begin(), pairs_.end(), [&](const KindPair& pair) {
    return word < pair.first_word + pair.words * options_.thresholds;
  });
  DISSENSUS_ASSERT(after != pairs_.end(), "PredicateSpace : the bit is within the space");
  const std::size_t within = word - after->first_word;
  BasePredicate predicate;
  predicate.pair = static_cast<std::size_t>(after - pairs_.begin());
  predicate.threshold = within / after->words + 1;
  predicate.set = within % after->words * 64 + base % 64;
  return predicate;
}

std::uint32_t PredicateSpace::observed_bit(std::uint32_t base) const {
  const BasePredicate predicate = describe(base);
  if (predicate.is_trait) return kAlwaysObserved;
  const KindPair& pair = pairs_[predicate.pair];
  return static_cast<std::uint32_t>((pair.first_word + (predicate.threshold - 1) * pair.words) *
                                    64);
}

}  // namespace dissensus::isolate
