// Asks every value of a document for everything.
#pragma once

#include <array>

#include "fuzz.h"

namespace dissensus::fuzz {

inline void walk(const OptionValue& value);

inline void walk(const Options& options) {
  for (const std::string& key : options.keys()) {
    walk(options.at(key));
    accepts([&] { options.integer(key, 0, -10, 10); });
    accepts([&] { options.duration(key, Duration{}); });
    accepts([&] { options.tables(key); });
    accepts([&] { options.fail(key, "as \"the caller\"\nsays"); });
  }
  accepts([&] { options.at("a key that is not there"); });
  options.table("a key that is not there").finish();
}

inline void walk(const OptionValue& value) {
  static constexpr std::array<std::string_view, 2> kWords{"delay", "priority"};
  accepts([&] { value.integer(0, 1000); });
  accepts([&] { value.number(0, 1); });
  accepts([&] { value.boolean(); });
  accepts([&] { value.text(); });
  accepts([&] { value.duration(); });
  accepts([&] { value.duration(true); });
  accepts([&] { value.choice(kWords); });
  if (value.is_list()) {
    for (const OptionValue& item : value.list()) walk(item);
  }
  if (value.is_table()) walk(value.table());
}

/// A document is read, walked through, and has no unknown keys left.
template <class Parse>
void read_all(const Parse& parse) {
  accepts([&] {
    const Options options = parse();
    accepts([&] { options.finish(); });
    walk(options);
    options.finish();
  });
}

}  // namespace dissensus::fuzz
