#include "tla/syntax/operators.h"

#include <array>
#include <map>

#include "tla/syntax/ast.h"

namespace dissensus::tla {
namespace {

constexpr auto kPrefix = Fix::prefix;
constexpr auto kInfix = Fix::infix;
constexpr auto kPostfix = Fix::postfix;
constexpr bool kLeft = true;
constexpr bool kNone = false;

constexpr Operator kOperators[] = {
    {"=>", kInfix, 10, 10, kNone, "⇒"},
    {"-+->", kInfix, 20, 20, kNone, "⇸"},
    {"<=>", kInfix, 20, 20, kNone, "\\equiv ≡ ⇔"},
    {"~>", kInfix, 20, 20, kNone, "↝"},
    {"/\\", kInfix, 30, 30, kLeft, "\\land ∧"},
    {"\\/", kInfix, 30, 30, kLeft, "\\lor ∨"},
    {"~", kPrefix, 40, 40, kNone, "\\lnot \\neg ¬"},
    {"ENABLED", kPrefix, 40, 150, kNone, ""},
    {"UNCHANGED", kPrefix, 40, 150, kNone, ""},
    {"[]", kPrefix, 40, 150, kNone, "□"},
    {"<>", kPrefix, 40, 150, kNone, "◇"},
    {"=", kInfix, 50, 50, kNone, ""},
    {"#", kInfix, 50, 50, kNone, "/= ≠"},
    {"<", kInfix, 50, 50, kNone, ""},
    {">", kInfix, 50, 50, kNone, ""},
    {"<=", kInfix, 50, 50, kNone, "=< \\leq ≤"},
    {">=", kInfix, 50, 50, kNone, "\\geq ≥"},
    {"\\in", kInfix, 50, 50, kNone, "∈"},
    {"\\notin", kInfix, 50, 50, kNone, "∉"},
    {"\\subseteq", kInfix, 50, 50, kNone, "⊆"},
    {"\\subset", kInfix, 50, 50, kNone, "⊂"},
    {"\\supset", kInfix, 50, 50, kNone, "⊃"},
    {"\\supseteq", kInfix, 50, 50, kNone, "⊇"},
    {"\\prec", kInfix, 50, 50, kNone, "≺"},
    {"\\succ", kInfix, 50, 50, kNone, "≻"},
    {"\\preceq", kInfix, 50, 50, kNone, "⪯"},
    {"\\succeq", kInfix, 50, 50, kNone, "⪰"},
    {"\\sim", kInfix, 50, 50, kNone, "∼"},
    {"\\simeq", kInfix, 50, 50, kNone, "≃"},
    {"\\ll", kInfix, 50, 50, kNone, "≪"},
    {"\\gg", kInfix, 50, 50, kNone, "≫"},
    {"\\asymp", kInfix, 50, 50, kNone, "≍"},
    {"\\approx", kInfix, 50, 50, kNone, "≈"},
    {"\\cong", kInfix, 50, 50, kNone, "≅"},
    {"\\sqsubset", kInfix, 50, 50, kNone, "⊏"},
    {"\\sqsubseteq", kInfix, 50, 50, kNone, "⊑"},
    {"\\sqsupset", kInfix, 50, 50, kNone, "⊐"},
    {"\\sqsupseteq", kInfix, 50, 50, kNone, "⊒"},
    {"\\doteq", kInfix, 50, 50, kNone, "≐"},
    {"\\propto", kInfix, 50, 50, kNone, "∝"},
    {"|-", kInfix, 50, 50, kNone, "⊢"},
    {"|=", kInfix, 50, 50, kNone, "⊨"},
    {"-|", kInfix, 50, 50, kNone, "⊣"},
    {"=|", kInfix, 50, 50, kNone, "⫤"},
    {":=", kInfix, 50, 50, kNone, "≔"},
    {"::=", kInfix, 50, 50, kNone, "⩴"},
    {"\\cdot", kInfix, 50, 140, kLeft, "⋅"},
    {"@@", kInfix, 60, 60, kLeft, ""},
    {":>", kInfix, 70, 70, kNone, ""},
    {"<:", kInfix, 70, 70, kNone, ""},
    {"\\", kInfix, 80, 80, kNone, ""},
    {"\\cap", kInfix, 80, 80, kLeft, "\\intersect ∩"},
    {"\\cup", kInfix, 80, 80, kLeft, "\\union ∪"},
    {"..", kInfix, 90, 90, kNone, "‥"},
    {"...", kInfix, 90, 90, kNone, "…"},
    {"!!", kInfix, 90, 130, kNone, "‼"},
    {"##", kInfix, 90, 130, kLeft, ""},
    {"$", kInfix, 90, 130, kLeft, ""},
    {"$$", kInfix, 90, 130, kLeft, ""},
    {"??", kInfix, 90, 130, kLeft, "⁇"},
    {"\\sqcap", kInfix, 90, 130, kLeft, "⊓"},
    {"\\sqcup", kInfix, 90, 130, kLeft, "⊔"},
    {"\\uplus", kInfix, 90, 130, kLeft, "⊎"},
    {"\\wr", kInfix, 90, 140, kNone, "≀"},
    {"SUBSET", kPrefix, 100, 130, kNone, ""},
    {"UNION", kPrefix, 100, 130, kNone, ""},
    {"DOMAIN", kPrefix, 100, 130, kNone, ""},
    {"\\X", kInfix, 100, 130, kLeft, "\\times ×"},
    {"+", kInfix, 100, 100, kLeft, ""},
    {"++", kInfix, 100, 100, kLeft, ""},
    {"\\oplus", kInfix, 100, 100, kLeft, "(+) ⊕"},
    {"%", kInfix, 100, 110, kNone, ""},
    {"%%", kInfix, 100, 110, kLeft, ""},
    {"|", kInfix, 100, 110, kLeft, ""},
    {"||", kInfix, 100, 110, kLeft, "‖"},
    {"-", kInfix, 110, 110, kLeft, ""},
    {"--", kInfix, 110, 110, kLeft, ""},
    {"\\ominus", kInfix, 110, 110, kLeft, "(-) ⊖"},
    {"-.", kPrefix, 120, 120, kNone, ""},
    {"*", kInfix, 130, 130, kLeft, ""},
    {"**", kInfix, 130, 130, kLeft, ""},
    {"/", kInfix, 130, 130, kNone, ""},
    {"//", kInfix, 130, 130, kNone, ""},
    {"&", kInfix, 130, 130, kLeft, ""},
    {"&&", kInfix, 130, 130, kLeft, ""},
    {"\\bigcirc", kInfix, 130, 130, kLeft, "◯"},
    {"\\bullet", kInfix, 130, 130, kLeft, "●"},
    {"\\div", kInfix, 130, 130, kNone, "÷"},
    {"\\circ", kInfix, 130, 130, kLeft, "\\o ∘"},
    {"\\odot", kInfix, 130, 130, kLeft, "(.) ⊙"},
    {"\\oslash", kInfix, 130, 130, kNone, "(/) ⊘"},
    {"\\otimes", kInfix, 130, 130, kLeft, "(\\X) ⊗"},
    {"\\star", kInfix, 130, 130, kLeft, "⋆"},
    {"^", kInfix, 140, 140, kNone, ""},
    {"^^", kInfix, 140, 140, kNone, ""},
    {"'", kPostfix, 150, 150, kNone, ""},
    {"^+", kPostfix, 150, 150, kNone, "⁺"},
    {"^*", kPostfix, 150, 150, kNone, ""},
    {"^#", kPostfix, 150, 150, kNone, ""},
};

const std::map<std::string_view, std::string_view>& spellings() {
  static const auto kSpellings = [] {
    std::map<std::string_view, std::string_view> result;
    for (const Operator& each : kOperators) {
      std::string_view rest = each.other_spellings;
      while (!rest.empty()) {
        const std::string_view spelling = rest.substr(0, rest.find(' '));
        result.emplace(spelling, each.name);
        rest.remove_prefix(std::min(rest.size(), spelling.size() + 1));
      }
    }
    return result;
  }();
  return kSpellings;
}

using Key = std::pair<std::string_view, Fix>;
const std::map<Key, const Operator*>& operators_by_name() {
  static const auto kByName = [] {
    std::map<Key, const Operator*> result;
    for (const Operator& each : kOperators) result.emplace(Key{each.name, each.fix}, &each);
    return result;
  }();
  return kByName;
}

}  // namespace

std::span<const Operator> operators() {
  return kOperators;
}

const Operator* find_operator(std::string_view name, Fix fix) {
  const auto found = operators_by_name().find({name, fix});
  return found == operators_by_name().end() ? nullptr : found->second;
}

Grouping grouping(const Operator& left, const Operator& right) {
  if (left.low > right.high) return Grouping::left;
  if (left.high < right.low) return Grouping::right;
  return &left == &right && left.is_left_associative ? Grouping::left : Grouping::conflict;
}

std::string_view canonical_operator(std::string_view spelling) {
  const auto found = spellings().find(spelling);
  return found == spellings().end() ? spelling : found->second;
}

}  // namespace dissensus::tla
