#include "faults/part.h"

#include <limits>
#include <optional>

#include "core/limits.h"
#include "core/suggestion.h"
#include "faults/part_types.h"

namespace dissensus::faults {

using std::chrono::milliseconds;

std::int64_t whole_milliseconds(Duration duration) {
  return std::chrono::ceil<milliseconds>(duration).count();
}

Duration Drawer::whole(Duration duration) {
  return std::max<Duration>(std::chrono::duration_cast<milliseconds>(duration), Duration{});
}

// ---- reading

[[noreturn]] void fail_unknown_kind(const OptionValue& place, const std::string& word,
                                    const SystemDescription& description) {
  std::vector<std::string> names;
  for (const KindDescription& kind : description.kinds) names.push_back(kind.name);
  std::string near = suggestion(word, names);
  if (near.empty()) near = fmt::format(", expected one of {}", fmt::join(names, ", "));
  place.fail(fmt::format("unknown message kind{}", near));
}

MessageKind read_kind(const OptionValue& value, const Target& target) {
  const MessageKind kind = target.description.find_kind(value.text());
  if (kind == kNoKind) fail_unknown_kind(value, value.text(), target.description);
  return kind;
}

NodeId read_node(const OptionValue& value, const Target& target) {
  return static_cast<NodeId>(value.integer(0, static_cast<std::int64_t>(target.genes.nodes) - 1));
}

Duration read_duration(const OptionValue& value, bool may_be_negative) {
  const Duration duration = value.duration(may_be_negative);
  if (duration > kVirtualTimeMax || duration < -kVirtualTimeMax) {
    value.fail(fmt::format("expected a duration of at most {}h, found '{}'",
                           std::chrono::duration_cast<std::chrono::hours>(kVirtualTimeMax).count(),
                           value.text()));
  }
  return duration;
}

// ---- schemas

Json schema_of_nodes() {
  return schema_of_list(schema_of_integer(0, kMaxNodes - 1), 1);
}
Json schema_of_duration() {
  return {{"type", "string"}, {"pattern", "^-?[0-9.]+(us|ms|s|min|h)$"}};
}
Json schema_of_span(const Json& one) {
  return {{"oneOf", {one, schema_of_list(one, 1, 2)}}};
}
Json schema_of_alternatives(const Json& one) {
  return {{"oneOf", {one, schema_of_list(one, 1)}}};
}

namespace {

// ---- fields: parts under one key. A type of field says what is special about it.

struct Round;

template <class Content>
struct FieldType {
  using Value = Content;
  static constexpr bool kIsSpan = true;  ///< ranges are [least, most], not lists to choose from
  bool is_default(const Value& value) const { return value == Value{}; }
  bool is_possible(const Value&) const {
    return true;
  }  ///< as bytes that somebody may have written
  template <class Member>
  void draw(Member&, const void*, Drawer&, const Window&) const {}
  /// False: nothing is left.
  template <class Member>
  bool reduce(Member&, const void*, Reduction&) const {
    return true;
  }
  /// Whether the fault has it at all.
  bool concerns(const void*) const { return true; }
  std::string text(const Value& value) const { return fmt::format("{}", value); }
};

/// `Member` is the type's value, or an optional of it: what documents may leave out.
template <class Type, class Member>
class Field final : public Typed<Member> {
 public:
  using Value = typename Type::Value;
  Field(std::string_view name, Access<Member> access, Type type, bool required, Weight how)
      : Typed<Member>(name, access, how), type_(std::move(type)), required_(required) {}

  void read(void* fault, const Options& document, const Target& target) const override {
    const auto found = required_ ? document.at(this->key) : document.find(this->key);
    if (found) this->of(fault) = type_.read(*found, target);
  }
  void write(const void* fault, Members& members, const Target&) const override {
    const Value* const value = value_of(this->of(fault));
    if (value != nullptr && (required_ || kIsOptional || !type_.is_default(*value))) {
      members.add(this->key, type_.text(*value));
    }
  }
  void take(void* fault, ByteReader& reader) const override {
    Typed<Member>::take(fault, reader);
    const Value* const value = value_of(this->of(fault));
    if (value != nullptr && !type_.is_possible(*value)) reader.fail();
  }
  void add_schema(Json& properties) const override {
    properties[std::string(this->key)] = type_.schema();
  }
  void draw(void* fault, Drawer& drawer, const Window& when) const override {
    type_.draw(this->of(fault), fault, drawer, when);
  }
  Range range(const Options& table, const Target& target) const override {
    const auto found = table.find(this->key);
    if (!found) return nullptr;
    const auto read = [&](const OptionValue& value) { return type_.read(value, target); };
    if constexpr (Type::kIsSpan) {
      return
          [this, bounds = read_bounds(*found, read)](void* fault, Drawer& drawer, const Window&) {
            if (type_.concerns(fault)) this->of(fault) = bounds.draw(drawer.random);
          };
    } else {
      return [this, values = read_alternatives(*found, read)](void* fault, Drawer& drawer,
                                                              const Window&) {
        // Of a single value nothing is drawn.
        this->of(fault) = values.size() == 1 ? values.front() : any_of(values, drawer.random);
      };
    }
  }
  void add_range_schema(Json& properties) const override {
    properties[std::string(this->key)] =
        Type::kIsSpan ? schema_of_span(type_.schema()) : schema_of_alternatives(type_.schema());
  }
  bool reduce(void* fault, Reduction& reduction) const override {
    return !type_.concerns(fault) || type_.reduce(this->of(fault), fault, reduction);
  }
  void add_numbers(const void* fault, std::vector<FaultNumber>& numbers) const override {
    if constexpr (kIsDuration) {
      const Duration* const value = value_of(this->of(fault));
      if (value == nullptr || !type_.shrinks || (!kIsOptional && *value <= Duration{})) return;
      numbers.push_back({type_.label_of(this->key), *value,
                         [access = this->access_](void* each, Duration to) { access(each) = to; }});
    }
  }
  void shorten(void* fault, const Part::Shorten& shorten) const override {
    if constexpr (kIsDuration && kIsOptional) {
      if (type_.shrinks && this->of(fault)) this->of(fault) = shorten(*this->of(fault));
    }
  }
  std::uint64_t* round(void* fault) const override {
    if constexpr (std::is_same_v<Type, Round> && !kIsOptional) return &this->of(fault);
    return nullptr;
  }
  bool is_required() const override { return required_; }

 private:
  static constexpr bool kIsOptional = !std::is_same_v<Member, Value>;
  static constexpr bool kIsDuration = std::is_same_v<Value, Duration>;
  static const Value* value_of(const Value& value) { return &value; }
  static const Value* value_of(const std::optional<Value>& value) {
    return value ? &*value : nullptr;
  }

  Type type_;
  bool required_;
};

template <class Member, class Type>
PartPtr field(std::string_view key, Access<Member> access, Type type, bool required = false,
              Weight weight = Weight::beside) {
  return std::make_unique<Field<Type, Member>>(key, access, std::move(type), required, weight);
}

struct Node : FieldType<NodeId> {
  static constexpr bool kIsSpan = false;
  NodeId read(const OptionValue& value, const Target& target) const {
    return read_node(value, target);
  }
  Json schema() const { return schema_of_integer(0, kMaxNodes - 1); }
  template <class Member>
  void draw(Member& node, const void*, Drawer& drawer, const Window& when) const {
    node = drawer.node(when);
  }
};

template <class Number>
struct Whole : FieldType<Number> {
  Whole(std::int64_t least, std::int64_t most) : low(least), high(most) {}
  Number read(const OptionValue& value, const Target&) const {
    return static_cast<Number>(value.integer(low, high));
  }
  Json schema() const { return schema_of_integer(low, high); }
  std::int64_t low;
  std::int64_t high;
};

struct Round : Whole<std::uint64_t> {
  Round() : Whole(0, kRoundMax) {}
  static void draw(std::uint64_t& round, const void*, Drawer& drawer, const Window&) {
    const auto given = drawer.round();
    round = given ? *given : drawer.random.below(10);
  }
  static void draw(std::optional<std::uint64_t>& round, const void*, Drawer& drawer,
                   const Window&) {
    round = drawer.round();
  }
};

struct Seed : Whole<std::uint64_t> {
  Seed() : Whole(0, kSeedMax) {}
  static void draw(std::uint64_t& seed, const void*, Drawer& drawer, const Window&) {
    seed = drawer.seed();
  }
};

struct Count : Whole<std::uint32_t> {
  Count() : Whole(1, std::numeric_limits<std::uint32_t>::max()) {}
  using Member = std::optional<std::uint32_t>;
  static void draw(Member& count, const void*, Drawer& drawer, const Window&) {
    if (drawer.random.chance(0.5)) {
      count = static_cast<std::uint32_t>(1 + drawer.random.below(8));
    }
  }
  /// Where a number has no bound, bounds up to 16 are tried.
  static bool reduce(Member& count, const void*, Reduction& reduction) {
    const std::int64_t start = count ? std::int64_t{*count} : 17;
    const std::int64_t level = reduction.source.next(start, Scale::count);
    if (level != start) count = static_cast<std::uint32_t>(level);
    return level > 0;
  }
};

/// What is there or not, whatever its size.
template <class Number>
bool reduce_to_nothing(Number& number, Reduction& reduction) {
  if (number != 0 && reduction.source.next(1, Scale::whole) == 0) number = 0;
  return number != 0;
}

struct Integer : Whole<std::int32_t> {
  using Whole::Whole;
  void draw(std::int32_t& number, const void*, Drawer& drawer, const Window&) const {
    number = static_cast<std::int32_t>(drawer.random.between(low, high));
  }
  static bool reduce(std::int32_t& number, const void*, Reduction& reduction) {
    return reduce_to_nothing(number, reduction);
  }
};

struct Share : FieldType<double> {
  double read(const OptionValue& value, const Target&) const { return value.number(0, 1); }
  Json schema() const { return {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}; }
  static void draw(double& share, const void*, Drawer& drawer, const Window&) {
    share = drawer.share();
  }
  static bool reduce(double& share, const void*, Reduction& reduction) {
    return reduce_to_nothing(share, reduction);
  }
};

/// A field of messages that can be changed.
struct MessageField : FieldType<std::string> {
  static constexpr bool kIsSpan = false;
  std::string read(const OptionValue& value, const Target& target) const {
    std::vector<std::string> known;
    for (const PayloadDescription& payload : target.description.payloads) {
      for (std::size_t i = 0; i < payload.fields.size(); ++i) {
        if (payload.setters[i] && i != payload.author) known.push_back(payload.fields[i].name);
      }
    }
    if (std::find(known.begin(), known.end(), value.text()) == known.end()) {
      std::string near = suggestion(value.text(), known);
      if (near.empty()) near = fmt::format(", expected one of {}", fmt::join(known, ", "));
      value.fail(
          fmt::format("no message has a field '{}' that can be changed{}", value.text(), near));
    }
    return value.text();
  }
  Json schema() const { return {{"type", "string"}}; }
  std::string text(const std::string& field) const { return quote(field); }
};

/// Words that may be left out are drawn only where a space names them.
struct Word : FieldType<std::uint8_t> {
  static constexpr bool kIsSpan = false;
  std::uint8_t read(const OptionValue& value, const Target&) const {
    return static_cast<std::uint8_t>(value.choice(words));
  }
  Json schema() const { return {{"enum", std::vector<std::string>(words.begin(), words.end())}}; }
  bool is_possible(std::uint8_t word) const { return word < words.size(); }
  std::string text(std::uint8_t word) const { return quote(words[word]); }
  void draw(std::uint8_t& word, const void*, Drawer& drawer, const Window&) const {
    if (!is_drawn) return;
    const std::vector<std::size_t> admitted = drawer.words(key);
    word = static_cast<std::uint8_t>(admitted.empty() ? drawer.random.below(words.size())
                                                      : any_of(admitted, drawer.random));
  }
  std::string_view key;
  std::span<const std::string_view> words;
  bool is_drawn;
};

struct Time : FieldType<Duration>, DurationOf {
  explicit Time(const DurationOf& what) : DurationOf(what) {}
  bool concerns(const void* fault) const {
    return DurationOf::concerns == nullptr || DurationOf::concerns(fault);
  }
  Duration read(const OptionValue& value, const Target&) const {
    return read_duration(value, may_be_negative);
  }
  Json schema() const { return schema_of_duration(); }
  std::string text(Duration duration) const { return quote(to_string(duration)); }
  template <class Member>
  void draw(Member& duration, const void* fault, Drawer& drawer, const Window&) const {
    if (concerns(fault)) duration = drawer.length();
  }
  bool reduce(std::optional<Duration>& duration, const void*, Reduction& reduction) const {
    if (shrinks && duration) reduce(*duration, nullptr, reduction);
    return true;
  }
  /// The level that is left, in whole milliseconds, whichever its sign.
  static bool reduce(Duration& duration, const void*, Reduction& reduction) {
    const bool negative = duration < Duration{};
    const std::int64_t start = whole_milliseconds(negative ? -duration : duration);
    const std::int64_t level = reduction.source.next(start, Scale::milliseconds);
    if (level != start) duration = milliseconds(negative ? -level : level);
    return duration != Duration{};
  }
  std::string label_of(std::string_view key) const {
    std::string name(label.empty() ? key : label);
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
  }
};

}  // namespace

PartPtr make_node(std::string_view key, Access<NodeId> access) {
  return field(key, access, Node{}, true);
}
PartPtr make_node(std::string_view key, Access<std::optional<NodeId>> access) {
  return field(key, access, Node{});
}
PartPtr make_count(Access<std::optional<std::uint32_t>> access) {
  return field("count", access, Count(), false, Weight::essential);
}
PartPtr make_seed(Access<std::uint64_t> access) {
  return field("seed", access, Seed(), true);
}
PartPtr make_round(std::string_view key, Access<std::uint64_t> access) {
  return field(key, access, Round(), true);
}
PartPtr make_round(std::string_view key, Access<std::optional<std::uint64_t>> access,
                   Weight weight) {
  return field(key, access, Round(), false, weight);
}
PartPtr make_share(std::string_view key, Access<double> access) {
  return field(key, access, Share{}, false, Weight::one_of);
}
PartPtr make_choice(std::string_view key, Access<std::uint8_t> access,
                    std::span<const std::string_view> words, bool required) {
  return field(key, access, Word{{}, key, words, required}, required);
}
PartPtr make_integer(std::string_view key, Access<std::int32_t> access, std::int32_t low,
                     std::int32_t high) {
  return field(key, access, Integer(low, high), false, Weight::one_of);
}
PartPtr make_field(Access<std::string> access) {
  return field("field", access, MessageField{});
}
PartPtr make_duration(std::string_view key, Access<Duration> access, const DurationOf& what) {
  return field(key, access, Time(what), what.required, what.weight);
}
PartPtr make_duration(std::string_view key, Access<std::optional<Duration>> access,
                      const DurationOf& what) {
  return field(key, access, Time(what), false, what.weight);
}

}  // namespace dissensus::faults
