// Arguments of native operators, checked. Errors read "Head: argument 1 must be ..., found ...".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tla/library/native.h"
#include "tla/values/store_memory.h"

namespace dissensus::tla {

[[noreturn]] void fail_argument(std::string_view name, std::size_t index, std::string_view expected,
                                Value found);

std::int64_t integer_argument(NativeCall& call, std::size_t index, std::string_view name);
std::int64_t natural_argument(NativeCall& call, std::size_t index, std::string_view name);
std::string_view text_argument(NativeCall& call, std::size_t index, std::string_view name);
/// A sequence as a tuple.
Value sequence_argument(NativeCall& call, std::size_t index, std::string_view name);
/// Any set, lazy or not.
Value set_argument(NativeCall& call, std::size_t index, std::string_view name);
/// A finite set, listed.
Value listed_argument(NativeCall& call, std::size_t index, std::string_view name);
Value function_argument(NativeCall& call, std::size_t index, std::string_view name);
/// Calls the operator at `index`, which must answer TRUE or FALSE.
bool holds(NativeCall& call, std::size_t index, std::span<const Value> arguments,
           std::string_view name);
inline Value apply1(NativeCall& call, std::size_t index, Value argument) {
  return call.apply(index, {&argument, 1});
}
inline Value apply2(NativeCall& call, std::size_t index, Value first, Value second) {
  const Value arguments[] = {first, second};
  return call.apply(index, arguments);
}

// Whole numbers of 62 bits; ValueError beyond.
std::int64_t checked_add(std::int64_t a, std::int64_t b);
std::int64_t checked_multiply(std::int64_t a, std::int64_t b);

// The tables, one per file.
std::span<const NativeOperator> arithmetic_natives();
std::span<const NativeOperator> sequence_natives();
std::span<const NativeOperator> set_natives();
std::span<const NativeOperator> bag_natives();
std::span<const NativeOperator> tlc_natives();
std::span<const NativeOperator> file_natives();

struct LibraryModule {
  std::string_view name;
  std::string_view text;
};
std::span<const LibraryModule> standard_modules();
std::span<const LibraryModule> community_modules();
std::span<const LibraryModule> proof_modules();

}  // namespace dissensus::tla
