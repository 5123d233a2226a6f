// Operators of the standard modules that are computed here instead of from their TLA+ text, and the
// texts themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/random.h"

#include "tla/values/value.h"

namespace dissensus::tla {

/// What operators may know of the outside: TLC's registers, randomness, printing, files.
/// One per machine.
struct Environment {
  Random random{1, "tla"};
  std::uint64_t seed = 1;  ///< of constants that are drawn; set before the first is evaluated
  /// TLCSet(i, v), i an integer; serialized, so that they outlive Store::release.
  std::map<std::int64_t, std::string> registers;
  bool exit_requested = false;  ///< TLCSet("exit", TRUE): stop after this state
  std::function<Value(std::string_view name)>
      statistic;  ///< TLCGet("level"), "distinct"...; null value: unknown
  std::function<void(std::string_view text)> print;            ///< Print, PrintT; empty: silent
  std::vector<std::pair<std::string, std::string>> variables;  ///< IOEnv: the process's environment
  std::string folder;                                          ///< relative file names start here
  bool may_write_files = false;  ///< JsonSerialize, Serialize... are refused otherwise
};

/// One call of a native operator: its arguments, evaluated on first use, and operators passed to
/// it.
class NativeCall {
 public:
  virtual ~NativeCall() = default;
  virtual Store& store() = 0;
  virtual Environment& environment() = 0;
  virtual std::size_t arguments() const = 0;
  virtual Value argument(std::size_t index) = 0;
  /// Calls the operator that was passed as argument `index`.
  virtual Value apply(std::size_t index, std::span<const Value> arguments) = 0;
};

/// Failures throw ValueError.
struct NativeOperator {
  std::string_view module;
  std::string_view name;  ///< canonical symbol for operators
  Value (*compute)(NativeCall& call);
  /// False: the result depends on more than the arguments (random, registers): never memoised and
  /// never constant.
  bool is_pure = true;
};

/// Null when the module's own text is to be evaluated.
const NativeOperator* find_native(std::string_view module, std::string_view name);

/// All of them, by module and name.
std::vector<const NativeOperator*> native_operators();

/// The text of a standard module of ours; nullopt: not one of them. A file of the same name in the
/// spec's own folder is taken first, except for Naturals, Integers, Reals, Sequences, FiniteSets,
/// TLC and Bags.
std::optional<std::string_view> library_module(std::string_view name);
std::vector<std::string_view> library_modules();

}  // namespace dissensus::tla
