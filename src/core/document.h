// A parsed TOML or JSON text with the line of every value: what Options reads from.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dissensus::internal {

struct DocumentMember;

struct DocumentValue {
  enum class Type : std::uint8_t { null, boolean, integer, number, text, list, table };
  Type type = Type::null;
  int line = 0;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<DocumentValue> items;
  std::vector<DocumentMember> members;  ///< in the order of the file
  /// Positions in `members` by key, once there are many.
  std::map<std::string, std::size_t, std::less<>> index;

  // What readers have asked for; lets Options::finish find typos.
  mutable bool asked = false;
  mutable bool opened = false;
  mutable std::vector<std::string> asked_names;

  const DocumentValue* find(std::string_view key) const;
  DocumentValue& add_member(std::string key, DocumentValue value);
};

struct DocumentMember {
  std::string name;
  DocumentValue value;
};

struct OptionsState {
  std::string name;  ///< of the file
  DocumentValue root;
};

/// Throw InputError for anything that is not a well-formed document within the limits.
DocumentValue parse_toml(std::string_view text, const std::string& name);
DocumentValue parse_json(std::string_view text, const std::string& name);

[[noreturn]] void fail_at(const std::string& name, int line, std::string_view key,
                          std::string_view message);
/// The text on one line: control characters and broken UTF-8 as '?', at most `max` bytes.
std::string printable(std::string_view text, std::size_t max = 200);

}  // namespace dissensus::internal
