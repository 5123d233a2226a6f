#include "dissensus/history.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/assert.h"

namespace dissensus::history {

namespace {

constexpr std::size_t kBlockBytes = 1u << 18;

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9;
  x ^= x >> 27;
  x *= 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

}  // namespace

Value Value::boolean(bool value) {
  Value result;
  result.type_ = Type::boolean;
  result.integer_ = value ? 1 : 0;
  return result;
}

Value Value::integer(std::int64_t value) {
  Value result;
  result.type_ = Type::integer;
  result.integer_ = value;
  return result;
}

Value Value::number(double value) {
  Value result;
  result.type_ = Type::number;
  result.number_ = value;
  return result;
}

double Value::number() const {
  if (type_ == Type::number) return number_;
  return static_cast<double>(integer());
}

std::string_view Value::text() const {
  return is_text() ? std::string_view(text_, size_) : std::string_view();
}

std::span<const Value> Value::items() const {
  const bool has_items = type_ == Type::list || type_ == Type::set || type_ == Type::map;
  return has_items ? std::span<const Value>(items_, size_) : std::span<const Value>();
}

Value Value::find(std::string_view key) const {
  if (type_ != Type::map) return {};
  const std::span<const Value> members = items();
  for (std::size_t i = 0; i + 1 < members.size(); i += 2) {
    if (members[i].is_text() && members[i].text() == key) return members[i + 1];
  }
  return {};
}

int Value::compare(const Value& a, const Value& b) {
  if (a.type_ != b.type_) return order(a.type_, b.type_);
  switch (a.type_) {
    case Type::nil:
      return 0;
    case Type::boolean:
    case Type::integer:
      return order(a.integer_, b.integer_);
    case Type::number: {
      // Bits where the numbers do not compare, so that the order is total with NaN and -0.
      const int by_value = order(a.number_, b.number_);
      if (by_value != 0) return by_value;
      return order(std::bit_cast<std::uint64_t>(a.number_),
                   std::bit_cast<std::uint64_t>(b.number_));
    }
    case Type::text:
    case Type::word:
      return order(a.text().compare(b.text()), 0);
    case Type::list:
    case Type::set:
    case Type::map:
      break;
  }
  const std::span<const Value> left = a.items();
  const std::span<const Value> right = b.items();
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (const int item = compare(left[i], right[i]); item != 0) return item;
  }
  return order(left.size(), right.size());
}

std::uint64_t Value::hash() const {
  const std::uint64_t seed = 0x9E3779B97F4A7C15 * (static_cast<std::uint64_t>(type_) + 1);
  switch (type_) {
    case Type::nil:
      return mixed(seed);
    case Type::boolean:
    case Type::integer:
      return mixed(seed ^ static_cast<std::uint64_t>(integer_));
    case Type::number:
      return mixed(seed ^ std::bit_cast<std::uint64_t>(number_));
    case Type::text:
    case Type::word: {
      std::uint64_t state = seed ^ size_;
      for (const char c : text()) {
        state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3;
      }
      return mixed(state);
    }
    case Type::list:
    case Type::set:
    case Type::map:
      break;
  }
  std::uint64_t state = seed ^ size_;
  for (const Value& item : items()) state = mixed(state + item.hash());
  return state;
}

/// Blocks that are freed together; nothing moves.
struct History::Memory {
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::byte* next = nullptr;
  std::size_t left = 0;

  void* take(std::size_t bytes) {
    bytes = (bytes + alignof(Value) - 1) / alignof(Value) * alignof(Value);
    if (bytes > kBlockBytes / 4) {
      blocks.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
      return blocks.back().get();
    }
    if (bytes > left) {
      blocks.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes));
      next = blocks.back().get();
      left = kBlockBytes;
    }
    void* result = next;
    next += bytes;
    left -= bytes;
    return result;
  }

  Value* copy(std::span<const Value> items) {
    auto* place = static_cast<Value*>(take(items.size_bytes()));
    std::uninitialized_copy(items.begin(), items.end(), place);
    return place;
  }
};

History::History(std::string name) : History(std::move(name), {}) {}
History::History(std::string name, std::string source)
    : name_(std::move(name)),
      source_(std::make_unique<const std::string>(std::move(source))),
      memory_(std::make_unique<Memory>()) {}
History::~History() = default;
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;

void History::invoke(std::int64_t process, std::string_view function, Value value,
                     std::chrono::nanoseconds time) {
  complete(EventKind::invoke, process, function, value, time);
}

void History::complete(EventKind kind, std::int64_t process, std::string_view function, Value value,
                       std::chrono::nanoseconds time) {
  Event event;
  event.kind = kind;
  event.process = process;
  event.function = copy(function);
  event.value = value;
  event.time = time;
  events_.push_back(event);
}

std::string_view History::copy(std::string_view content) {
  if (content.empty()) return {};
  auto* place = static_cast<char*>(memory_->take(content.size()));
  std::memcpy(place, content.data(), content.size());
  return {place, content.size()};
}

Value History::view(Value::Type type, std::string_view content) {
  DISSENSUS_ASSERT(type == Value::Type::text || type == Value::Type::word,
                   "History::view : texts have characters");
  Value result;
  result.type_ = type;
  result.text_ = content.data();
  result.size_ = static_cast<std::uint32_t>(content.size());
  return result;
}

Value History::text(std::string_view content) {
  return view(Value::Type::text, copy(content));
}

Value History::word(std::string_view content) {
  return view(Value::Type::word, copy(content));
}

Value History::list(std::span<const Value> items) {
  Value result;
  result.type_ = Value::Type::list;
  result.items_ = items.empty() ? nullptr : memory_->copy(items);
  result.size_ = static_cast<std::uint32_t>(items.size());
  return result;
}

Value History::set(std::span<const Value> items) {
  Value result = list(items);
  result.type_ = Value::Type::set;
  if (items.empty()) return result;
  auto* first = const_cast<Value*>(result.items_);
  auto* last = first + items.size();
  const auto is_less = [](const Value& a, const Value& b) { return Value::compare(a, b) < 0; };
  std::sort(first, last, is_less);
  result.size_ = static_cast<std::uint32_t>(std::unique(first, last) - first);
  return result;
}

Value History::map(std::span<const Value> items) {
  DISSENSUS_ASSERT(items.size() % 2 == 0, "History::map : every key has a value");
  struct Member {
    Value key;
    Value value;
  };
  std::vector<Member> members;
  members.reserve(items.size() / 2);
  for (std::size_t i = 0; i < items.size(); i += 2) members.push_back({items[i], items[i + 1]});
  std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return Value::compare(a.key, b.key) < 0;
  });
  std::vector<Value> flat;
  flat.reserve(items.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool is_replaced = i + 1 < members.size() && members[i].key == members[i + 1].key;
    if (is_replaced) continue;
    flat.push_back(members[i].key);
    flat.push_back(members[i].value);
  }
  Value result = list(flat);
  result.type_ = Value::Type::map;
  return result;
}

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::invoke:
      return "invoke";
    case EventKind::ok:
      return "ok";
    case EventKind::fail:
      return "fail";
    case EventKind::info:
      break;
  }
  return "info";
}

Value Model::object_of(const Request& /*request*/) const {
  return {};
}

}  // namespace dissensus::history
