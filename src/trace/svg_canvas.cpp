#include "trace/svg_canvas.h"

#include <algorithm>

#include <fmt/format.h>

#include "trace/text.h"

namespace dissensus::trace {

SvgCanvas::SvgCanvas(double width, double height) {
  out_ = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:100%;height:auto\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n",
      width, height);
  rectangle({0, 0, width, height}, "#ffffff");
}

void SvgCanvas::rectangle(const Box& box, std::string_view fill, std::string_view attributes) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"{}{}/>\n",
      box.left, box.top, std::max(0.0, box.right - box.left), std::max(0.0, box.bottom - box.top),
      fill, attributes.empty() ? "" : " ", attributes);
}

void SvgCanvas::line(Point from, Point to, std::string_view stroke, double width,
                     std::string_view attributes) {
  out_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:.1f}\"{}{}/>\n",
      from.x, from.y, to.x, to.y, stroke, width, attributes.empty() ? "" : " ", attributes);
}

void SvgCanvas::circle(Point center, double radius, std::string_view fill, std::string_view stroke,
                       double stroke_width) {
  out_ += fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"{:.1f}\"/>\n",
      center.x, center.y, radius, fill, stroke, stroke_width);
}

void SvgCanvas::polygon(const std::vector<Point>& points, std::string_view fill,
                        std::string_view stroke, double stroke_width) {
  out_ += "<polygon points=\"";
  for (std::size_t index = 0; index < points.size(); ++index) {
    out_ += fmt::format("{}{:.1f},{:.1f}", index == 0 ? "" : " ", points[index].x, points[index].y);
  }
  out_ += fmt::format("\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n", fill, stroke,
                      stroke_width);
}

void SvgCanvas::cross(Point center, double radius, std::string_view stroke, double width) {
  out_ += fmt::format(
      "<path d=\"M{0:.1f} {1:.1f}L{2:.1f} {3:.1f}M{0:.1f} {3:.1f}L{2:.1f} {1:.1f}\" fill=\"none\" "
      "stroke=\"{4}\" stroke-width=\"{5:.1f}\"/>\n",
      center.x - radius, center.y - radius, center.x + radius, center.y + radius, stroke, width);
}

void SvgCanvas::text(Point at, std::string_view content, const TextStyle& style) {
  const bool is_turned = style.direction.y != 0;
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" fill=\"{}\"",
                      is_turned ? 0 : at.x, is_turned ? 0 : at.y, style.size, style.fill);
  if (style.anchor != "start") out_ += fmt::format(" text-anchor=\"{}\"", style.anchor);
  if (style.bold) out_ += " font-weight=\"bold\"";
  if (style.halo) {
    out_ +=
        " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
  }
  // A matrix rather than an angle: no trigonometry, so the same text on every machine.
  if (is_turned) {
    out_ += fmt::format(" transform=\"matrix({0:.3f} {1:.3f} {2:.3f} {0:.3f} {3:.1f} {4:.1f})\"",
                        style.direction.x, style.direction.y, -style.direction.y, at.x, at.y);
  }
  out_ += '>';
  append_xml_text(out_, content);
  out_ += "</text>\n";
}

void SvgCanvas::begin_group(std::string_view title, std::string_view attributes) {
  out_ += attributes.empty() ? "<g>" : fmt::format("<g {}>", attributes);
  if (!title.empty()) {
    out_ += "<title>";
    append_xml_text(out_, title);
    out_ += "</title>";
  }
  out_ += '\n';
}

void SvgCanvas::end_group() {
  out_ += "</g>\n";
}

std::string SvgCanvas::finish() {
  return std::move(out_) + "</svg>\n";
}

double text_width(std::string_view text, double size) {
  return 0.56 * size * static_cast<double>(utf8_count(text));
}

Box text_box(Point at, std::string_view text, const TextStyle& style) {
  const double width = text_width(text, style.size);
  const double left = style.anchor == "end"      ? at.x - width
                      : style.anchor == "middle" ? at.x - width / 2
                                                 : at.x;
  return {left - 1, at.y - style.size * 0.8, left + width + 1, at.y + style.size * 0.25};
}

bool LabelSpace::is_free(const Box& box) const {
  return std::none_of(taken_.begin(), taken_.end(),
                      [&box](const Box& taken) { return taken.overlaps(box); });
}

bool LabelSpace::try_take(const Box& box) {
  if (!is_free(box)) return false;
  take(box);
  return true;
}

}  // namespace dissensus::trace
