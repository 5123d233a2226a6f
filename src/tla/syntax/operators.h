// The operators of TLA+: spellings, precedences, associativity ("Specifying Systems", table 6;
// where the language's parser and the book differ, as for SUBSET, the parser counts).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dissensus::tla {

enum class Fix : std::uint8_t { prefix, infix, postfix };

/// Precedence is a range: a higher one binds tighter, ranges that overlap cannot be mixed.
struct Operator {
  std::string_view name;  ///< canonical
  Fix fix = Fix::infix;
  std::uint8_t low = 0;
  std::uint8_t high = 0;
  bool is_left_associative = false;
  /// "\leq", "≤"...: separated by single spaces.
  std::string_view other_spellings;
};

std::span<const Operator> operators();
/// Null where there is no such operator. `name` is canonical; prefix minus is "-.".
const Operator* find_operator(std::string_view name, Fix fix);

enum class Grouping : std::uint8_t {
  left,     ///< (a left b) right c
  right,    ///< a left (b right c)
  conflict  ///< parentheses are needed
};
/// How "a left b right c" is read.
Grouping grouping(const Operator& left, const Operator& right);

}  // namespace dissensus::tla
