// Naturals, Integers, Reals, Bitwise, Combinatorics.
#include <bit>

#include <fmt/format.h>

#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

Value checked(std::int64_t number) {
  if (!Value::fits(number)) {
    throw ValueError(fmt::format("{} is beyond whole numbers of 62 bits", number));
  }
  return Value::integer(number);
}

struct Operands {
  std::int64_t left, right;
};
Operands numbers(NativeCall& call, std::string_view name) {
  return {integer_argument(call, 0, name), integer_argument(call, 1, name)};
}

Value add(NativeCall& call) {
  const Operands x = numbers(call, "+");
  return checked(x.left + x.right);
}
Value subtract(NativeCall& call) {
  const Operands x = numbers(call, "-");
  return checked(x.left - x.right);
}
Value negate(NativeCall& call) {
  return checked(-integer_argument(call, 0, "-"));
}
Value multiply(NativeCall& call) {
  const Operands x = numbers(call, "*");
  return Value::integer(checked_multiply(x.left, x.right));
}
Value divide(NativeCall& call) {
  const Operands x = numbers(call, "\\div");
  if (x.right == 0) throw ValueError(fmt::format("{} \\div 0: division by zero", x.left));
  std::int64_t quotient = x.left / x.right;
  if (x.left % x.right != 0 && (x.left < 0) != (x.right < 0)) --quotient;
  return checked(quotient);
}
Value modulo(NativeCall& call) {
  const Operands x = numbers(call, "%");
  if (x.right <= 0) {
    throw ValueError(fmt::format("{} % {}: the divisor must be positive", x.left, x.right));
  }
  const std::int64_t rest = x.left % x.right;
  return Value::integer(rest < 0 ? rest + x.right : rest);
}
Value power(NativeCall& call) {
  const Operands x = numbers(call, "^");
  if (x.right < 0 || (x.left == 0 && x.right == 0)) {
    throw ValueError(fmt::format("{}^{} is not defined", x.left, x.right));
  }
  if (x.left == 0 || x.left == 1) return Value::integer(x.left);
  if (x.left == -1) return Value::integer(x.right % 2 == 0 ? 1 : -1);
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < x.right; ++i) result = checked_multiply(result, x.left);
  return Value::integer(result);
}
Value interval(NativeCall& call) {
  const Operands x = numbers(call, "..");
  return call.store().interval(x.left, x.right);
}
Value less(NativeCall& call) {
  const Operands x = numbers(call, "<");
  return Value::boolean(x.left < x.right);
}
Value less_equal(NativeCall& call) {
  const Operands x = numbers(call, "<=");
  return Value::boolean(x.left <= x.right);
}
Value greater(NativeCall& call) {
  const Operands x = numbers(call, ">");
  return Value::boolean(x.left > x.right);
}
Value greater_equal(NativeCall& call) {
  const Operands x = numbers(call, ">=");
  return Value::boolean(x.left >= x.right);
}
Value naturals(NativeCall& call) {
  return call.store().naturals();
}
Value integers(NativeCall& call) {
  return call.store().integers();
}
Value real_division(NativeCall&) {
  throw ValueError("division of real numbers cannot be executed; use \\div");
}
Value infinity(NativeCall& call) {
  return call.store().model_value("Infinity");
}

Operands naturals_of(NativeCall& call, std::string_view name) {
  return {natural_argument(call, 0, name), natural_argument(call, 1, name)};
}
Value bit_and(NativeCall& call) {
  const Operands x = naturals_of(call, "&");
  return Value::integer(x.left & x.right);
}
Value bit_or(NativeCall& call) {
  const Operands x = naturals_of(call, "|");
  return Value::integer(x.left | x.right);
}
Value bit_xor(NativeCall& call) {
  const Operands x = naturals_of(call, "^^");
  return Value::integer(x.left ^ x.right);
}
/// Turns over the bits up to the highest one that is set.
Value bit_not(NativeCall& call) {
  const auto number = static_cast<std::uint64_t>(natural_argument(call, 0, "Not"));
  const std::uint64_t mask = number == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(number);
  return Value::integer(static_cast<std::int64_t>(~number & mask));
}
Value shift_right(NativeCall& call) {
  const Operands x = naturals_of(call, "shiftR");
  return Value::integer(x.right >= 62 ? 0 : x.left >> x.right);
}

Value choose(NativeCall& call) {
  const Operands x = naturals_of(call, "choose");
  std::int64_t result = x.right > x.left ? 0 : 1;
  for (std::int64_t i = 1; i <= std::min(x.right, x.left - x.right); ++i) {
    result = checked_multiply(result, x.left - i + 1) / i;
  }
  return Value::integer(result);
}

constexpr NativeOperator kArithmeticNatives[] = {
    {"Naturals", "+", add},
    {"Naturals", "-", subtract},
    {"Naturals", "*", multiply},
    {"Naturals", "^", power},
    {"Naturals", "\\div", divide},
    {"Naturals", "%", modulo},
    {"Naturals", "..", interval},
    {"Naturals", "<", less},
    {"Naturals", "<=", less_equal},
    {"Naturals", ">", greater},
    {"Naturals", ">=", greater_equal},
    {"Naturals", "Nat", naturals},
    {"Integers", "Int", integers},
    {"Integers", "-.", negate},
    {"Reals", "Real", integers},
    {"Reals", "/", real_division},
    {"Reals", "Infinity", infinity},
    {"Bitwise", "&", bit_and},
    {"Bitwise", "|", bit_or},
    {"Bitwise", "^^", bit_xor},
    {"Bitwise", "Not", bit_not},
    {"Bitwise", "shiftR", shift_right},
    {"Combinatorics", "choose", choose},
};

}  // namespace

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  return checked(a + b).number();  // of 62 bits each: no overflow
}

std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || !Value::fits(product)) {
    throw ValueError(fmt::format("{} * {} is beyond whole numbers of 62 bits", a, b));
  }
  return product;
}

std::span<const NativeOperator> arithmetic_natives() {
  return kArithmeticNatives;
}

}  // namespace dissensus::tla
