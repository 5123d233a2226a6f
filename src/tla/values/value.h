// TLA+ values: immutable, hash-consed, cheap to copy and compare.
//
// Every value belongs to a Store. In one store two canonical values are equal exactly when their
// words are equal. Canonical forms: a set is sorted (compare) and without duplicates; a function
// whose domain is 1..n (also the empty one) is a tuple; a function whose domain is a non-empty set
// of strings is a record. Large sets may be described instead of listed (intervals, SUBSET S,
// [S -> T]...): such lazy sets exist only while an expression is evaluated. Whatever is put into
// another value or a state, and whatever equal() compares, is made canonical first.
//
// A store is used by one thread. Hashes, order and printed form depend on content alone, never on
// addresses or on what was evaluated before, so that they agree between stores and machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/digest.h"

namespace dissensus {
class ByteReader;
}

namespace dissensus::tla {

enum class Type : std::uint8_t {
  boolean,
  integer,
  text,
  model_value,
  set,
  tuple,     ///< also every sequence
  record,    ///< items: names (as one tuple cell), then the values in the order of the names
  function,  ///< items: domain (a set), then the values in its order
  // Lazy sets.
  interval,          ///< items: low, high
  powerset,          ///< items: base
  function_set,      ///< items: domain, range
  record_set,        ///< items: names (tuple), then a set per name
  product,           ///< items: sets
  set_union,         ///< a \cup b where one is infinite or large: items a, b
  set_intersection,  ///< a \cap b where both are infinite: items a, b
  set_difference,    ///< a \ b where a is infinite: items a, b
  sequences,         ///< Seq(S): items: S
  naturals,
  integers,
  strings,
  any,  ///< the set of everything (TLC's Any)
};

static_assert(sizeof(Type) == 1);

class Value;

/// The memory of a value that does not fit into a word.
struct Cell {
  std::uint64_t hash;
  std::uint32_t size;  ///< number of items; of a text: bytes
  /// Two values of the same shape other than 0 can be compared whatever they contain.
  std::uint32_t shape : 24;
  Type type;
  const Value* items() const { return reinterpret_cast<const Value*>(this + 1); }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(this + 1), size}; }
};

/// One word: a boolean, a whole number of 62 bits, or a cell of a store.
class Value {
 public:
  constexpr Value() = default;
  static constexpr Value boolean(bool truth) { return Value(truth ? kTrue : kFalse); }
  static constexpr bool fits(std::int64_t number) {
    return number >= -(std::int64_t{1} << 61) && number < (std::int64_t{1} << 61);
  }
  static constexpr Value integer(std::int64_t number) {
    return Value(static_cast<std::uint64_t>(number) << 2 | kIntegerTag);
  }
  static Value of(const Cell* cell) { return Value(reinterpret_cast<std::uintptr_t>(cell)); }

  constexpr bool is_null() const { return word_ == 0; }  ///< no value at all
  constexpr bool is_boolean() const { return (word_ & 3) == kBooleanTag; }
  constexpr bool is_integer() const { return (word_ & 3) == kIntegerTag; }
  constexpr bool is_cell() const { return word_ != 0 && (word_ & 3) == 0; }
  constexpr bool truth() const { return word_ == kTrue; }
  constexpr std::int64_t number() const { return static_cast<std::int64_t>(word_) >> 2; }
  const Cell* cell() const { return reinterpret_cast<const Cell*>(word_); }
  Type type() const {
    return is_integer() ? Type::integer : is_boolean() ? Type::boolean : cell()->type;
  }
  bool is(Type wanted) const { return type() == wanted; }
  constexpr std::uint64_t word() const { return word_; }
  /// Content hash: equal in every store.
  std::uint64_t hash() const {
    return is_cell() ? cell()->hash : mix64(word_, 0x8CB92BA72F3D8DD7ULL);
  }

  /// Identity of canonical values of one store. Not TLA+ equality: that is Store::equal.
  friend constexpr bool operator==(Value, Value) = default;

 private:
  static constexpr std::uint64_t kIntegerTag = 1, kBooleanTag = 2;
  static constexpr std::uint64_t kFalse = 2, kTrue = 6;
  explicit constexpr Value(std::uint64_t word) : word_(word) {}
  std::uint64_t word_ = 0;
};
static_assert(sizeof(Value) == 8 && sizeof(Cell) == 16);

inline bool is_lazy_set(Type type) {
  return type >= Type::interval;
}
inline bool is_set(Type type) {
  return type == Type::set || is_lazy_set(type);
}
inline bool is_function(Type type) {
  return type == Type::tuple || type == Type::record || type == Type::function;
}

/// An operation that has no meaning (1 = "a", Head(<<>>), enumerating Nat). The evaluator adds
/// where.
class ValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct StoreLimits {
  std::size_t bytes = std::size_t{4} << 30;  ///< of cells; beyond: ValueError
  std::uint64_t set_elements = 50'000'000;   ///< listing a larger set is a ValueError
};

class Store {
 public:
  explicit Store(const StoreLimits& limits = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Making values. Arguments may be lazy; they are made canonical.

  Value text(std::string_view text);
  /// Untyped model value, or typed (equal only to those with the same letter before '_': T_1).
  Value model_value(std::string_view name);
  Value empty_set();
  /// Sorts and removes duplicates. ValueError for elements that cannot be compared ({1, "a"}).
  Value set(std::span<const Value> elements);
  Value tuple(std::span<const Value> items);
  /// Names in any order; a name twice is a ValueError.
  Value record(std::span<const Value> names, std::span<const Value> values);
  /// The fast way: `names` is a tuple of at least one name, sorted, as the first item of a record.
  Value record_in_order(Value names, std::span<const Value> values);
  /// `domain` is a canonical set; values in its order.
  Value function(Value domain, std::span<const Value> values);
  /// a :> b and f @@ g (f wins).
  Value singleton_function(Value argument, Value value);
  Value merge_functions(Value first, Value second);

  Value interval(std::int64_t low, std::int64_t high);
  Value powerset(Value base);
  Value function_set(Value domain, Value range);
  Value record_set(std::span<const Value> names, std::span<const Value> sets);
  Value product(std::span<const Value> sets);
  Value sequences(Value elements);
  Value naturals();
  Value integers();
  Value strings();
  Value any();

  /// The canonical form; lists lazy sets. ValueError when above the limit. Infinite sets (Nat,
  /// Seq(S), [S -> Int]...) stay as they are: membership can be tested, and they are equal to
  /// themselves.
  Value canonical(Value value) {
    return value.is_cell() && is_lazy_set(value.cell()->type) ? list(value) : value;
  }

  // Relations. ValueError where TLC refuses, too: numbers with strings, sets with functions...
  // A model value differs from everything but itself.

  bool equal(Value a, Value b) {
    if (a == b) return true;
    if (a.is_integer() && b.is_integer()) return false;
    return equal_walk(a, b);
  }
  /// Total order over all canonical values, by content: model values, booleans (FALSE first),
  /// numbers, strings (bytewise), sets (by size, then elementwise), functions with tuples and
  /// records among them (by size, then domain, then values), infinite sets. CHOOSE takes the first
  /// in this order, and lists are shown in it.
  int compare(Value a, Value b) const;
  bool is_member(Value element, Value set);
  bool is_subset(Value a, Value b);

  // Sets.

  Value set_union(Value a, Value b);
  Value intersection(Value a, Value b);
  Value difference(Value a, Value b);
  Value union_of(Value set_of_sets);
  bool is_finite(Value set);
  /// ValueError when infinite or beyond 2^62.
  std::uint64_t cardinality(Value set);
  /// Element number `index` of the set in its order, without listing a lazy set.
  Value element(Value set, std::uint64_t index);

  // Functions, tuples, records.

  Value domain(Value function);
  std::uint64_t domain_size(Value function);
  /// Null value when outside the domain.
  Value apply(Value function, Value argument);
  Value field(Value record, Value name);
  /// The function with one value replaced; null value when the argument is outside its domain.
  Value with(Value function, Value argument, Value value);
  Value append(Value tuple, Value item);
  Value concatenate(Value a, Value b);
  Value subsequence(Value tuple, std::int64_t first, std::int64_t last);

  // Memory.

  /// Everything made after the mark is forgotten by release; values made before stay.
  struct Mark {
    std::size_t chunk = 0, used = 0, cells = 0;
    std::uint64_t generation = 0;
  };
  Mark mark();
  void release(const Mark& mark);
  /// Changes with every release: caches of values compare it.
  std::uint64_t generation() const;
  /// Of cells and the table of cells, as allocated.
  std::size_t bytes() const;
  /// Number of cells that are alive.
  std::size_t cells() const;
  const StoreLimits& limits() const;

 private:
  friend class SetCursor;
  friend Value deserialize(Store& store, ByteReader& reader);
  Value list(Value lazy_set);
  bool equal_walk(Value a, Value b);
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Goes through the elements of a set in its order without listing it where it is lazy.
/// ValueError on infinite sets.
class SetCursor {
 public:
  SetCursor(Store& store, Value set);
  ~SetCursor();
  SetCursor(const SetCursor&) = delete;
  SetCursor& operator=(const SetCursor&) = delete;
  /// False at the end. Listed sets and intervals take the inline paths.
  bool next(Value& element) {
    if (plain_ != plain_end_) {
      element = *plain_++;
      return true;
    }
    if (number_ <= number_end_) {
      element = Value::integer(number_++);
      return true;
    }
    return lazy_ != nullptr && next_lazy(element);
  }

 private:
  bool next_lazy(Value& element);
  const Value* plain_ = nullptr;
  const Value* plain_end_ = nullptr;
  std::int64_t number_ = 1;
  std::int64_t number_end_ = 0;
  struct Lazy;
  std::unique_ptr<Lazy> lazy_;
};

/// As TLA+ text: {1, 2}, <<"a", TRUE>>, [a |-> 1], (1 :> 2 @@ 3 :> 4), SUBSET {1, 2}.
std::string to_string(Value value);
/// The same over several lines, for values wider than `width`.
std::string to_pretty_string(Value value, std::size_t indent = 0, std::size_t width = 100);

/// Plain JSON as the community's Json module writes it (sets and tuples are arrays).
std::string to_json(Value value);
/// Informal Trace Format ({"#bigint"}, {"#set"}, {"#tup"}, {"#map"}).
std::string to_itf(Value value);
/// Numbers, strings, arrays (sequences), objects (records), booleans; null is a ValueError unless
/// it is inside an object of a log, where the Json module reads it as the string "null"...
/// documented there.
Value from_json(Store& store, std::string_view json);

/// Bytes that read back into any store: how states travel between workers.
void serialize(Value value, std::string& bytes);
Value deserialize(Store& store, ByteReader& reader);
/// The same value in another store.
Value copied(Store& to, Value value);

}  // namespace dissensus::tla
