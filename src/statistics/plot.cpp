#include "statistics/plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "statistics/plot_parts.h"
#include "statistics/samples.h"
#include "trace/svg_canvas.h"

namespace dissensus::statistics {
namespace {

using trace::Box;
using trace::Point;
using trace::SvgCanvas;

double axis_end(const DistributionPanel& panel) {
  if (panel.x_max > 0) return panel.x_max;
  double highest = 0;
  for (const Series& series : panel.series) {
    if (!series.values.empty()) highest = std::max(highest, quantile(series.values, 0.995));
  }
  if (!(highest > 0)) return 1;
  const double step = nice_step(highest, 5);
  return std::ceil(highest / step - 1e-9) * step;
}

class PanelDrawing {
 public:
  PanelDrawing(SvgCanvas& canvas, const DistributionPanel& panel, const Box& area)
      : canvas_(canvas), panel_(panel), area_(area), end_(axis_end(panel)) {}

  void draw() {
    canvas_.text({area_.left, area_.top - 8}, panel_.title, {.size = 12.5, .bold = true});
    draw_axes();
    for (std::size_t i = 0; i < panel_.series.size(); ++i) draw_curve(i);
    draw_legend();
  }

 private:
  Point at(double x, double share) const {
    return {area_.left + (area_.right - area_.left) * x / end_,
            area_.bottom - (area_.bottom - area_.top) * share};
  }

  void draw_axes() {
    for (int quarter = 0; quarter <= 4; ++quarter) {
      const double share = quarter / 4.0;
      canvas_.line(at(0, share), at(end_, share), kGrid, 1);
      canvas_.text({area_.left - 6, at(0, share).y + 4}, fmt::format("{:.2f}", share),
                   {.size = 10, .anchor = "end"});
    }
    const double step = nice_step(end_, 5);
    for (const double x : ticks(end_, step)) {
      canvas_.line(at(x, 0), {at(x, 0).x, at(x, 0).y + 4}, kAxis, 1);
      canvas_.text({at(x, 0).x, area_.bottom + 16}, fmt::format("{:g}", x),
                   {.size = 10, .anchor = "middle"});
    }
    canvas_.line(at(0, 0), at(end_, 0), kAxis, 1.2);
    canvas_.line(at(0, 0), at(0, 1), kAxis, 1.2);
    canvas_.text({(area_.left + area_.right) / 2, area_.bottom + 32}, panel_.x_label,
                 {.size = kSmall, .anchor = "middle"});
  }

  void draw_curve(std::size_t index) {
    std::vector<double> values = panel_.series[index].values;
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    constexpr std::size_t kSteps = 120;  // more cannot be seen
    std::vector<Point> path{at(0, 0)};
    double share = 0;
    double x = 0;
    for (std::size_t step = 1; step <= kSteps; ++step) {
      const std::size_t rank = (values.size() * step + kSteps - 1) / kSteps;
      if (rank == 0) continue;
      const double next = std::max(0.0, values[rank - 1]);
      if (next > end_) break;
      const double height = static_cast<double>(rank) / static_cast<double>(values.size());
      if (height <= share) continue;
      if (next > x) path.push_back(at(next, share));
      path.push_back(at(next, height));
      x = next;
      share = height;
    }
    path.push_back(at(end_, share));
    draw_path(canvas_, std::move(path), colour(index), index == 0 ? 2.2 : 1.6);
  }

  void draw_legend() {
    double y = area_.bottom - 10 - 15.0 * static_cast<double>(panel_.series.size() - 1);
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      const Series& series = panel_.series[i];
      std::string text = fmt::format("{} (n = {})", series.name, series.values.size());
      const auto beyond = std::count_if(series.values.begin(), series.values.end(),
                                        [this](double value) { return value > end_; });
      if (beyond > 0) {
        text += fmt::format(", {:.1f} % beyond", 100.0 * static_cast<double>(beyond) /
                                                     static_cast<double>(series.values.size()));
      }
      const double right = area_.right - 6;
      canvas_.text({right, y}, text, {.size = 10.5, .anchor = "end", .halo = true});
      const double left = right - trace::text_width(text, 10.5) - 8;
      canvas_.line({left - 18, y - 4}, {left, y - 4}, colour(i), i == 0 ? 2.2 : 1.6);
      y += 15;
    }
  }

  SvgCanvas& canvas_;
  const DistributionPanel& panel_;
  Box area_;
  double end_;
};

}  // namespace

std::string distribution_figure(const std::vector<DistributionPanel>& panels, std::size_t columns,
                                const std::string& caption) {
  constexpr double kCellWidth = 430;
  constexpr double kCellHeight = 270;
  columns = std::max<std::size_t>(1, std::min(columns, panels.size()));
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  const double width = kCellWidth * static_cast<double>(columns) + 20;
  const double body = kCellHeight * static_cast<double>(rows) + 8;
  SvgCanvas canvas(width, body + caption_height(caption, width - 32));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double left = kCellWidth * static_cast<double>(i % columns);
    const std::size_t row = i / columns;
    const double top = kCellHeight * static_cast<double>(row);
    const Box area{left + 54, top + 34, left + kCellWidth - 8, top + kCellHeight - 44};
    PanelDrawing(canvas, panels[i], area).draw();
  }
  draw_caption(canvas, caption, body, width - 32);
  return canvas.finish();
}

std::string scatter_figure(const ScatterFigure& figure) {
  constexpr double kSide = 420;
  constexpr double kLeft = 66;
  constexpr double kTop = 58;
  constexpr double kWidth = kLeft + kSide + 24;
  constexpr double kBottom = kTop + kSide;
  double highest = 0;
  for (const ScatterSeries& series : figure.series) {
    for (const auto* values : {&series.x, &series.y}) {
      for (const double value : *values) highest = std::max(highest, value);
    }
  }
  const double step = nice_step(highest > 0 ? highest : 1, 8);
  const double end = std::ceil(highest / step) * step;
  const auto at = [&](double x, double y) {
    return Point{kLeft + kSide * x / end, kBottom - kSide * y / end};
  };
  SvgCanvas canvas(kWidth, kBottom + 44 + caption_height(figure.caption, kWidth - 32));
  canvas.text({16, 22}, figure.title, {.size = 13, .bold = true});
  double legend = 16;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const std::string name =
        fmt::format("{} (n = {})", figure.series[i].name, figure.series[i].x.size());
    canvas.circle({legend + 5, 38}, 4, "none", colour(i), 1.6);
    canvas.text({legend + 14, 42}, name, {.size = kSmall});
    legend += 34 + trace::text_width(name, kSmall);
  }
  for (const double value : ticks(end, step)) {
    const std::string text = fmt::format("{:g}", value);
    canvas.line(at(0, value), at(end, value), kGrid, 1);
    canvas.line(at(value, 0), at(value, end), kGrid, 1);
    canvas.text({kLeft - 6, at(0, value).y + 4}, text, {.size = 10, .anchor = "end"});
    canvas.text({at(value, 0).x, kBottom + 16}, text, {.size = 10, .anchor = "middle"});
  }
  canvas.line(at(0, 0), at(end, end), kAxis, 1, "stroke-dasharray=\"4 4\"");
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const ScatterSeries& series = figure.series[i];
    for (std::size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
      canvas.circle(at(series.x[k], series.y[k]), 3.2, "none", colour(i), 1.4);
    }
  }
  canvas.text({kLeft + kSide / 2, kBottom + 34}, figure.x_label,
              {.size = kSmall, .anchor = "middle"});
  canvas.text({18, kTop + kSide / 2}, figure.y_label,
              {.size = kSmall, .anchor = "middle", .direction = {0, -1}});
  draw_caption(canvas, figure.caption, kBottom + 40, kWidth - 32);
  return canvas.finish();
}

std::string bar_figure(const BarFigure& figure) {
  constexpr double kGroupWidth = 118;
  constexpr double kPlotHeight = 260;
  constexpr double kLeft = 62;
  constexpr double kTop = 58;
  const double width =
      std::max(640.0, kLeft + kGroupWidth * static_cast<double>(figure.groups.size()) + 20);
  const double bottom = kTop + kPlotHeight;
  SvgCanvas canvas(width, bottom + 34 + caption_height(figure.caption, width - 32));
  double highest = 0;
  for (const BarSeries& series : figure.series) {
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const double whisker = i < series.deviations.size() ? series.deviations[i] : 0;
      highest = std::max(highest, series.values[i] + whisker);
    }
  }
  const double step = nice_step(highest > 0 ? highest : 1, 6);
  const double end = std::ceil(highest / step) * step;
  const auto y_of = [&](double value) { return bottom - kPlotHeight * value / end; };
  canvas.text({16, 22}, figure.title, {.size = 13, .bold = true});
  double legend = 16;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    canvas.rectangle({legend, 32, legend + 12, 44}, colour(i));
    canvas.text({legend + 17, 42}, figure.series[i].name, {.size = kSmall});
    legend += 40 + trace::text_width(figure.series[i].name, kSmall);
  }
  for (const double value : ticks(end, step)) {
    canvas.line({kLeft, y_of(value)}, {width - 16, y_of(value)}, kGrid, 1);
    canvas.text({kLeft - 6, y_of(value) + 4}, fmt::format("{:g}", value),
                {.size = 10, .anchor = "end"});
  }
  canvas.text({16, (kTop + bottom) / 2}, figure.y_label,
              {.size = kSmall, .anchor = "middle", .direction = {0, -1}});
  const double bar = (kGroupWidth - 22) / static_cast<double>(figure.series.size());
  for (std::size_t group = 0; group < figure.groups.size(); ++group) {
    const double left = kLeft + 12 + kGroupWidth * static_cast<double>(group);
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
      const BarSeries& series = figure.series[i];
      if (group >= series.values.size()) continue;
      const double value = series.values[group];
      const double from = left + bar * static_cast<double>(i);
      canvas.rectangle({from, y_of(value), from + bar - 2, bottom}, colour(i));
      if (group >= series.deviations.size()) continue;
      const double middle = from + (bar - 2) / 2;
      const double deviation = series.deviations[group];
      canvas.line({middle, y_of(std::max(0.0, value - deviation))},
                  {middle, y_of(value + deviation)}, "#999999", 1.4);
    }
    canvas.text({left + (kGroupWidth - 24) / 2, bottom + 17}, figure.groups[group],
                {.size = 10.5, .anchor = "middle"});
  }
  canvas.line({kLeft, bottom}, {width - 16, bottom}, kAxis, 1.2);
  draw_caption(canvas, figure.caption, bottom + 26, width - 32);
  return canvas.finish();
}

}  // namespace dissensus::statistics
