// Where text came from, and errors that say so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/options.h"

namespace dissensus::tla {

/// A file (or embedded module) as it was read. Outlives everything parsed from it.
struct Source {
  std::string path;  ///< as a person would name it; "standard module Sequences" for ours
  std::string text;
  /// Where a person finds what stands in a line: a translation of an algorithm is shown at the
  /// algorithm. Column 0: the column as it is.
  struct Shown {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  std::vector<Shown> shown = {};  ///< by line; empty: lines as they are
  /// Line `line` (from 1) without its end; empty beyond the last.
  std::string_view line(std::uint32_t line) const;
};
using SourcePtr = std::shared_ptr<const Source>;

/// A stretch of a source, lines and columns from 1, the end included.
struct Location {
  const Source* source = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;

  /// "path:line:column", or empty.
  std::string to_string() const;
  /// The text it covers, with runs of space made one; cut with "..." after `limit` characters.
  std::string excerpt(std::size_t limit = 80) const;
};

/// A spec, configuration, mapping or log that cannot be used: syntax, names, levels, types.
/// what() is "path:line:column: message". One line, without a final period.
class SpecError : public InputError {
 public:
  SpecError(const Location& at, const std::string& message);
  const Location& at() const { return at_; }
  const std::string& message() const { return message_; }

 private:
  Location at_;
  std::string message_;
};

/// An error while evaluating: what TLC, too, refuses. `calls` are the operators on the way there,
/// innermost first, for the longer report.
class EvaluationError : public SpecError {
 public:
  using SpecError::SpecError;
  struct Call {
    std::string name;
    Location at;
  };
  std::vector<Call> calls;
};

}  // namespace dissensus::tla
