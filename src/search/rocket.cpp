// Rocket's flat vectors. Rocket knows message types, not the finer kinds of the thesis: one number
// stands for all kinds of a type.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/document.h"
#include "search/genotype.h"

namespace dissensus::search {

namespace {
struct Number {
  double value = 0;
  int line = 0;
};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Splits the text into numbers; complains at the first thing that is none.
class NumberReader {
 public:
  NumberReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<Number> read() {
    skip_space();
    const bool bracket = take('[');
    skip_space();
    while (position_ < text_.size() && text_[position_] != ']') {
      if (!numbers_.empty()) {
        const bool comma = take(',');
        skip_space();
        if (bracket && !comma) fail("expected a comma between the numbers of a list");
      }
      read_number();
      skip_space();
    }
    if (bracket && !take(']')) fail("expected ']' at the end of the list");
    skip_space();
    if (position_ < text_.size()) fail("expected nothing after the last number");
    return std::move(numbers_);
  }

 private:
  void skip_space() {
    for (; position_ < text_.size() && is_space(text_[position_]); ++position_) {
      if (text_[position_] == '\n') ++line_;
    }
  }
  bool take(char c) {
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  void read_number() {
    std::size_t end = position_;
    while (end < text_.size() && !is_space(text_[end]) && text_[end] != ',' && text_[end] != ']') {
      ++end;
    }
    Number number{0, line_};
    const auto [stop, error] =
        std::from_chars(text_.data() + position_, text_.data() + end, number.value);
    if (error != std::errc{} || stop != text_.data() + end) {
      const std::string_view word = text_.substr(position_, end - position_);
      fail(fmt::format("expected a number, found '{}'", internal::printable(word, 40)));
    }
    position_ = end;
    numbers_.push_back(number);
  }
  [[noreturn]] void fail(std::string_view message) const {
    internal::fail_at(name_, line_, fmt::format("number {}", numbers_.size() + 1), message);
  }

  std::string_view text_;
  const std::string& name_;
  std::vector<Number> numbers_;
  std::size_t position_ = 0;
  int line_ = 1;
};

/// Whole, and within bounds.
std::uint32_t checked(const Number& number, std::size_t index, double low, double high,
                      const std::string& name) {
  const double value = std::floor(number.value + 0.5);
  if (value < low || value > high) {
    internal::fail_at(
        name, number.line, fmt::format("number {}", index + 1),
        fmt::format("expected a number from {:.0f} to {:.0f}, found {}", low, high, number.value));
  }
  return static_cast<std::uint32_t>(value);
}

void check_permutation(const std::vector<std::uint32_t>& values, const std::vector<Number>& numbers,
                       const std::string& name) {
  std::vector<std::size_t> first(values.size() + 1, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t& seen = first[values[i]];
    if (seen != 0) {
      internal::fail_at(
          name, numbers[i].line, fmt::format("number {}", i + 1),
          fmt::format("expected each priority once, but {} is number {} too", values[i], seen));
    }
    seen = i + 1;
  }
}

/// Message types in the order of Rocket's vectors.
constexpr std::array<std::string_view, 7> kRocketTypes{
    "Transaction",  "GetLedger",          "LedgerData", "ProposeSet",
    "StatusChange", "HaveTransactionSet", "Validation"};

/// By message type of the system: its place in Rocket's order. A system that has other messages
/// than Rocket knows keeps its own order.
std::vector<std::size_t> rocket_order(const SystemDescription& description) {
  std::vector<std::size_t> order;
  for (const PayloadDescription& payload : description.payloads) {
    const auto place = std::find(kRocketTypes.begin(), kRocketTypes.end(), payload.name);
    order.push_back(static_cast<std::size_t>(place - kRocketTypes.begin()));
  }
  std::vector<std::size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> own(order.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  return sorted == own ? order : own;
}

/// By gene of the scenario: the index in a vector with one entry per message type.
std::vector<std::size_t> type_positions(const run::Scenario& scenario) {
  const std::size_t pairs = scenario.nodes() * (scenario.nodes() - 1);
  const std::vector<std::size_t> order = rocket_order(scenario.system_description());
  std::vector<std::size_t> positions;
  for (const KindDescription& kind : scenario.system_description().kinds) {
    for (std::size_t i = 0; i < pairs; ++i) positions.push_back(order[kind.payload] * pairs + i);
  }
  return positions;
}

std::vector<std::uint32_t> spread(const std::vector<std::uint32_t>& values,
                                  const std::vector<std::size_t>& positions) {
  std::vector<std::uint32_t> result;
  for (const std::size_t position : positions) result.push_back(values[position]);
  return result;
}

/// A permutation in which genes keep the order of their values, equal ones that of their indices.
std::vector<std::uint32_t> ranks(const std::vector<std::uint32_t>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<std::uint32_t> result(values.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    result[order[rank]] = static_cast<std::uint32_t>(rank + 1);
  }
  return result;
}

std::string to_list(const std::vector<std::uint32_t>& values) {
  return fmt::format("[{}]\n", fmt::join(values, ", "));
}
}  // namespace

faults::Schedule from_rocket(std::string_view text, std::string name,
                             const run::Scenario& scenario) {
  const std::vector<Number> numbers = NumberReader(text, name).read();
  const std::vector<std::size_t> positions = type_positions(scenario);
  const std::size_t pairs = scenario.nodes() * (scenario.nodes() - 1);
  const std::size_t types = scenario.system_description().payloads.size();
  if (numbers.size() != types * pairs) {
    throw InputError(
        fmt::format("{}: expected {} numbers ({} message types x {} x {} nodes), found {}", name,
                    types * pairs, types, scenario.nodes(), scenario.nodes() - 1, numbers.size()));
  }
  const bool priorities = scenario.space.type == run::ScheduleSpace::Type::priority;
  const double low = priorities ? 1 : 0;
  const double high = priorities ? static_cast<double>(numbers.size()) : faults::kDelayMsMax;
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    values.push_back(checked(numbers[i], i, low, high, name));
  }
  faults::Schedule schedule;
  if (priorities) {
    check_permutation(values, numbers, name);
    schedule.scheduler =
        faults::PrioritySchedule{ranks(spread(values, positions)), scenario.space.rate};
  } else {
    schedule.scheduler = faults::DelaySchedule{spread(values, positions)};
  }
  return schedule;
}

std::string to_rocket(const faults::Schedule& schedule, const run::Scenario& scenario) {
  const std::vector<std::size_t> positions = type_positions(scenario);
  const faults::GeneSpace genes = scenario.genes();
  const SystemDescription& description = scenario.system_description();
  const std::size_t pairs = genes.nodes * (genes.nodes - 1);
  if (const auto* priorities = std::get_if<faults::PrioritySchedule>(&schedule.scheduler)) {
    if (description.kinds.size() != description.payloads.size()) {
      throw InputError(fmt::format(
          "Rocket has one priority per message type, but this scenario has {} kinds of {} types",
          description.kinds.size(), description.payloads.size()));
    }
    return to_list(spread(priorities->priority, positions));
  }
  std::vector<std::uint32_t> values(description.payloads.size() * pairs, 0);
  const auto* delays = std::get_if<faults::DelaySchedule>(&schedule.scheduler);
  if (delays == nullptr) {
    if (schedule.scheduler.index() == 0) return to_list(values);
    throw InputError("Rocket has no schedules of single messages, only delays and priorities");
  }
  std::vector<bool> known(values.size(), false);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::uint32_t& value = values[positions[i]];
    if (known[positions[i]] && value != delays->delay_ms[i]) {
      const faults::GeneSpace::Gene gene = genes.gene(i);
      throw InputError(fmt::format(
          "Rocket has one delay per message type, but {} from {} to {} has another one than the "
          "kinds before it",
          description.kinds[gene.kind].name, gene.from, gene.to));
    }
    known[positions[i]] = true;
    value = delays->delay_ms[i];
  }
  return to_list(values);
}

}  // namespace dissensus::search
