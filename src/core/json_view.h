// Typed access to the tokens of one line of JSON; what is not as expected is an InputError with
// file, line and key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/digest.h"

#include "core/json_tape.h"

namespace dissensus {

/// The name of a value for error messages, put together only when there is an error.
struct JsonPath {
  std::string_view parent{};
  std::string_view name{};

  JsonPath(std::string_view of, std::string_view key) : parent(of), name(key) {}
  template <class Text>
  requires std::is_convertible_v<const Text&, std::string_view> JsonPath(const Text& key)
      : name(key) {}
  std::string text() const;
};

class JsonView {
 public:
  using Type = JsonToken::Type;

  /// Both must stay alive.
  JsonView(const JsonTape& tape, const Place& place) : tape_(tape), place_(place) {}

  const JsonToken& operator[](std::uint32_t token) const { return tape_[token]; }
  const Place& place() const { return place_; }
  [[noreturn]] void fail(const JsonPath& path, std::string_view message) const {
    place_.fail(path.text(), message);
  }
  [[noreturn]] void expected(std::uint32_t token, const JsonPath& path,
                             std::string_view what) const;

  void expect(std::uint32_t token, Type type, const JsonPath& path) const {
    if (tape_[token].type != type) expected(token, path, to_string(type));
  }
  /// The value of a key of the object at `object`, if it is there.
  std::optional<std::uint32_t> find(std::uint32_t object, std::string_view key) const;
  std::uint32_t at(std::uint32_t object, std::string_view key) const;

  std::string_view text(std::uint32_t token, const JsonPath& path) const {
    expect(token, Type::text, path);
    return tape_[token].text;
  }
  bool boolean(std::uint32_t token, const JsonPath& path) const {
    expect(token, Type::boolean, path);
    return tape_[token].number != 0;
  }
  /// An integer of 0 to `max`.
  std::uint64_t natural(std::uint32_t token, const JsonPath& path, std::uint64_t max) const;
  std::int64_t integer(std::uint32_t token, const JsonPath& path) const;
  Digest digest(std::uint32_t token, const JsonPath& path) const;
  /// The elements of the array at `token`.
  std::vector<std::uint32_t> items(std::uint32_t token, const JsonPath& path) const;

  /// Calls visit(key, value token) for each member of an object.
  template <class Visit>
  void each_member(std::uint32_t object, Visit visit) const {
    for (std::uint32_t token = object + 1; token < tape_[object].end;
         token = tape_[token + 1].end) {
      visit(tape_[token].text, token + 1);
    }
  }
  template <class Visit>
  void each_element(std::uint32_t array, Visit visit) const {
    for (std::uint32_t token = array + 1; token < tape_[array].end; token = tape_[token].end) {
      visit(token);
    }
  }

 private:
  const JsonTape& tape_;
  const Place& place_;
};

}  // namespace dissensus
