// A record is described once, by a list of its fields; its bytes (core/bytes.h), its JSON and the
// schema of that (core/described_json.h) follow from the list:
//
//   struct Order {
//     std::uint64_t number = 0;
//     std::string schedule;
//   };
//   template <class Visit>
//   constexpr void fields_of(const Order*, const Visit& visit) {
//     visit("number", &Order::number);
//     visit("schedule", &Order::schedule);
//   }
//
// The function stands beside the record, in its namespace. Equality needs no list: the compiler has
// `= default`. Why this is no library: docs/decisions/records-are-described.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace dissensus {

/// How a number is written where there is a choice.
enum class Form : std::uint8_t {
  usual,  ///< small numbers take few bytes
  fixed,  ///< as many bytes as its type has: hashes
};

/// What a description says of a field beside where it is.
struct Field {
  std::string_view name;  ///< in documents
  Form form = Form::usual;
  std::string_view about{};  ///< for people who read the schema

  constexpr Field(std::string_view field_name) : name(field_name) {}
  constexpr Field(std::string_view field_name, Form field_form)
      : name(field_name), form(field_form) {}
  constexpr Field(std::string_view field_name, std::string_view said)
      : name(field_name), about(said) {}
};

namespace internal {
struct NoVisit {
  template <class... Said>
  constexpr void operator()(const Said&...) const {}
};
}  // namespace internal

/// A record whose fields are listed.
template <class Record>
concept Described = requires {
  fields_of(static_cast<const std::remove_cv_t<Record>*>(nullptr), internal::NoVisit{});
};

/// An enumeration whose values are those from 0 to last_of(Enum{}).
template <class Enum>
concept Counted = std::is_enum_v<Enum> && requires {
  { last_of(Enum{}) } -> std::same_as<Enum>;
};

/// Calls visit(member, Field) for each field of a described record, in the order of the list.
template <class Record, class Visit>
requires Described<Record>
constexpr void for_each_field(Record& record, const Visit& visit) {
  fields_of(static_cast<const std::remove_cv_t<Record>*>(nullptr),
            [&](std::string_view name, auto place, auto... said) {
              visit(record.*place, Field(name, said...));
            });
}

}  // namespace dissensus
