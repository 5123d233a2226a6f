#include "isolate/predicate_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace dissensus::isolate {
namespace {

using Subject = Comparison::Subject;

struct OperatorText {
  std::string_view reference;
  std::string_view sign;
};

const OperatorText& text_of(Operator operation) {
  static constexpr std::array<OperatorText, 10> kTexts{{{"eq", "="},
                                                        {"ne", "!="},
                                                        {"lt", "<"},
                                                        {"gt", ">"},
                                                        {"next", "+ 1 ="},
                                                        {"isdisjoint", "disjoint from"},
                                                        {"issubset", "within"},
                                                        {"issuperset", "around"},
                                                        {"member", "contain"},
                                                        {"stranger", "lack"}}};
  return kTexts[static_cast<std::size_t>(operation)];
}

struct Parts {
  const KindPair& pair;
  const Kind& left;
  const Kind& right;
  const AssertionSet& set;
  std::size_t threshold;
};

Parts parts_of(const PredicateSpace& space, const Candidate& candidate) {
  const BasePredicate base = space.describe(candidate.base);
  const KindPair& pair = space.pairs()[base.pair];
  return {pair, space.schema().kinds[pair.left], space.schema().kinds[pair.right],
          pair.sets[base.set], base.threshold};
}

std::string_view left_name(const Parts& parts, const Comparison& comparison) {
  if (comparison.subject != Subject::fields) return "peers";
  return parts.left.fields[comparison.left_field].name;
}

std::string_view right_name(const Parts& parts, const Comparison& comparison) {
  if (comparison.subject == Subject::sender) return "peer";
  if (comparison.subject == Subject::senders) return "peers";
  return parts.right.fields[comparison.right_field].name;
}

std::string plain(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', ' ');
  return result;
}

std::string sender_words(Operator operation) {
  switch (operation) {
    case Operator::equal:
      return "from exactly the same senders";
    case Operator::different:
      return "from not exactly the same senders";
    case Operator::disjoint:
      return "from other senders only";
    case Operator::subset:
      return "from all of these senders";
    case Operator::superset:
      return "from none but these senders";
    case Operator::member:
      return "from one of these senders";
    case Operator::stranger:
      return "from a sender that is not one of them";
    default:
      return {};
  }
}

/// "another ledger hash", "a later signing time", "the next ledger sequence".
std::string field_words(const Parts& parts, const Comparison& comparison, Operator operation) {
  const Field& left = parts.left.fields[comparison.left_field];
  const Field& right = parts.right.fields[comparison.right_field];
  const std::string name = plain(right.name);
  const std::string than =
      left.name == right.name ? std::string() : fmt::format(" than its {}", plain(left.name));
  const bool is_time = right.type == SemanticType::time;
  switch (operation) {
    case Operator::equal:
      return left.name == right.name ? fmt::format("the same {}", name)
                                     : fmt::format("a {} equal to its {}", name, plain(left.name));
    case Operator::different:
      return fmt::format("another {}{}", name, than);
    case Operator::less:
      return fmt::format("a {} {}{}", is_time ? "later" : "higher", name, than);
    case Operator::greater:
      return fmt::format("{} {}{}", is_time ? "an earlier" : "a lower", name, than);
    case Operator::next:
      return left.name == right.name
                 ? fmt::format("the next {}", name)
                 : fmt::format("a {} that follows its {}", name, plain(left.name));
    case Operator::disjoint:
      return fmt::format("a {} with nothing in common with its {}", name, plain(left.name));
    case Operator::subset:
      return fmt::format("a {} that includes its {}", name, plain(left.name));
    case Operator::superset:
      return fmt::format("a {} within its {}", name, plain(left.name));
    default:
      return {};
  }
}

std::string nodes_words(const PredicateSpace& space, const Candidate& candidate) {
  if (candidate.tolerance == 0) return "At least one node";
  return fmt::format("At least {} nodes{}", candidate.tolerance + 1,
                     space.schema().groups.size() > 1 ? " of one group" : "");
}

std::string article(std::string_view noun) {
  const bool vowel = std::string_view("AEIOUaeiou").find(noun.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", noun);
}

std::string join_words(const std::vector<std::string>& items) {
  std::string result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result += i + 1 == items.size() ? " and " : ", ";
    result += items[i];
  }
  return result;
}

struct TraitParts {
  const SenderTrait& trait;
  std::string kind;
  std::string field;
  std::string other_kind;
  std::string other_field;
};

TraitParts trait_parts(const PredicateSpace& space, const BasePredicate& base) {
  const SenderTrait& trait = space.traits()[base.trait];
  const Kind& kind = space.schema().kinds[trait.kind];
  const Kind& other = space.schema().kinds[trait.other_kind];
  return {trait, kind.name, kind.fields[trait.field].name, other.name,
          other.fields[trait.other_field].name};
}

std::string trait_notation(const PredicateSpace& space, const Candidate& candidate,
                           const BasePredicate& base) {
  const TraitParts parts = trait_parts(space, base);
  std::string what;
  switch (parts.trait.type) {
    case SenderTrait::Type::omission:
      what = fmt::format("sends {}({} = x) but not {}({} = x), sent by {} others", parts.kind,
                         parts.field, parts.other_kind, parts.other_field, parts.trait.threshold);
      break;
    case SenderTrait::Type::equivocation:
      what = fmt::format("sends {}({} = x) with different {}", parts.kind, parts.field,
                         parts.other_field);
      break;
    case SenderTrait::Type::deviation:
      what = fmt::format("sends {}({} = x) with another {} than {} others", parts.kind, parts.field,
                         parts.other_field, parts.trait.threshold);
      break;
    case SenderTrait::Type::faction:
      what = fmt::format("sends {}({} = x) in a camp of {} against {}", parts.kind, parts.field,
                         parts.trait.threshold, parts.trait.threshold);
      break;
  }
  return fmt::format("{}, for {} values x, more than {} nodes", what, base.values,
                     candidate.tolerance);
}

std::string trait_words(const PredicateSpace& space, const Candidate& candidate,
                        const BasePredicate& base) {
  const TraitParts parts = trait_parts(space, base);
  const std::string others = fmt::format("{} or more other nodes", parts.trait.threshold);
  const std::string values = base.values == 1
                                 ? std::string("a value x")
                                 : fmt::format("each of {} or more values x", base.values);
  const std::string who = fmt::format("{}, for {},", nodes_words(space, candidate), values);
  switch (parts.trait.type) {
    case SenderTrait::Type::omission:
      return fmt::format("{} sent {} with {} x but never {} with {} x, although {} did.", who,
                         article(parts.kind), plain(parts.field), article(parts.other_kind),
                         plain(parts.other_field), others);
    case SenderTrait::Type::equivocation:
      return fmt::format("{} sent {} messages with {} x and different values of {}.", who,
                         parts.kind, plain(parts.field), plain(parts.other_field));
    case SenderTrait::Type::deviation:
      return fmt::format("{} sent {} with {} x and another {} than {}, which were in the majority.",
                         who, article(parts.kind), plain(parts.field), plain(parts.other_field),
                         others);
    case SenderTrait::Type::faction:
      return fmt::format(
          "{} sent {} with {} x as one of two camps: {} or more nodes sent x and never some y, as "
          "many others y and never x.",
          who, article(parts.kind), plain(parts.field), parts.trait.threshold);
  }
  return {};
}

}  // namespace

std::string reference_name(const PredicateSpace& space, const Candidate& candidate) {
  const Parts parts = parts_of(space, candidate);
  std::vector<std::string> assertions;
  for (const Assertion& assertion : parts.set) {
    const Comparison& comparison = parts.pair.comparisons[assertion.comparison];
    assertions.push_back(fmt::format("{} {} {}", left_name(parts, comparison),
                                     text_of(assertion.operation).reference,
                                     right_name(parts, comparison)));
  }
  return fmt::format("\"Predicate(at least {} {} -> {} where {})\" > {}", parts.threshold,
                     parts.left.name, parts.right.name, fmt::join(assertions, ", "),
                     candidate.tolerance);
}

std::string notation(const PredicateSpace& space, const Candidate& candidate) {
  if (const BasePredicate base = space.describe(candidate.base); base.is_trait)
    return trait_notation(space, candidate, base);
  const Parts parts = parts_of(space, candidate);
  std::vector<std::string> assertions;
  for (const Assertion& assertion : parts.set) {
    const Comparison& comparison = parts.pair.comparisons[assertion.comparison];
    const std::string_view sign = text_of(assertion.operation).sign;
    if (comparison.subject == Subject::fields) {
      assertions.push_back(fmt::format("{}(l) {} {}(r)", left_name(parts, comparison), sign,
                                       right_name(parts, comparison)));
    } else {
      assertions.push_back(
          fmt::format("senders(l) {} {}(r)", sign,
                      comparison.subject == Subject::sender ? "sender" : "senders"));
    }
  }
  std::string result = fmt::format("{} x {} -> ", parts.threshold, parts.left.name);
  result += fmt::format("{}, more than {} nodes", parts.right.name, candidate.tolerance);
  if (!assertions.empty()) result += fmt::format(": {}", fmt::join(assertions, ", "));
  return result;
}

std::string words(const PredicateSpace& space, const Candidate& candidate) {
  if (const BasePredicate base = space.describe(candidate.base); base.is_trait)
    return trait_words(space, candidate, base);
  const Parts parts = parts_of(space, candidate);
  std::vector<std::string> fields;
  std::vector<std::string> senders;
  for (const Assertion& assertion : parts.set) {
    const Comparison& comparison = parts.pair.comparisons[assertion.comparison];
    if (comparison.subject == Subject::fields) {
      fields.push_back(field_words(parts, comparison, assertion.operation));
    } else {
      senders.push_back(sender_words(assertion.operation));
    }
  }
  std::string result = fmt::format("{} received", nodes_words(space, candidate));
  result += parts.threshold == 1 ? fmt::format(" {}", article(parts.left.name))
                                 : fmt::format(" the same {} from {} or more senders",
                                               parts.left.name, parts.threshold);
  result += fmt::format(", then {}", article(parts.right.name));
  if (!fields.empty()) result += fmt::format(" with {}", join_words(fields));
  if (!senders.empty()) result += fmt::format(" {}", join_words(senders));
  return result + ".";
}

}  // namespace dissensus::isolate
