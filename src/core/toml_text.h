// A TOML text that is edited where it stands: comments, order and layout stay as a person wrote
// them. The one way in which scenarios are changed, whoever changes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/toml_layout.h"

namespace dissensus {

/// Keys are written as in TOML, from the root: "phases.faults.until". All throw InputError, with
/// file and line, for a text that is no TOML and for changes that it does not admit.
class TomlText {
 public:
  TomlText(std::string text, std::string name);

  const std::string& text() const { return text_; }
  /// The value as it is written; nullopt where the key is missing or has a header instead.
  std::optional<std::string_view> value(std::string_view key) const;

  /// Replaces a value, whatever it was, or adds the key to its table (and the table to the text).
  void set(std::string_view key, std::string_view value);
  /// Makes changes, each as TOML says it (`system.bugs = ["B1"]`): tables are merged, everything
  /// else is replaced. `source` is who asks for them ("--set"), for errors.
  void merge(std::string_view changes, const std::string& source);
  /// Takes out a key or table with all that is below it; false if there is none.
  bool remove(std::string_view key);

  /// How many tables [[key]] there are; an array in brackets has none.
  std::size_t tables(std::string_view key) const;
  /// Takes out some of them, each with the comments directly above its header.
  void remove_tables(std::string_view key, std::span<const std::uint32_t> which);

 private:
  using Path = internal::TomlPath;
  using Span = internal::TomlSpan;

  void apply(const TomlText& changes, const internal::TomlEntry& change);
  void assign(const Path& path, std::string_view value);
  bool remove(const Path& path);
  void insert(const Path& path, std::string_view value);
  bool insert_below(const Path& path, std::size_t depth, std::string_view value);
  void insert_in_section(std::size_t section, const Path& path, std::string_view value);
  void insert_in_table(const internal::TomlEntry& table, const Path& path, std::string_view value);
  void append_section(const Path& path, std::string_view value);

  const internal::TomlEntry* entry_at(const Path& path) const;
  bool is_table(const Path& path) const;
  bool is_in_array(const internal::TomlEntry& entry) const;
  const Path& table_of(const internal::TomlEntry& entry) const;
  const internal::TomlEntry* first_below(const Path& path) const;
  Span without(const internal::TomlEntry& entry) const;
  Span line_of(Span span) const;
  void splice(std::vector<Span> spans, std::string_view replacement);
  [[noreturn]] void fail(std::size_t at, const Path& path, std::string_view message) const;

  std::string text_;
  std::string name_;
  std::string line_break_;
  internal::TomlLayout layout_;
};

/// "key=value" of a command line, as key and TOML value: what is no TOML becomes a text, so that
/// nobody has to quote for two readers. Throws InputError, which names the option.
std::pair<std::string, std::string> parse_assignment(const std::string& assignment,
                                                     std::string_view option);

}  // namespace dissensus
