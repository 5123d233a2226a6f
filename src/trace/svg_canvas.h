// The few shapes that diagrams are made of, as SVG text. No ids and no style sheets, so that
// several diagrams can stand in one HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dissensus::trace {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct TextStyle {
  double size = 11;
  std::string_view fill = "#333333";
  std::string_view anchor = "start";  ///< start, middle, end
  bool bold = false;
  bool halo = false;      ///< a white edge, for text that stands on lines
  Point direction{1, 0};  ///< in which the text runs; a unit vector
};

class SvgCanvas {
 public:
  SvgCanvas(double width, double height);

  void rectangle(const Box& box, std::string_view fill, std::string_view attributes = {});
  void line(Point from, Point to, std::string_view stroke, double width,
            std::string_view attributes = {});
  void circle(Point center, double radius, std::string_view fill, std::string_view stroke,
              double stroke_width);
  void polygon(const std::vector<Point>& points, std::string_view fill, std::string_view stroke,
               double stroke_width);
  void cross(Point center, double radius, std::string_view stroke, double width);
  void text(Point at, std::string_view content, const TextStyle& style);
  /// Opens a group; `title` is what a browser shows under the mouse.
  void begin_group(std::string_view title, std::string_view attributes = {});
  void end_group();
  std::string finish();

 private:
  std::string out_;
};

/// About how wide a text is in the sans-serif fonts that browsers use.
double text_width(std::string_view text, double size);
/// Where a text stands, for keeping texts apart.
Box text_box(Point at, std::string_view text, const TextStyle& style);

/// Places on which something stands already.
class LabelSpace {
 public:
  bool is_free(const Box& box) const;
  void take(const Box& box) { taken_.push_back(box); }
  /// Takes the place if it is free.
  bool try_take(const Box& box);

 private:
  std::vector<Box> taken_;
};

}  // namespace dissensus::trace
