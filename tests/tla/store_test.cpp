// The store: canonical forms, order, strict equality, functions, marks and limits.
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/bytes.h"
#include "tla/random_values.h"
#include "tla/values/value.h"

namespace dissensus::tla {
namespace {

class StoreTest : public testing::Test {
 protected:
  static Value number(std::int64_t value) { return Value::integer(value); }
  Value text(std::string_view content) { return store.text(content); }
  Value set(std::vector<Value> elements) { return store.set(elements); }
  Value tuple(std::vector<Value> items) { return store.tuple(items); }
  Value record(std::vector<std::pair<std::string, Value>> fields) {
    std::vector<Value> names, values;
    for (const auto& [name, value] : fields) {
      names.push_back(store.text(name));
      values.push_back(value);
    }
    return store.record(names, values);
  }
  Value function(std::vector<Value> domain, std::vector<Value> values) {
    return store.function(store.set(domain), values);
  }
  Store store;
};

TEST_F(StoreTest, NumbersKeepTheirSignAndSixtyTwoBits) {
  const std::int64_t largest = (std::int64_t{1} << 61) - 1;
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, largest, -largest - 1}) {
    EXPECT_TRUE(Value::fits(value));
    EXPECT_EQ(number(value).number(), value);
  }
  EXPECT_FALSE(Value::fits(largest + 1));
  EXPECT_NE(number(-1), number(1));
  EXPECT_NE(number(0), Value::boolean(false));
}

TEST_F(StoreTest, SetsAreSortedAndWithoutDuplicates) {
  EXPECT_EQ(set({number(3), number(1), number(3), number(2)}),
            set({number(1), number(2), number(3)}));
  EXPECT_EQ(to_string(set({number(3), number(-1), number(3)})), "{-1, 3}");
  EXPECT_EQ(set({}), store.empty_set());
}

TEST_F(StoreTest, FunctionsOverOneToNAreTuplesAndOverStringsRecords) {
  EXPECT_EQ(function({number(2), number(1)}, {text("x"), text("y")}),
            tuple({text("x"), text("y")}));
  EXPECT_EQ(function({}, {}), tuple({}));
  EXPECT_EQ(function({text("b"), text("a")}, {number(1), number(2)}),
            record({{"b", number(2)}, {"a", number(1)}}));
  EXPECT_EQ(function({number(0), number(1)}, {number(7), number(8)}).type(), Type::function);
}

TEST_F(StoreTest, LazySetsBecomeListsInsideOtherValues) {
  const Value listed = set({number(1), number(2)});
  EXPECT_NE(store.interval(1, 2), listed);
  EXPECT_EQ(tuple({store.interval(1, 2)}), tuple({listed}));
  EXPECT_EQ(set({store.interval(1, 2), listed}), set({listed}));
  EXPECT_TRUE(store.equal(store.interval(1, 2), listed));
  EXPECT_EQ(store.interval(2, 1), store.empty_set());
}

TEST_F(StoreTest, OrderIsTotalAntisymmetricAndTransitive) {
  Random random(7, "order");
  std::vector<Value> values;
  for (int i = 0; i < 120; ++i) values.push_back(random_value(store, random, 3));
  for (const Value a : values) {
    for (const Value b : values) {
      const int order = store.compare(a, b);
      EXPECT_EQ(order, -store.compare(b, a));
      EXPECT_EQ(order == 0, a == b) << to_string(a) << " and " << to_string(b);
    }
  }
  for (int i = 0; i < 20000; ++i) {
    const Value a = values[random.below(120)], b = values[random.below(120)],
                c = values[random.below(120)];
    if (store.compare(a, b) <= 0 && store.compare(b, c) <= 0) {
      EXPECT_LE(store.compare(a, c), 0);
    }
  }
}

TEST_F(StoreTest, OrderIsByContentNotByTheTimeOfMaking) {
  Store other;
  const Value first_b = other.text("b"), then_a = other.text("a");
  EXPECT_LT(other.compare(then_a, first_b), 0);
  const Value a = text("a"), b = text("b");
  EXPECT_LT(store.compare(a, b), 0);
}

TEST_F(StoreTest, FunctionsAreOrderedBySizeDomainAndValuesHoweverTheyAreKept) {
  const std::vector<Value> ascending = {
      tuple({}),
      function({number(0)}, {number(9)}),
      tuple({number(5)}),
      function({number(2)}, {number(1)}),
      record({{"a", number(0)}}),
      tuple({number(0), number(0)}),
      function({number(1), number(3)}, {number(0), number(0)}),
  };
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(store.compare(ascending[i - 1], ascending[i]), 0) << to_string(ascending[i]);
  }
}

TEST_F(StoreTest, HashDependsOnContentAlone) {
  Store other;
  Random random(3, "hash");
  for (int i = 0; i < 300; ++i) {
    const Value value = random_value(store, random, 3);
    std::string bytes;
    serialize(value, bytes);
    ByteReader reader(bytes, "test");
    const Value copy = deserialize(other, reader);
    EXPECT_TRUE(reader.is_at_end());
    EXPECT_EQ(copy.hash(), value.hash());
    EXPECT_EQ(to_string(copy), to_string(value));
    ByteReader again(bytes, "test");
    EXPECT_EQ(deserialize(store, again), value);
  }
}

TEST_F(StoreTest, DifferentValuesHaveDifferentHashes) {
  std::vector<Value> values;
  for (int i = -50; i < 50; ++i) {
    values.push_back(number(i));
    values.push_back(tuple({number(i)}));
    values.push_back(set({number(i)}));
    values.push_back(tuple({tuple({number(i)})}));
    values.push_back(function({number(i + 1000)}, {number(i)}));
    for (int j = -10; j < 10; ++j) values.push_back(tuple({number(i), number(j)}));
  }
  std::vector<std::uint64_t> hashes;
  for (const Value value : values) hashes.push_back(value.hash());
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

TEST_F(StoreTest, AppendGivesTheSameValueAsATupleMadeAtOnce) {
  Random random(5, "append");
  for (int i = 0; i < 200; ++i) {
    std::vector<Value> items;
    Value grown = tuple({});
    for (int j = 0; j < 4; ++j) {
      items.push_back(random_value(store, random, 2));
      grown = store.append(grown, items.back());
      EXPECT_EQ(grown, tuple(items));
      Store fresh;
      const Value at_once = copied(fresh, grown);
      EXPECT_EQ(at_once.cell()->shape, grown.cell()->shape);
      EXPECT_EQ(at_once.hash(), grown.hash());
    }
  }
}

/// TLC's table of what may be compared: false, true or refused.
TEST_F(StoreTest, EqualityRefusesWhatTlcRefuses) {
  const Value one = number(1), a = text("a"), yes = Value::boolean(true);
  const Value model = store.model_value("m"), other_model = store.model_value("n");
  const Value typed = store.model_value("T_1"), same_type = store.model_value("T_2"),
              other_type = store.model_value("U_1");
  const auto refused = [&](Value x, Value y) {
    EXPECT_THROW(store.equal(x, y), ValueError) << to_string(x) << " = " << to_string(y);
  };
  const auto differ = [&](Value x, Value y) {
    EXPECT_FALSE(store.equal(x, y)) << to_string(x) << " = " << to_string(y);
    EXPECT_FALSE(store.equal(y, x)) << to_string(y) << " = " << to_string(x);
  };
  refused(one, a);
  refused(a, one);
  refused(yes, one);
  refused(one, set({one}));
  refused(set({one}), tuple({one}));
  refused(a, record({{"a", one}}));
  refused(set({one}), set({a}));
  refused(tuple({one, a}), tuple({one, one}));
  refused(record({{"f", one}}), record({{"f", a}}));
  refused(record({{"f", one}}), tuple({one}));
  refused(tuple({one}), record({{"f", one}}));
  refused(store.naturals(), set({one}));
  refused(typed, one);
  refused(typed, other_type);
  refused(set({set({one})}), set({set({a})}));
  differ(one, number(2));
  differ(set({one}), set({}));
  differ(set({one, number(2)}), set({a}));
  differ(tuple({one}), tuple({a, a}));
  differ(tuple({one, a}), tuple({number(2), one}));
  differ(record({{"f", one}}), record({{"g", a}}));
  differ(record({{"f", one}, {"g", number(1)}}), record({{"f", a}, {"g", number(2)}}));
  differ(tuple({}), record({{"f", one}}));
  differ(model, one);
  differ(model, set({one}));
  differ(model, other_model);
  differ(model, typed);
  differ(typed, same_type);
  differ(set({model}), set({one}));
  differ(function({number(0)}, {one}), tuple({one}));
  EXPECT_TRUE(store.equal(store.naturals(), store.naturals()));
}

TEST_F(StoreTest, RefusalNamesBothValues) {
  try {
    store.equal(tuple({number(1)}), tuple({text("a")}));
    FAIL() << "expected an error";
  } catch (const ValueError& error) {
    EXPECT_EQ(std::string(error.what()), "the number 1 cannot be compared with the string \"a\"");
  }
}

TEST_F(StoreTest, SetsOfValuesThatCannotBeComparedDoNotExist) {
  EXPECT_THROW(set({number(1), text("a")}), ValueError);
  EXPECT_THROW(set({set({number(1)}), set({text("a")})}), ValueError);
  EXPECT_THROW(set({number(1), set({})}), ValueError);
  EXPECT_EQ(to_string(set({number(1), store.model_value("none")})), "{none, 1}");
  EXPECT_NO_THROW(set({tuple({number(1)}), tuple({text("a"), text("b")})}));
  EXPECT_NO_THROW(set({record({{"a", number(1)}}), record({{"b", text("x")}})}));
  EXPECT_THROW(store.set_union(set({number(1), number(2)}), set({text("a"), text("b")})),
               ValueError);
  EXPECT_THROW(store.set_union(set({number(1), number(2)}), set({text("a")})), ValueError);
}

TEST_F(StoreTest, SetAlgebraAgreesWithItsDefinition) {
  Random random(11, "algebra");
  const auto random_set = [&] {
    std::vector<Value> elements(random.below(60));
    for (Value& element : elements) {
      element = tuple({number(random.between(0, 12)), number(random.between(0, 3))});
    }
    return store.set(elements);
  };
  for (int i = 0; i < 300; ++i) {
    const Value a = random_set(), b = random_set();
    std::vector<Value> both, either, only;
    SetCursor cursor(store, a);
    for (Value element; cursor.next(element);) {
      (store.is_member(element, b) ? both : only).push_back(element);
      either.push_back(element);
    }
    SetCursor second(store, b);
    for (Value element; second.next(element);) either.push_back(element);
    EXPECT_EQ(store.set_union(a, b), store.set(either));
    EXPECT_EQ(store.intersection(a, b), store.set(both));
    EXPECT_EQ(store.difference(a, b), store.set(only));
    EXPECT_EQ(store.union_of(set({a, b})), store.set(either));
    EXPECT_EQ(store.is_subset(a, b), only.empty());
    EXPECT_TRUE(store.is_subset(store.intersection(a, b), a));
    EXPECT_TRUE(store.is_subset(a, store.set_union(a, b)));
  }
}

TEST_F(StoreTest, MembershipFindsEveryElementAndRefusesOtherKinds) {
  std::vector<Value> elements;
  for (int i = 0; i < 100; ++i) elements.push_back(tuple({number(i * 2), text("x")}));
  const Value large = store.set(elements);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(store.is_member(tuple({number(i), text("x")}), large), i % 2 == 0);
  }
  EXPECT_THROW(store.is_member(text("a"), set({number(1)})), ValueError);
  EXPECT_THROW(store.is_member(number(1), large), ValueError);
  EXPECT_THROW(store.is_member(number(1), number(1)), ValueError);
  EXPECT_FALSE(store.is_member(text("a"), set({})));
  EXPECT_FALSE(store.is_member(store.model_value("m"), set({number(1)})));
}

TEST_F(StoreTest, FunctionsApplyAndChange) {
  const Value sparse =
      function({number(0), number(5), number(9)}, {text("a"), text("b"), text("c")});
  EXPECT_EQ(store.apply(sparse, number(5)), text("b"));
  EXPECT_TRUE(store.apply(sparse, number(4)).is_null());
  EXPECT_TRUE(store.apply(sparse, text("a")).is_null());
  EXPECT_EQ(to_string(store.with(sparse, number(9), number(1))),
            "(0 :> \"a\" @@ 5 :> \"b\" @@ 9 :> 1)");
  EXPECT_TRUE(store.with(sparse, number(1), number(1)).is_null());
  EXPECT_EQ(store.with(sparse, number(0), text("a")), sparse);
  const Value sequence = tuple({number(4), number(5), number(6)});
  EXPECT_EQ(store.apply(sequence, number(3)), number(6));
  EXPECT_TRUE(store.apply(sequence, number(0)).is_null());
  EXPECT_EQ(store.subsequence(sequence, 2, 3), tuple({number(5), number(6)}));
  EXPECT_EQ(store.subsequence(sequence, 3, 2), tuple({}));
  EXPECT_THROW(store.subsequence(sequence, 0, 2), ValueError);
  EXPECT_THROW(store.subsequence(sequence, 2, 4), ValueError);
  EXPECT_EQ(store.concatenate(sequence, tuple({number(7)})), store.append(sequence, number(7)));
  EXPECT_THROW(store.apply(number(1), number(1)), ValueError);
  const Value point = record({{"x", number(1)}, {"y", number(2)}});
  EXPECT_EQ(store.field(point, text("y")), number(2));
  EXPECT_EQ(store.canonical(store.domain(point)), set({text("x"), text("y")}));
  EXPECT_THROW(record({{"x", number(1)}, {"x", number(2)}}), ValueError);
}

TEST_F(StoreTest, MergedFunctionsKeepTheFirstsValues) {
  const Value first = store.singleton_function(number(1), text("a"));
  EXPECT_EQ(first, tuple({text("a")}));
  const Value second = function({number(1), number(2)}, {text("b"), text("c")});
  EXPECT_EQ(store.merge_functions(first, second), tuple({text("a"), text("c")}));
  EXPECT_EQ(store.merge_functions(second, first), second);
}

TEST_F(StoreTest, ReleaseForgetsWhatWasMadeAfterTheMarkAndNothingElse) {
  Random random(13, "mark");
  std::vector<std::pair<Value, std::string>> kept;
  for (int i = 0; i < 200; ++i) {
    const Value value = random_value(store, random, 3);
    kept.emplace_back(value, to_string(value));
  }
  for (int round = 0; round < 20; ++round) {
    const std::size_t cells = store.cells();
    const std::uint64_t generation = store.generation();
    const Store::Mark outer = store.mark();
    for (int i = 0; i < 50; ++i) random_value(store, random, 3);
    const Store::Mark inner = store.mark();
    for (std::int64_t i = 0; i < 3000 * (round % 3); ++i) tuple({number(i), number(round)});
    store.release(inner);
    const Value survivor = tuple({text("after"), number(round)});
    EXPECT_EQ(to_string(survivor), "<<\"after\", " + std::to_string(round) + ">>");
    store.release(outer);
    EXPECT_EQ(store.cells(), cells);
    EXPECT_NE(store.generation(), generation);
    for (const auto& [value, shown] : kept) {
      EXPECT_EQ(to_string(value), shown);
      EXPECT_EQ(copied(store, value), value);  // still found in the table
    }
    EXPECT_EQ(store.cells(), cells);
  }
}

TEST_F(StoreTest, MemoryDoesNotGrowOverReleasedRounds) {
  std::size_t after_first = 0;
  for (int round = 0; round < 50; ++round) {
    const Store::Mark mark = store.mark();
    for (std::int64_t i = 0; i < 20000; ++i) tuple({number(i), number(round)});
    store.release(mark);
    if (round == 0) after_first = store.bytes();
  }
  EXPECT_EQ(store.bytes(), after_first);
}

TEST(StoreLimitsTest, MemoryBeyondTheLimitIsAnError) {
  Store store({.bytes = std::size_t{1} << 20, .set_elements = 1000});
  const auto fill = [&] {
    for (std::int64_t i = 0; i < 1'000'000; ++i) {
      const std::array items{Value::integer(i), Value::integer(i + 1)};
      store.tuple(items);
    }
  };
  EXPECT_THROW(fill(), ValueError);
  EXPECT_LE(store.bytes(), std::size_t{1} << 20);
}

TEST(StoreLimitsTest, ListingALargeSetIsAnError) {
  Store store({.bytes = std::size_t{1} << 24, .set_elements = 1000});
  EXPECT_NO_THROW(store.canonical(store.interval(1, 1000)));
  EXPECT_THROW(store.canonical(store.interval(1, 1001)), ValueError);
  EXPECT_TRUE(store.is_member(Value::integer(5), store.interval(1, 1'000'000)));
}

}  // namespace
}  // namespace dissensus::tla
