// Typed, checked access to a table of a scenario (TOML) or schedule (JSON) file.
//
// Every accessor either returns a valid value or throws InputError with one line that names the
// file, the line, the key and what was expected. Keys that nobody asked for are errors too:
// finish() reports them, so a typo never passes silently.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/time.h"

namespace dissensus {

/// Bad input: what() is the complete one-line message. Commands end with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace internal {
struct DocumentValue;
struct OptionsState;
}  // namespace internal

class Options;

/// One value of unknown type at a known place of a file.
class OptionValue {
 public:
  /// Numbers outside [min, max] are refused.
  std::int64_t integer(std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  double number(double min = -1e300, double max = 1e300) const;
  bool boolean() const;
  std::string text() const;
  /// "250us", "20ms", "5.25s", "2min", "1h"; never negative unless allowed.
  Duration duration(bool allow_negative = false) const;
  /// One of the given words; returns its index.
  std::size_t choice(std::span<const std::string_view> words) const;
  std::vector<OptionValue> list() const;
  Options table() const;

  bool is_table() const;
  bool is_list() const;
  bool is_text() const;
  bool is_integer() const;
  bool is_number() const;
  bool is_boolean() const;

  /// Throws an InputError that points at this value: "file:line: key: <message>".
  [[noreturn]] void fail(std::string_view message) const;
  std::string key() const { return path_; }

 private:
  friend class Options;
  OptionValue(const internal::DocumentValue* value, std::string path,
              std::shared_ptr<internal::OptionsState> state)
      : value_(value), path_(std::move(path)), state_(std::move(state)) {}
  const internal::DocumentValue* value_;
  std::string path_;
  std::shared_ptr<internal::OptionsState> state_;
};

/// A table. Copies share the record of which keys were asked for.
class Options {
 public:
  bool has(std::string_view key) const;
  /// The value of a key that must be there.
  OptionValue at(std::string_view key) const;
  std::optional<OptionValue> find(std::string_view key) const;
  /// All keys in the order of the file.
  std::vector<std::string> keys() const;

  // The value of a key, or the fallback where the key is missing.
  std::int64_t integer(std::string_view key, std::int64_t fallback,
                       std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  double number(std::string_view key, double fallback, double min = -1e300,
                double max = 1e300) const;
  bool boolean(std::string_view key, bool fallback) const;
  std::string text(std::string_view key, std::string_view fallback) const;
  Duration duration(std::string_view key, Duration fallback) const;
  std::size_t choice(std::string_view key, std::span<const std::string_view> words,
                     std::size_t fallback) const;
  /// The tables of an array of tables; empty where the key is missing.
  std::vector<Options> tables(std::string_view key) const;
  /// A sub-table; an empty one where the key is missing.
  Options table(std::string_view key) const;

  /// Throws for the first key, here or in sub-tables handed out by table(), that was not asked for.
  void finish() const;
  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void fail(std::string_view key, std::string_view message) const;

  /// Parses a text. `name` is the file name that errors carry.
  static Options from_toml(std::string_view text, std::string name);
  static Options from_json(std::string_view text, std::string name);

 private:
  friend class OptionValue;
  Options(const internal::DocumentValue* value, std::string path,
          std::shared_ptr<internal::OptionsState> state)
      : value_(value), path_(std::move(path)), state_(std::move(state)) {}
  std::string path_of(std::string_view key) const;
  const internal::DocumentValue* value_;
  std::string path_;
  std::shared_ptr<internal::OptionsState> state_;
};

/// "250us", "20ms", "5.25s", "2min", "1h", exactly; nullopt for anything else or out of range.
std::optional<Duration> parse_duration(std::string_view text);
/// The shortest of these forms that is exact.
std::string to_string(Duration duration);

}  // namespace dissensus
