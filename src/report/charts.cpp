#include "report/charts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "trace/diagram_shapes.h"
#include "trace/labels.h"
#include "trace/svg_canvas.h"

namespace dissensus::report {

namespace {

constexpr double kWidth = 1180;
constexpr double kLeft = 64;
constexpr double kRight = 24;
constexpr std::string_view kAxisColour = "#888888";
constexpr std::string_view kGridColour = "#ECECEC";

double seconds(Time time) {
  return static_cast<double>(microseconds_of(time)) / 1e6;
}

/// A time axis from 0 to `until`, with ticks at round seconds.
class TimeAxis {
 public:
  explicit TimeAxis(Time until) : until_(std::max(seconds(until), 1e-6)) {
    static constexpr std::array<double, 3> kSteps{1, 2, 5};
    double power = 1e-6;
    for (std::size_t i = 0; until_ / step_ > 12 || step_ == 0; ++i) {
      step_ = kSteps[i % 3] * power;
      if (i % 3 == 2) power *= 10;
    }
  }
  double x(Time time) const { return x_of(seconds(time)); }
  void draw(trace::SvgCanvas& canvas, double top, double bottom) const {
    for (int tick = 0; tick * step_ <= until_ * 1.0001; ++tick) {
      const double at = x_of(tick * step_);
      canvas.line({at, top}, {at, bottom}, kGridColour, 1);
      const std::string label = until_ < 1 ? fmt::format("{:g} ms", 1000 * tick * step_)
                                           : fmt::format("{:g} s", tick * step_);
      canvas.text({at, bottom + 16}, label, {.size = 11, .fill = "#555555", .anchor = "middle"});
    }
    canvas.line({kLeft, bottom}, {kWidth - kRight, bottom}, kAxisColour, 1);
    canvas.text({kWidth - kRight, bottom + 32}, "virtual time",
                {.size = 11, .fill = "#555555", .anchor = "end"});
  }

 private:
  double x_of(double value) const { return kLeft + value / until_ * (kWidth - kLeft - kRight); }
  double until_;
  double step_ = 0;
};

void draw_moment(trace::SvgCanvas& canvas, double x, double top, double bottom,
                 std::string_view text, std::string_view colour) {
  canvas.line({x, top}, {x, bottom}, colour, 1.4, "stroke-dasharray=\"6 4\"");
  const bool left = x > kWidth / 2;
  canvas.text(
      {left ? x - 5 : x + 5, top + 10}, text,
      {.size = 11, .fill = colour, .anchor = left ? "end" : "start", .bold = true, .halo = true});
}

/// The decisions of one level, in order of time.
struct LevelRows {
  Level level = 0;
  std::vector<const trace::Record*> decisions;
  std::map<std::uint64_t, std::vector<Digest>> values;  ///< by instance, in order of appearance

  std::size_t variant(const trace::Record& record) const {
    const std::vector<Digest>& known = values.at(record.number);
    return static_cast<std::size_t>(std::find(known.begin(), known.end(), record.value) -
                                    known.begin());
  }
};

std::vector<LevelRows> collect_levels(const trace::Trace& trace) {
  std::map<Level, LevelRows> levels;
  for (const trace::Record& record : trace.records) {
    if (record.type != EventType::decide || !trace::has_agreement(trace.header, record.detail))
      continue;
    LevelRows& rows = levels[record.detail];
    rows.level = record.detail;
    rows.decisions.push_back(&record);
    std::vector<Digest>& values = rows.values[record.number];
    if (std::find(values.begin(), values.end(), record.value) == values.end())
      values.push_back(record.value);
  }
  std::vector<LevelRows> result;
  for (auto& [level, rows] : levels) result.push_back(std::move(rows));
  // What is final first.
  std::stable_sort(result.begin(), result.end(), [&](const LevelRows& a, const LevelRows& b) {
    return trace::is_final(trace.header, a.level) > trace::is_final(trace.header, b.level);
  });
  return result;
}

constexpr double kRow = 17;

void draw_level(trace::SvgCanvas& canvas, const trace::Header& header, const LevelRows& rows,
                const TimeAxis& axis, double top) {
  canvas.text({kLeft, top - 6}, trace::name_or_number(header.levels, rows.level, "level"),
              {.size = 12.5, .fill = "#222222", .bold = true});
  for (std::size_t node = 0; node < header.nodes; ++node) {
    const double y = top + kRow * (static_cast<double>(node) + 0.5);
    canvas.line({kLeft, y}, {kWidth - kRight, y}, "#DDDDDD", 1);
    canvas.text({kLeft - 8, y + 4}, fmt::format("n{}", node),
                {.size = 11, .fill = "#444444", .anchor = "end"});
  }
  trace::LabelSpace labels;
  for (const trace::Record* record : rows.decisions) {
    const trace::Point at{axis.x(record->time), top + kRow * (record->node + 0.5)};
    const bool disputed = rows.values.at(record->number).size() > 1;
    canvas.begin_group(fmt::format("n{}: {} {} = {} at {}", record->node,
                                   trace::name_or_number(header.levels, rows.level, "level"),
                                   trace::instance_text(header, rows.level, record->number),
                                   trace::value_text(header, rows.level, record->value),
                                   trace::time_text(record->time)));
    canvas.circle(at, disputed ? 5.5 : 4, trace::decision_colour(rows.variant(*record), disputed),
                  "#ffffff", 1);
    const std::string label = trace::instance_text(header, rows.level, record->number);
    const trace::TextStyle style{.size = 9.5, .fill = "#555555"};
    const trace::Point place{at.x + 7, at.y + 3.5};
    if (labels.try_take(trace::text_box(place, label, style))) canvas.text(place, label, style);
    canvas.end_group();
  }
}

constexpr std::array<std::string_view, 3> kCurveColours{"#0072B2", "#D55E00", "#009E73"};
constexpr std::array<std::string_view, 3> kBandColours{"#CFE4F2", "#F8DFCB", "#CBEBE0"};

}  // namespace

std::string timeline(const trace::Trace& trace, const oracle::Violation& violation) {
  const std::vector<LevelRows> levels = collect_levels(trace);
  if (levels.empty() || trace.header.nodes == 0) return {};
  Time until = violation.time;
  for (const trace::Record& record : trace.records) until = std::max(until, record.time);
  const TimeAxis axis(until);
  const double block = kRow * static_cast<double>(trace.header.nodes) + 30;
  const double bottom = 8 + block * static_cast<double>(levels.size());
  trace::SvgCanvas canvas(kWidth, bottom + 42);
  axis.draw(canvas, 8, bottom);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    draw_level(canvas, trace.header, levels[i], axis, 30 + block * static_cast<double>(i));
  }
  for (const trace::Record& record : trace.records) {
    if (record.type == EventType::phase_end) {
      draw_moment(canvas, axis.x(record.time), 4, bottom, "faults end", "#444444");
    }
  }
  draw_moment(canvas, axis.x(violation.time), 4, bottom, "violation", trace::kFaultColour);
  return canvas.finish();
}

Time point_of_no_return(std::span<const shrink::LikelihoodPoint> points) {
  Time result = Time::max();
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (point->runs == 0 || point->failing < point->runs) break;
    result = point->time;
  }
  return result;
}

std::string likelihood_chart(const std::vector<LikelihoodCurve>& curves, Time violation) {
  const TimeAxis axis(violation);
  constexpr double kTop = 34;
  constexpr double kBottom = 268;
  trace::SvgCanvas canvas(kWidth, kBottom + 42);
  const auto y = [](double share) { return kBottom - share * (kBottom - kTop); };
  axis.draw(canvas, kTop, kBottom);
  for (int tick = 0; tick <= 4; ++tick) {
    canvas.line({kLeft, y(tick / 4.0)}, {kWidth - kRight, y(tick / 4.0)}, kGridColour, 1);
    canvas.text({kLeft - 8, y(tick / 4.0) + 4}, fmt::format("{} %", tick * 25),
                {.size = 11, .fill = "#555555", .anchor = "end"});
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::vector<trace::Point> band;
    for (const auto& point : curves[i].points) band.push_back({axis.x(point.time), y(point.high)});
    for (auto point = curves[i].points.rbegin(); point != curves[i].points.rend(); ++point) {
      band.push_back({axis.x(point->time), y(point->low)});
    }
    if (!band.empty()) canvas.polygon(band, kBandColours[i % 3], "none", 0);
  }
  double legend_x = kLeft;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string_view colour = kCurveColours[i % 3];
    const auto& points = curves[i].points;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const trace::Point at{axis.x(points[p].time), y(points[p].share())};
      if (p > 0) {
        canvas.line({axis.x(points[p - 1].time), y(points[p - 1].share())}, at, colour, 2);
      }
      canvas.begin_group(fmt::format("different from {} on: {} of {} fail",
                                     trace::time_text(points[p].time), points[p].failing,
                                     points[p].runs));
      canvas.circle(at, 3.5, colour, "#ffffff", 1);
      canvas.end_group();
    }
    canvas.line({legend_x, 14}, {legend_x + 24, 14}, colour, 3);
    canvas.text({legend_x + 30, 18}, curves[i].name, {.size = 12, .fill = "#333333"});
    legend_x += 60 + trace::text_width(curves[i].name, 12);
  }
  if (!curves.empty()) {
    const Time no_return = point_of_no_return(curves.front().points);
    if (no_return != Time::max() && no_return > Time{}) {
      draw_moment(canvas, axis.x(no_return), kTop, kBottom, "point of no return",
                  trace::kFaultColour);
    }
  }
  return canvas.finish();
}

}  // namespace dissensus::report
