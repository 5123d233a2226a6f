// The legend of a space-time diagram: the kinds of messages, and only the symbols that occur.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "trace/diagram.h"
#include "trace/svg_canvas.h"

namespace dissensus::trace {

class DiagramLegend {
 public:
  DiagramLegend(const Trace& trace, const Diagram& diagram,
                const std::set<MessageKind>& hidden_kinds);

  /// Places the entries in lines from `y` down; returns the lower edge.
  double lay_out(double y, double width);
  void draw(SvgCanvas& canvas) const;

 private:
  enum class Symbol : std::uint8_t {
    kind,
    phase,
    decided,
    disputed,
    proposed,
    request,
    dropped,
    changed,
    under_way,
    down,
    partition,
  };
  struct Entry {
    Symbol symbol;
    std::size_t index;  ///< rank of a kind, or a phase
    std::string text;
    Point at{};
  };
  void add_symbols(const Trace& trace, const Diagram& diagram);
  static void draw_symbol(SvgCanvas& canvas, const Entry& entry);

  std::vector<Entry> entries_;
};

}  // namespace dissensus::trace
