#include "statistics/charts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "statistics/plot_parts.h"
#include "statistics/samples.h"
#include "trace/text.h"

namespace dissensus::statistics {
namespace {

using trace::Box;
using trace::Point;
using trace::SvgCanvas;

constexpr double kTop = 64;  ///< title and legend

std::string series_attribute(const std::string& name) {
  return fmt::format("data-series=\"{}\"", trace::xml_text(name));
}

/// Rounded up to a whole step.
double axis_end(double highest) {
  if (!(highest > 0)) return 1;
  const double step = nice_step(highest, 6);
  return std::ceil(highest / step - 1e-9) * step;
}

void draw_title(SvgCanvas& canvas, const std::string& title,
                const std::vector<std::string>& series) {
  canvas.text({16, 22}, title, {.size = 13, .bold = true});
  double x = 16;
  for (std::size_t i = 0; i < series.size(); ++i) {
    canvas.begin_group({}, series_attribute(series[i]));
    canvas.rectangle({x, 32, x + 12, 44}, colour(i));
    canvas.text({x + 17, 42}, series[i], {.size = kSmall});
    canvas.end_group();
    x += 40 + trace::text_width(series[i], kSmall);
  }
}

double legend_width(const std::vector<std::string>& series) {
  double x = 32;
  for (const std::string& name : series) x += 40 + trace::text_width(name, kSmall);
  return x;
}

/// One panel's frame: horizontal grid, ticks of both axes.
struct Frame {
  Box area;
  double x_end = 1;
  double y_end = 1;

  Point at(double x, double y) const {
    return {area.left + (area.right - area.left) * x / x_end,
            area.bottom - (area.bottom - area.top) * y / y_end};
  }
  void draw_y(SvgCanvas& canvas) const {
    for (const double y : ticks(y_end, nice_step(y_end, 6))) {
      canvas.line(at(0, y), at(x_end, y), kGrid, 1);
      canvas.text({area.left - 6, at(0, y).y + 4}, fmt::format("{:g}", y),
                  {.size = 10, .anchor = "end"});
    }
    canvas.line({area.left, area.bottom}, {area.right, area.bottom}, kAxis, 1.2);
    canvas.line({area.left, area.top}, {area.left, area.bottom}, kAxis, 1.2);
  }
  void draw_x(SvgCanvas& canvas, const std::string& label) const {
    for (const double x : ticks(x_end, nice_step(x_end, 6))) {
      const Point point = at(x, 0);
      canvas.line(point, {point.x, point.y + 4}, kAxis, 1);
      canvas.text({point.x, area.bottom + 16}, fmt::format("{:g}", x),
                  {.size = 10, .anchor = "middle"});
    }
    canvas.text({(area.left + area.right) / 2, area.bottom + 32}, label,
                {.size = kSmall, .anchor = "middle"});
  }
  void draw_names(SvgCanvas& canvas, const std::string& title, const std::string& y_label) const {
    canvas.text({area.left, area.top - 8}, title, {.size = 12, .bold = true});
    canvas.text({area.left - 42, (area.top + area.bottom) / 2}, y_label,
                {.size = kSmall, .anchor = "middle", .direction = {0, -1}});
  }
};

/// Where panels stand, some in a row.
struct Grid {
  std::size_t columns;
  double cell_width;
  double cell_height;
  std::size_t panels;

  double width(const std::vector<std::string>& series) const {
    return std::max(cell_width * static_cast<double>(std::min(columns, panels)) + 24,
                    legend_width(series));
  }
  double bottom() const {
    const std::size_t rows = (panels + columns - 1) / columns;
    return kTop + cell_height * static_cast<double>(rows);
  }
  Box area(std::size_t index) const {
    const double left = cell_width * static_cast<double>(index % columns);
    const std::size_t row = index / columns;
    const double top = kTop + cell_height * static_cast<double>(row);
    return {left + 66, top + 24, left + cell_width - 6, top + cell_height - 44};
  }
};

Grid grid_for(std::size_t panels, double cell_width) {
  constexpr double kCellHeight = 300;
  const auto columns = static_cast<std::size_t>(std::max(1.0, std::floor(1260 / cell_width)));
  return {std::max<std::size_t>(1, std::min(columns, panels)), cell_width, kCellHeight, panels};
}

void draw_box(SvgCanvas& canvas, const Frame& frame, const std::vector<double>& sample, double left,
              double width, std::string_view stroke, std::string_view dashes = {}) {
  const double middle = left + width / 2;
  const auto y_of = [&](double value) { return frame.at(0, value).y; };
  const double low = quantile(sample, 0.25);
  const double high = quantile(sample, 0.75);
  const double reach = 1.5 * (high - low);
  double bottom = low;
  double top = high;
  for (const double value : sample) {
    if (value >= low - reach) bottom = std::min(bottom, value);
    if (value <= high + reach) top = std::max(top, value);
  }
  canvas.line({middle, y_of(bottom)}, {middle, y_of(low)}, stroke, 1.2);
  canvas.line({middle, y_of(high)}, {middle, y_of(top)}, stroke, 1.2);
  canvas.rectangle({left, y_of(high), left + width, y_of(low)}, "#ffffff",
                   fmt::format("stroke=\"{}\" stroke-width=\"1.4\"{}", stroke, dashes));
  canvas.line({left, y_of(quantile(sample, 0.5))}, {left + width, y_of(quantile(sample, 0.5))},
              stroke, 2.6);
  // Equal values would hide each other: dots stand side by side in the order of the sample.
  constexpr std::size_t kColumns = 7;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double shift = (static_cast<double>(i % kColumns) / (kColumns - 1) - 0.5) * (width - 6);
    canvas.circle({middle + shift, y_of(sample[i])}, 1.6, stroke, "none", 0);
  }
}

/// The largest values of the axes.
struct Extent {
  double x = 0;
  double y = 0;

  void include(const CurvePanel& panel) {
    for (const Curve& curve : panel.curves) {
      for (const auto* points : {&curve.line, &curve.dots, &curve.marks, &curve.published}) {
        for (const Point& point : *points) {
          x = std::max(x, point.x);
          y = std::max(y, point.y);
        }
      }
    }
  }
};

}  // namespace

std::string bar_chart(const BarChart& chart) {
  constexpr double kBarWidth = 26;
  const double group_width = kBarWidth * static_cast<double>(chart.series.size()) + 34;
  double highest = chart.y_max;
  for (const auto& bars : chart.bars) {
    for (const ChartBar& bar : bars) {
      highest = std::max({highest, bar.value, bar.published.value_or(0)});
    }
  }
  const double plot_width = group_width * static_cast<double>(chart.groups.size());
  const double width = std::max({560.0, plot_width + 96, legend_width(chart.series)});
  Frame frame{{66, kTop + 14, 66 + plot_width, kTop + 254}, 1, axis_end(highest)};
  SvgCanvas canvas(width, frame.area.bottom + 30 + caption_height(chart.caption, width - 32));
  draw_title(canvas, chart.title, chart.series);
  frame.draw_y(canvas);
  frame.draw_names(canvas, "", chart.y_label);
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    const double left = frame.area.left + 16 + group_width * static_cast<double>(group);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      const ChartBar& bar = chart.bars[i][group];
      const double from = left + kBarWidth * static_cast<double>(i);
      canvas.begin_group(bar.hover, series_attribute(chart.series[i]));
      canvas.rectangle({from, frame.at(0, bar.value).y, from + kBarWidth - 5, frame.area.bottom},
                       colour(i));
      canvas.text({from + (kBarWidth - 5) / 2, frame.at(0, bar.value).y - 3},
                  fmt::format("{:g}", bar.value), {.size = 9.5, .anchor = "middle", .halo = true});
      if (bar.published) {
        const double y = frame.at(0, *bar.published).y;
        canvas.rectangle({from - 2, y, from + kBarWidth - 3, frame.area.bottom}, "none",
                         "stroke=\"#777777\" stroke-width=\"1.2\" stroke-dasharray=\"3 2\"");
      }
      canvas.end_group();
    }
    canvas.text({left + (group_width - 34) / 2, frame.area.bottom + 17}, chart.groups[group],
                {.size = 10.5, .anchor = "middle"});
  }
  draw_caption(canvas, chart.caption, frame.area.bottom + 24, width - 32);
  return canvas.finish();
}

std::string box_chart(const BoxChart& chart) {
  const double cell = std::max(250.0, 90 + 62 * static_cast<double>(chart.series.size()));
  const Grid grid = grid_for(chart.panels.size(), cell);
  const double width = grid.width(chart.series);
  double highest = chart.y_max;
  for (const BoxPanel& panel : chart.panels) {
    for (const auto& sample : panel.samples) {
      for (const double value : sample) highest = std::max(highest, value);
    }
    for (const auto& sample : panel.published) {
      for (const double value : sample) highest = std::max(highest, value);
    }
  }
  SvgCanvas canvas(width, grid.bottom() + caption_height(chart.caption, width - 32));
  draw_title(canvas, chart.title, chart.series);
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const BoxPanel& panel = chart.panels[p];
    const Frame frame{grid.area(p), 1, axis_end(highest)};
    frame.draw_y(canvas);
    frame.draw_names(canvas, panel.title, chart.y_label);
    const double slot =
        (frame.area.right - frame.area.left) / static_cast<double>(chart.series.size());
    for (std::size_t i = 0; i < panel.samples.size(); ++i) {
      const std::vector<double>& sample = panel.samples[i];
      const double left = frame.area.left + slot * static_cast<double>(i);
      canvas.begin_group(
          sample.empty()
              ? std::string()
              : fmt::format("{}, {}: n = {}, median {:.4g}, quartiles {:.4g} and {:.4g}",
                            panel.title, chart.series[i], sample.size(), quantile(sample, 0.5),
                            quantile(sample, 0.25), quantile(sample, 0.75)),
          series_attribute(chart.series[i]));
      const bool is_beside = i < panel.published.size() && !panel.published[i].empty();
      if (!sample.empty()) {
        draw_box(canvas, frame, sample, left + slot * (is_beside ? 0.06 : 0.18),
                 slot * (is_beside ? 0.44 : 0.64), colour(i));
      }
      if (is_beside) {
        draw_box(canvas, frame, panel.published[i], left + slot * 0.56, slot * 0.38, "#777777",
                 " stroke-dasharray=\"3 2\"");
      }
      canvas.text({left + slot / 2, frame.area.bottom + 16}, fmt::format("n = {}", sample.size()),
                  {.size = 9.5, .anchor = "middle"});
      canvas.end_group();
    }
  }
  draw_caption(canvas, chart.caption, grid.bottom() - 10, width - 32);
  return canvas.finish();
}

std::string curve_chart(const CurveChart& chart) {
  const Grid grid = grid_for(chart.panels.size(), chart.panels.size() == 1 ? 640 : 420);
  const double width = grid.width(chart.series);
  Extent all{chart.x_max, chart.y_max};
  for (const CurvePanel& panel : chart.panels) all.include(panel);
  SvgCanvas canvas(width, grid.bottom() + caption_height(chart.caption, width - 32));
  draw_title(canvas, chart.title, chart.series);
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const CurvePanel& panel = chart.panels[p];
    Extent extent{chart.x_max, chart.y_max};
    extent.include(panel);
    if (!chart.own_scales) extent = all;
    const Frame frame{grid.area(p), axis_end(extent.x), axis_end(extent.y)};
    frame.draw_y(canvas);
    frame.draw_x(canvas, chart.x_label);
    frame.draw_names(canvas, panel.title, chart.y_label);
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const Curve& curve = panel.curves[i];
      canvas.begin_group(curve.hover, series_attribute(chart.series[i]));
      for (const Point& dot : curve.dots) {
        canvas.circle(frame.at(dot.x, dot.y), 2, colour(i), "none", 0);
      }
      for (const Point& mark : curve.marks) {
        canvas.circle(frame.at(mark.x, mark.y), 5, "none", colour(i), 1.8);
      }
      std::vector<Point> path;
      for (const Point& point : curve.line) path.push_back(frame.at(point.x, point.y));
      draw_path(canvas, std::move(path), colour(i), 1.9);
      std::vector<Point> dashed;
      for (const Point& point : curve.published) dashed.push_back(frame.at(point.x, point.y));
      draw_dashed_path(canvas, dashed, colour(i), 1.4);
      canvas.end_group();
    }
  }
  draw_caption(canvas, chart.caption, grid.bottom() - 4, width - 32);
  return canvas.finish();
}

}  // namespace dissensus::statistics
