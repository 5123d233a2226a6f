// The figures of an experiment as SVG: bars, boxes and curves, one panel per case, one colour per
// search. What belongs to a search is a group with the attribute data-series, so that a page can
// hide it, and every mark has a title that a browser shows under the mouse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/svg_canvas.h"

namespace dissensus::statistics {

struct ChartBar {
  double value = 0;
  std::optional<double> published;  ///< drawn as an outline
  std::string hover;
};
struct BarChart {
  std::string title;
  std::string y_label;
  double y_max = 0;  ///< 0: from the values
  std::vector<std::string> groups;
  std::vector<std::string> series;
  std::vector<std::vector<ChartBar>> bars;  ///< by series, then group
  std::string caption;
};
std::string bar_chart(const BarChart& chart);

struct BoxPanel {
  std::string title;
  std::vector<std::vector<double>> samples;  ///< by series; may be empty
  /// By series, drawn beside ours in a dashed frame; empty: nothing was published.
  std::vector<std::vector<double>> published = {};
};
struct BoxChart {
  std::string title;
  std::string y_label;
  double y_max = 0;
  std::vector<std::string> series;
  std::vector<BoxPanel> panels;
  std::string caption;
};
/// Median, quartiles, whiskers to the last value within 1.5 interquartile ranges, and every value
/// as a dot.
std::string box_chart(const BoxChart& chart);

struct Curve {
  std::vector<trace::Point> line;  ///< in the units of the axes
  std::vector<trace::Point> dots;
  std::vector<trace::Point> marks;           ///< larger than dots
  std::vector<trace::Point> published = {};  ///< a dashed line
  std::string hover;
};
struct CurvePanel {
  std::string title;
  std::vector<Curve> curves;  ///< by series
};
struct CurveChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  double x_max = 0;
  double y_max = 0;
  std::vector<std::string> series;
  std::vector<CurvePanel> panels;
  bool own_scales = false;  ///< each panel has axes of its own
  std::string caption;
};
std::string curve_chart(const CurveChart& chart);

}  // namespace dissensus::statistics
