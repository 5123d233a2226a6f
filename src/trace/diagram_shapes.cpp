#include "trace/diagram_shapes.h"

#include <cmath>

namespace dissensus::trace {
namespace {

/// Okabe and Ito's colours, without the yellow that vanishes on white.
constexpr std::array<std::string_view, 7> kKindColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                       "#56B4E9", "#E69F00", "#555555"};
constexpr std::array<std::string_view, 3> kKindDashes{"", "stroke-dasharray=\"6 3\"",
                                                      "stroke-dasharray=\"2 2.5\""};
constexpr std::string_view kDecided = "#222222";
constexpr std::array<std::string_view, 5> kDisputed{"#0072B2", "#D55E00", "#009E73", "#AA3377",
                                                    "#8C6D00"};
/// Paul Tol's light colours.
constexpr std::array<std::string_view, 6> kPhaseColours{"#BBCCEE", "#EEEEBB", "#CCDDAA",
                                                        "#FFCCCC", "#CCEEFF", "#DDDDDD"};

}  // namespace

KindStyle kind_style(std::size_t rank) {
  return {kKindColours[rank % kKindColours.size()],
          kKindDashes[rank / kKindColours.size() % kKindDashes.size()]};
}

std::string_view phase_colour(std::size_t phase) {
  return kPhaseColours[phase % kPhaseColours.size()];
}

std::string_view decision_colour(std::size_t variant, bool is_disputed) {
  return is_disputed ? kDisputed[variant % kDisputed.size()] : kDecided;
}

double distance(Point from, Point to) {
  return std::sqrt((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y));
}

Point between(Point from, Point to, double share) {
  return {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
}

Point shortened(Point from, Point to, double by) {
  const double length = distance(from, to);
  return length <= by ? to : between(from, to, (length - by) / length);
}

void draw_head(SvgCanvas& canvas, Point from, Point tip, double size, std::string_view colour) {
  const double length = distance(from, tip);
  if (length < 1) return;
  const Point along{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const Point base{tip.x - along.x * size, tip.y - along.y * size};
  const double half = size * 0.36;
  canvas.polygon({tip,
                  {base.x - along.y * half, base.y + along.x * half},
                  {base.x + along.y * half, base.y - along.x * half}},
                 colour, "none", 0);
}

void draw_change(SvgCanvas& canvas, Point at) {
  canvas.polygon({{at.x, at.y - 7}, {at.x + 7, at.y}, {at.x, at.y + 7}, {at.x - 7, at.y}},
                 "#ffffff", kFaultColour, 1.6);
  canvas.text({at.x, at.y + 3.5}, "!",
              {.size = 10, .fill = kFaultColour, .anchor = "middle", .bold = true});
}

void draw_request(SvgCanvas& canvas, Point at) {
  canvas.polygon({{at.x - 5, at.y - 14}, {at.x + 5, at.y - 14}, {at.x, at.y - 5}}, "#444444",
                 "#ffffff", 0.8);
}

void draw_proposal(SvgCanvas& canvas, Point at) {
  canvas.circle(at, 3.2, "#ffffff", "#444444", 1.4);
}

void draw_decision(SvgCanvas& canvas, Point at, std::size_t variant, bool is_disputed) {
  const std::string_view colour = decision_colour(variant, is_disputed);
  if (!is_disputed) {
    canvas.circle(at, 5.2, colour, "#ffffff", 1.2);
    return;
  }
  const double r = 6.5;
  if (variant % 3 == 0) {
    canvas.circle(at, r, colour, "#ffffff", 1.4);
  } else if (variant % 3 == 1) {
    canvas.polygon(
        {{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}},
        colour, "#ffffff", 1.4);
  } else {
    canvas.polygon({{at.x, at.y - r - 1.5}, {at.x + r + 1, at.y + r}, {at.x - r - 1, at.y + r}},
                   colour, "#ffffff", 1.4);
  }
}

}  // namespace dissensus::trace
