#include "core/file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "dissensus/options.h"

namespace dissensus {
namespace {

TEST(File, RoundTripAndLimits) {
  const std::string path = testing::TempDir() + "dissensus_file_test";
  write_file(path, "hello");
  EXPECT_EQ(read_file(path, 5), "hello");
  EXPECT_THROW(read_file(path, 4), InputError);
  EXPECT_THROW(read_file(path + ".absent", 4), InputError);
  EXPECT_THROW(read_file(testing::TempDir(), 4), InputError);
  EXPECT_THROW(write_file("/nonexistent-folder/x", ""), InputError);
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  std::filesystem::remove(path);
}

// A special file that never ends is refused at the limit, not read for ever.
TEST(File, EndlessInputIsRefused) {
  EXPECT_THROW(read_file("/dev/zero", 1 << 20), InputError);
}

}  // namespace
}  // namespace dissensus
