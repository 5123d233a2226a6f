#include "report/history_diagram.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "history/describe.h"
#include "trace/svg_canvas.h"

namespace dissensus::report {

namespace {

using history::EventKind;
using history::Finding;
using history::Operation;
using history::Part;
using trace::Box;
using trace::Point;
using trace::SvgCanvas;

constexpr double kMargin = 24;
constexpr double kLaneLabels = 92;
constexpr double kColumnMin = 26;
constexpr double kBarHeight = 26;
constexpr double kLabelSize = 11.5;
constexpr double kLineHeight = 17;
constexpr std::size_t kLabelMax = 44;
constexpr std::string_view kConflict = "#c0392b";
constexpr std::string_view kArrow = "#6c3483";

struct Bar {
  const Part* part = nullptr;
  const Operation* operation = nullptr;
  std::size_t lane = 0;
  std::size_t first = 0;  ///< columns, one per event that is shown
  std::size_t last = 0;
  std::string label;
  Box box;
};

/// A text in lines of at most so many characters.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string milliseconds(std::chrono::nanoseconds time) {
  return time == history::kNoTime
             ? "unknown"
             : fmt::format("{:.3f} ms", static_cast<double>(time.count()) / 1e6);
}

class Diagram {
 public:
  Diagram(const history::History& history, const std::vector<Operation>& operations,
          const history::Verdict& verdict, const Finding& finding)
      : history_(history), operations_(operations), verdict_(verdict), finding_(finding) {}

  std::string draw() {
    place_bars();
    size_columns();
    const double width = std::max(760.0, column_ends_.back() + kMargin);
    const auto characters = static_cast<std::size_t>((width - 2 * kMargin) / 6.6);
    const std::vector<std::string> explanation = wrapped(finding_.text, characters);
    top_ = kMargin + 30 + kLineHeight * static_cast<double>(explanation.size() + 1) + 14;
    const double bottom = top_ + lane_height_ * static_cast<double>(lanes_.size());
    SvgCanvas canvas(width, bottom + 66);
    draw_head(canvas, explanation);
    draw_lanes(canvas, width);
    for (Bar& bar : bars_) draw_bar(canvas, bar);
    for (std::size_t i = 0; i < finding_.links.size(); ++i) draw_link(canvas, finding_.links[i]);
    draw_legend(canvas, bottom + 24);
    return canvas.finish();
  }

 private:
  void place_bars() {
    std::vector<std::uint32_t> events;
    for (const Part& part : finding_.parts) {
      const Operation& operation = operations_[part.operation];
      events.push_back(operation.invoked);
      if (is_answered(operation)) events.push_back(operation.completed);
      lanes_.emplace(history_.events()[operation.invoked].process, 0);
    }
    std::sort(events.begin(), events.end());
    events.erase(std::unique(events.begin(), events.end()), events.end());
    std::size_t lane = 0;
    for (auto& [process, number] : lanes_) number = lane++;
    columns_ = events.size() + 1;
    const auto column_of = [&](std::uint32_t event) {
      return static_cast<std::size_t>(std::lower_bound(events.begin(), events.end(), event) -
                                      events.begin());
    };
    for (const Part& part : finding_.parts) {
      Bar bar;
      bar.part = &part;
      bar.operation = &operations_[part.operation];
      bar.lane = lanes_[history_.events()[bar.operation->invoked].process];
      bar.first = column_of(bar.operation->invoked);
      // What nobody answered goes on until the end.
      bar.last = is_answered(*bar.operation) ? column_of(bar.operation->completed) : columns_;
      bar.label = history::label_of(history_, *bar.operation, kLabelMax);
      has_notes_ = has_notes_ || !part.text.empty();
      bars_.push_back(std::move(bar));
    }
    lane_height_ = finding_.links.empty() ? (has_notes_ ? 62 : 48) : 96;
  }

  static bool is_answered(const Operation& operation) {
    return operation.completed != Operation::kNone && operation.outcome != EventKind::info;
  }

  double width_of(const Bar& bar) const {
    const double label = trace::text_width(bar.label, kLabelSize) + 20;
    const double note = trace::text_width(bar.part->text, 10.5);
    return std::max(label + (bar.part->order > 0 ? 24 : 0), note);
  }

  /// Columns are as wide as the labels of the bars need. Short bars first: long ones then need
  /// less.
  void size_columns() {
    std::vector<double> widths(columns_, kColumnMin);
    std::vector<const Bar*> order;
    for (const Bar& bar : bars_) order.push_back(&bar);
    std::stable_sort(order.begin(), order.end(), [](const Bar* a, const Bar* b) {
      return a->last - a->first < b->last - b->first;
    });
    for (const Bar* bar : order) {
      double width = 0;
      for (std::size_t i = bar->first; i < bar->last; ++i) width += widths[i];
      const double missing = width_of(*bar) - width;
      if (missing <= 0) continue;
      const double each = missing / static_cast<double>(bar->last - bar->first);
      for (std::size_t i = bar->first; i < bar->last; ++i) widths[i] += each;
    }
    double x = kMargin + kLaneLabels;
    column_ends_ = {x};
    for (const double width : widths) column_ends_.push_back(x += width);
  }

  void draw_head(SvgCanvas& canvas, const std::vector<std::string>& explanation) const {
    double y = kMargin + 14;
    canvas.text({kMargin, y}, fmt::format("{}: {}", verdict_.model, finding_.name),
                {18, kConflict, "start", true});
    y += kLineHeight + 4;
    for (const std::string& line : explanation) {
      canvas.text({kMargin, y}, line, {12.5});
      y += kLineHeight;
    }
    std::string source = history_.name();
    if (finding_.count > 1) source += fmt::format("; one of {} of this kind", finding_.count);
    canvas.text({kMargin, y}, source, {11, "#777777"});
  }

  void draw_lanes(SvgCanvas& canvas, double width) const {
    for (const auto& [process, lane] : lanes_) {
      const double y = bar_top(lane) + kBarHeight / 2;
      canvas.line({kMargin + kLaneLabels, y}, {width - kMargin, y}, "#dddddd", 1);
      canvas.text({kMargin, y + 4}, fmt::format("process {}", process), {12});
    }
  }

  double bar_top(std::size_t lane) const {
    return top_ + lane_height_ * static_cast<double>(lane) + (finding_.links.empty() ? 6 : 30);
  }

  void draw_bar(SvgCanvas& canvas, Bar& bar) const {
    const double top = bar_top(bar.lane);
    bar.box = {column_ends_[bar.first] + 2, top, column_ends_[bar.last] - 2, top + kBarHeight};
    const bool is_conflict = bar.part->is_conflict;
    const bool is_open = !is_answered(*bar.operation);
    const bool is_failed = bar.operation->outcome == EventKind::fail;
    const std::string_view fill = is_conflict ? "#fadbd8" : is_failed ? "#eeeeee" : "#d6eaf8";
    const std::string_view stroke = is_conflict ? kConflict : is_failed ? "#999999" : "#5499c7";
    const history::Event& asked = history_.events()[bar.operation->invoked];
    std::string title = history::describe(history_, *bar.operation);
    title += fmt::format("; invoked at {}", milliseconds(asked.time));
    if (bar.operation->completed != Operation::kNone) {
      title += fmt::format(", {} at {}", to_string(bar.operation->outcome),
                           milliseconds(history_.events()[bar.operation->completed].time));
    }
    canvas.begin_group(title);
    canvas.rectangle(bar.box, fill,
                     fmt::format("rx=\"4\" stroke=\"{}\" stroke-width=\"{}\"{}", stroke,
                                 is_conflict ? 2 : 1, is_open ? " stroke-dasharray=\"5 3\"" : ""));
    double x = bar.box.left + 8;
    if (bar.part->order > 0) {
      const Point center{bar.box.left + 14, top + kBarHeight / 2};
      canvas.circle(center, 10, "#ffffff", stroke, 1);
      canvas.text({center.x, center.y + 3.5}, fmt::to_string(bar.part->order),
                  {9.5, "#333333", "middle", true});
      x += 20;
    }
    canvas.text({x, top + kBarHeight / 2 + 4}, bar.label,
                {kLabelSize, is_conflict ? "#7b241c" : "#1b2631", "start", is_conflict});
    if (!bar.part->text.empty() && finding_.links.empty()) {
      canvas.text({bar.box.left + 2, top + kBarHeight + 13}, bar.part->text, {10.5, kConflict});
    }
    canvas.end_group();
  }

  const Bar* bar_of(std::uint32_t operation) const {
    for (const Bar& bar : bars_) {
      if (bar.part->operation == operation) return &bar;
    }
    return nullptr;
  }

  void draw_arrow(SvgCanvas& canvas, Point from, Point to, std::string_view label,
                  std::string_view title) const {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length = std::max(1.0, std::sqrt(dx * dx + dy * dy));
    const Point unit{dx / length, dy / length};
    canvas.begin_group(title);
    canvas.line(from, {to.x - unit.x * 7, to.y - unit.y * 7}, kArrow, 1.6);
    canvas.polygon({to,
                    {to.x - unit.x * 9 - unit.y * 4, to.y - unit.y * 9 + unit.x * 4},
                    {to.x - unit.x * 9 + unit.y * 4, to.y - unit.y * 9 - unit.x * 4}},
                   kArrow, kArrow, 0.5);
    canvas.text({(from.x + to.x) / 2, (from.y + to.y) / 2 + 4}, label,
                {12, kArrow, "middle", true, true});
    canvas.end_group();
  }

  /// Arrows leave to the right of the middle of a bar and arrive to its left, so that there and
  /// back are two arrows.
  void draw_link(SvgCanvas& canvas, const history::Link& link) const {
    const Bar* from = bar_of(link.from);
    const Bar* to = bar_of(link.to);
    if (from == nullptr || to == nullptr) return;
    const auto at = [](const Bar& bar, double share) {
      return bar.box.left + (bar.box.right - bar.box.left) * share;
    };
    if (from->lane == to->lane) {
      const bool is_forward = from->box.left < to->box.left;
      const double y = is_forward ? from->box.top - 16 : from->box.bottom + 16;
      const double edge = is_forward ? from->box.top : from->box.bottom;
      const Point start{at(*from, 0.7), edge};
      const Point end{at(*to, 0.3), edge};
      canvas.line(start, {start.x, y}, kArrow, 1.6);
      canvas.line({start.x, y}, {end.x, y}, kArrow, 1.6);
      draw_arrow(canvas, {end.x, y}, end, "", link.text);
      canvas.text({(start.x + end.x) / 2, y + 4}, link.label, {12, kArrow, "middle", true, true});
      return;
    }
    const bool is_down = from->lane < to->lane;
    const Point start{at(*from, is_down ? 0.62 : 0.38), is_down ? from->box.bottom : from->box.top};
    const Point end{at(*to, is_down ? 0.62 : 0.38), is_down ? to->box.top : to->box.bottom};
    draw_arrow(canvas, start, end, link.label, link.text);
  }

  void draw_legend(SvgCanvas& canvas, double y) const {
    std::string text =
        "A bar is an operation from invocation to answer; dashed: nobody knows "
        "whether it happened. Left to right in real time, not to scale.";
    canvas.text({kMargin, y}, text, {11, "#777777"});
    if (!finding_.links.empty()) {
      text =
          "An arrow leads to what must come later: ww wrote the next version, wr was read, rw was "
          "not seen yet.";
    } else if (std::ranges::any_of(finding_.parts, [](const Part& p) { return p.order > 0; })) {
      text = "Numbers: the longest order that was found. Red: what fits nowhere in it.";
    } else {
      text = "Red: what cannot all be true.";
    }
    canvas.text({kMargin, y + kLineHeight}, text, {11, "#777777"});
  }

  const history::History& history_;
  const std::vector<Operation>& operations_;
  const history::Verdict& verdict_;
  const Finding& finding_;
  std::map<std::int64_t, std::size_t> lanes_;
  std::vector<Bar> bars_;
  std::vector<double> column_ends_;
  std::size_t columns_ = 0;
  bool has_notes_ = false;
  double lane_height_ = 48;
  double top_ = 0;
};

}  // namespace

std::string history_diagram(const history::History& history,
                            const std::vector<Operation>& operations,
                            const history::Verdict& verdict) {
  for (const Finding& finding : verdict.findings) {
    if (!finding.parts.empty()) return Diagram(history, operations, verdict, finding).draw();
  }
  SvgCanvas canvas(760, 90);
  canvas.text({kMargin, 38}, fmt::format("{}: {}", verdict.model, to_string(verdict.outcome)),
              {18, "#1e8449", "start", true});
  canvas.text({kMargin, 62}, verdict.reason.empty() ? "No operations conflict." : verdict.reason,
              {12.5});
  return canvas.finish();
}

}  // namespace dissensus::report
