// Random TLA+ values for property tests.
#pragma once

#include <string>
#include <vector>

#include "dissensus/random.h"

#include "tla/values/value.h"

namespace dissensus::tla {

/// Any canonical value; sets keep to elements of one kind, so that they exist.
inline Value random_value(Store& store, Random& random, int depth) {
  const std::uint64_t kind = random.below(depth > 0 ? 9 : 4);
  const auto some = [&](auto make) {
    std::vector<Value> values(random.below(4));
    for (Value& value : values) value = make();
    return values;
  };
  const auto number = [&] { return Value::integer(random.between(-3, 3)); };
  const auto text = [&] {
    return store.text(std::string(1, static_cast<char>('a' + random.below(4))));
  };
  const auto any = [&] { return random_value(store, random, depth - 1); };
  switch (kind) {
    case 0:
      return Value::boolean(random.below(2) == 1);
    case 1:
      return number();
    case 2:
      return text();
    case 3:
      return store.model_value("m" + std::to_string(random.below(3)));
    case 4:
      return store.set(some(number));
    case 5:
      return store.set(some([&] { return store.set(some(text)); }));
    case 6:
      return store.tuple(some(any));
    case 7: {
      const Value names = store.set(some(text));
      std::vector<Value> values(store.cardinality(names));
      for (Value& value : values) value = any();
      return store.function(names, values);
    }
    default: {
      const Value domain = store.set(some(number));
      std::vector<Value> values(store.cardinality(domain));
      for (Value& value : values) value = any();
      return store.function(domain, values);
    }
  }
}

}  // namespace dissensus::tla
