// Which keys a record of the trace file has, by type of event: one table for writer and reader.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/event.h"

namespace dissensus::trace {

enum class Key : std::uint8_t {
  id,
  cause,
  time,
  type,
  node,
  peer,
  kind,
  content,
  fields,
  reason,
  level,
  instance,
  value,
  tag,
  phase,
  round,
  observable,
  observed,
  partition,
  request,
  number,
  detail,
  text,
};
inline constexpr std::size_t kKeys = 23;
inline constexpr std::array<std::string_view, kKeys> kKeyNames{
    "id", "c",   "t",     "e", "n", "p", "k",  "m", "f",      "why",    "l",   "i",
    "v",  "tag", "phase", "r", "o", "x", "of", "q", "number", "detail", "text"};

using KeySet = std::uint32_t;
template <class... Keys>
constexpr KeySet keys(Keys... key) {
  return (KeySet{0} | ... | (KeySet{1} << static_cast<unsigned>(key)));
}
constexpr bool contains(KeySet set, Key key) {
  return (set & keys(key)) != 0;
}
constexpr std::string_view name_of(Key key) {
  return kKeyNames[static_cast<std::size_t>(key)];
}

/// Where Record::number and Record::detail go. Types without a meaning for them use the keys
/// "number" and "detail", which are left out when 0.
struct RecordLayout {
  KeySet required = 0;
  KeySet optional = 0;
  Key number = Key::number;
  Key detail = Key::detail;
};
const RecordLayout& layout_of(EventType type);

}  // namespace dissensus::trace
