#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "trace/diagram.h"
#include "trace/diagram_legend.h"
#include "trace/diagram_scale.h"
#include "trace/diagram_shapes.h"
#include "trace/labels.h"
#include "trace/svg_canvas.h"

namespace dissensus::trace {
namespace {

constexpr double kLeft = 70;
constexpr double kRight = 34;
constexpr double kLaneHeight = 17;
constexpr std::size_t kLabelsMax = 500;

/// What depends on how much there is to draw.
struct Sizes {
  double width;
  double row;
  double stroke;
  double head;
  double opacity;
  bool labels_arrows;
};

Sizes sizes_of(const Diagram& diagram, std::size_t nodes) {
  const std::size_t arrows = diagram.arrows.size();
  Sizes sizes{};
  sizes.width = arrows <= 150 ? 1200 : 1600;
  sizes.row = nodes <= 4 ? 104 : nodes <= 7 ? 84 : nodes <= 12 ? 64 : nodes <= 30 ? 44 : 28;
  sizes.stroke = arrows <= 40 ? 1.6 : arrows <= 150 ? 1.2 : 0.9;
  sizes.head = arrows <= 40 ? 9 : arrows <= 150 ? 7 : 5.5;
  sizes.opacity = arrows <= 150 ? 1 : 0.75;
  sizes.labels_arrows = arrows <= 24;
  return sizes;
}

class SvgDiagram {
 public:
  SvgDiagram(const Trace& trace, const DiagramOptions& options)
      : trace_(trace),
        header_(trace.header),
        hidden_(options.hidden_kinds),
        diagram_(make_diagram(trace, options)),
        sizes_(sizes_of(diagram_, trace.header.nodes)),
        scale_(diagram_.from, diagram_.until, moments(), kLeft + 16, sizes_.width - kRight - 16),
        legend_(trace, diagram_, hidden_) {
    for (const DecisionMark& mark : diagram_.decisions) {
      const Record& record = trace_.records[mark.record];
      decision_places_.insert({record.node, record.time});
    }
    for (std::size_t rank = 0; rank < diagram_.kinds.size(); ++rank) {
      rank_of_kind_[diagram_.kinds[rank]] = rank;
    }
  }

  std::string draw() {
    lay_out();
    SvgCanvas canvas(sizes_.width, height_);
    canvas_ = &canvas;
    draw_title();
    legend_.draw(canvas);
    draw_axis();
    draw_background();
    draw_lanes();
    draw_node_lines();
    draw_arrows();
    draw_crashes();
    for (const std::size_t index : diagram_.marks) draw_mark(trace_.records[index]);
    reserve_decisions();
    for (const DecisionMark& mark : diagram_.decisions) draw_decision_mark(mark);
    label_decisions();
    draw_mark_labels();
    for (const Arrow& arrow : diagram_.arrows) {
      if (arrow.is_marked) label_arrow(arrow);
    }
    for (const Arrow& arrow : diagram_.arrows) {
      if (sizes_.labels_arrows && !arrow.is_marked) label_arrow(arrow);
    }
    draw_notes();
    return canvas.finish();
  }

 private:
  struct Lane {
    const Span* span;
    std::size_t row;
  };

  // Layout.

  /// When something drawn happens.
  std::vector<Time> moments() const {
    std::vector<Time> times;
    for (const Arrow& arrow : diagram_.arrows) {
      times.push_back(arrow.sent);
      times.push_back(arrow.ended);
    }
    for (const DecisionMark& mark : diagram_.decisions) {
      times.push_back(trace_.records[mark.record].time);
    }
    for (const std::size_t index : diagram_.marks) times.push_back(trace_.records[index].time);
    for (const auto* spans : {&diagram_.down, &diagram_.partitions}) {
      for (const Span& span : *spans) {
        times.push_back(span.from);
        times.push_back(span.until);
      }
    }
    if (diagram_.faults_end) times.push_back(*diagram_.faults_end);
    times.push_back(diagram_.until);
    return times;
  }

  void lay_out() {
    title_y_ = 26;
    double y = title_y_ + 20;
    disputes_y_ = y;
    y += 18 * static_cast<double>(diagram_.disputes.size());
    y = legend_.lay_out(y, sizes_.width);
    lanes_y_ = y + 8;
    const std::size_t lanes = assign_lanes();
    plot_top_ = lanes_y_ + kLaneHeight * static_cast<double>(lanes) + 2;
    first_row_ = plot_top_ + std::max(26.0, sizes_.row * 0.36);
    last_row_ =
        first_row_ + sizes_.row * static_cast<double>(std::max<std::size_t>(header_.nodes, 1) - 1);
    plot_bottom_ = last_row_ + std::max(24.0, sizes_.row * 0.3);
    notes_y_ = plot_bottom_ + 36;
    height_ = notes_y_ + 14;
  }

  /// Partitions and the end of the faults are named above the plot, in as many lanes as needed for
  /// their texts to stand apart.
  std::size_t assign_lanes() {
    std::vector<double> ends;
    const auto place = [&ends](double from, double until) {
      std::size_t row = 0;
      while (row < ends.size() && ends[row] > from) ++row;
      if (row == ends.size()) ends.push_back(0);
      ends[row] = until;
      return row;
    };
    for (const Span& span : diagram_.partitions) {
      const double from = scale_.x(span.from);
      const double text = text_width(partition_text(span), 11) + 14;
      lanes_.push_back({&span, place(from, std::max(scale_.x(span.until) + 4, from + text))});
    }
    if (diagram_.faults_end) {
      const double x = scale_.x(*diagram_.faults_end);
      faults_end_lane_ = place(x - 4, x + 70);
    }
    return ends.size();
  }

  /// Partitions into groups are told by these; other faults say what they are.
  static std::string partition_text(const Span& span) {
    return (span.text.starts_with('{') ? "partition " : "") + span.text;
  }

  double y_of(NodeId node) const { return first_row_ + sizes_.row * node; }
  double row_y(double node) const { return first_row_ + sizes_.row * node; }

  KindStyle style_of(MessageKind kind) const { return kind_style(rank_of_kind_.at(kind)); }

  // The frame: title, legend, axis, notes.

  void draw_title() {
    std::string title = header_.scenario_name.empty() ? header_.system : header_.scenario_name;
    canvas_->text({24, title_y_}, title, {.size = 17, .fill = "#111111", .bold = true});
    std::string facts =
        fmt::format("{}, {} nodes, seed {}", header_.system, header_.nodes, header_.seed);
    if (!trace_.footer.outcome.empty()) facts += fmt::format(", {}", trace_.footer.outcome);
    if (!trace_.footer.hash.empty()) facts += fmt::format(", trace {}", trace_.footer.hash);
    canvas_->text({sizes_.width - 24, title_y_}, facts,
                  {.size = 11.5, .fill = kQuietText, .anchor = "end"});
    for (std::size_t index = 0; index < diagram_.disputes.size(); ++index) {
      canvas_->text({24, disputes_y_ + 4 + 18 * static_cast<double>(index)},
                    diagram_.disputes[index], {.size = 13, .fill = kFaultColour, .bold = true});
    }
  }

  void draw_background() {
    for (const Span& span : diagram_.partitions) {
      canvas_->rectangle({scale_.x(span.from), plot_top_, scale_.x(span.until), plot_bottom_},
                         kPartitionFill);
    }
    for (const TimeScale::Break& gap : scale_.breaks()) draw_break(gap);
    for (const Span& span : diagram_.down) {
      canvas_->begin_group(fmt::format("n{} is down from {} to {}{}", span.node,
                                       time_text(span.from), span.is_open ? "the end, " : "",
                                       time_text(span.until)));
      const double y = y_of(span.node);
      canvas_->rectangle({scale_.x(span.from), y - 13, scale_.x(span.until), y + 13}, kDownFill);
      canvas_->end_group();
    }
  }

  void draw_axis() {
    for (const TimeScale::Tick& tick : scale_.ticks()) {
      canvas_->line({tick.x, plot_top_}, {tick.x, plot_bottom_}, "#E9E9E9", 1);
      canvas_->line({tick.x, plot_bottom_}, {tick.x, plot_bottom_ + 5}, "#888888", 1);
      canvas_->text({tick.x, plot_bottom_ + 18}, tick.label,
                    {.size = 11, .fill = "#555555", .anchor = "middle"});
    }
    canvas_->line({kLeft, plot_bottom_}, {sizes_.width - kRight, plot_bottom_}, "#888888", 1);
    canvas_->text({sizes_.width - kRight, notes_y_}, scale_.title(),
                  {.size = 11, .fill = "#555555", .anchor = "end"});
  }

  /// A shortened stretch: two strokes through the axis and a white veil over the plot.
  void draw_break(const TimeScale::Break& gap) {
    canvas_->begin_group(fmt::format("nothing happens for {}", time_text(Time{gap.length})));
    canvas_->rectangle({gap.from_x, plot_top_, gap.until_x, plot_bottom_ + 1}, "#F4F4F4",
                       "fill-opacity=\"0.8\"");
    const double middle = (gap.from_x + gap.until_x) / 2;
    for (const double offset : {-3.0, 3.0}) {
      canvas_->line({middle + offset - 3, plot_bottom_ + 6},
                    {middle + offset + 3, plot_bottom_ - 6}, "#888888", 1.2);
    }
    canvas_->end_group();
  }

  void draw_lanes() {
    for (const Lane& lane : lanes_) {
      const double top = lanes_y_ + kLaneHeight * static_cast<double>(lane.row);
      const double from = scale_.x(lane.span->from);
      const double until = scale_.x(lane.span->until);
      for (const double x : {from, until}) {
        canvas_->line({x, top}, {x, plot_bottom_}, kPartitionEdge, 0.8, "stroke-dasharray=\"4 3\"");
      }
      canvas_->line({from, top}, {until, top}, kPartitionEdge, 2.5);
      canvas_->text({from + 5, top + 13}, partition_text(*lane.span),
                    {.size = 11, .fill = "#7A5200"});
    }
    if (!diagram_.faults_end || *diagram_.faults_end < diagram_.from ||
        *diagram_.faults_end > diagram_.until) {
      return;
    }
    const double x = scale_.x(*diagram_.faults_end);
    const double top = lanes_y_ + kLaneHeight * static_cast<double>(faults_end_lane_);
    canvas_->line({x, top}, {x, plot_bottom_}, "#444444", 1.2, "stroke-dasharray=\"7 4\"");
    canvas_->text({x + 5, top + 12}, "faults end", {.size = 11, .bold = true});
  }

  void draw_node_lines() {
    for (std::size_t node = 0; node < header_.nodes; ++node) {
      const double y = row_y(static_cast<double>(node));
      canvas_->text({kLeft - 10, y + 4.5}, fmt::format("n{}", node),
                    {.size = 13, .fill = "#111111", .anchor = "end", .bold = true});
      canvas_->line({kLeft, y}, {sizes_.width - kRight, y}, "#333333", 1.3);
    }
    for (const Span& span : diagram_.phases) {
      canvas_->begin_group(fmt::format("n{}: {} from {}", span.node,
                                       name_or_number(header_.phases, span.phase, "phase"),
                                       time_text(span.from)));
      const double y = y_of(span.node);
      canvas_->rectangle({scale_.x(span.from), y - 4, scale_.x(span.until), y + 4},
                         phase_colour(span.phase), "stroke=\"#999999\" stroke-width=\"0.5\"");
      canvas_->end_group();
    }
    for (const Span& span : diagram_.down) {
      const double y = y_of(span.node);
      canvas_->line({scale_.x(span.from), y}, {scale_.x(span.until), y}, kDownFill, 3);
      canvas_->line({scale_.x(span.from), y}, {scale_.x(span.until), y}, kFaultColour, 1.2,
                    "stroke-dasharray=\"2 4\"");
    }
  }

  void draw_notes() {
    std::vector<std::string> notes;
    if (diagram_.arrows_left_out > 0) {
      notes.push_back(fmt::format("{} of {} messages are left out", diagram_.arrows_left_out,
                                  diagram_.arrows_left_out + diagram_.arrows.size()));
    }
    if (diagram_.arrows_hidden > 0) {
      std::string kinds;
      for (const MessageKind kind : hidden_) {
        kinds += (kinds.empty() ? "" : ", ") + kind_name(header_, kind);
      }
      notes.push_back(
          fmt::format("{} messages of hidden kinds ({})", diagram_.arrows_hidden, kinds));
    }
    if (!scale_.breaks().empty()) notes.push_back("quiet stretches of time are shortened (//)");
    if (labels_left_out_ > 0) {
      notes.push_back(fmt::format("decisions marked without text: {}", labels_left_out_));
    }
    if (diagram_.marks_left_out > 0) {
      notes.push_back(fmt::format("{} marks on node lines are left out", diagram_.marks_left_out));
    }
    if (header_.detail != Detail::everything) {
      notes.push_back(fmt::format("recorded with detail \"{}\"", to_string(header_.detail)));
    }
    if (notes.empty()) return;
    canvas_->text({kLeft, notes_y_}, fmt::format("{}", fmt::join(notes, "; ")),
                  {.size = 11, .fill = kQuietText});
  }

  // Messages.

  struct Segment {
    Point from;
    Point to;
  };

  /// Where an arrow runs, cut off at the borders of the diagram.
  Segment segment_of(const Arrow& arrow) const {
    const Record& send = trace_.records[arrow.send];
    const double from_row = send.node;
    const double to_row = send.peer;
    double reach = 1;
    Time ended = arrow.ended;
    if (arrow.how == Arrow::End::dropped) {
      const auto reason = static_cast<DropReason>(trace_.records[arrow.end].detail);
      // A crashed receiver loses what arrives; all else is lost on the way.
      reach = reason == DropReason::crashed ? 0.88 : 0.45;
    } else if (arrow.how == Arrow::End::under_way) {
      reach = arrow.is_marked ? 0.9 : 0.3;
    }
    Point from{scale_.x(arrow.sent), row_y(from_row)};
    Point to{scale_.x(ended), row_y(from_row + (to_row - from_row) * reach)};
    if (arrow.how == Arrow::End::under_way && !arrow.is_marked) {
      to.x = std::min(to.x, from.x + 18);
    }
    // A message that is lost as it is sent still needs a direction.
    if (arrow.how == Arrow::End::dropped) to.x = std::max(to.x, from.x + 8);
    const double length =
        static_cast<double>(std::max<std::int64_t>(1, (ended - arrow.sent).count()));
    if (arrow.sent < diagram_.from) {
      const double share = static_cast<double>((diagram_.from - arrow.sent).count()) / length;
      from.y += (to.y - from.y) * share;
    }
    if (ended > diagram_.until && arrow.how != Arrow::End::under_way) {
      const double share = static_cast<double>((diagram_.until - arrow.sent).count()) / length;
      const double start = row_y(from_row);
      to.y = start + (to.y - start) * share;
    }
    return {from, to};
  }

  std::string arrow_title(const Arrow& arrow) const {
    const Record& send = trace_.records[arrow.send];
    std::string text =
        fmt::format("{} n{} to n{}", kind_name(header_, send.kind), send.node, send.peer);
    const std::string fields = fields_text(header_, send);
    if (!fields.empty()) text += "\n" + fields;
    text += fmt::format("\nsent {} (event {})", time_text(arrow.sent), send.id);
    const Record& end = trace_.records[arrow.end];
    if (arrow.how == Arrow::End::delivered) {
      text += fmt::format("\ndelivered {} (event {})", time_text(end.time), end.id);
    } else if (arrow.how == Arrow::End::dropped) {
      text += fmt::format("\nlost {}: {} (event {})", time_text(end.time),
                          to_string(static_cast<DropReason>(end.detail)), end.id);
    } else {
      text += "\nunder way at the end";
    }
    if (arrow.is_copy) text += "\na further copy";
    if (arrow.is_mutated) text += "\nchanged on the way";
    return text;
  }

  /// Marked messages lie on top of the others and stand out.
  void draw_arrows() {
    const bool some_marked = std::any_of(diagram_.arrows.begin(), diagram_.arrows.end(),
                                         [](const Arrow& arrow) { return arrow.is_marked; });
    for (const bool marked : {false, true}) {
      if (marked && !some_marked) break;
      const double opacity = marked ? 1 : some_marked ? 0.3 : sizes_.opacity;
      canvas_->begin_group({}, fmt::format("opacity=\"{:.2f}\"", opacity));
      for (const Arrow& arrow : diagram_.arrows) {
        if (arrow.is_marked == marked) draw_arrow(arrow);
      }
      canvas_->end_group();
    }
  }

  void draw_arrow(const Arrow& arrow) {
    const double stroke = arrow.is_marked ? 2 * sizes_.stroke : sizes_.stroke;
    const Record& send = trace_.records[arrow.send];
    const KindStyle style = style_of(send.kind);
    const auto [from, to] = segment_of(arrow);
    canvas_->begin_group(arrow_title(arrow));
    if (arrow.how == Arrow::End::delivered) {
      // The head must not vanish under the mark of a decision that the message led to.
      const bool meets_decision = decision_places_.contains({send.peer, arrow.ended});
      const Point tip = shortened(from, to, meets_decision ? 7.5 : 2);
      canvas_->line(from, shortened(from, tip, sizes_.head * 0.7), style.colour, stroke,
                    style.attributes);
      draw_head(*canvas_, from, tip, sizes_.head, style.colour);
    } else if (arrow.how == Arrow::End::dropped) {
      canvas_->line(from, to, style.colour, stroke, style.attributes);
      canvas_->cross(to, sizes_.head * 0.5, kFaultColour, 2);
    } else {
      canvas_->line(from, to, style.colour, stroke,
                    arrow.is_marked ? "stroke-dasharray=\"7 4\"" : "stroke-dasharray=\"1 3\"");
    }
    if (arrow.is_mutated) {
      const Point at = between(from, to, 0.4);
      draw_change(*canvas_, at);
      labels_.take({at.x - 7, at.y - 7, at.x + 7, at.y + 7});
    }
    canvas_->end_group();
  }

  /// "Proposal 7": the kind and the value that is at stake, if it has such a field and it is short
  /// enough for a line along an arrow.
  std::string arrow_label(const Record& send) const {
    std::string label = kind_name(header_, send.kind);
    if (send.kind >= header_.kind_fields.size()) return label;
    const auto& described = header_.kind_fields[send.kind];
    for (std::size_t index = 0; index < send.fields.size() && index < described.size(); ++index) {
      if (described[index].type != SemanticType::value) continue;
      constexpr std::size_t kValueMax = 24;
      const std::string value = field_text(send.fields[index]);
      return value.size() > kValueMax ? label : label + " " + value;
    }
    return label;
  }

  /// The places that a text along an arrow covers, piece by piece: one box around a slanted text
  /// would be mostly empty.
  static std::vector<Box> slanted_boxes(Point start, Point direction, double length) {
    constexpr double kPiece = 12;
    std::vector<Box> boxes;
    for (double along = kPiece / 2; along < length + kPiece / 2; along += kPiece) {
      const Point middle{start.x + direction.x * along + direction.y * 4,
                         start.y + direction.y * along - direction.x * 4};
      boxes.push_back({middle.x - 6, middle.y - 6, middle.x + 6, middle.y + 6});
    }
    return boxes;
  }

  bool is_on_node_line(const Box& box) const {
    const double first = (box.top - first_row_) / sizes_.row;
    const double last = (box.bottom - first_row_) / sizes_.row;
    return std::floor(first) != std::floor(last);
  }

  /// Along the arrow, on its upper side, where there is room.
  void label_arrow(const Arrow& arrow) {
    if (arrow.how == Arrow::End::under_way && !arrow.is_marked) return;
    const Record& send = trace_.records[arrow.send];
    std::string label = arrow_label(send);
    if (arrow.how == Arrow::End::under_way) label += ", under way at the end";
    const auto [from, to] = segment_of(arrow);
    const double length = distance(from, to);
    TextStyle style{.size = 11, .fill = style_of(send.kind).colour, .halo = true};
    const double width = text_width(label, style.size);
    if (length < width + 16) return;
    style.direction = {(to.x - from.x) / length, (to.y - from.y) / length};
    for (const double share : {0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85}) {
      const Point middle = between(from, to, share);
      const double back = width / 2;
      const Point start{middle.x - style.direction.x * back + style.direction.y * 4,
                        middle.y - style.direction.y * back - style.direction.x * 4};
      const std::vector<Box> boxes = slanted_boxes(start, style.direction, width);
      const bool is_good = std::all_of(boxes.begin(), boxes.end(), [this](const Box& box) {
        return !is_on_node_line(box) && labels_.is_free(box);
      });
      if (!is_good) continue;
      for (const Box& box : boxes) labels_.take(box);
      canvas_->text(start, label, style);
      return;
    }
  }

  // Things on the node lines.

  void draw_crashes() {
    for (const Record& record : trace_.records) {
      const bool is_crash = record.type == EventType::crash;
      if (!is_crash && record.type != EventType::restart) continue;
      if (record.time < diagram_.from || record.time > diagram_.until) continue;
      const Point at{scale_.x(record.time), y_of(record.node)};
      canvas_->begin_group(fmt::format("n{} {} at {}", record.node, event_text(header_, record),
                                       time_text(record.time)));
      canvas_->line({at.x, at.y - 13}, {at.x, at.y + 13}, kFaultColour, 2);
      canvas_->end_group();
      const TextStyle style{
          .size = 10.5, .fill = kFaultColour, .anchor = "start", .bold = true, .halo = true};
      const Point label{at.x + 4, at.y + 24};
      const std::string_view word = is_crash ? "crash" : "restart";
      if (sizes_.row >= 40 && labels_.try_take(text_box(label, word, style))) {
        canvas_->text(label, word, style);
      }
    }
  }

  void draw_mark(const Record& record) {
    if (record.type == EventType::round || record.node >= header_.nodes) return;
    const Point at{scale_.x(record.time), y_of(record.node)};
    canvas_->begin_group(fmt::format("n{}: {} at {} (event {})", record.node,
                                     event_text(header_, record), time_text(record.time),
                                     record.id));
    if (record.type == EventType::submit) {
      draw_request(*canvas_, at);
    } else {
      draw_proposal(*canvas_, at);
    }
    canvas_->end_group();
  }

  /// Rounds and, while they are few, proposed values in small grey type where nothing else stands.
  void draw_mark_labels() {
    if (sizes_.row < 44 || diagram_.marks.size() > kLabelsMax) return;
    const bool few = diagram_.marks.size() <= 24;
    for (const std::size_t index : diagram_.marks) {
      const Record& record = trace_.records[index];
      const bool is_round = record.type == EventType::round;
      if (record.node >= header_.nodes ||
          (!is_round && (!few || record.type != EventType::propose)))
        continue;
      const std::string label =
          is_round ? fmt::format("round {}", record.number)
                   : fmt::format("proposes {}", value_text(header_, record.detail, record.value));
      const Point at{scale_.x(record.time), y_of(record.node)};
      TextStyle style{
          .size = 9.5, .fill = kQuietText, .anchor = is_round ? "start" : "end", .halo = true};
      Point start{is_round ? at.x + 2 : at.x - 6, at.y + 14};
      if (text_box(start, label, style).left < kLeft) {
        style.anchor = "start";
        start.x = kLeft;
      }
      if (labels_.try_take(text_box(start, label, style))) canvas_->text(start, label, style);
    }
  }

  Point decision_point(const DecisionMark& mark) const {
    const Record& record = trace_.records[mark.record];
    return {scale_.x(record.time), y_of(record.node)};
  }

  void reserve_decisions() {
    for (const DecisionMark& mark : diagram_.decisions) {
      const Point at = decision_point(mark);
      labels_.take({at.x - 6, at.y - 6, at.x + 6, at.y + 6});
    }
  }

  void draw_decision_mark(const DecisionMark& mark) {
    const Record& record = trace_.records[mark.record];
    canvas_->begin_group(fmt::format("n{} {}\nat {} (event {})", record.node,
                                     event_text(header_, record), time_text(record.time),
                                     record.id));
    draw_decision(*canvas_, decision_point(mark), mark.variant, mark.is_disputed);
    canvas_->end_group();
  }

  /// Disputed decisions first: they are what a reader looks for.
  void label_decisions() {
    std::size_t tried = 0;
    for (const bool disputed : {true, false}) {
      for (const DecisionMark& mark : diagram_.decisions) {
        if (mark.is_disputed != disputed) continue;
        if (++tried > kLabelsMax || !label_decision(mark)) ++labels_left_out_;
      }
    }
  }

  /// Right of the mark if possible: messages come from the left.
  bool label_decision(const DecisionMark& mark) {
    const Record& record = trace_.records[mark.record];
    std::string label = fmt::format("{} = {}", instance_text(header_, record.detail, record.number),
                                    value_text(header_, record.detail, record.value));
    if (diagram_.decisions.size() <= 30) {
      label = name_or_number(header_.levels, record.detail, "level") + " " + label;
    }
    const Point at = decision_point(mark);
    TextStyle style{.size = 11.5,
                    .fill = decision_colour(mark.variant, mark.is_disputed),
                    .bold = true,
                    .halo = true};
    struct Place {
      double x;
      double y;
      std::string_view anchor;
    };
    for (const Place& place : {Place{8, -7, "start"}, Place{8, 16, "start"}, Place{-8, 16, "end"},
                               Place{-8, -7, "end"}, Place{8, -20, "start"}}) {
      if (place.y < -19 && sizes_.row < 60) break;
      style.anchor = place.anchor;
      const Point start{at.x + place.x, at.y + place.y};
      const Box box = text_box(start, label, style);
      if (box.left < kLeft || box.right > sizes_.width - 4 || !labels_.try_take(box)) continue;
      canvas_->text(start, label, style);
      return true;
    }
    return false;
  }

  const Trace& trace_;
  const Header& header_;
  const std::set<MessageKind>& hidden_;
  const Diagram diagram_;
  const Sizes sizes_;
  const TimeScale scale_;
  DiagramLegend legend_;
  std::map<MessageKind, std::size_t> rank_of_kind_;
  std::set<std::pair<NodeId, Time>> decision_places_;
  std::vector<Lane> lanes_;
  std::size_t faults_end_lane_ = 0;
  LabelSpace labels_;
  std::size_t labels_left_out_ = 0;
  double title_y_ = 0;
  double disputes_y_ = 0;
  double lanes_y_ = 0;
  double plot_top_ = 0;
  double plot_bottom_ = 0;
  double first_row_ = 0;
  double last_row_ = 0;
  double notes_y_ = 0;
  double height_ = 0;
  SvgCanvas* canvas_ = nullptr;
};

}  // namespace

void export_svg(const Trace& trace, const DiagramOptions& options, std::ostream& out) {
  out << SvgDiagram(trace, options).draw();
}

}  // namespace dissensus::trace
