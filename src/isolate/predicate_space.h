// Algorithm 1: every predicate over pairs of messages that the schema allows.
//
// A base predicate says: i senders sent one message of kind L, then a message of kind R came, and
// the two compare so (assertions). A candidate adds on how many nodes that must happen (tolerance).
// The improved mode also has predicates over what a node sends again and again (sender traits).
//
// All assertions over a pair of kinds are functions of a few outcomes per comparison (equal, less,
// greater...). The space numbers the combinations of outcomes, the codes, and knows for each code
// which assertion sets it satisfies; evaluating a pair of messages is computing its code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isolate/schema.h"

namespace dissensus::isolate {

enum class Mode : std::uint8_t {
  reference,  ///< as the published implementation computes, quirks included
  paper,      ///< as the paper's text says
  improved,
};

enum class Operator : std::uint8_t {
  equal,
  different,
  less,     ///< left before right
  greater,  ///< left after right
  next,     ///< right is left + 1
  disjoint,
  subset,    ///< left within right
  superset,  ///< left around right
  member,    ///< the right message's sender is among the left senders
  stranger,  ///< it is not
};

/// What two values can be to each other; decides operators and outcomes.
enum class Scale : std::uint8_t { identity, order, succession, set, membership };

struct Comparison {
  enum class Subject : std::uint8_t { senders, sender, fields };
  Subject subject = Subject::fields;
  Scale scale = Scale::identity;
  std::size_t left_field = 0;
  std::size_t right_field = 0;
  std::size_t stride = 1;  ///< weight of its outcome in the code
  std::vector<Operator> operators;
};

struct Assertion {
  std::uint8_t comparison = 0;  ///< index into KindPair::comparisons
  Operator operation = Operator::equal;
  friend bool operator==(const Assertion&, const Assertion&) = default;
};
using AssertionSet = std::vector<Assertion>;

struct KindPair {
  std::size_t left = 0;
  std::size_t right = 0;
  std::vector<Comparison> comparisons;
  std::vector<AssertionSet> sets;
  std::size_t codes = 1;
  std::size_t first_code = 0;  ///< codes of all pairs are numbered through
  std::size_t words = 0;       ///< of 64 assertion sets each
  std::size_t first_word = 0;  ///< of the bits of its first threshold
  /// codes x words: which assertion sets a code satisfies.
  std::vector<std::uint64_t> satisfied;
};

/// Something that a node did again and again with its own messages, as the whole network saw them.
/// Counted in different values of a field.
struct SenderTrait {
  enum class Type : std::uint8_t {
    /// Values x for which it sent (kind, field = x) but never (other_kind, other_field = x), which
    /// `threshold` others sent: it goes on from what it never vouched for.
    omission,
    /// Values x of `field` for which it sent two or more values of `other_field`.
    equivocation,
    /// Values x of `field` for which it sent a value of `other_field`, and `threshold` others, more
    /// than agreed with it, sent another one.
    deviation,
    /// Values x of `field` for which it is in one of two camps: for some value y, `threshold`
    /// nodes sent x and never y, it among them, and `threshold` others y and never x.
    faction,
  };
  Type type = Type::omission;
  std::size_t kind = 0;
  std::size_t field = 0;
  std::size_t other_kind = 0;
  std::size_t other_field = 0;
  std::size_t threshold = 1;
};

/// What a bit of the space stands for: assertions over a pair of messages, or a sender's trait.
struct BasePredicate {
  bool is_trait = false;
  std::size_t pair = 0;
  std::size_t threshold = 1;  ///< senders of the left message
  std::size_t set = 0;
  std::size_t trait = 0;   ///< index into PredicateSpace::traits
  std::size_t values = 1;  ///< for how many values the trait must show
};

/// A base predicate that holds on more nodes of one group than `tolerance`.
struct Candidate {
  std::uint32_t base = 0;  ///< bit of the base predicate
  std::uint32_t tolerance = 0;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

struct SpaceOptions {
  std::size_t assertions_max = 3;
  std::size_t thresholds = 0;             ///< 1 to this many equal messages
  std::vector<std::uint32_t> tolerances;  ///< ascending
  bool time_is_ordered = false;
  bool richer_operators =
      false;  ///< successor of a sequence number; the right message's own sender
  /// Numbers of values asked for of sender traits, ascending; empty: no such predicates.
  std::vector<std::uint8_t> trait_values;
  bool ignore_fields = false;  ///< leave out Schema::ignored_fields
  /// Inboxes of failing runs are cut into so many parts, to see in which one a predicate was first
  /// true; 1: they are not.
  std::size_t parts = 1;
};
SpaceOptions space_options(Mode mode, const Schema& schema);

class PredicateSpace {
 public:
  /// Throws InputError where two kinds have too many comparable fields.
  PredicateSpace(const Schema& schema, const SpaceOptions& options);

  const Schema& schema() const { return schema_; }
  const SpaceOptions& options() const { return options_; }
  const std::vector<KindPair>& pairs() const { return pairs_; }
  const KindPair& pair(std::size_t left, std::size_t right) const {
    return pairs_[left * schema_.kinds.size() + right];
  }
  const std::vector<SenderTrait>& traits() const { return traits_; }
  /// Bit of "the trait shows for options().trait_values[value] values".
  std::uint32_t trait_bit(std::size_t trait, std::size_t value) const {
    return static_cast<std::uint32_t>(trait_word_ * 64 + trait * options_.trait_values.size() +
                                      value);
  }
  std::size_t codes() const { return codes_; }
  std::size_t words() const { return words_; }  ///< for one bit per base predicate
  std::size_t base_predicates() const { return base_predicates_; }
  /// Base predicates that are ranked: not those over ignored fields.
  const std::vector<std::uint64_t>& ranked() const { return ranked_; }
  std::size_t ranked_predicates() const;
  /// Ranked predicates with each tolerance.
  std::size_t candidates() const { return ranked_predicates() * options_.tolerances.size(); }

  BasePredicate describe(std::uint32_t base) const;
  /// The bit of the predicate with the same kinds and threshold, without assertions: it holds where
  /// the others are observed. Traits are observed in every run: kAlwaysObserved.
  std::uint32_t observed_bit(std::uint32_t base) const;
  static constexpr std::uint32_t kAlwaysObserved = ~std::uint32_t{0};

 private:
  void add_pair(std::size_t left, std::size_t right);
  void add_traits();
  void check_size(const KindPair& pair) const;
  void add_sets(KindPair& pair) const;
  void fill_satisfied(KindPair& pair) const;
  bool is_ignored(const KindPair& pair, const AssertionSet& set) const;

  Schema schema_;
  SpaceOptions options_;
  std::vector<KindPair> pairs_;
  std::vector<SenderTrait> traits_;
  std::size_t trait_word_ = 0;
  std::vector<std::uint64_t> ranked_;
  std::size_t codes_ = 0;
  std::size_t words_ = 0;
  std::size_t base_predicates_ = 0;
};

/// Number of outcomes of a comparison on this scale.
std::size_t outcomes(Scale scale);
/// Whether the operator holds for that outcome.
bool holds(Scale scale, std::size_t outcome, Operator operation);
/// The outcome of comparing two values of fields; sets are masks.
std::size_t outcome_of(Scale scale, std::int64_t left, std::int64_t right);

}  // namespace dissensus::isolate
