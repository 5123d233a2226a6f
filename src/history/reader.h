// Histories from files: Jepsen's history.edn, its log lines, and JSON lines
// (docs/formats/history.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dissensus/history.h"

namespace dissensus::history {

enum class Format : std::uint8_t {
  guess,  ///< from the first characters
  edn,    ///< maps, one after another or in one vector
  log,    ///< lines such as "INFO jepsen.util - 0 :invoke :write 3"
  json,   ///< objects, one per line or in one array
};

/// Larger files are refused before they are read.
inline constexpr std::size_t kHistoryBytesMax = std::size_t{4} << 30;

/// Both throw InputError with file, line and what was expected. Events of the nemesis, whose
/// process is no number, are left out.
History read_history(const std::string& path, Format format = Format::guess);
History parse_history(std::string name, std::string text, Format format = Format::guess);

/// As JSON lines, which read_history reads back.
std::string to_json_line(const Event& event);

/// Throws InputError: "file:line: message", at the line of the event.
[[noreturn]] void fail(const History& history, const Event& event, std::string_view message);

}  // namespace dissensus::history
