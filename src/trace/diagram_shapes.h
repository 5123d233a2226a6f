// Colours and symbols of the space-time diagram.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "trace/svg_canvas.h"

namespace dissensus::trace {

inline constexpr std::string_view kFaultColour = "#B2182B";
inline constexpr std::string_view kDownFill = "#F3D9D9";
inline constexpr std::string_view kPartitionFill = "#FFF3DC";
inline constexpr std::string_view kPartitionEdge = "#C58A1B";
inline constexpr std::string_view kQuietText = "#777777";

/// How a kind of message is drawn. `rank`: its place among the kinds of the trace.
struct KindStyle {
  std::string_view colour;
  std::string_view attributes;  ///< dashes, where there are more kinds than colours
};
KindStyle kind_style(std::size_t rank);
std::string_view phase_colour(std::size_t phase);
/// Dark where all agree; one colour per value where they do not.
std::string_view decision_colour(std::size_t variant, bool is_disputed);

double distance(Point from, Point to);
Point between(Point from, Point to, double share);
/// The point `by` before `to` on the way from `from`.
Point shortened(Point from, Point to, double by);

void draw_head(SvgCanvas& canvas, Point from, Point tip, double size, std::string_view colour);
void draw_change(SvgCanvas& canvas, Point at);
/// A triangle that points down to `at`.
void draw_request(SvgCanvas& canvas, Point at);
void draw_proposal(SvgCanvas& canvas, Point at);
/// Values of a disputed instance differ in shape as well as in colour.
void draw_decision(SvgCanvas& canvas, Point at, std::size_t variant, bool is_disputed);

}  // namespace dissensus::trace
