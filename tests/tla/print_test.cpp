// How values are written: as TLA+ text, JSON and ITF.
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tla/random_values.h"
#include "tla/values/value.h"

namespace dissensus::tla {
namespace {

class PrintTest : public testing::Test {
 protected:
  Value number(std::int64_t value) { return Value::integer(value); }
  Store store;
};

TEST_F(PrintTest, WritesEveryKindAsTlaText) {
  const Value point = store.record(std::array{store.text("x"), store.text("ok")},
                                   std::array{number(-1), Value::boolean(true)});
  EXPECT_EQ(to_string(point), "[ok |-> TRUE, x |-> -1]");
  EXPECT_EQ(to_string(store.tuple(std::array{store.text("a\"b"), store.model_value("m1")})),
            "<<\"a\\\"b\", m1>>");
  const Value function = store.function(store.set(std::array{number(0), number(5)}),
                                        std::array{store.empty_set(), store.tuple({})});
  EXPECT_EQ(to_string(function), "(0 :> {} @@ 5 :> <<>>)");
  EXPECT_EQ(to_string(store.powerset(store.interval(1, 2))), "SUBSET (1..2)");
  EXPECT_EQ(to_string(store.function_set(store.interval(1, 2), store.naturals())),
            "[{1, 2} -> Nat]");
  EXPECT_EQ(to_string(store.product(std::array{store.integers(), store.strings()})),
            "Int \\X STRING");
  EXPECT_EQ(to_string(store.singleton_function(store.text("not a name"), number(1))),
            "(\"not a name\" :> 1)");
}

TEST_F(PrintTest, WideValuesTakeSeveralLines) {
  const Value record =
      store.record(std::array{store.text("first"), store.text("second")},
                   std::array{store.interval(1, 5), store.tuple(std::array{number(1)})});
  EXPECT_EQ(to_pretty_string(record, 0, 100), to_string(record));
  EXPECT_EQ(to_pretty_string(record, 0, 30),
            "[ first |-> {1, 2, 3, 4, 5},\n"
            "  second |-> <<1>> ]");
}

TEST_F(PrintTest, WritesJsonAsTheCommunityModuleDoes) {
  const Value value = store.record(std::array{store.text("s"), store.text("t"), store.text("f")},
                                   std::array{store.set(std::array{number(2), number(1)}),
                                              store.tuple(std::array{store.text("a\n\x01")}),
                                              store.function(store.set(std::array{number(0)}),
                                                             std::array{Value::boolean(false)})});
  EXPECT_EQ(to_json(value), R"({"f":{"0":false},"s":[1,2],"t":["a\n\u0001"]})");
}

TEST_F(PrintTest, WritesTheInformalTraceFormat) {
  const Value value = store.tuple(std::array{
      store.set(std::array{number(1)}), store.text("a"),
      store.function(store.set(std::array{number(0)}), std::array{Value::boolean(false)})});
  EXPECT_EQ(to_itf(value),
            R"({"#tup":[{"#set":[{"#bigint":"1"}]},"a",{"#map":[[{"#bigint":"0"},false]]}]})");
}

TEST_F(PrintTest, ReadsJson) {
  const Value value = from_json(store, R"({"b": [1, -2, {"c": true}], "a": "x\u00e9", "n": null})");
  EXPECT_EQ(to_string(value),
            "[a |-> \"x\xC3\xA9\", b |-> <<1, -2, [c |-> TRUE]>>, n |-> \"null\"]");
  EXPECT_EQ(from_json(store, "[]"), store.tuple({}));
  EXPECT_EQ(from_json(store, R"({"a":1,"a":2})"), from_json(store, R"({"a":2})"));
}

TEST_F(PrintTest, BrokenJsonIsAnErrorThatSaysWhere) {
  for (const std::string text :
       {"", "{", "[1,]", "1.5", "{\"a\"}", "99999999999999999999999", "nul", "[1] 2"}) {
    EXPECT_THROW(from_json(store, text), ValueError) << text;
  }
  EXPECT_THROW(from_json(store, std::string(2000, '[')), ValueError);
}

TEST_F(PrintTest, JsonOfPlainValuesReadsBack) {
  Random random(23, "json");
  const auto plain = [&](auto& self, int depth) -> Value {
    switch (random.below(depth > 0 ? 5 : 3)) {
      case 0:
        return Value::boolean(random.below(2) == 0);
      case 1:
        return number(random.between(-1000000, 1000000));
      case 2:
        return store.text(std::string(random.below(5), static_cast<char>(random.between(1, 126))));
      case 3: {
        std::vector<Value> items(random.below(4));
        for (Value& item : items) item = self(self, depth - 1);
        return store.tuple(items);
      }
      default: {
        const std::array names{store.text("p"), store.text("q")};
        return store.record(names, std::array{self(self, depth - 1), self(self, depth - 1)});
      }
    }
  };
  for (int i = 0; i < 300; ++i) {
    const Value value = plain(plain, 3);
    EXPECT_EQ(from_json(store, to_json(value)), value) << to_json(value);
  }
}

}  // namespace
}  // namespace dissensus::tla
