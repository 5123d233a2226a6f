#include "tla/library/value_file.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

enum Kind : std::uint8_t {
  kBoolean = 0,
  kInteger = 1,
  kText = 3,
  kRecord = 4,
  kSet = 5,
  kTuple = 7,
  kFunction = 9,
  kModelValue = 21,
  kInterval = 23,
  kKnown = 26,  ///< the number of something that was written before
};
// How the domain of a function is written.
constexpr std::uint8_t kOverInterval = 0, kUnsorted = 2;  // 1: in the order of the writer
constexpr std::uint32_t kShortMost = 0x7FFF;
constexpr int kDepthMost = 1000;

class Writer {
 public:
  explicit Writer(Store& store) : store_(store) {}

  void value(Value given) {
    const Value value = store_.canonical(given);
    switch (value.type()) {
      case Type::boolean:
        byte(kBoolean);
        byte(value.truth() ? 1 : 0);
        return;
      case Type::integer:
        byte(kInteger);
        integer(value.number());
        return;
      case Type::text:
        text(value.cell()->bytes());
        return;
      case Type::set:
        byte(kSet);
        unsorted_count(value.cell()->size);
        items(items_of(value));
        return;
      case Type::tuple:
        byte(kTuple);
        count(value.cell()->size);
        items(items_of(value));
        return;
      case Type::record:
        record(value);
        return;
      case Type::function:
        function(value);
        return;
      default:
        throw ValueError(fmt::format("such a file cannot hold {}", to_string(value)));
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  void byte(std::uint8_t one) { bytes_ += static_cast<char>(one); }
  void word(std::uint32_t number, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      byte(static_cast<std::uint8_t>(number >> shift));
    }
  }
  void integer(std::int64_t number) {
    if (number != static_cast<std::int32_t>(number)) {
      throw ValueError(fmt::format("such a file cannot hold {}: more than 32 bits", number));
    }
    word(static_cast<std::uint32_t>(number), 4);
  }
  /// Two bytes, or four of the negative number.
  void count(std::uint32_t number) {
    number <= kShortMost ? word(number, 2) : word(~number + 1, 4);
  }
  /// Negative: the reader has to sort, since its order is another one.
  void unsorted_count(std::uint32_t number) { word(~number + 1, 4); }
  void items(std::span<const Value> values) {
    for (const Value item : values) value(item);
  }

  void text(std::string_view content) {
    if (std::any_of(content.begin(), content.end(), [](char c) { return (c & 0x80) != 0; })) {
      throw ValueError(fmt::format("such a file cannot hold \"{}\": not ASCII", content));
    }
    byte(kText);
    word(~0u, 4);  // numbers that a string has in one run of TLC
    word(~0u, 4);
    word(static_cast<std::uint32_t>(content.size()), 4);
    bytes_ += content;
  }
  void record(Value value) {
    const std::span<const Value> parts = items_of(value);
    const std::span<const Value> names = items_of(parts[0]);
    byte(kRecord);
    unsorted_count(static_cast<std::uint32_t>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
      text(names[i].cell()->bytes());
      this->value(parts[i + 1]);
    }
  }
  void function(Value value) {
    const std::span<const Value> parts = items_of(value);
    const std::span<const Value> domain = items_of(parts[0]);
    byte(kFunction);
    count(static_cast<std::uint32_t>(domain.size()));
    byte(kUnsorted);
    for (std::size_t i = 0; i < domain.size(); ++i) {
      this->value(domain[i]);
      this->value(parts[i + 1]);
    }
  }

  Store& store_;
  std::string bytes_;
};

class Reader {
 public:
  Reader(Store& store, std::string_view bytes) : store_(store), bytes_(bytes) {}

  Value whole() {
    const Value read = value(0);
    if (at_ != bytes_.size()) fail("goes on after its value");
    return read;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw ValueError(fmt::format("the file of a value {} (byte {})", what, at_));
  }
  std::uint8_t byte() {
    if (at_ == bytes_.size()) fail("ends early");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint32_t word(int size) {
    std::uint32_t number = 0;
    for (int i = 0; i < size; ++i) number = number << 8 | byte();
    return number;
  }
  std::int32_t integer() { return static_cast<std::int32_t>(word(4)); }
  /// What a value says of its length is not believed beyond what can follow.
  std::size_t length(std::uint32_t number) {
    if (number > bytes_.size() - at_) fail("ends early");
    return number;
  }
  std::uint32_t count() {
    const std::uint32_t number = word(2);
    return number <= kShortMost ? number : ~(number << 16 | word(2)) + 1;
  }
  std::uint32_t signed_count() {
    const std::uint32_t number = word(4);
    return number >> 31 != 0 ? ~number + 1 : number;
  }
  std::size_t reserve() {
    known_.emplace_back();
    return known_.size() - 1;
  }
  Value known() {
    const std::uint32_t number = count();
    if (number >= known_.size() || known_[number].is_null()) fail("names what it has not said");
    return known_[number];
  }

  Value text() {
    const std::size_t number = reserve();
    word(4);
    word(4);
    std::string content;
    for (std::size_t rest = length(word(4)); rest > 0; --rest) {
      const std::uint8_t letter = byte();  // Latin-1
      if (letter >= 0x80) content += static_cast<char>(0xC0 | letter >> 6);
      content += static_cast<char>(letter < 0x80 ? letter : 0x80 | (letter & 0x3F));
    }
    return known_[number] = store_.text(content);
  }
  Value set(int depth) {
    const std::size_t number = reserve();
    const std::vector<Value> elements = values(length(signed_count()), depth);
    return known_[number] = store_.set(elements);
  }
  Value tuple(int depth) {
    const std::size_t number = reserve();
    const std::vector<Value> items = values(length(count()), depth);
    return known_[number] = store_.tuple(items);
  }
  Value record(int depth) {
    const std::size_t number = reserve();
    std::vector<Value> names, fields;
    for (std::size_t rest = length(signed_count()); rest > 0; --rest) {
      const std::uint8_t kind = byte();
      if (kind != kText && kind != kKnown) fail("has a record without a name");
      names.push_back(kind == kText ? text() : known());
      if (!names.back().is(Type::text)) fail("has a record without a name");
      fields.push_back(value(depth));
    }
    return known_[number] = store_.record(names, fields);
  }
  Value function(int depth) {
    const std::size_t number = reserve();
    const std::size_t size = length(count());
    const std::uint8_t form = byte();
    if (form > kUnsorted) fail("has a function of unknown form");
    std::int64_t next = 0;
    if (form == kOverInterval) {
      next = integer();
      if (integer() - next + 1 != static_cast<std::int64_t>(size)) fail("has a wrong interval");
    }
    std::vector<std::pair<Value, Value>> points;
    for (std::size_t i = 0; i < size; ++i) {
      const Value argument = form == kOverInterval ? Value::integer(next++) : value(depth);
      points.emplace_back(argument, value(depth));
    }
    return known_[number] = function_of(points);
  }
  Value function_of(std::vector<std::pair<Value, Value>>& points) {
    std::sort(points.begin(), points.end(),
              [&](const auto& a, const auto& b) { return store_.compare(a.first, b.first) < 0; });
    std::vector<Value> arguments, results;
    for (const auto& [argument, result] : points) {
      arguments.push_back(argument);
      results.push_back(result);
    }
    const Value domain = store_.set(arguments);
    if (domain.cell()->size != points.size()) fail("has a function with an argument twice");
    return store_.function(domain, results);
  }
  Value interval() {
    const std::int64_t low = integer();
    return store_.canonical(store_.interval(low, integer()));
  }
  std::vector<Value> values(std::size_t count, int depth) {
    std::vector<Value> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(value(depth));
    return list;
  }

  Value value(int depth) {
    if (depth > kDepthMost) fail("is nested too deeply");
    switch (byte()) {
      case kBoolean:
        return Value::boolean(byte() != 0);
      case kInteger:
        return Value::integer(integer());
      case kText:
        return text();
      case kRecord:
        return record(depth + 1);
      case kSet:
        return set(depth + 1);
      case kTuple:
        return tuple(depth + 1);
      case kFunction:
        return function(depth + 1);
      case kInterval:
        return interval();
      case kKnown:
        return known();
      case kModelValue:
        fail("has a model value, which only the run that wrote it can name");
      default:
        --at_;
        fail("has a value of unknown kind");
    }
  }

  Store& store_;
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::vector<Value> known_;
};

}  // namespace

std::string to_value_file(Store& store, Value value) {
  Writer writer(store);
  writer.value(value);
  return writer.take();
}

Value from_value_file(Store& store, std::string_view bytes) {
  return Reader(store, bytes).whole();
}

bool is_value_file(std::string_view bytes) {
  return !bytes.empty() && static_cast<std::uint8_t>(bytes[0]) <= kKnown && bytes[0] != '\n' &&
         bytes[0] != '\r';
}

}  // namespace dissensus::tla
