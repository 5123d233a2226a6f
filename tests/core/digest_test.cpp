#include "dissensus/digest.h"

#include <set>

#include <gtest/gtest.h>

#include "dissensus/random.h"

namespace dissensus {
namespace {

TEST(Digest, TextRoundTrip) {
  for (const Digest& digest :
       {Digest{0}, Digest{7}, Digest{~0ULL}, Digest{1, 0}, Digest{0xABCDEF, 0x12}}) {
    Digest parsed;
    ASSERT_TRUE(parse_digest(to_string(digest), parsed)) << to_string(digest);
    EXPECT_EQ(parsed, digest);
  }
  Digest ignored;
  EXPECT_FALSE(parse_digest("", ignored));
  EXPECT_FALSE(parse_digest("-1", ignored));
  EXPECT_FALSE(parse_digest("12x", ignored));
  EXPECT_FALSE(parse_digest("zz000000000000000000000000000000", ignored));
  EXPECT_FALSE(parse_digest("99999999999999999999", ignored));
}

// Order, number and value of the words all matter, also for words that might cancel a factor.
TEST(Digest, BuilderSeparatesSequences) {
  std::set<Digest> seen;
  std::size_t count = 0;
  const std::uint64_t words[] = {0, 1, 2, 0x9E3779B97F4A7C15ULL, 0xD1B54A32D192ED03ULL, ~0ULL};
  for (const std::uint64_t a : words) {
    seen.insert(DigestBuilder().add(a).finish());
    ++count;
    for (const std::uint64_t b : words) {
      seen.insert(DigestBuilder().add(a).add(b).finish());
      ++count;
      for (const std::uint64_t c : words) {
        seen.insert(DigestBuilder().add(a).add(b).add(c).finish());
        ++count;
      }
    }
  }
  EXPECT_EQ(seen.size(), count);
}

// No collision among a million short random sequences, and all bits move.
TEST(Digest, BuilderSpreads) {
  Random random(1);
  std::set<std::uint64_t> high;
  Digest all_or;
  Digest all_and{~0ULL, ~0ULL};
  for (int i = 0; i < 200'000; ++i) {
    const Digest digest =
        DigestBuilder().add(static_cast<std::uint64_t>(i)).add(random.below(4)).finish();
    high.insert(digest.high);
    all_or = {all_or.high | digest.high, all_or.low | digest.low};
    all_and = {all_and.high & digest.high, all_and.low & digest.low};
  }
  EXPECT_EQ(high.size(), 200'000u);
  EXPECT_EQ(all_or, (Digest{~0ULL, ~0ULL}));
  EXPECT_EQ(all_and, (Digest{0, 0}));
}

TEST(Digest, NeverLooksLikeANumber) {
  EXPECT_NE(digest_of_text("").high, 0u);
  EXPECT_NE(DigestBuilder().finish().high, 0u);
}

}  // namespace
}  // namespace dissensus
