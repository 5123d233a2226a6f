#include "trace/diagram_scale.h"

#include <algorithm>

#include <fmt/format.h>

namespace dissensus::trace {
namespace {

constexpr double kBreakWidth = 30;
constexpr double kTickGap = 56;
/// A quiet stretch is shortened when it takes at least this share of the time, and is so many
/// times longer than the usual pause between two events...
constexpr double kQuietShare = 0.04;
constexpr std::int64_t kQuietFactor = 15;
/// ... and all such stretches together take this share: else true proportions are better.
constexpr double kQuietTotal = 0.4;
/// What remains of a quiet stretch on either side of its break, as a share of the busy time.
constexpr double kMargin = 0.02;

struct Quiet {
  std::int64_t from;
  std::int64_t until;
};

/// All stretches between two moments at which something happens.
std::vector<Quiet> pauses_between(std::int64_t from, std::int64_t until,
                                  std::vector<Time> moments) {
  std::sort(moments.begin(), moments.end());
  std::vector<Quiet> pauses;
  std::int64_t last = from;
  for (const Time moment : moments) {
    const std::int64_t now = std::clamp(microseconds_of(moment), from, until);
    if (now > last) pauses.push_back({last, now});
    last = now;
  }
  return pauses;
}

std::int64_t median_length(const std::vector<Quiet>& pauses) {
  std::vector<std::int64_t> lengths;
  for (const Quiet& pause : pauses) lengths.push_back(pause.until - pause.from);
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

std::vector<Quiet> quiet_stretches(std::int64_t from, std::int64_t until,
                                   std::vector<Time> moments) {
  const std::vector<Quiet> pauses = pauses_between(from, until, std::move(moments));
  const std::int64_t usual = median_length(pauses);
  const double span = static_cast<double>(until - from);
  std::vector<Quiet> stretches;
  std::int64_t quiet = 0;
  for (const Quiet& pause : pauses) {
    const std::int64_t length = pause.until - pause.from;
    if (static_cast<double>(length) < kQuietShare * span || length / kQuietFactor < usual) continue;
    stretches.push_back(pause);
    quiet += length;
  }
  if (static_cast<double>(quiet) < kQuietTotal * span) return {};
  const auto margin =
      static_cast<std::int64_t>(static_cast<double>(until - from - quiet) * kMargin);
  for (Quiet& stretch : stretches) {
    stretch.from += margin;
    stretch.until -= margin;
  }
  std::erase_if(stretches, [](const Quiet& stretch) { return stretch.until <= stretch.from; });
  return stretches;
}

}  // namespace

TimeScale::TimeScale(Time from, Time until, std::vector<Time> moments, double left, double right) {
  const std::int64_t begin = microseconds_of(from);
  const std::int64_t end = std::max(microseconds_of(until), begin + 1);
  const std::vector<Quiet> quiet = quiet_stretches(begin, end, std::move(moments));
  std::int64_t busy = end - begin;
  for (const Quiet& stretch : quiet) busy -= stretch.until - stretch.from;
  pixels_per_microsecond_ = (right - left - kBreakWidth * static_cast<double>(quiet.size())) /
                            static_cast<double>(std::max<std::int64_t>(busy, 1));
  double x = left;
  std::int64_t time = begin;
  const auto add = [&](std::int64_t piece_end, double width, bool is_break) {
    if (piece_end == time) return;
    pieces_.push_back({time, piece_end, x, x + width, is_break});
    if (is_break) breaks_.push_back({x, x + width, Duration{piece_end - time}});
    time = piece_end;
    x += width;
  };
  const auto busy_width = [&](std::int64_t piece_end) {
    return static_cast<double>(piece_end - time) * pixels_per_microsecond_;
  };
  for (const Quiet& stretch : quiet) {
    add(stretch.from, busy_width(stretch.from), false);
    add(stretch.until, kBreakWidth, true);
  }
  add(end, busy_width(end), false);
}

double TimeScale::x(Time time) const {
  const std::int64_t moment =
      std::clamp(microseconds_of(time), pieces_.front().from, pieces_.back().until);
  const auto piece =
      std::find_if(pieces_.begin(), pieces_.end() - 1,
                   [moment](const Piece& candidate) { return moment <= candidate.until; });
  const double share =
      static_cast<double>(moment - piece->from) / static_cast<double>(piece->until - piece->from);
  return piece->from_x + share * (piece->until_x - piece->from_x);
}

TimeScale::Unit TimeScale::unit() const {
  const std::int64_t last = pieces_.back().until;
  if (last >= 2'000'000) return {"s", 1'000'000};
  if (last >= 2'000) return {"ms", 1'000};
  return {"µs", 1};
}

std::int64_t TimeScale::tick_step() const {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      const std::int64_t step = power * factor;
      const bool is_last = power > std::int64_t{1} << 50;
      if (is_last || static_cast<double>(step) * pixels_per_microsecond_ >= kTickGap) return step;
    }
  }
}

std::string TimeScale::label(std::int64_t microseconds) const {
  const Unit in = unit();
  std::string text = std::to_string(microseconds / in.microseconds);
  std::int64_t rest = microseconds % in.microseconds;
  if (rest == 0) return text;
  text += '.';
  for (std::int64_t place = in.microseconds / 10; rest != 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text;
}

std::string TimeScale::title() const {
  return fmt::format("time / {}", unit().name);
}

std::vector<TimeScale::Tick> TimeScale::ticks() const {
  const std::int64_t step = tick_step();
  std::vector<Tick> ticks;
  for (const Piece& piece : pieces_) {
    if (piece.is_break) continue;
    const std::int64_t first = (piece.from + step - 1) / step * step;
    if (first > piece.until) {
      // A burst between two breaks needs at least one number; one tenth of a step is exact enough.
      const std::int64_t fine = std::max<std::int64_t>(step / 20, 1);
      const std::int64_t rounded = (piece.from + fine - 1) / fine * fine;
      if (rounded > piece.until) continue;
      ticks.push_back({x(time_of_microseconds(rounded)), label(rounded)});
      continue;
    }
    for (std::int64_t time = first; time <= piece.until; time += step) {
      ticks.push_back({x(time_of_microseconds(time)), label(time)});
    }
  }
  // Ticks of neighbouring bursts may come too close for their numbers.
  double last = -1e9;
  std::erase_if(ticks, [&last](const Tick& tick) {
    const double width = 8 + 6.5 * static_cast<double>(tick.label.size());
    if (tick.x - last < width) return true;
    last = tick.x;
    return false;
  });
  return ticks;
}

}  // namespace dissensus::trace
