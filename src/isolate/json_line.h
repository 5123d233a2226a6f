// Typed access to the tokens of one line of JSON, with errors that name file, line and key.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/json_tape.h"

namespace dissensus::isolate {

class JsonLine {
 public:
  using Type = trace::JsonToken::Type;

  JsonLine(const trace::JsonTape& tape, const trace::Place& place) : tape_(tape), place_(place) {}

  const trace::JsonToken& operator[](std::uint32_t token) const { return tape_[token]; }
  const trace::Place& place() const { return place_; }
  [[noreturn]] void fail(std::string_view key, std::string_view message) const {
    place_.fail(key, message);
  }

  void expect(std::uint32_t token, Type type, std::string_view key) const;
  /// The value of a key of the object at `object`, if it is there.
  std::optional<std::uint32_t> find(std::uint32_t object, std::string_view key) const;
  std::uint32_t at(std::uint32_t object, std::string_view key) const;
  std::string_view text(std::uint32_t token, std::string_view key) const;
  bool boolean(std::uint32_t token, std::string_view key) const;
  std::int64_t integer(std::uint32_t token, std::string_view key) const;
  /// An integer of 0 to `max`.
  std::uint64_t natural(std::uint32_t token, std::uint64_t max, std::string_view key) const;
  /// The elements of the array at `token`.
  std::vector<std::uint32_t> items(std::uint32_t token, std::string_view key) const;

 private:
  const trace::JsonTape& tape_;
  const trace::Place& place_;
};

}  // namespace dissensus::isolate
