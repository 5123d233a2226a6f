#include "core/file.h"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

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

// A name or two that are written a little differently, or not to the end.
TEST(File, AMissingPathIsGivenTheNearestOne) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "dissensus_file_hints";
  fs::remove_all(folder);
  fs::create_directories(folder / "scenarios");
  write_file((folder / "scenarios/overtaken-commit.toml").string(), "");
  const std::string there = (folder / "scenarios/overtaken-commit.toml").string();
  const std::string hint = ", did you mean '" + there + "'?";
  for (const char* name : {"scenarios/overtaken-comit.toml", "scenarios/overtaken-commit",
                           "scenarios/overtaken.toml", "scenario/overtaken-commit.toml"}) {
    EXPECT_EQ(missing_path_hint((folder / name).string()), hint) << name;
  }
  EXPECT_EQ(missing_path_hint((folder / "scenarios/other.toml").string()), "");
  EXPECT_EQ(missing_path_hint((folder / "nothing/of/this").string()), "");
  EXPECT_EQ(missing_path_hint(there), "");
  fs::remove_all(folder);
}

// A link stays a link, and a pipe or device is written to instead of being replaced.
TEST(File, WhatIsNoRegularFileIsWrittenThrough) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "dissensus_file_links";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto at = [&folder](const char* name) { return (folder / name).string(); };
  fs::create_symlink("target", at("link"));
  write_file(at("link"), "to a file that is not there yet");
  write_file(at("link"), "and again");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("target"), 100), "and again");

  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = read_file(at("pipe"), 100); });
  write_file(at("pipe"), "through the pipe");
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));

  write_file("/dev/null", "away");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_file("/dev/full", "no room"), EnvironmentError) << "the machine's fault";
  EXPECT_THROW(write_file(at("no/such/folder/file"), "x"), InputError) << "the path's fault";
  fs::remove_all(folder);
}

// A special file that never ends is refused at the limit, not read for ever.
TEST(File, EndlessInputIsRefused) {
  EXPECT_THROW(read_file("/dev/zero", 1 << 20), InputError);
}

}  // namespace
}  // namespace dissensus
