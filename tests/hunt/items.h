// What a hunt has left in a store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hunt/store.h"

namespace dissensus::hunt {

inline std::vector<ItemRecord> items_of(const std::string& path, std::int64_t hunt = 1) {
  StoreReader reader(path);
  ItemCursor cursor = reader.items(hunt);
  std::vector<ItemRecord> items;
  for (ItemRecord item; cursor.next(item);) items.push_back(item);
  return items;
}

inline void expect_equal(const std::vector<ItemRecord>& a, const std::vector<ItemRecord>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].number, i);
    ASSERT_EQ(b[i].number, i);
    EXPECT_EQ(a[i].seed, b[i].seed) << i;
    EXPECT_EQ(a[i].hash, b[i].hash) << i;
    EXPECT_EQ(a[i].schedule, b[i].schedule) << i;
    EXPECT_EQ(a[i].outcome, b[i].outcome) << i;
    EXPECT_EQ(a[i].signature, b[i].signature) << i;
    EXPECT_EQ(a[i].objectives, b[i].objectives) << i;
    EXPECT_EQ(a[i].new_states, b[i].new_states) << i;
    EXPECT_EQ(a[i].stability, b[i].stability) << i;
  }
}

}  // namespace dissensus::hunt
