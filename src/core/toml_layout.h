// Where a TOML text says what: the bytes of its table headers, keys and values. For editing in
// place; what the values mean is the business of core/document.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus::internal {

using TomlPath = std::vector<std::string>;

/// Bytes of the text, half open.
struct TomlSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

inline constexpr std::size_t kNoTomlPlace = static_cast<std::size_t>(-1);

/// The text before the first header (the root), or a header with what follows it.
struct TomlSection {
  TomlPath path;
  TomlSpan header;          ///< "[system]"; empty for the root
  TomlSpan whole;           ///< with the comments directly above; ends where the next one begins
  bool is_element = false;  ///< [[path]]
  std::size_t element = kNoTomlPlace;  ///< which one of the outermost array it belongs to
  std::size_t array_depth = 0;         ///< parts of the path that name this array
};

/// key = value, of a section or of an inline table. Members of arrays are part of their value.
struct TomlEntry {
  TomlPath path;  ///< from the root
  TomlSpan whole;
  TomlSpan value;
  bool is_table = false;  ///< an inline table, whose entries follow
  std::size_t section = 0;
  std::size_t parent = kNoTomlPlace;  ///< the entry of the inline table it is written in
};

struct TomlLayout {
  std::vector<TomlSection> sections;  ///< in the order of the text, the root first
  std::vector<TomlEntry> entries;
};

/// The text must be TOML (parse_toml).
TomlLayout toml_layout(std::string_view text);

/// True if `path` begins with `prefix`.
bool is_below(const TomlPath& path, const TomlPath& prefix);

}  // namespace dissensus::internal
