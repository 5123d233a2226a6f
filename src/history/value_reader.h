// EDN and JSON values, one after another, with the line of each mistake. The two notations differ
// in little but their separators, so one reader knows both.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dissensus/history.h"

namespace dissensus::history {

enum class Notation : std::uint8_t { edn, json };

class ValueReader {
 public:
  /// `text` must outlive the history, as its own source does: values point into it.
  ValueReader(History& history, std::string_view text, Notation notation, std::uint32_t line = 1)
      : history_(history), text_(text), notation_(notation), line_(line) {}

  /// Skips what means nothing: space, comments, EDN's discarded values and commas.
  void skip_space();
  bool at_end();
  std::uint32_t line() const { return line_; }
  std::size_t position() const { return position_; }

  Value value();
  /// Reads over a value without keeping it.
  void skip_value() { value(); }
  /// Opens a map, a list, or the whole: true when the next character is `c`, which is then passed.
  bool take(char c);
  char peek();
  /// EDN: `#name` before a value says of what type it is; nothing here depends on that.
  void skip_tags();
  /// After a key and between items: what JSON demands there. `end` is the closing bracket; true
  /// when it came.
  bool ends(char end, bool is_first);
  void after_key();

  [[noreturn]] void fail(std::string_view expected) const;

 private:
  Value word_or_number();
  Value number(std::string_view token);
  Value text();
  Value character();
  Value items(char end);
  Value map();
  Value tagged();
  std::string_view token();
  char32_t hexadecimal();
  void append_code_point(std::string& out);

  History& history_;
  std::string_view text_;
  Notation notation_;
  std::uint32_t line_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
  std::vector<Value> scratch_;
};

}  // namespace dissensus::history
