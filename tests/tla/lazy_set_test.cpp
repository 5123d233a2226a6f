// Lazy sets: what they contain, count and enumerate is what their lists do.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "tla/random_values.h"
#include "tla/values/value.h"

namespace dissensus::tla {
namespace {

class LazySetTest : public testing::Test {
 protected:
  static Value number(std::int64_t value) { return Value::integer(value); }
  Value set(std::vector<Value> elements) { return store.set(elements); }
  Value small_set() {
    switch (random.below(4)) {
      case 0:
        return store.interval(random.between(-2, 2), random.between(-2, 4));
      case 1:
        return set({store.text("a"), store.text("b")});
      case 2:
        return set({store.model_value("m")});
      default:
        return set({number(1), number(3)});
    }
  }
  Value lazy_set(int depth) {
    if (depth == 0) return small_set();
    const auto part = [&] { return lazy_set(static_cast<int>(random.below(2)) * (depth - 1)); };
    switch (random.below(5)) {
      case 0:
        return store.powerset(small_set());
      case 1:
        return store.function_set(small_set(), part());
      case 2:
        return store.record_set(std::array{store.text("y"), store.text("x")},
                                std::array{part(), small_set()});
      case 3:
        return store.product(std::array{small_set(), part()});
      default:
        return store.set_union(store.powerset(set({number(1), number(2)})),
                               store.powerset(set({number(2), number(3)})));
    }
  }
  Store store;
  Random random{17, "lazy"};
};

/// CHOOSE takes the first in order: cursor, element(), list and set() must agree on it.
TEST_F(LazySetTest, CursorElementAndListAgree) {
  int checked = 0;
  while (checked < 300) {
    const Value lazy = lazy_set(2);
    const std::uint64_t count = store.cardinality(lazy);
    if (count > 3000) continue;
    ++checked;
    std::vector<Value> elements;
    SetCursor cursor(store, lazy);
    for (Value element; cursor.next(element);) {
      EXPECT_EQ(store.element(lazy, elements.size()), element) << to_string(lazy);
      EXPECT_TRUE(store.is_member(element, lazy)) << to_string(element) << to_string(lazy);
      if (!elements.empty()) {
        EXPECT_LT(store.compare(elements.back(), element), 0);
      }
      elements.push_back(element);
    }
    EXPECT_EQ(elements.size(), count) << to_string(lazy);
    EXPECT_EQ(store.set(elements), store.canonical(lazy)) << to_string(lazy);
    EXPECT_THROW(store.element(lazy, count), ValueError);
  }
}

TEST_F(LazySetTest, SubsetsComeBySizeThenInOrder) {
  const Value subsets = store.powerset(store.interval(1, 3));
  EXPECT_EQ(to_string(store.canonical(subsets)),
            "{{}, {1}, {2}, {3}, {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}}");
}

TEST_F(LazySetTest, MembershipIsDecidedWithoutListing) {
  const Value huge = store.interval(1, std::int64_t{1} << 40);
  EXPECT_TRUE(store.is_member(set({number(1), number(99)}), store.powerset(huge)));
  EXPECT_FALSE(store.is_member(set({number(0)}), store.powerset(huge)));
  const Value functions = store.function_set(set({store.text("a")}), store.powerset(huge));
  EXPECT_TRUE(
      store.is_member(store.singleton_function(store.text("a"), set({number(4)})), functions));
  EXPECT_TRUE(
      store.is_member(store.tuple(std::array{number(3)}), store.sequences(store.naturals())));
  EXPECT_FALSE(
      store.is_member(store.tuple(std::array{number(-3)}), store.sequences(store.naturals())));
  EXPECT_TRUE(store.is_subset(store.powerset(huge),
                              store.powerset(store.interval(0, std::int64_t{1} << 41))));
}

TEST_F(LazySetTest, MembershipOfAnotherKindIsRefused) {
  const Value text = store.text("a");
  EXPECT_THROW(store.is_member(text, store.interval(1, 3)), ValueError);
  EXPECT_THROW(store.is_member(text, store.naturals()), ValueError);
  EXPECT_THROW(store.is_member(number(1), store.strings()), ValueError);
  EXPECT_THROW(store.is_member(number(1), store.powerset(store.naturals())), ValueError);
  EXPECT_THROW(store.is_member(number(1), store.function_set(set({number(1)}), store.naturals())),
               ValueError);
  EXPECT_FALSE(store.is_member(store.model_value("m"), store.naturals()));
  EXPECT_THROW(store.is_member(store.model_value("T_m"), store.naturals()), ValueError);
  EXPECT_TRUE(store.is_member(text, store.any()));
}

TEST_F(LazySetTest, InfiniteSetsAreNotListedButCanBeAskedFor) {
  EXPECT_FALSE(store.is_finite(store.naturals()));
  EXPECT_FALSE(store.is_finite(store.powerset(store.integers())));
  EXPECT_TRUE(store.is_finite(store.function_set(store.empty_set(), store.integers())));
  EXPECT_THROW(store.cardinality(store.naturals()), ValueError);
  EXPECT_THROW(SetCursor(store, store.naturals()), ValueError);
  const Value positive = store.difference(store.naturals(), set({number(0)}));
  EXPECT_TRUE(store.is_member(number(1), positive));
  EXPECT_FALSE(store.is_member(number(0), positive));
  EXPECT_EQ(store.intersection(set({number(-1), number(1)}), store.naturals()), set({number(1)}));
  const Value extended = store.set_union(store.naturals(), set({number(-1)}));
  EXPECT_TRUE(store.is_member(number(-1), extended));
  EXPECT_FALSE(store.is_member(number(-2), extended));
  EXPECT_EQ(store.canonical(store.naturals()), store.naturals());
  EXPECT_TRUE(store.is_subset(store.interval(0, 5), store.naturals()));
}

TEST_F(LazySetTest, CountsBeyondTheLimitAreErrorsNotWrongNumbers) {
  EXPECT_EQ(store.cardinality(store.powerset(store.interval(1, 62))), std::uint64_t{1} << 62);
  EXPECT_THROW(store.cardinality(store.powerset(store.interval(1, 63))), ValueError);
  EXPECT_THROW(
      store.cardinality(store.function_set(store.interval(1, 100), store.interval(1, 100))),
      ValueError);
  EXPECT_EQ(store.cardinality(store.function_set(store.interval(1, 100), set({number(1)}))), 1u);
  EXPECT_EQ(store.cardinality(store.function_set(store.interval(1, 3), store.empty_set())), 0u);
  EXPECT_EQ(store.cardinality(store.function_set(store.empty_set(), store.empty_set())), 1u);
}

}  // namespace
}  // namespace dissensus::tla
