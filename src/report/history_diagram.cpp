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
constexpr double kGutter = 44;  ///< for the arrow that closes a cycle
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
    std::map<std::int64_t, std::size_t> lane_numbers;
    for (const Part& part : finding_.parts) {
      const Operation& operation = operations_[part.operation];
      events.push_back(operation.invoked);
      if (is_answered(operation)) events.push_back(operation.completed);
      lane_numbers.emplace(history_.events()[operation.invoked].process, 0);
    }
    std::sort(events.begin(), events.end());
    events.erase(std::unique(events.begin(), events.end()), events.end());
    if (!is_cycle()) {
      for (auto& [process, number] : lane_numbers) {
        number = lanes_.size();
        lanes_.push_back(fmt::format("process {}", process));
      }
    }
    columns_ = events.size() + 1;
    const auto column_of = [&](std::uint32_t event) {
      return static_cast<std::size_t>(std::lower_bound(events.begin(), events.end(), event) -
                                      events.begin());
    };
    for (const Part& part : finding_.parts) {
      Bar bar;
      bar.part = &part;
      bar.operation = &operations_[part.operation];
      const std::int64_t process = history_.events()[bar.operation->invoked].process;
      if (is_cycle()) {
        // Rows in the order of the cycle: arrows then lead from each to the next.
        bar.lane = lanes_.size();
        lanes_.push_back(fmt::format("{}, process {}", part.text, process));
      } else {
        bar.lane = lane_numbers[process];
      }
      bar.first = column_of(bar.operation->invoked);
      // What nobody answered goes on until the end.
      bar.last = is_answered(*bar.operation) ? column_of(bar.operation->completed) : columns_;
      bar.label = history::label_of(history_, *bar.operation, kLabelMax);
      has_notes_ = has_notes_ || !part.text.empty();
      bars_.push_back(std::move(bar));
    }
    lane_height_ = is_cycle() ? 74 : (has_notes_ ? 62 : 48);
  }

  bool is_cycle() const { return !finding_.links.empty(); }

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
    double x = kMargin + kLaneLabels + (is_cycle() ? kGutter : 0);
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
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const double y = bar_top(lane) + kBarHeight / 2;
      canvas.line({column_ends_.front(), y}, {width - kMargin, y}, "#dddddd", 1);
      canvas.text({kMargin, y + 4}, lanes_[lane], {12});
    }
  }

  double bar_top(std::size_t lane) const {
    return top_ + lane_height_ * static_cast<double>(lane) + 6;
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
    if (!bar.part->text.empty() && !is_cycle()) {
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

  /// From row to row straight down, where both bars are; the last arrow goes back on the left.
  void draw_link(SvgCanvas& canvas, const history::Link& link) const {
    const Bar* from = bar_of(link.from);
    const Bar* to = bar_of(link.to);
    if (from == nullptr || to == nullptr) return;
    if (to->lane == from->lane + 1) {
      const double left = std::max(from->box.left, to->box.left);
      const double right = std::min(from->box.right, to->box.right);
      const auto middle = [](const Box& box) { return (box.left + box.right) / 2; };
      const bool overlap = right - left > 16;
      const double begin = overlap ? (left + right) / 2 : middle(from->box);
      const double end = overlap ? begin : middle(to->box);
      draw_arrow(canvas, {begin, from->box.bottom}, {end, to->box.top}, link.label, link.text);
      return;
    }
    const double x = kMargin + kLaneLabels + kGutter / 2;
    const double begin = (from->box.top + from->box.bottom) / 2;
    const double end = (to->box.top + to->box.bottom) / 2;
    canvas.line({from->box.left, begin}, {x, begin}, kArrow, 1.6);
    canvas.line({x, begin}, {x, end}, kArrow, 1.6);
    draw_arrow(canvas, {x, end}, {to->box.left, end}, "", link.text);
    canvas.text({x, (begin + end) / 2 + 4}, link.label, {12, kArrow, "middle", true, true});
  }

  void draw_legend(SvgCanvas& canvas, double y) const {
    std::string text =
        "A bar is an operation from invocation to answer; dashed: nobody knows "
        "whether it happened. Left to right in real time, not to scale.";
    canvas.text({kMargin, y}, text, {11, "#777777"});
    if (is_cycle()) {
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
  std::vector<std::string> lanes_;
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
