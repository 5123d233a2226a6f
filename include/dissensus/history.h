// What clients asked and what they were told: the history of a run, as Jepsen and Maelstrom know
// it.
//
// A client (a process) invokes an operation and later learns how it went: ok, it happened; fail, it
// did not; info, nobody knows. Checkers (docs/history.md) decide from this alone whether a system
// kept its promise; they never look inside.
//
//   History history("my run");
//   history.invoke(0, "write", history.list({Value::integer(1), Value::integer(7)}), 10us);
//   history.complete(EventKind::ok, 0, "write", ..., 25us);
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/operation.h"

namespace dissensus::history {

/// A value of a history: all that EDN and JSON can say. Small and cheap to copy; texts and items
/// live in the History that made them, and as long as it does.
class Value {
 public:
  enum class Type : std::uint8_t { nil, boolean, integer, number, text, word, list, set, map };

  constexpr Value() = default;
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value number(double value);

  Type type() const { return type_; }
  bool is_nil() const { return type_ == Type::nil; }
  bool is_integer() const { return type_ == Type::integer; }
  /// A text, or a word: EDN's keywords and symbols, without the colon.
  bool is_text() const { return type_ == Type::text || type_ == Type::word; }
  bool is_list() const { return type_ == Type::list; }

  bool boolean() const { return type_ == Type::boolean && integer_ != 0; }
  std::int64_t integer() const { return type_ == Type::integer ? integer_ : 0; }
  double number() const;
  /// Of texts and words; empty for everything else.
  std::string_view text() const;
  /// Items of lists and of sets, which are kept in order; of maps, keys and values in turn, in the
  /// order of keys. Empty for everything else.
  std::span<const Value> items() const;
  /// The value of a key of a map, which is a text or a word; nil where there is none.
  Value find(std::string_view key) const;

  /// The same content. The numbers 1 and 1.0 differ, and so do the text "a" and the word a.
  friend bool operator==(const Value& a, const Value& b) {
    if (a.type_ != b.type_) return false;
    return a.type_ <= Type::integer ? a.integer_ == b.integer_ : compare(a, b) == 0;
  }
  /// A total order: by type, then by content.
  static int compare(const Value& a, const Value& b);
  std::uint64_t hash() const;

 private:
  friend class History;
  union {
    std::int64_t integer_ = 0;
    double number_;
    const char* text_;
    const Value* items_;
  };
  std::uint32_t size_ = 0;
  Type type_ = Type::nil;
};

/// For people: nil, 3, "text", word, [1 2], {a 1}; at most about `max` bytes.
std::string to_string(const Value& value, std::size_t max = 200);
/// As JSON; words become texts, sets lists, and keys of maps texts.
std::string to_json(const Value& value);

std::string_view to_string(EventKind kind);

inline constexpr std::chrono::nanoseconds kNoTime = std::chrono::nanoseconds::min();

struct Event {
  EventKind kind = EventKind::invoke;
  bool is_final = false;   ///< a read after which nothing more is asked (Maelstrom's `final?`)
  std::uint32_t line = 0;  ///< of the file, 0: from no file
  std::int64_t process = 0;
  std::string_view function;  ///< "read", "write", "cas", "txn"...
  Value value;
  Value error;  ///< why an operation failed, where that was said
  std::chrono::nanoseconds time = kNoTime;
};

/// Events in the order in which they happened. Owns all texts and items of their values.
class History {
 public:
  explicit History(std::string name = "history");
  /// Keeps `source`, so that texts of events may point into it.
  History(std::string name, std::string source);
  ~History();
  History(History&&) noexcept;
  History& operator=(History&&) noexcept;

  /// Of the file or the run; errors begin with it.
  const std::string& name() const { return name_; }
  std::string_view source() const { return *source_; }
  const std::vector<Event>& events() const { return events_; }
  void add(const Event& event) { events_.push_back(event); }
  void invoke(std::int64_t process, std::string_view function, Value value,
              std::chrono::nanoseconds time = kNoTime);
  void complete(EventKind kind, std::int64_t process, std::string_view function, Value value,
                std::chrono::nanoseconds time = kNoTime);

  // Values that live as long as this history.
  Value text(std::string_view content);
  Value word(std::string_view content);
  Value list(std::span<const Value> items);
  Value list(std::initializer_list<Value> items) {
    return list(std::span(items.begin(), items.size()));
  }
  Value set(std::span<const Value> items);
  /// Keys and values in turn; of equal keys, the last one counts.
  Value map(std::span<const Value> items);
  /// A text or word that need not be copied: it lives in the source, or for ever.
  static Value view(Value::Type type, std::string_view content);
  std::string_view copy(std::string_view content);

 private:
  struct Memory;
  std::string name_;
  std::unique_ptr<const std::string> source_;
  std::unique_ptr<Memory> memory_;
  std::vector<Event> events_;
};

/// An invocation and what became of it. One that nobody answered counts as info.
struct Operation {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t invoked = 0;        ///< index into History::events()
  std::uint32_t completed = kNone;  ///< the same
  EventKind outcome = EventKind::info;
};

/// In the order of invocations. Throws InputError where a process answers what was not asked or
/// asks twice at a time.
std::vector<Operation> operations_of(const History& history);

/// An object that clients use, as it would behave if it served one operation after another. Derive
/// to check histories of your own objects; states are bytes whose meaning only the model knows.
class Model {
 public:
  struct Request {
    std::string_view function;
    Value argument;           ///< of the invocation
    Value result;             ///< of the answer; nil when it is not known
    bool is_answered = true;  ///< false: the operation may have happened, and its result is unknown
  };
  virtual ~Model() = default;
  virtual std::string initial() const = 0;
  /// The state after the operation, or nothing if it cannot happen in this state with this result.
  virtual std::optional<std::string> step(const std::string& state,
                                          const Request& request) const = 0;
  /// Operations of different objects do not affect each other, and are checked apart. Default: all
  /// are of one object.
  virtual Value object_of(const Request& request) const;
};

}  // namespace dissensus::history
