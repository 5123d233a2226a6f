#include "tla/library/native.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

using NativeKey = std::pair<std::string_view, std::string_view>;

const std::map<NativeKey, const NativeOperator*>& natives() {
  static const auto kNatives = [] {
    std::map<NativeKey, const NativeOperator*> result;
    for (const auto& table : {arithmetic_natives(), sequence_natives(), set_natives(),
                              bag_natives(), tlc_natives(), file_natives()}) {
      for (const NativeOperator& native : table) {
        result.emplace(NativeKey{native.module, native.name}, &native);
      }
    }
    return result;
  }();
  return kNatives;
}

const std::map<std::string_view, std::string_view>& modules() {
  static const auto kModules = [] {
    std::map<std::string_view, std::string_view> result;
    for (const auto& table : {standard_modules(), community_modules(), proof_modules()}) {
      for (const LibraryModule& module : table) result.emplace(module.name, module.text);
    }
    return result;
  }();
  return kModules;
}

}  // namespace

const NativeOperator* find_native(std::string_view module, std::string_view name) {
  const auto found = natives().find({module, name});
  return found == natives().end() ? nullptr : found->second;
}

std::vector<const NativeOperator*> native_operators() {
  std::vector<const NativeOperator*> result;
  for (const auto& [key, native] : natives()) result.push_back(native);
  return result;
}

std::optional<std::string_view> library_module(std::string_view name) {
  const auto found = modules().find(name);
  if (found == modules().end()) return std::nullopt;
  return found->second;
}

std::vector<std::string_view> library_modules() {
  std::vector<std::string_view> names;
  for (const auto& [name, text] : modules()) names.push_back(name);
  return names;
}

void fail_argument(std::string_view name, std::size_t index, std::string_view expected,
                   Value found) {
  throw ValueError(fmt::format("{}: argument {} must be {}, found {}", name, index + 1, expected,
                               described(found)));
}

std::int64_t integer_argument(NativeCall& call, std::size_t index, std::string_view name) {
  const Value value = call.argument(index);
  if (!value.is_integer()) fail_argument(name, index, "a number", value);
  return value.number();
}

std::int64_t natural_argument(NativeCall& call, std::size_t index, std::string_view name) {
  const Value value = call.argument(index);
  if (!value.is_integer() || value.number() < 0) {
    fail_argument(name, index, "a natural number", value);
  }
  return value.number();
}

std::string_view text_argument(NativeCall& call, std::size_t index, std::string_view name) {
  const Value value = call.argument(index);
  if (!value.is(Type::text)) fail_argument(name, index, "a string", value);
  return value.cell()->bytes();
}

Value sequence_argument(NativeCall& call, std::size_t index, std::string_view name) {
  const Value value = call.argument(index);
  if (!value.is(Type::tuple)) fail_argument(name, index, "a sequence", value);
  return value;
}

Value set_argument(NativeCall& call, std::size_t index, std::string_view name) {
  const Value value = call.argument(index);
  if (!is_set(value.type())) fail_argument(name, index, "a set", value);
  return value;
}

Value listed_argument(NativeCall& call, std::size_t index, std::string_view name) {
  const Value value = call.store().canonical(set_argument(call, index, name));
  if (!value.is(Type::set)) fail_argument(name, index, "a finite set", value);
  return value;
}

Value function_argument(NativeCall& call, std::size_t index, std::string_view name) {
  const Value value = call.argument(index);
  if (!is_function(value.type())) fail_argument(name, index, "a function", value);
  return value;
}

bool holds(NativeCall& call, std::size_t index, std::span<const Value> arguments,
           std::string_view name) {
  const Value answer = call.apply(index, arguments);
  if (!answer.is_boolean()) {
    throw ValueError(
        fmt::format("{}: the operator passed as argument {} must be TRUE or FALSE, "
                    "it gave {}",
                    name, index + 1, described(answer)));
  }
  return answer.truth();
}

}  // namespace dissensus::tla
