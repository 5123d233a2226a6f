#include "core/bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dissensus {
namespace {

enum class Colour : std::uint8_t { red, green };
constexpr Colour last_of(Colour) {
  return Colour::green;
}

struct Inner {
  std::uint16_t small = 0;
  std::optional<std::string> name;
  friend bool operator==(const Inner&, const Inner&) = default;
};
template <class Visit>
constexpr void fields_of(const Inner*, const Visit& visit) {
  visit("small", &Inner::small);
  visit("name", &Inner::name);
}

struct Base {
  std::uint64_t hash = 0;
  friend bool operator==(const Base&, const Base&) = default;
};

/// Of everything that a field may be.
struct Everything : Base {
  bool truth = false;
  std::uint64_t number = 0;
  std::int32_t sign = 0;
  double real = 0;
  Colour colour = Colour::red;
  std::chrono::microseconds length{};
  std::vector<Inner> list;
  std::vector<std::uint64_t> hashes;
  std::map<std::pair<std::string, std::uint64_t>, double> map;
  std::variant<std::monostate, std::string, Digest> one_of;
  friend bool operator==(const Everything&, const Everything&) = default;
};
template <class Visit>
constexpr void fields_of(const Everything*, const Visit& visit) {
  visit("hash", &Everything::hash, Form::fixed);
  visit("truth", &Everything::truth);
  visit("number", &Everything::number);
  visit("sign", &Everything::sign);
  visit("real", &Everything::real);
  visit("colour", &Everything::colour);
  visit("length", &Everything::length);
  visit("list", &Everything::list);
  visit("hashes", &Everything::hashes, Form::fixed);
  visit("map", &Everything::map);
  visit("one_of", &Everything::one_of);
}

Everything example() {
  Everything all;
  all.hash = 0x0123456789ABCDEF;
  all.truth = true;
  all.number = 300;
  all.sign = -7;
  all.real = 1.0 / 3;
  all.colour = Colour::green;
  all.length = std::chrono::seconds(5);
  all.list = {{1, {}}, {65535, "second"}};
  all.hashes = {1, ~std::uint64_t{0}};
  all.map = {{{"a", 1}, 0.5}, {{"b", 2}, -1}};
  all.one_of = Digest(1, 2);
  return all;
}

TEST(Bytes, ADescribedRecordReadsBackEqual) {
  EXPECT_EQ(from_bytes<Everything>(to_bytes(example()), "test"), example());
  Everything other = example();
  other.one_of = "text";
  EXPECT_EQ(from_bytes<Everything>(to_bytes(other), "test"), other);
  EXPECT_NE(to_bytes(other), to_bytes(example()));
}

// Stores of earlier versions are read: the bytes of a description do not change.
TEST(Bytes, AreTheseAndNoOthers) {
  EXPECT_EQ(to_bytes(Inner{300, "ab"}), std::string("\xAC\x02\x01\x02"
                                                    "ab",
                                                    6));
  EXPECT_EQ(to_bytes(Digest(1, 0x0203)), std::string("\1\0\0\0\0\0\0\0\3\2\0\0\0\0\0\0", 16));
  ByteWriter writer;
  writer.signed_number(-2);
  writer.fixed(std::uint16_t{0x0102});
  EXPECT_EQ(writer.take(), std::string("\3\2\1"));
}

TEST(Bytes, DamageIsNoticed) {
  const std::string bytes = to_bytes(example());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_THROW(from_bytes<Everything>(bytes.substr(0, i), "test"), InputError) << i;
  }
  EXPECT_THROW(from_bytes<Everything>(bytes + "x", "test"), InputError);
  // A word that there is not, a truth that is neither, a number that is too large, a list that
  // cannot be that long.
  EXPECT_THROW(from_bytes<Colour>("\2", "test"), InputError);
  EXPECT_THROW(from_bytes<bool>("\2", "test"), InputError);
  EXPECT_THROW(from_bytes<std::uint8_t>("\xAC\x02", "test"), InputError);
  EXPECT_THROW(from_bytes<std::int8_t>("\xAC\x02", "test"), InputError);
  EXPECT_THROW(from_bytes<std::vector<std::uint64_t>>("\xFF\xFF\x7F", "test"), InputError);
  EXPECT_THROW((from_bytes<std::variant<std::monostate, bool>>("\2", "test")), InputError);
}

TEST(Bytes, TheErrorNamesWhatWasRead) {
  try {
    from_bytes<std::string>("\5ab", "store.sqlite: item 7");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "store.sqlite: item 7: the bytes are damaged");
  }
}

}  // namespace
}  // namespace dissensus
