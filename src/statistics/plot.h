// Figures of a report as SVG: empirical distribution functions and grouped bars.
#pragma once

#include <string>
#include <vector>

namespace dissensus::statistics {

/// One curve or one set of bars. The first series of a figure is dark, the second coloured...
struct Series {
  std::string name;
  std::vector<double> values;
};

/// Empirical distribution functions of several samples over one axis.
struct DistributionPanel {
  std::string title;
  std::string x_label;  ///< with unit
  std::vector<Series> series;
  /// Upper end of the axis; 0: the 99.5 % quantile of all values, rounded up. Values beyond it are
  /// not drawn, and the panel says how many per cent they are.
  double x_max = 0;
};

/// Panels side by side, `columns` in a row, with a caption below.
std::string distribution_figure(const std::vector<DistributionPanel>& panels, std::size_t columns,
                                const std::string& caption);

/// Pairs of values on two axes of the same scale, with the diagonal on which both are equal.
struct ScatterSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};
struct ScatterFigure {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<ScatterSeries> series;
  std::string caption;
};
std::string scatter_figure(const ScatterFigure& figure);

/// Bars in groups; `deviations` (same shape as values, or empty) are drawn as whiskers.
struct BarSeries {
  std::string name;
  std::vector<double> values;
  std::vector<double> deviations;
};
struct BarFigure {
  std::string title;
  std::string y_label;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
  std::string caption;
};
std::string bar_figure(const BarFigure& figure);

}  // namespace dissensus::statistics
