#include "statistics/plot_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace dissensus::statistics {

using trace::Point;
using trace::SvgCanvas;

namespace {

// Told apart in print and by colour-blind readers (Okabe and Ito).
constexpr std::array<std::string_view, 8> kColours{"#222222", "#d55e00", "#0072b2", "#009e73",
                                                   "#cc79a7", "#e69f00", "#56b4e9", "#999999"};

/// Wraps at spaces to lines of about this width.
std::vector<std::string> wrap(const std::string& text, double width, double size) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::string longer = line.empty() ? word : fmt::format("{} {}", line, word);
    if (!line.empty() && trace::text_width(longer, size) > width) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace

std::string_view colour(std::size_t series) {
  return kColours[series % kColours.size()];
}

double nice_step(double span, int count) {
  const double raw = span / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> ticks(double end, double step) {
  std::vector<double> result;
  const auto count = static_cast<int>(std::floor(end / step + 1e-9));
  for (int i = 0; i <= count; ++i) result.push_back(i * step);
  return result;
}

double caption_height(const std::string& caption, double width) {
  return 16.0 * static_cast<double>(wrap(caption, width, kSmall).size()) + 12;
}

void draw_caption(SvgCanvas& canvas, const std::string& caption, double top, double width) {
  double y = top + 14;
  for (const std::string& line : wrap(caption, width, kSmall)) {
    canvas.text({16, y}, line, {.size = kSmall, .fill = "#444444"});
    y += 16;
  }
}

void draw_path(SvgCanvas& canvas, std::vector<Point> path, std::string_view stroke, double width) {
  if (path.size() < 2) return;
  // A polygon closes: the way back along itself makes it a line.
  for (std::size_t i = path.size() - 1; i-- > 1;) path.push_back(Point(path[i]));
  canvas.polygon(path, "none", stroke, width);
}

void draw_dashed_path(SvgCanvas& canvas, const std::vector<Point>& path, std::string_view stroke,
                      double width) {
  constexpr double kDash = 6;
  constexpr double kGap = 4;
  // One pattern along the whole path: at corners it goes on.
  double done = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double length = std::hypot(path[i].x - path[i - 1].x, path[i].y - path[i - 1].y);
    const auto at = [&](double share) {
      return Point{path[i - 1].x + share * (path[i].x - path[i - 1].x),
                   path[i - 1].y + share * (path[i].y - path[i - 1].y)};
    };
    for (double from = 0; from < length;) {
      const double phase = std::fmod(done + from, kDash + kGap);
      const double until = std::min(length, from + (phase < kDash ? kDash : kDash + kGap) - phase);
      if (phase < kDash) canvas.line(at(from / length), at(until / length), stroke, width);
      // Rounding must not keep it where it is.
      from = std::max(until, from + 1e-6);
    }
    done += length;
  }
}

}  // namespace dissensus::statistics
