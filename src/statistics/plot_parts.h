// What all figures share: colours, axes, captions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trace/svg_canvas.h"

namespace dissensus::statistics {

inline constexpr std::string_view kGrid = "#e4e4e4";
inline constexpr std::string_view kAxis = "#555555";
inline constexpr double kSmall = 11;

/// Of the n-th series.
std::string_view colour(std::size_t series);

/// A step of 1, 2 or 5 times a power of ten that gives at most `count` intervals.
double nice_step(double span, int count);
/// 0, step, 2 step... up to `end`.
std::vector<double> ticks(double end, double step);

/// The height that a caption needs under a figure of this width.
double caption_height(const std::string& caption, double width);
void draw_caption(trace::SvgCanvas& canvas, const std::string& caption, double top, double width);

/// A line through all points.
void draw_path(trace::SvgCanvas& canvas, std::vector<trace::Point> path, std::string_view stroke,
               double width);
void draw_dashed_path(trace::SvgCanvas& canvas, const std::vector<trace::Point>& path,
                      std::string_view stroke, double width);

}  // namespace dissensus::statistics
