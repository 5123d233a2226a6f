// JSON objects as people like to read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/options.h"

namespace dissensus::faults {

inline constexpr std::size_t kColumns = 100;

inline std::string quote(std::string_view text) {
  return nlohmann::json(text).dump();
}

/// The members of a JSON object, rendered.
class Members {
 public:
  void add(std::string_view key, std::string_view value) {
    items_.push_back(fmt::format("{}: {}", quote(key), value));
  }
  void add_text(std::string_view key, std::string_view text) { add(key, quote(text)); }
  void add_number(std::string_view key, std::uint64_t number) { add(key, fmt::to_string(number)); }
  void add_duration(std::string_view key, Duration duration) { add_text(key, to_string(duration)); }

  bool empty() const { return items_.empty(); }
  std::string on_one_line() const { return fmt::format("{{{}}}", fmt::join(items_, ", ")); }
  std::string one_per_line(std::size_t indent) const {
    const std::string separator = fmt::format(",\n{:{}}", "", indent + 2);
    return fmt::format("{{\n{:{}}{}\n{:{}}}}", "", indent + 2, fmt::join(items_, separator), "",
                       indent);
  }
  /// As many per line as fit, the first of them at `column`.
  std::string filled(std::size_t indent, std::size_t column) const {
    std::string result = "{";
    std::size_t used = column + 1;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const std::size_t needed = items_[i].size() + 2;  // a comma, or what closes the object
      if (i > 0 && used + 1 + needed > kColumns) {
        result += fmt::format("\n{:{}}", "", indent);
        used = indent;
      } else if (i > 0) {
        result += ' ';
        ++used;
      }
      result += items_[i];
      if (i + 1 < items_.size()) result += ',';
      used += needed;
    }
    return result + '}';
  }

 private:
  std::vector<std::string> items_;
};

}  // namespace dissensus::faults
