// Native operators and the library's texts. Operators that are passed as arguments are C++ lambdas
// here: the evaluator is not needed.
#include "tla/library/native.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "tla/library/value_file.h"
#include "tla/syntax/ast.h"
#include "tla/values/value.h"

namespace dissensus::tla {
namespace {

using Operation = std::function<Value(std::span<const Value>)>;
using Argument = std::variant<Value, Operation>;

class FakeCall : public NativeCall {
 public:
  FakeCall(Store& store, Environment& environment, std::vector<Argument> arguments)
      : store_(store), environment_(environment), arguments_(std::move(arguments)) {}
  Store& store() override { return store_; }
  Environment& environment() override { return environment_; }
  std::size_t arguments() const override { return arguments_.size(); }
  Value argument(std::size_t index) override { return std::get<Value>(arguments_.at(index)); }
  Value apply(std::size_t index, std::span<const Value> arguments) override {
    return std::get<Operation>(arguments_.at(index))(arguments);
  }

 private:
  Store& store_;
  Environment& environment_;
  std::vector<Argument> arguments_;
};

class NativeTest : public testing::Test {
 protected:
  Value call(std::string_view module, std::string_view name, std::vector<Argument> arguments = {}) {
    const NativeOperator* native = find_native(module, name);
    if (native == nullptr) throw std::logic_error("no native operator " + std::string(name));
    FakeCall fake(store, environment, std::move(arguments));
    return native->compute(fake);
  }
  std::string shown(std::string_view module, std::string_view name,
                    std::vector<Argument> arguments = {}) {
    return to_string(call(module, name, std::move(arguments)));
  }
  static Value number(std::int64_t value) { return Value::integer(value); }
  Value text(std::string_view content) { return store.text(content); }
  Value tuple(std::vector<Value> items) { return store.tuple(items); }
  Value numbers(std::vector<int> items) {
    std::vector<Value> values;
    for (const int item : items) values.push_back(number(item));
    return store.tuple(values);
  }
  Value set(std::vector<int> items) {
    std::vector<Value> values;
    for (const int item : items) values.push_back(number(item));
    return store.set(values);
  }
  /// Shows in which order and nesting a fold applies it.
  Operation nest() {
    return [this](std::span<const Value> x) { return store.tuple(x); };
  }
  static Operation is_even() {
    return [](std::span<const Value> x) { return Value::boolean(x[0].number() % 2 == 0); };
  }
  static Operation less() {
    return [](std::span<const Value> x) { return Value::boolean(x[0].number() < x[1].number()); };
  }
  static Operation less_equal() {
    return [](std::span<const Value> x) { return Value::boolean(x[0].number() <= x[1].number()); };
  }
  Store store;
  Environment environment;
};

TEST_F(NativeTest, EveryModuleParsesAndDefinesItsNativeOperators) {
  for (const std::string_view name : library_modules()) {
    auto source = std::make_shared<Source>();
    source->path = "standard module " + std::string(name);
    source->text = *library_module(name);
    const std::unique_ptr<Module> module = parse_module(source);
    EXPECT_EQ(module->name, name);
    std::set<std::string> defined;
    for (const ModuleUnit& unit : module->units) {
      if (unit.definition == nullptr || unit.definition->name.empty()) continue;
      EXPECT_TRUE(defined.insert(unit.definition->name).second)
          << name << " defines " << unit.definition->name << " twice";
    }
    for (const NativeOperator* native : native_operators()) {
      if (native->module == name) {
        EXPECT_TRUE(defined.contains(std::string(native->name))) << name << " " << native->name;
      }
    }
    for (const Module::Extend& extended : module->extends) {
      EXPECT_TRUE(library_module(extended.name).has_value()) << name << " " << extended.name;
    }
  }
  for (const NativeOperator* native : native_operators()) {
    EXPECT_TRUE(library_module(native->module).has_value()) << native->module;
  }
  EXPECT_FALSE(library_module("NoSuchModule").has_value());
}

TEST_F(NativeTest, DivisionRoundsDownAndRefusesZero) {
  const auto divide = [&](int a, int b) {
    return call("Naturals", "\\div", {number(a), number(b)}).number();
  };
  EXPECT_EQ(divide(7, 2), 3);
  EXPECT_EQ(divide(-7, 2), -4);
  EXPECT_EQ(divide(7, -2), -4);
  EXPECT_EQ(divide(-8, 2), -4);
  EXPECT_THROW(divide(1, 0), ValueError);
  EXPECT_EQ(shown("Naturals", "%", {number(-7), number(3)}), "2");
  EXPECT_THROW(call("Naturals", "%", {number(7), number(-3)}), ValueError);
  EXPECT_EQ(shown("Naturals", "^", {number(2), number(10)}), "1024");
  EXPECT_THROW(call("Naturals", "^", {number(0), number(0)}), ValueError);
  EXPECT_THROW(call("Naturals", "^", {number(10), number(20)}), ValueError);
  EXPECT_EQ(shown("Naturals", "^", {number(-1), number(1'000'000'000'001)}), "-1");
  EXPECT_THROW(call("Naturals", "+", {number(1), text("a")}), ValueError);
  const std::int64_t largest = (std::int64_t{1} << 61) - 1;
  EXPECT_THROW(call("Naturals", "+", {number(largest), number(1)}), ValueError);
  EXPECT_THROW(call("Naturals", "*", {number(largest), number(2)}), ValueError);
  EXPECT_THROW(call("Reals", "/", {number(1), number(2)}), ValueError);
}

TEST_F(NativeTest, ErrorsNameTheOperatorAndTheArgument) {
  try {
    call("Sequences", "Append", {set({1}), number(2)});
    FAIL() << "expected an error";
  } catch (const ValueError& error) {
    EXPECT_EQ(std::string(error.what()),
              "Append: argument 1 must be a sequence, found the set {1}");
  }
}

TEST_F(NativeTest, Sequences) {
  EXPECT_EQ(shown("Sequences", "Len", {numbers({1, 2})}), "2");
  EXPECT_EQ(shown("Sequences", "Len", {text("abc")}), "3");
  EXPECT_EQ(shown("Sequences", "\\circ", {text("ab"), text("c")}), "\"abc\"");
  EXPECT_EQ(shown("Sequences", "\\circ", {numbers({1}), numbers({2, 3})}), "<<1, 2, 3>>");
  EXPECT_EQ(shown("Sequences", "SubSeq", {text("abcd"), number(2), number(3)}), "\"bc\"");
  EXPECT_EQ(shown("Sequences", "Tail", {numbers({1, 2})}), "<<2>>");
  EXPECT_THROW(call("Sequences", "Head", {numbers({})}), ValueError);
  EXPECT_THROW(call("Sequences", "Tail", {numbers({})}), ValueError);
  EXPECT_EQ(shown("Sequences", "SelectSeq", {numbers({1, 2, 3, 4}), is_even()}), "<<2, 4>>");
  EXPECT_THROW(call("Sequences", "SelectSeq",
                    {numbers({1}), Operation([](std::span<const Value> x) { return x[0]; })}),
               ValueError);
}

TEST_F(NativeTest, SequencesExt) {
  EXPECT_EQ(shown("SequencesExt", "ToSet", {numbers({2, 1, 2})}), "{1, 2}");
  EXPECT_EQ(shown("SequencesExt", "SetToSeq", {set({3, 1})}), "<<1, 3>>");
  EXPECT_EQ(shown("SequencesExt", "SetToSeqs", {set({1, 2})}), "{<<1, 2>>, <<2, 1>>}");
  EXPECT_EQ(shown("SequencesExt", "Reverse", {numbers({1, 2, 3})}), "<<3, 2, 1>>");
  EXPECT_EQ(shown("SequencesExt", "Contains", {numbers({1, 2}), number(2)}), "TRUE");
  EXPECT_EQ(shown("SequencesExt", "SelectInSeq", {numbers({1, 4, 6}), is_even()}), "2");
  EXPECT_EQ(shown("SequencesExt", "SelectLastInSeq", {numbers({1, 4, 6}), is_even()}), "3");
  EXPECT_EQ(shown("SequencesExt", "SelectInSeq", {numbers({1}), is_even()}), "0");
  EXPECT_EQ(shown("SequencesExt", "SelectInSubSeq",
                  {numbers({2, 1, 4, 6}), number(2), number(4), is_even()}),
            "3");
  EXPECT_EQ(shown("SequencesExt", "SelectLastInSubSeq",
                  {numbers({2, 1, 4, 6}), number(1), number(3), is_even()}),
            "3");
  EXPECT_EQ(shown("SequencesExt", "Last", {numbers({1, 2})}), "2");
  EXPECT_EQ(shown("SequencesExt", "Front", {numbers({1, 2})}), "<<1>>");
  EXPECT_EQ(shown("SequencesExt", "IsPrefix", {numbers({1}), numbers({1, 2})}), "TRUE");
  EXPECT_EQ(shown("SequencesExt", "IsPrefix", {numbers({2}), numbers({1, 2})}), "FALSE");
  EXPECT_EQ(shown("SequencesExt", "IsStrictPrefix", {numbers({1}), numbers({1})}), "FALSE");
  EXPECT_EQ(shown("SequencesExt", "FlattenSeq", {tuple({numbers({1}), numbers({2, 3})})}),
            "<<1, 2, 3>>");
  EXPECT_EQ(shown("SequencesExt", "ReplaceAllSubSeqs", {text("x"), text("ab"), text("abcab")}),
            "\"xcx\"");
  EXPECT_EQ(shown("SequencesExt", "ReplaceFirstSubSeq",
                  {numbers({9}), numbers({1, 2}), numbers({1, 2, 1, 2})}),
            "<<9, 1, 2>>");
  EXPECT_EQ(shown("SequencesExt", "AllSubSeqs", {numbers({1, 2})}),
            "{<<>>, <<1>>, <<2>>, <<1, 2>>}");
  EXPECT_EQ(shown("SequencesExt", "LongestCommonPrefix",
                  {store.set(std::array{numbers({1, 2, 3}), numbers({1, 2})})}),
            "<<1, 2>>");
}

TEST_F(NativeTest, BoundedSequencesAreNotListedForMembership) {
  const Value sequences = call("SequencesExt", "BoundedSeq", {store.naturals(), number(3)});
  EXPECT_TRUE(store.is_member(numbers({7, 8}), sequences));
  EXPECT_TRUE(store.is_member(numbers({}), sequences));
  EXPECT_FALSE(store.is_member(numbers({1, 2, 3, 4}), sequences));
  EXPECT_EQ(store.cardinality(call("SequencesExt", "BoundedSeq", {set({1, 2}), number(3)})), 15u);
}

TEST_F(NativeTest, SortingIsStableAndTakesStrictAndWeakOrders) {
  EXPECT_EQ(shown("TLC", "SortSeq", {numbers({3, 1, 2, 1}), less()}), "<<1, 1, 2, 3>>");
  EXPECT_EQ(shown("TLC", "SortSeq", {numbers({3, 1, 2, 1}), less_equal()}), "<<1, 1, 2, 3>>");
  const Operation by_first = [](std::span<const Value> x) {
    return Value::boolean(x[0].cell()->items()[0].number() < x[1].cell()->items()[0].number());
  };
  EXPECT_EQ(shown("TLC", "SortSeq",
                  {tuple({numbers({1, 9}), numbers({0, 5}), numbers({1, 2})}), by_first}),
            "<<<<0, 5>>, <<1, 9>>, <<1, 2>>>>");
}

/// The order of TLC's own overrides, which specifications have come to rely on.
TEST_F(NativeTest, FoldsApplyInTheOrderOfTlc) {
  const Value base = text("b");
  EXPECT_EQ(shown("FiniteSetsExt", "FoldSet", {nest(), base, set({2, 1})}), "<<2, <<1, \"b\">>>>");
  EXPECT_EQ(shown("SequencesExt", "FoldSeq", {nest(), base, numbers({7, 8})}),
            "<<8, <<7, \"b\">>>>");
  EXPECT_EQ(shown("SequencesExt", "FoldLeft", {nest(), base, numbers({7, 8})}),
            "<<<<\"b\", 7>>, 8>>");
  EXPECT_EQ(shown("SequencesExt", "FoldRight", {nest(), numbers({7, 8}), base}),
            "<<7, <<8, \"b\">>>>");
  EXPECT_EQ(shown("SequencesExt", "FoldLeftDomain", {nest(), base, numbers({7, 8})}),
            "<<<<\"b\", 1>>, 2>>");
  const Operation identity = [](std::span<const Value> x) { return x[0]; };
  const Operation largest = [](std::span<const Value> x) {
    return x[0].cell()->items()[x[0].cell()->size - 1];
  };
  EXPECT_EQ(shown("Folds", "MapThenFoldSet", {nest(), base, identity, largest, set({1, 2})}),
            "<<2, <<1, \"b\">>>>");
  const Operation outside = [](std::span<const Value>) { return Value::integer(77); };
  EXPECT_THROW(call("Folds", "MapThenFoldSet", {nest(), base, identity, outside, set({1, 2})}),
               ValueError);
  const Value bag = store.function(set({4, 5}), std::array{number(2), number(1)});
  EXPECT_EQ(shown("BagsExt", "FoldBag", {nest(), base, bag}), "<<<<<<\"b\", 4>>, 4>>, 5>>");
}

TEST_F(NativeTest, FiniteSetsExtAndFunctions) {
  EXPECT_EQ(shown("FiniteSetsExt", "Max", {set({-1, 5, 3})}), "5");
  EXPECT_EQ(shown("FiniteSetsExt", "Min", {store.interval(4, 9)}), "4");
  EXPECT_THROW(call("FiniteSetsExt", "Max", {set({})}), ValueError);
  EXPECT_THROW(call("FiniteSetsExt", "Max", {store.set(std::array{text("a")})}), ValueError);
  EXPECT_EQ(shown("FiniteSetsExt", "SumSet", {store.interval(1, 4)}), "10");
  EXPECT_EQ(shown("FiniteSetsExt", "kSubset", {number(2), set({1, 2, 3})}),
            "{{1, 2}, {1, 3}, {2, 3}}");
  EXPECT_EQ(shown("FiniteSetsExt", "kSubset", {number(0), set({1})}), "{{}}");
  EXPECT_EQ(shown("FiniteSetsExt", "kSubset", {number(3), set({1})}), "{}");
  EXPECT_EQ(shown("FiniteSetsExt", "Quantify", {store.interval(1, 5), is_even()}), "2");
  EXPECT_EQ(shown("Functions", "Range", {numbers({3, 1, 3})}), "{1, 3}");
  EXPECT_EQ(shown("Functions", "Restrict", {numbers({3, 1, 3}), set({2})}), "(2 :> 1)");
  EXPECT_THROW(call("Functions", "Restrict", {numbers({3}), set({2})}), ValueError);
  EXPECT_EQ(shown("Functions", "IsInjective", {numbers({3, 1, 3})}), "FALSE");
  EXPECT_EQ(shown("Functions", "SumFunctionOnSet", {numbers({4, 5, 6}), set({1, 2})}), "9");
  const Value edges = store.set(std::array{numbers({1, 2}), numbers({2, 3})});
  EXPECT_EQ(shown("TransitiveClosure", "Warshall", {edges}), "{<<1, 2>>, <<1, 3>>, <<2, 3>>}");
  EXPECT_EQ(shown("TransitiveClosure", "Warshall", {set({})}), "{}");
}

TEST_F(NativeTest, Bags) {
  const Value bag = store.function(set({1, 5}), std::array{number(2), number(1)});
  const Value one = call("Bags", "SetToBag", {set({1})});
  EXPECT_EQ(to_string(one), "<<1>>");  // a function over {1} is a sequence
  EXPECT_EQ(shown("Bags", "\\oplus", {bag, one}), "(1 :> 3 @@ 5 :> 1)");
  EXPECT_EQ(shown("Bags", "\\ominus", {bag, one}), "(1 :> 1 @@ 5 :> 1)");
  EXPECT_EQ(shown("Bags", "\\ominus", {one, bag}), "<<>>");
  EXPECT_EQ(shown("Bags", "BagCardinality", {bag}), "3");
  EXPECT_EQ(shown("Bags", "CopiesIn", {number(1), bag}), "2");
  EXPECT_EQ(shown("Bags", "CopiesIn", {number(9), bag}), "0");
  EXPECT_EQ(shown("Bags", "BagIn", {number(5), bag}), "TRUE");
  EXPECT_EQ(shown("Bags", "\\sqsubseteq", {one, bag}), "TRUE");
  EXPECT_EQ(shown("Bags", "\\sqsubseteq", {bag, one}), "FALSE");
  EXPECT_EQ(store.cardinality(call("Bags", "SubBag", {bag})), 6u);
  EXPECT_EQ(shown("Bags", "SubBag", {store.tuple({})}), "{<<>>}");
  const Operation to_zero = [](std::span<const Value>) { return Value::integer(0); };
  EXPECT_EQ(shown("Bags", "BagOfAll", {to_zero, bag}), "(0 :> 3)");
  EXPECT_EQ(shown("Bags", "IsABag", {store.tuple(std::array{number(0)})}), "FALSE");
  EXPECT_EQ(shown("BagsExt", "BagAdd", {bag, number(7)}), "(1 :> 2 @@ 5 :> 1 @@ 7 :> 1)");
  EXPECT_EQ(shown("BagsExt", "BagAdd", {bag, number(1)}), "(1 :> 3 @@ 5 :> 1)");
  EXPECT_EQ(shown("BagsExt", "BagRemove", {bag, number(5)}), "<<2>>");
  EXPECT_EQ(shown("BagsExt", "BagRemoveAll", {bag, number(1)}), "(5 :> 1)");
  EXPECT_EQ(shown("SequencesExt", "ToBag", {numbers({5, 1, 1})}), "(1 :> 2 @@ 5 :> 1)");
}

TEST_F(NativeTest, RegistersOutliveTheReleaseOfValues) {
  EXPECT_THROW(call("TLC", "TLCGet", {number(1)}), ValueError);
  const Store::Mark mark = store.mark();
  call("TLC", "TLCSet", {number(1), numbers({1, 2, 3})});
  store.release(mark);
  EXPECT_EQ(shown("TLC", "TLCGet", {number(1)}), "<<1, 2, 3>>");
  const Operation sum = [](std::span<const Value> x) {
    return Value::integer(x[0].number() + x[1].number());
  };
  EXPECT_EQ(shown("TLCExt", "TLCGetAndSet", {number(2), sum, number(5), number(10)}), "10");
  EXPECT_EQ(shown("TLCExt", "TLCGetOrDefault", {number(2), number(0)}), "15");
  EXPECT_FALSE(environment.exit_requested);
  call("TLC", "TLCSet", {text("exit"), Value::boolean(true)});
  EXPECT_TRUE(environment.exit_requested);
}

TEST_F(NativeTest, StatisticsAreAskedByName) {
  EXPECT_THROW(call("TLC", "TLCGet", {text("level")}), ValueError);
  environment.statistic = [](std::string_view name) {
    return name == "level" ? Value::integer(4) : Value();
  };
  EXPECT_EQ(shown("TLC", "TLCGet", {text("level")}), "4");
  EXPECT_THROW(call("TLC", "TLCGet", {text("nothing")}), ValueError);
}

TEST_F(NativeTest, TlcModule) {
  std::string printed;
  environment.print = [&](std::string_view line) { printed += std::string(line) + ";"; };
  EXPECT_EQ(shown("TLC", "Print", {text("x"), number(3)}), "3");
  EXPECT_EQ(shown("TLC", "PrintT", {numbers({1})}), "TRUE");
  EXPECT_EQ(printed, "\"x\"  3;<<1>>;");
  EXPECT_THROW(call("TLC", "Assert", {Value::boolean(false), text("why")}), ValueError);
  EXPECT_EQ(shown("TLC", "Assert", {Value::boolean(true), text("why")}), "TRUE");
  EXPECT_EQ(shown("TLC", "ToString", {numbers({1})}), "\"<<1>>\"");
  EXPECT_EQ(store.cardinality(call("TLC", "Permutations", {set({4, 5, 6})})), 6u);
  EXPECT_EQ(shown("TLC", "Permutations", {set({})}), "{<<>>}");
  EXPECT_EQ(shown("TLC", "@@", {store.singleton_function(number(2), text("a")), numbers({7})}),
            "<<7, \"a\">>");
}

TEST_F(NativeTest, RandomDrawsComeFromTheSetAndRepeatWithTheSeed) {
  const auto draw = [&] {
    environment.random = Random(5, "draws");
    std::vector<std::string> result;
    for (int i = 0; i < 20; ++i) {
      const Value subset = call("Randomization", "RandomSubset", {number(3), store.interval(1, 9)});
      EXPECT_EQ(store.cardinality(subset), 3u);
      EXPECT_TRUE(store.is_subset(subset, store.interval(1, 9)));
      result.push_back(to_string(subset));
      const Value element = call("TLC", "RandomElement", {store.powerset(store.interval(1, 5))});
      EXPECT_TRUE(store.is_member(element, store.powerset(store.interval(1, 5))));
      result.push_back(to_string(element));
    }
    return result;
  };
  const std::vector<std::string> first = draw();
  EXPECT_EQ(first, draw());
  EXPECT_GT(std::set<std::string>(first.begin(), first.end()).size(), 10u);
  EXPECT_THROW(call("TLC", "RandomElement", {set({})}), ValueError);
  const Value sets =
      call("Randomization", "RandomSetOfSubsets", {number(5), number(2), store.interval(1, 8)});
  EXPECT_LE(store.cardinality(sets), 5u);
  EXPECT_FALSE(find_native("TLC", "RandomElement")->is_pure);
}

class NativeFilesTest : public NativeTest {
 protected:
  NativeFilesTest() {
    environment.folder = testing::TempDir() + "native_files_test";
    std::filesystem::create_directories(environment.folder);
  }
  ~NativeFilesTest() override { std::filesystem::remove_all(environment.folder); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(environment.folder + "/" + name) << content;
  }
};

TEST_F(NativeFilesTest, NewlineDelimitedJsonBecomesASequence) {
  write("log.ndjson", "{\"a\":1}\n\n  [2]  \r\n\"x\"");
  EXPECT_EQ(shown("Json", "ndJsonDeserialize", {text("log.ndjson")}),
            "<<[a |-> 1], <<2>>, \"x\">>");
  write("broken.ndjson", "{\"a\":1}\n{\"a\":\n");
  try {
    call("Json", "ndJsonDeserialize", {text("broken.ndjson")});
    FAIL() << "expected an error";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("broken.ndjson:2: this is not JSON"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(call("Json", "ndJsonDeserialize", {text("missing.ndjson")}), ValueError);
}

TEST_F(NativeFilesTest, PackedLogsAreRead) {
  const std::string path = environment.folder + "/log.ndjson.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzputs(file, "[1]\n[2]\n");
  gzclose(file);
  EXPECT_EQ(shown("Json", "ndJsonDeserialize", {text("log.ndjson.gz")}), "<<<<1>>, <<2>>>>");
}

TEST_F(NativeFilesTest, WritingNeedsPermission) {
  EXPECT_THROW(call("Json", "JsonSerialize", {text("out.json"), numbers({1})}), ValueError);
  EXPECT_FALSE(std::filesystem::exists(environment.folder + "/out.json"));
  environment.may_write_files = true;
  call("Json", "JsonSerialize", {text("out.json"), numbers({1, 2})});
  EXPECT_EQ(shown("Json", "JsonDeserialize", {text("out.json")}), "<<1, 2>>");
  call("CSV", "CSVWrite", {text("%2$s,%1$s;%s"), tuple({number(1), text("b")}), text("o.csv")});
  call("CSV", "CSVWrite", {text("%s,%d"), tuple({number(1), number(2)}), text("o.csv")});
  EXPECT_EQ(shown("CSV", "CSVRecords", {text("o.csv")}), "2");
  EXPECT_EQ(shown("CSV", "CSVRead", {tuple({text("x"), text("y")}), text(","), text("o.csv")}),
            "<<[x |-> \"b\", y |-> \"1;1\"], [x |-> \"1\", y |-> \"2\"]>>");
  EXPECT_THROW(call("CSV", "CSVWrite", {text("%3$s"), numbers({1}), text("o.csv")}), ValueError);
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// Written by TLC's own ValueOutputStream, once as it is and once packed: records, sets and strings
// that occur again are named by number.
TEST_F(NativeFilesTest, ValuesThatTlcWroteAreRead) {
  const auto write = [&](const std::string& name, std::string_view hex) {
    std::ofstream(environment.folder + "/" + name, std::ios::binary) << bytes_of(hex);
  };
  write("plain.vos",
        "07000804fffffffe0300000007ffffffff000000046e616d650300000001ffffffff00000006736861726564"
        "030000000cffffffff000000026f6e000104fffffffe1a00021a00031a0004000005fffffffd010000000301"
        "ffffffff010000000209000202030000000dffffffff00000003782079170000000400000006030000000eff"
        "ffffff00000001621a000609000200000000000000000101000111700700000900020201000000091a000101"
        "000000071a00061a00061a0003");
  write("packed.vos",
        "1f8b08000000000000ff2d8ec10a02310c442749ddbaa0822721277f6dc5052faea217fd78b7664a4aa0c99b"
        "ccb415dbd25a5b0d408da6c55d96e93e134882e17d9b5ef3956897481f0ba43b1dea3047013631ff2454eb4e"
        "763a4295c67d1aed73fe9ef80873291c52908b63886de411811c9f156002a346278b6fc65e2ffb03c3d06b05"
        "bd000000");
  const std::string expected =
      "<<[name |-> \"shared\", on |-> TRUE], [name |-> \"shared\", on |-> FALSE], {-1, 2, 3}, "
      "(\"b\" :> {-1, 2, 3} @@ \"x y\" :> {4, 5, 6}), (0 :> 70000 @@ 1 :> <<>>), "
      "(7 :> {-1, 2, 3} @@ 9 :> [name |-> \"shared\", on |-> TRUE]), {-1, 2, 3}, \"shared\">>";
  const Value yes = Value::boolean(true), no = Value::boolean(false);
  EXPECT_EQ(shown("IOUtils", "IODeserialize", {text("plain.vos"), no}), expected);
  EXPECT_EQ(shown("IOUtils", "IODeserialize", {text("packed.vos"), yes}), expected);

  // What is written is read again.
  environment.may_write_files = true;
  const Value value = call("IOUtils", "IODeserialize", {text("plain.vos"), no});
  call("IOUtils", "IOSerialize", {value, text("again.vos"), no});
  call("IOUtils", "IOSerialize", {value, text("again.vos.gz"), yes});
  EXPECT_EQ(call("IOUtils", "IODeserialize", {text("again.vos"), no}), value);
  EXPECT_EQ(call("IOUtils", "IODeserialize", {text("again.vos.gz"), yes}), value);
  EXPECT_LT(std::filesystem::file_size(environment.folder + "/again.vos.gz"),
            std::filesystem::file_size(environment.folder + "/again.vos"));
}

TEST_F(NativeFilesTest, DamagedFilesOfValuesAreRefused) {
  const Value value = tuple({text("abc"), set({1, 2}), numbers({3})});
  const std::string whole = to_value_file(store, value);
  EXPECT_EQ(from_value_file(store, whole), value);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(from_value_file(store, whole.substr(0, size)), ValueError) << size;
  }
  for (const char* hex : {"1a0000", "150001", "04000000010100000001", "0500ffffffff", "16",
                          "07ffff", "0900010000000000000000050100000001"}) {
    EXPECT_THROW(from_value_file(store, bytes_of(hex)), ValueError) << hex;
  }
  EXPECT_THROW(to_value_file(store, store.naturals()), ValueError);
  EXPECT_THROW(to_value_file(store, store.model_value("m")), ValueError);
  EXPECT_THROW(to_value_file(store, Value::integer(std::int64_t{1} << 31)), ValueError);
}

TEST_F(NativeFilesTest, EnvironmentAndNumbersOfText) {
  environment.variables = {{"JSON", "a.ndjson"}, {"HOME", "/"}};
  EXPECT_EQ(shown("IOUtils", "IOEnv"), "[HOME |-> \"/\", JSON |-> \"a.ndjson\"]");
  EXPECT_EQ(shown("IOUtils", "atoi", {text("-12")}), "-12");
  EXPECT_THROW(call("IOUtils", "atoi", {text("1x")}), ValueError);
  EXPECT_THROW(call("IOUtils", "IOExec", {tuple({text("ls")})}), ValueError);
  EXPECT_EQ(shown("IOUtils", "zeroPadN", {number(7), number(3)}), "\"007\"");
}

TEST_F(NativeTest, JsonText) {
  EXPECT_EQ(to_string(call("Json", "ToJson", {numbers({1, 2})})), "\"[1,2]\"");
  EXPECT_EQ(shown("Json", "ToJsonObject", {numbers({4})}), "\"{\\\"0\\\":4}\"");
  EXPECT_EQ(shown("Json", "ToJsonArray", {set({2, 1})}), "\"[1,2]\"");
  EXPECT_THROW(call("Json", "ToJson", {store.naturals()}), ValueError);
}

}  // namespace
}  // namespace dissensus::tla
