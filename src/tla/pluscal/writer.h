// Lines of text that are written piece by piece.
#pragma once

#include <string>
#include <vector>

#include "tla/pluscal/formula.h"
#include "tla/pluscal/generate.h"

namespace dissensus::tla::pluscal {

class Writer {
 public:
  std::vector<GeneratedLine> lines;
  Place from;  ///< of the lines that follow

  std::size_t column() const { return open_.size(); }
  void put(std::string_view text) { open_ += text; }
  /// Its further lines begin where the first one does.
  void put(const Formula& formula);
  void end_line();
  void line(std::string_view text);

 private:
  std::string open_;
};

inline std::string spaces(std::size_t count) {
  return std::string(count, ' ');
}

}  // namespace dissensus::tla::pluscal
