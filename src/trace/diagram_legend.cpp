#include "trace/diagram_legend.h"

#include <algorithm>

#include <fmt/format.h>

#include "trace/diagram_shapes.h"
#include "trace/labels.h"

namespace dissensus::trace {
namespace {

constexpr double kMargin = 24;
constexpr double kLine = 20;
constexpr double kSymbolWidth = 28;
constexpr double kTextSize = 11.5;

}  // namespace

DiagramLegend::DiagramLegend(const Trace& trace, const Diagram& diagram,
                             const std::set<MessageKind>& hidden_kinds) {
  const Header& header = trace.header;
  for (std::size_t rank = 0; rank < diagram.kinds.size(); ++rank) {
    if (hidden_kinds.contains(diagram.kinds[rank])) continue;
    entries_.push_back({Symbol::kind, rank, kind_name(header, diagram.kinds[rank])});
  }
  std::set<std::uint64_t> phases;
  for (const Span& span : diagram.phases) phases.insert(span.phase);
  for (const std::uint64_t phase : phases) {
    entries_.push_back({Symbol::phase, phase, name_or_number(header.phases, phase, "phase")});
  }
  add_symbols(trace, diagram);
}

void DiagramLegend::add_symbols(const Trace& trace, const Diagram& diagram) {
  const auto add_if = [this](bool used, Symbol symbol, std::string_view text) {
    if (used) entries_.push_back({symbol, 0, std::string(text)});
  };
  const auto any_decision = [&](bool disputed) {
    return std::any_of(
        diagram.decisions.begin(), diagram.decisions.end(),
        [disputed](const DecisionMark& mark) { return mark.is_disputed == disputed; });
  };
  const auto any_mark = [&](EventType type) {
    return std::any_of(
        diagram.marks.begin(), diagram.marks.end(),
        [&trace, type](std::size_t index) { return trace.records[index].type == type; });
  };
  const auto any_arrow = [&](auto predicate) {
    return std::any_of(diagram.arrows.begin(), diagram.arrows.end(), predicate);
  };
  add_if(any_decision(false), Symbol::decided, "decided");
  add_if(any_decision(true), Symbol::disputed, "decided differently");
  add_if(any_mark(EventType::propose), Symbol::proposed, "proposed");
  add_if(any_mark(EventType::submit), Symbol::request, "request");
  add_if(any_arrow([](const Arrow& arrow) { return arrow.how == Arrow::End::dropped; }),
         Symbol::dropped, "lost");
  add_if(any_arrow([](const Arrow& arrow) { return arrow.is_mutated; }), Symbol::changed,
         "changed");
  add_if(any_arrow([](const Arrow& arrow) { return arrow.how == Arrow::End::under_way; }),
         Symbol::under_way, "under way at the end");
  add_if(!diagram.down.empty(), Symbol::down, "node is down");
  add_if(!diagram.partitions.empty(), Symbol::partition, "partition");
}

double DiagramLegend::lay_out(double y, double width) {
  if (entries_.empty()) return y;
  double x = kMargin;
  y += kLine / 2;
  bool in_symbols = entries_.front().symbol != Symbol::kind;
  for (Entry& entry : entries_) {
    const double entry_width = kSymbolWidth + 6 + text_width(entry.text, kTextSize) + 16;
    const bool begins_symbols = !in_symbols && entry.symbol != Symbol::kind;
    if (begins_symbols) in_symbols = true;
    if (x > kMargin && (begins_symbols || x + entry_width > width - kMargin)) {
      x = kMargin;
      y += kLine;
    }
    entry.at = {x, y};
    x += entry_width;
  }
  return y + kLine / 2;
}

void DiagramLegend::draw(SvgCanvas& canvas) const {
  for (const Entry& entry : entries_) {
    draw_symbol(canvas, entry);
    canvas.text({entry.at.x + kSymbolWidth + 6, entry.at.y + 4}, entry.text, {.size = kTextSize});
  }
}

void DiagramLegend::draw_symbol(SvgCanvas& canvas, const Entry& entry) {
  const Point left = entry.at;
  const Point right{left.x + kSymbolWidth, left.y};
  const Point middle = between(left, right, 0.5);
  const Box box{left.x, left.y - 6, right.x, left.y + 6};
  switch (entry.symbol) {
    case Symbol::kind: {
      const KindStyle style = kind_style(entry.index);
      canvas.line(left, {right.x - 6, right.y}, style.colour, 2, style.attributes);
      draw_head(canvas, left, right, 8, style.colour);
      break;
    }
    case Symbol::phase:
      canvas.rectangle({box.left, left.y - 4, box.right, left.y + 4}, phase_colour(entry.index));
      break;
    case Symbol::decided:
      draw_decision(canvas, middle, 0, false);
      break;
    case Symbol::disputed:
      draw_decision(canvas, {middle.x - 8, middle.y}, 0, true);
      draw_decision(canvas, {middle.x + 8, middle.y}, 1, true);
      break;
    case Symbol::proposed:
      draw_proposal(canvas, middle);
      break;
    case Symbol::request:
      draw_request(canvas, {middle.x, middle.y + 9.5});
      break;
    case Symbol::dropped:
      canvas.cross(middle, 4.5, kFaultColour, 2);
      break;
    case Symbol::changed:
      draw_change(canvas, middle);
      break;
    case Symbol::under_way:
      canvas.line(left, right, kQuietText, 1.4, "stroke-dasharray=\"1 3\"");
      break;
    case Symbol::down:
      canvas.rectangle(box, kDownFill);
      break;
    case Symbol::partition:
      canvas.rectangle(box, kPartitionFill,
                       fmt::format("stroke=\"{}\" stroke-width=\"0.7\"", kPartitionEdge));
      break;
  }
}

}  // namespace dissensus::trace
