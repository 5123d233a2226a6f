// Printed expressions read back as the same tree: for chosen ones, for random ones, and for the
// project's own specifications.
#include "tla/unparse.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "tla/syntax/operators.h"
#include "tla/tree.h"

namespace dissensus::tla {
namespace {

std::string printed(const std::string& text) {
  return to_tla(*parse_expression(source_of(text)));
}

TEST(Unparse, PutsParenthesesOnlyWhereNeeded) {
  for (const char* text : {
           "a + b * c",
           "(a + b) * c",
           "a - b - c",
           "a - (b - c)",
           "a /\\ (b \\/ c) /\\ d",
           "a /\\ (b /\\ c)",
           "(A \\X B) \\X C",
           "~(a = b)",
           "~a /\\ -b < c",
           "-(-a)",
           "x' = [x EXCEPT ![1, 2].a = @ + 1, !.b = 2]",
           "[][Next]_<<x, y>> /\\ WF_vars(Next)",
           "<><<A>>_(v + 1)",
           "(IF a THEN b ELSE c) + 1",
           "\\A x, y \\in S, <<a, b>> \\in T : p",
           "{x \\in S : p}",
           "{(x \\in S) : y \\in T}",
           "[a |-> 1, b |-> \"x\\\"\\n\"]",
           "CASE a -> (CASE b -> c) [] OTHER -> d",
           "LET RECURSIVE f(_) f(x) == f(x) g[x \\in S] == x I == INSTANCE M WITH a <- b IN f(1)",
           "Fold( +, LAMBDA x, y : x, s )",
           "A!B(1)!C(2)",
           "SUBSET (S \\X T)",
           "1..n",
           "/\\ (a)",
       }) {
    EXPECT_EQ(printed(text), text);
  }
  EXPECT_EQ(printed("(a')[b].c'"), "a'[b].c'");
}

TEST(Unparse, DefinitionsAreOneLine) {
  const auto module =
      parse_module(source_of("---- MODULE M ----\n"
                             "LOCAL F(x, G(_, _), _ + _) ==\n  G(x, x)\n"
                             "a \\prec b == a\n"
                             "f[x \\in S] == x\n"
                             "I(p) == INSTANCE M WITH \\prec <- <\n"
                             "====\n"));
  const auto line = [&](std::size_t i) { return to_tla(*module->units[i].definition); };
  EXPECT_EQ(line(0), "LOCAL F(x, G(_, _), _ + _) == G(x, x)");
  EXPECT_EQ(line(1), "a \\prec b == a");
  EXPECT_EQ(line(2), "f[x \\in S] == x");
  EXPECT_EQ(line(3), "I(p) == INSTANCE M WITH \\prec <- <");
}

TEST(Unparse, SameIgnoresPlacesAlone) {
  const SourcePtr first = source_of("a +   b");
  const SourcePtr second = source_of("(a) + b");
  const SourcePtr third = source_of("a + c");
  EXPECT_TRUE(is_same(*parse_expression(first), *parse_expression(second)));
  EXPECT_FALSE(is_same(*parse_expression(first), *parse_expression(third)));
}

/// Random trees of all forms that the parser can make.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed, "unparse") {}

  ExpressionPtr expression(int depth) {
    static constexpr Syntax kForms[] = {Syntax::apply,           Syntax::apply,
                                        Syntax::apply,           Syntax::apply,
                                        Syntax::apply,           Syntax::conjunction,
                                        Syntax::disjunction,     Syntax::if_else,
                                        Syntax::case_of,         Syntax::let,
                                        Syntax::for_all,         Syntax::exists,
                                        Syntax::temporal_exists, Syntax::choose,
                                        Syntax::set_of,          Syntax::set_filter,
                                        Syntax::set_map,         Syntax::function,
                                        Syntax::function_set,    Syntax::application,
                                        Syntax::record,          Syntax::record_set,
                                        Syntax::field,           Syntax::except,
                                        Syntax::tuple,           Syntax::product,
                                        Syntax::action_box,      Syntax::action_angle,
                                        Syntax::weak_fairness,   Syntax::strong_fairness,
                                        Syntax::lambda};
    if (depth <= 0) return leaf();
    const Syntax syntax = kForms[random_.below(std::size(kForms))];
    auto made = std::make_unique<Expression>();
    made->syntax = syntax;
    switch (syntax) {
      case Syntax::apply:
        apply(*made, depth);
        break;
      case Syntax::conjunction:
      case Syntax::disjunction:
      case Syntax::product:
        operands(*made, depth, 2 + random_.below(2));
        break;
      case Syntax::if_else:
        operands(*made, depth, 3);
        break;
      case Syntax::case_of:
        operands(*made, depth, 2 + random_.below(3));
        break;
      case Syntax::let:
        made->definitions.push_back(definition(depth));
        if (random_.chance(0.5)) made->definitions.push_back(definition(depth));
        operands(*made, depth, 1);
        break;
      case Syntax::choose:
      case Syntax::set_filter:
        made->bounds.push_back(bound(depth, 1));
        operands(*made, depth, 1);
        break;
      case Syntax::temporal_exists:
        made->bounds.push_back(bound(depth, 2));
        made->bounds[0].set = nullptr;
        made->bounds[0].is_tuple = false;
        operands(*made, depth, 1);
        break;
      case Syntax::for_all:
      case Syntax::exists:
      case Syntax::set_map:
      case Syntax::function:
        made->bounds.push_back(bound(depth, 2));
        if (random_.chance(0.3)) made->bounds.push_back(bound(depth, 2));
        operands(*made, depth, 1);
        break;
      case Syntax::set_of:
      case Syntax::tuple:
        operands(*made, depth, random_.below(4));
        break;
      case Syntax::application:
        operands(*made, depth, 2 + random_.below(2));
        break;
      case Syntax::record:
      case Syntax::record_set:
        operands(*made, depth, 1 + random_.below(2));
        for (std::size_t i = 0; i < made->operands.size(); ++i) made->fields.push_back(name());
        break;
      case Syntax::field:
        made->name = name();
        operands(*made, depth, 1);
        break;
      case Syntax::except:
        operands(*made, depth, 1);
        made->updates.push_back(update(depth));
        break;
      case Syntax::lambda:
        made->parameters.push_back({name(), 0, {}});
        operands(*made, depth, 1);
        break;
      default:
        operands(*made, depth, 2);
    }
    return made;
  }

 private:
  std::string name() { return std::string(1, static_cast<char>('a' + random_.below(5))); }

  ExpressionPtr leaf() {
    auto made = std::make_unique<Expression>();
    made->name = name();
    if (random_.chance(0.2)) {
      made->syntax = Syntax::number;
      made->name = std::to_string(random_.below(100));
    } else if (random_.chance(0.1)) {
      made->syntax = Syntax::text;
      made->name = "\"\\ \n" + name();
    } else if (random_.chance(0.1)) {
      made->path.push_back({name(), {}, {}});
    }
    return made;
  }

  void operands(Expression& parent, int depth, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) parent.operands.push_back(expression(depth - 1));
  }

  void apply(Expression& made, int depth) {
    if (random_.chance(0.2)) {
      made.name = name();
      if (random_.chance(0.3)) made.path.push_back({name(), {}, {}});
      operands(made, depth, 1 + random_.below(2));
      return;
    }
    const auto all = operators();
    const Operator& chosen = all[random_.below(all.size())];
    if (chosen.name == "/\\" || chosen.name == "\\/" || chosen.name == "\\X") {
      made.syntax = chosen.name == "/\\"   ? Syntax::conjunction
                    : chosen.name == "\\/" ? Syntax::disjunction
                                           : Syntax::product;
      operands(made, depth, 2);
      return;
    }
    made.name = chosen.name;
    operands(made, depth, chosen.fix == Fix::infix ? 2 : 1);
  }

  Bound bound(int depth, std::size_t names_max) {
    Bound result;
    result.is_tuple = random_.chance(0.3);
    const std::size_t count = result.is_tuple ? 2 : 1 + random_.below(names_max);
    for (std::size_t i = 0; i < count; ++i) result.names.push_back(name());
    result.set = expression(depth - 1);
    return result;
  }

  ExceptUpdate update(int depth) {
    ExceptUpdate result;
    ExceptUpdate::Step index;
    index.indexes.push_back(expression(depth - 1));
    result.path.push_back(std::move(index));
    if (random_.chance(0.5)) {
      ExceptUpdate::Step step;
      step.field = name();
      result.path.push_back(std::move(step));
    }
    result.value = expression(depth - 1);
    if (random_.chance(0.3)) {
      result.value = std::make_unique<Expression>();
      result.value->syntax = Syntax::except_at;
    }
    return result;
  }

  DefinitionPtr definition(int depth) {
    auto result = std::make_unique<Definition>();
    result->name = name();
    if (random_.chance(0.3)) {
      result->type = Definition::Type::function;
      result->bounds.push_back(bound(depth, 2));
    } else if (random_.chance(0.5)) {
      result->parameters.push_back({name(), static_cast<std::uint32_t>(random_.below(3)), {}});
    }
    result->body = expression(depth - 1);
    return result;
  }

  Random random_;
};

TEST(Unparse, RandomExpressionsReadBackTheSame) {
  constexpr std::uint64_t kCases = 3000;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    Generator generator(seed);
    const ExpressionPtr made = generator.expression(1 + static_cast<int>(seed % 5));
    const std::string text = to_tla(*made);
    ExpressionPtr read;
    const SourcePtr source = source_of(text);
    ASSERT_NO_THROW(read = parse_expression(source)) << "seed " << seed << ": " << text;
    ASSERT_TRUE(is_same(*made, *read)) << "seed " << seed << ": " << text << "\n"
                                       << tree(*made) << "\n"
                                       << tree(*read);
  }
}

std::size_t check_module(const Module& module) {
  std::size_t checked = 0;
  const auto check = [&](const Expression& expression) {
    const SourcePtr source = source_of(to_tla(expression));
    EXPECT_TRUE(is_same(expression, *parse_expression(source)))
        << expression.at.to_string() << ": " << source->text;
    ++checked;
  };
  for (const ModuleUnit& unit : module.units) {
    if (unit.definition && unit.definition->body) check(*unit.definition->body);
    if (unit.assumption) check(*unit.assumption);
    if (unit.submodule) checked += check_module(*unit.submodule);
  }
  return checked;
}

TEST(Unparse, TheProjectsSpecificationsReadBackTheSame) {
  const std::filesystem::path folder = std::filesystem::path(DISSENSUS_SOURCE_DIR) / "specs";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder specs";
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".tla") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    checked += check_module(*parse_module(source_of(text.str(), entry.path().string())));
  }
  EXPECT_GT(checked, 0U);
}

}  // namespace
}  // namespace dissensus::tla
