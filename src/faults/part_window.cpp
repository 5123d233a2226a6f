// The part that says when a fault acts: a span of time or of rounds, by the clock or after
// something that happens.
#include "core/assert.h"
#include "core/limits.h"
#include "core/suggestion.h"
#include "faults/part_types.h"

namespace dissensus::faults {

template <class Visit>
constexpr void fields_of(const Anchor*, const Visit& visit) {
  visit("phase", &Anchor::phase);
  visit("round", &Anchor::round);
  visit("node", &Anchor::node);
  visit("nth", &Anchor::nth);
  visit("relative", &Anchor::relative);
  visit("until_next", &Anchor::until_next);
  visit("before", &Anchor::before);
}
template <class Visit>
constexpr void fields_of(const Window*, const Visit& visit) {
  visit("from", &Window::from);
  visit("until", &Window::until);
  visit("from_round", &Window::from_round);
  visit("until_round", &Window::until_round);
  visit("after", &Window::after);
}

using std::chrono::milliseconds;

std::uint32_t read_phase(const OptionValue& value, const SystemDescription& description) {
  const std::vector<std::string>& phases = description.phases;
  const auto found = std::find(phases.begin(), phases.end(), value.text());
  if (found == phases.end()) {
    value.fail(fmt::format("no such phase '{}'{} (known: {})", value.text(),
                           suggestion(value.text(), phases), fmt::join(phases, ", ")));
  }
  return static_cast<std::uint32_t>(found - phases.begin());
}

namespace {

constexpr std::int64_t kNthMax = 1'000'000;

std::uint64_t read_round(const OptionValue& value) {
  return static_cast<std::uint64_t>(value.integer(0, kRoundMax));
}

Anchor read_anchor(const Options& options, const Target& target) {
  Anchor anchor;
  const auto phase = options.find("phase");
  const auto round = options.find("round");
  if (phase.has_value() == round.has_value()) {
    options.fail("expected either 'phase' or 'round': what the fault waits for");
  }
  if (phase) anchor.phase = read_phase(*phase, target.description);
  if (round) anchor.round = read_round(*round);
  if (const auto node = options.find("node")) anchor.node = read_node(*node, target);
  anchor.nth = static_cast<std::uint32_t>(options.integer("nth", 1, 1, kNthMax));
  anchor.relative = options.boolean("relative", false);
  anchor.until_next = options.boolean("until_next", false);
  if (const auto before = options.find("before")) {
    anchor.before = read_duration(*before);
    if (*anchor.before == Duration{}) before->fail("expected a duration above zero");
  }
  return anchor;
}

std::string text_of(const Anchor& anchor, const SystemDescription& description) {
  Members after;
  if (anchor.phase) after.add_text("phase", description.phases.at(*anchor.phase));
  if (anchor.round) after.add_number("round", *anchor.round);
  if (anchor.node) after.add_number("node", *anchor.node);
  if (anchor.nth != 1) after.add_number("nth", anchor.nth);
  if (anchor.relative) after.add("relative", "true");
  if (anchor.until_next) after.add("until_next", "true");
  if (anchor.before) after.add_duration("before", *anchor.before);
  return after.on_one_line();
}

void read_rounds(const OptionValue& value, Window& window) {
  const std::vector<OptionValue> rounds = value.list();
  if (rounds.empty() || rounds.size() > 2) {
    value.fail(fmt::format("expected [first, end] or [first], found {} numbers", rounds.size()));
  }
  window.from_round = read_round(rounds[0]);
  if (rounds.size() == 1) return;
  window.until_round = read_round(rounds[1]);
  if (*window.until_round <= *window.from_round) {
    value.fail(
        fmt::format("expected an end after round {}, which is not part of the span, found {}",
                    *window.from_round, *window.until_round));
  }
}

Window read_window(const Options& fault) {
  Window window;
  const auto from = fault.find("from");
  const auto until = fault.find("until");
  if (const auto rounds = fault.find("rounds")) {
    if (from || until) rounds->fail("expected a span of rounds or of time, found both");
    read_rounds(*rounds, window);
    return window;
  }
  if (from) window.from = read_duration(*from);
  if (until) {
    window.until = read_duration(*until);
    if (*window.until <= window.from) {
      until->fail(fmt::format("expected a time after {}, found '{}'", to_string(window.from),
                              until->text()));
    }
  }
  return window;
}

// ---- what a space says of windows

/// Of an anchor: what is waited for, and how often.
struct AnchorRange {
  std::vector<std::uint32_t> phases;  ///< or
  std::optional<Bounds<std::uint64_t>> round;
  std::optional<Bounds<std::uint32_t>> nth;

  Anchor draw(Random& random) const {
    Anchor anchor;
    if (round) anchor.round = round->draw(random);
    if (!phases.empty()) anchor.phase = any_of(phases, random);
    if (nth) anchor.nth = nth->draw(random);
    anchor.relative = true;
    return anchor;
  }
};

AnchorRange read_anchor_range(const Options& table, const Target& target) {
  AnchorRange range;
  if (const auto phase = table.find("phase")) {
    range.phases = read_alternatives(
        *phase, [&](const OptionValue& value) { return read_phase(value, target.description); });
  }
  if (const auto round = table.find("round")) range.round = read_bounds(*round, read_round);
  if (range.phases.empty() != range.round.has_value()) {
    table.fail("expected either 'phase' or 'round': what the fault waits for");
  }
  if (const auto nth = table.find("nth")) {
    range.nth = read_bounds(*nth, [](const OptionValue& value) {
      return static_cast<std::uint32_t>(value.integer(1, kNthMax));
    });
  }
  return range;
}

struct WindowRange {
  std::optional<Bounds<Duration>> from;
  std::optional<Bounds<Duration>> until;
  std::optional<Bounds<std::uint64_t>> rounds;  ///< the first and the last that a span may have
  std::optional<AnchorRange> after;

  bool names_any() const { return from || until || rounds || after; }
  /// As usual where nothing is named: the rest is as in `usual`.
  Window draw(const Window& usual, Random& random) const {
    Window window = usual;
    if (rounds) {
      window = {};
      window.from_round = rounds->draw(random);
      window.until_round = Bounds<std::uint64_t>{*window.from_round, rounds->most}.draw(random) + 1;
      return window;
    }
    if (after) {
      window.after = after->draw(random);
    } else {
      window.after.reset();
    }
    const Duration length = usual.until ? *usual.until - usual.from : Duration{};
    if (from) window.from = from->draw(random);
    if (until) {
      window.until = until->draw(random);
    } else if (usual.until) {
      window.until = window.from + length;
    }
    return window;
  }
};

WindowRange read_window_range(const Options& table, const Target& target, bool may_wait) {
  WindowRange range;
  const auto read = [](const OptionValue& value) { return read_duration(value); };
  if (const auto from = table.find("from")) range.from = read_bounds(*from, read);
  if (const auto until = table.find("until")) range.until = read_bounds(*until, read);
  const auto after = may_wait ? table.find("after") : std::nullopt;
  if (after) range.after = read_anchor_range(after->table(), target);
  if (const auto rounds = table.find("rounds")) {
    if (range.names_any()) rounds->fail("expected a span of rounds or of time, found both");
    range.rounds = read_bounds(*rounds, read_round);
  }
  return range;
}

class WindowPart final : public Typed<Window> {
 public:
  WindowPart(Access<Window> access, const WindowOf& what)
      : Typed("from", access, Weight::essential), what_(what) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    Window& window = of(fault) = read_window(document);
    if (!what_.may_wait) return;
    const auto after = document.find("after");
    if (!after) return;
    if (window.by_round()) after->fail("expected a span of rounds or an anchor, found both");
    window.after = read_anchor(after->table(), target);
  }
  void write(const void* fault, Members& members, const Target& target) const override {
    const Window& window = of(fault);
    if (window.after) members.add("after", text_of(*window.after, target.description));
    if (window.by_round()) {
      DISSENSUS_ASSERT(window.from == Duration{} && !window.until,
                       "to_json : a window by round has no times");
      members.add("rounds", window.until_round
                                ? fmt::format("[{}, {}]", *window.from_round, *window.until_round)
                                : fmt::format("[{}]", *window.from_round));
      return;
    }
    DISSENSUS_ASSERT(!window.until_round, "to_json : a window by time has no rounds");
    if (window.from != Duration{}) members.add_duration("from", window.from);
    if (window.until) members.add_duration("until", *window.until);
  }
  void take(void* fault, ByteReader& reader) const override {
    Typed::take(fault, reader);
    const Window& window = of(fault);
    const bool has_times = window.from != Duration{} || window.until;
    if (window.by_round() ? has_times : window.until_round.has_value()) reader.fail();
  }
  void add_schema(Json& properties) const override {
    properties["from"] = properties["until"] = schema_of_duration();
    properties["rounds"] = {{"type", "array"},
                            {"items", schema_of_integer(0, kRoundMax)},
                            {"minItems", 1},
                            {"maxItems", 2}};
    if (!what_.may_wait) return;
    properties["after"] = {{"type", "object"},
                           {"properties",
                            {{"phase", {{"type", "string"}}},
                             {"round", schema_of_integer(0, kRoundMax)},
                             {"node", schema_of_integer(0, kMaxNodes - 1)},
                             {"nth", schema_of_integer(1, kNthMax)},
                             {"relative", {{"type", "boolean"}}},
                             {"until_next", {{"type", "boolean"}}},
                             {"before", schema_of_duration()}}},
                           {"additionalProperties", false}};
  }
  void draw(void* fault, Drawer&, const Window& when) const override {
    if (what_.concerns == nullptr || what_.concerns(fault)) of(fault) = when;
  }
  Range range(const Options& table, const Target& target) const override {
    const WindowRange ranges = read_window_range(table, target, what_.may_wait);
    if (!ranges.names_any()) return nullptr;
    return [this, ranges](void* fault, Drawer& drawer, const Window& when) {
      of(fault) = ranges.draw(when, drawer.random);
    };
  }
  void add_range_schema(Json& properties) const override {
    properties["from"] = properties["until"] = schema_of_span(schema_of_duration());
    properties["rounds"] = schema_of_list(schema_of_integer(0, kRoundMax), 2, 2);
    if (!what_.may_wait) return;
    const Json properties_of_anchor{{"phase", schema_of_alternatives({{"type", "string"}})},
                                    {"round", schema_of_span(schema_of_integer(0, kRoundMax))},
                                    {"nth", schema_of_span(schema_of_integer(1, kNthMax))}};
    properties["after"] = {
        {"type", "object"}, {"properties", properties_of_anchor}, {"additionalProperties", false}};
  }
  bool reduce(void* fault, Reduction& reduction) const override {
    if (what_.concerns != nullptr && !what_.concerns(fault)) return true;
    Window& window = of(fault);
    return window.by_round() ? reduce_rounds(window, reduction) : reduce_time(window, reduction);
  }
  void add_numbers(const void* fault, std::vector<FaultNumber>& numbers) const override {
    const Window& window = of(fault);
    // A moment is one message and no span whose ends could be moved.
    const bool is_moment = window.until && *window.until - window.from <= milliseconds(1);
    if (window.by_round() || is_moment) return;
    static constexpr auto kLeast = std::chrono::microseconds(1);
    if (window.from != Duration{}) {
      numbers.push_back({"from", window.from, [access = access_](void* each, Duration to) {
                           Window& changed = access(each);
                           changed.from =
                               changed.until ? std::min(to, *changed.until - kLeast) : to;
                         }});
    }
    if (window.until) {
      numbers.push_back({"until", *window.until, [access = access_](void* each, Duration to) {
                           Window& changed = access(each);
                           changed.until = std::max(to, changed.from + kLeast);
                         }});
    }
  }
  void shorten(void* fault, const Shorten& shorten) const override {
    Window& window = of(fault);
    if (window.by_round()) return;
    const Duration length = window.until ? *window.until - window.from : Duration{};
    window.from = shorten(window.from);
    if (window.until) window.until = window.from + shorten(length);
  }
  bool is_window() const override { return true; }
  bool may_wait() const override { return what_.may_wait; }
  Window* window(void* fault) const override { return &of(fault); }

 private:
  static constexpr std::int64_t kBoundMax = 16;

  // Two units: how much of the window is left when its end moves forward, and how much of that when
  // its beginning moves back. Before them, of one that waits: an earlier time that the same thing
  // happens may do.
  static bool reduce_time(Window& window, Reduction& reduction) {
    if (window.after) {
      const std::int64_t start = std::int64_t{window.after->nth} - 1;
      window.after->nth =
          static_cast<std::uint32_t>(reduction.source.next(start, Scale::count) + 1);
    }
    const Duration from = window.from;
    const Duration until =
        window.until ? *window.until : std::max(reduction.end, from + milliseconds(1));
    const std::int64_t length = whole_milliseconds(until - from);
    const std::int64_t start = window.until ? length : length + 1;
    const std::int64_t tail = reduction.source.next(start, Scale::milliseconds);
    const std::int64_t head = reduction.source.next(start, Scale::milliseconds);
    const std::int64_t left = std::min(tail, length);
    if (tail != start) window.until = from + milliseconds(tail);
    if (head < left) window.from = from + milliseconds(left - head);
    return tail > 0 && head > 0;
  }
  static bool reduce_rounds(Window& window, Reduction& reduction) {
    const std::uint64_t from = *window.from_round;
    const std::int64_t length =
        window.until_round ? static_cast<std::int64_t>(*window.until_round - from) : kBoundMax;
    const std::int64_t start = window.until_round ? length : length + 1;
    const std::int64_t tail = reduction.source.next(start, Scale::count);
    const std::int64_t head = reduction.source.next(start, Scale::count);
    const std::int64_t left = std::min(tail, length);
    if (tail != start) window.until_round = from + static_cast<std::uint64_t>(tail);
    if (head < left) window.from_round = from + static_cast<std::uint64_t>(left - head);
    return tail > 0 && head > 0;
  }

  WindowOf what_;
};

}  // namespace

PartPtr make_window(Access<Window> access, const WindowOf& what) {
  return std::make_unique<WindowPart>(access, what);
}

}  // namespace dissensus::faults
