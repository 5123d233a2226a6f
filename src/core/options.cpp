#include "dissensus/options.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/document.h"
#include "core/suggestion.h"

namespace dissensus {

using internal::DocumentValue;
using Type = DocumentValue::Type;

namespace {
std::string_view type_name(Type type) {
  static constexpr std::array<std::string_view, 7> kNames{
      "nothing", "a boolean", "an integer", "a number", "a text", "a list", "a table"};
  return kNames[static_cast<std::size_t>(type)];
}
}  // namespace

// ---- OptionValue

void OptionValue::fail(std::string_view message) const {
  internal::fail_at(state_->name, value_->line, path_, message);
}

std::int64_t OptionValue::integer(std::int64_t min, std::int64_t max) const {
  if (value_->type != Type::integer) {
    fail(fmt::format("expected an integer, found {}", type_name(value_->type)));
  }
  if (value_->integer < min || value_->integer > max) {
    if (max == std::numeric_limits<std::int64_t>::max()) {
      fail(fmt::format("expected an integer of at least {}, found {}", min, value_->integer));
    }
    fail(fmt::format("expected an integer from {} to {}, found {}", min, max, value_->integer));
  }
  return value_->integer;
}

double OptionValue::number(double min, double max) const {
  double result = value_->number;
  if (value_->type == Type::integer) {
    result = static_cast<double>(value_->integer);
  } else if (value_->type != Type::number) {
    fail(fmt::format("expected a number, found {}", type_name(value_->type)));
  }
  if (!(result >= min && result <= max)) {
    fail(fmt::format("expected a number from {:g} to {:g}, found {:g}", min, max, result));
  }
  return result;
}

bool OptionValue::boolean() const {
  if (value_->type != Type::boolean) {
    fail(fmt::format("expected true or false, found {}", type_name(value_->type)));
  }
  return value_->boolean;
}

std::string OptionValue::text() const {
  if (value_->type != Type::text) {
    fail(fmt::format("expected a text, found {}", type_name(value_->type)));
  }
  return value_->text;
}

Duration OptionValue::duration(bool allow_negative) const {
  static constexpr std::string_view kExpected =
      "expected a duration such as \"250ms\" or \"2s\" (us, ms, s, min, h)";
  if (value_->type != Type::text) {
    fail(fmt::format("{}, found {}", kExpected, type_name(value_->type)));
  }
  std::string_view text = value_->text;
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::optional<Duration> parsed = parse_duration(text);
  if (!parsed)
    fail(fmt::format("{}, found '{}'", kExpected, internal::printable(value_->text, 40)));
  if (negative && !allow_negative) {
    fail(fmt::format("expected a duration that is not negative, found '{}'", value_->text));
  }
  return negative ? -*parsed : *parsed;
}

std::size_t OptionValue::choice(std::span<const std::string_view> words) const {
  const std::string word = text();
  std::vector<std::string> known;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
    known.emplace_back(words[i]);
  }
  fail(fmt::format("expected one of {}, found '{}'{}", fmt::join(words, ", "),
                   internal::printable(word, 40), suggestion(word, known)));
}

std::vector<OptionValue> OptionValue::list() const {
  if (value_->type != Type::list) {
    fail(fmt::format("expected a list, found {}", type_name(value_->type)));
  }
  std::vector<OptionValue> result;
  for (std::size_t i = 0; i < value_->items.size(); ++i) {
    value_->items[i].asked = true;
    result.push_back(OptionValue(&value_->items[i], fmt::format("{}[{}]", path_, i), state_));
  }
  return result;
}

Options OptionValue::table() const {
  if (value_->type != Type::table) {
    fail(fmt::format("expected a table, found {}", type_name(value_->type)));
  }
  value_->opened = true;
  return Options(value_, path_, state_);
}

bool OptionValue::is_table() const {
  return value_->type == Type::table;
}
bool OptionValue::is_list() const {
  return value_->type == Type::list;
}
bool OptionValue::is_text() const {
  return value_->type == Type::text;
}
bool OptionValue::is_integer() const {
  return value_->type == Type::integer;
}
bool OptionValue::is_number() const {
  return value_->type == Type::number || is_integer();
}
bool OptionValue::is_boolean() const {
  return value_->type == Type::boolean;
}

// ---- Options

Options Options::from_toml(std::string_view text, std::string name) {
  auto state = std::make_shared<internal::OptionsState>();
  state->root = internal::parse_toml(text, name);
  state->name = std::move(name);
  state->root.opened = true;
  return Options(&state->root, "", state);
}

Options Options::from_json(std::string_view text, std::string name) {
  auto state = std::make_shared<internal::OptionsState>();
  state->root = internal::parse_json(text, name);
  state->name = std::move(name);
  if (state->root.type != Type::table) {
    internal::fail_at(state->name, state->root.line, "",
                      fmt::format("expected a JSON object, found {}", type_name(state->root.type)));
  }
  state->root.opened = true;
  return Options(&state->root, "", state);
}

std::string Options::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

std::optional<OptionValue> Options::find(std::string_view key) const {
  value_->asked_names.emplace_back(key);
  const DocumentValue* found = value_->find(key);
  if (found == nullptr) return std::nullopt;
  found->asked = true;
  return OptionValue(found, path_of(key), state_);
}

OptionValue Options::at(std::string_view key) const {
  const std::optional<OptionValue> found = find(key);
  if (found) return *found;
  // A mistyped key looks like a missing one: name what is there and was never asked for.
  std::vector<std::string> others;
  for (const auto& [name, value] : value_->members) {
    if (!value.asked) others.push_back(name);
  }
  fail(key, "missing, but it is required" + suggestion(key, others));
}

bool Options::has(std::string_view key) const {
  return value_->find(key) != nullptr;
}

std::vector<std::string> Options::keys() const {
  std::vector<std::string> result;
  for (const auto& member : value_->members) result.push_back(member.name);
  return result;
}

std::int64_t Options::integer(std::string_view key, std::int64_t fallback, std::int64_t min,
                              std::int64_t max) const {
  const auto found = find(key);
  return found ? found->integer(min, max) : fallback;
}
double Options::number(std::string_view key, double fallback, double min, double max) const {
  const auto found = find(key);
  return found ? found->number(min, max) : fallback;
}
bool Options::boolean(std::string_view key, bool fallback) const {
  const auto found = find(key);
  return found ? found->boolean() : fallback;
}
std::string Options::text(std::string_view key, std::string_view fallback) const {
  const auto found = find(key);
  return found ? found->text() : std::string(fallback);
}
Duration Options::duration(std::string_view key, Duration fallback) const {
  const auto found = find(key);
  return found ? found->duration() : fallback;
}
std::size_t Options::choice(std::string_view key, std::span<const std::string_view> words,
                            std::size_t fallback) const {
  const auto found = find(key);
  return found ? found->choice(words) : fallback;
}

std::vector<Options> Options::tables(std::string_view key) const {
  std::vector<Options> result;
  if (const auto found = find(key)) {
    for (const OptionValue& item : found->list()) result.push_back(item.table());
  }
  return result;
}

Options Options::table(std::string_view key) const {
  if (const auto found = find(key)) return found->table();
  auto state = std::make_shared<internal::OptionsState>();
  state->name = state_->name;
  state->root.type = Type::table;
  state->root.line = value_->line;
  return Options(&state->root, path_of(key), state);
}

namespace {
void check_all_asked(const DocumentValue& value, const std::string& path,
                     const internal::OptionsState& state) {
  if (value.type == Type::list) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      check_all_asked(value.items[i], fmt::format("{}[{}]", path, i), state);
    }
  }
  if (value.type != Type::table || !value.opened) return;
  for (const auto& [key, child] : value.members) {
    const std::string child_path = path.empty() ? key : fmt::format("{}.{}", path, key);
    if (!child.asked) {
      std::vector<std::string> unused;
      for (const std::string& name : value.asked_names) {
        if (value.find(name) == nullptr) unused.push_back(name);
      }
      internal::fail_at(state.name, child.line, child_path,
                        "unknown key" + suggestion(key, unused));
    }
    check_all_asked(child, child_path, state);
  }
}
}  // namespace

void Options::finish() const {
  check_all_asked(*value_, path_, *state_);
}

void Options::fail(std::string_view message) const {
  internal::fail_at(state_->name, value_->line, path_, message);
}
void Options::fail(std::string_view key, std::string_view message) const {
  const DocumentValue* found = value_->find(key);
  internal::fail_at(state_->name, found != nullptr ? found->line : value_->line, path_of(key),
                    message);
}

// ---- durations

namespace {
struct Unit {
  std::string_view name;
  std::int64_t microseconds;
};
constexpr std::array<Unit, 5> kUnits{
    {{"us", 1}, {"ms", 1'000}, {"s", 1'000'000}, {"min", 60'000'000}, {"h", 3'600'000'000}}};
}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  auto [position, error] = std::from_chars(text.data(), end, whole);
  if (error != std::errc() || whole < 0 || text.front() == '-') return std::nullopt;
  std::int64_t fraction = 0;
  std::int64_t scale = 1;
  if (position != end && *position == '.') {
    const char* const digits = ++position;
    while (position != end && *position >= '0' && *position <= '9') {
      if (scale >= 1'000'000'000) return std::nullopt;
      fraction = fraction * 10 + (*position++ - '0');
      scale *= 10;
    }
    if (position == digits) return std::nullopt;
  }
  const std::string_view unit_name(position, static_cast<std::size_t>(end - position));
  for (const Unit& unit : kUnits) {
    if (unit.name != unit_name) continue;
    std::int64_t total = 0;
    std::int64_t part = 0;
    if (__builtin_mul_overflow(whole, unit.microseconds, &total) ||
        __builtin_mul_overflow(fraction, unit.microseconds, &part) || part % scale != 0 ||
        __builtin_add_overflow(total, part / scale, &total)) {
      return std::nullopt;
    }
    return Duration{total};
  }
  return std::nullopt;
}

std::string to_string(Duration duration) {
  const std::int64_t count = duration.count();
  if (count < 0) return fmt::format("-{}", to_string(-duration));
  if (count == 0) return "0s";
  if (count % 1'000'000 == 0) return fmt::format("{}s", count / 1'000'000);
  if (count % 1'000 == 0) return fmt::format("{}ms", count / 1'000);
  return fmt::format("{}us", count);
}

}  // namespace dissensus
