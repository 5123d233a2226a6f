// Lines of logs: files, compressed or not, pipes, and files that are still being written.
#include "conform/log_reader.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "dissensus/options.h"

namespace dissensus::conform {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

class LogReaderTest : public testing::Test {
 protected:
  LogReaderTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("dissensus-reader-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~LogReaderTest() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void append(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::app) << text;
  }
  void append_gzip(const std::string& name, const std::string& text) const {
    gzFile file = gzopen(path(name).c_str(), "ab");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }
  /// Until there are so many lines, or the end.
  static Lines read(LogReader& reader, std::size_t count = 1'000'000) {
    Lines lines;
    for (int i = 0; i < 1'000 && lines.size() < count && !reader.is_ended(); ++i) {
      const std::size_t before = lines.size();
      reader.read(lines);
      if (lines.size() == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return lines;
  }

  std::filesystem::path folder_;
};

TEST_F(LogReaderTest, AFileEnds) {
  append("log", "one\ntwo\n");
  LogReader reader(path("log"), false);
  EXPECT_FALSE(reader.is_live());
  EXPECT_THAT(read(reader), ElementsAre("one", "two"));
  EXPECT_TRUE(reader.is_ended());
  EXPECT_FALSE(reader.ends_within_a_line());
}

TEST_F(LogReaderTest, ALastLineWithoutAnEndIsGivenAndSaid) {
  append("log", "one\ntw");
  LogReader reader(path("log"), false);
  EXPECT_THAT(read(reader), ElementsAre("one", "tw"));
  EXPECT_TRUE(reader.ends_within_a_line());
}

TEST_F(LogReaderTest, CompressedFilesOfSeveralMembersAreRead) {
  const std::string long_line(300'000, 'x');
  append_gzip("log.gz", "one\n" + long_line + "\n");
  append_gzip("log.gz", "three\n");
  LogReader reader(path("log.gz"), false);
  EXPECT_THAT(read(reader), ElementsAre("one", long_line, "three"));
  EXPECT_FALSE(reader.ends_within_a_line());
}

TEST_F(LogReaderTest, ACompressedFileThatWasCutIsReadAsFarAsItGoes) {
  append_gzip("log.gz", "one\ntwo\n");
  std::filesystem::resize_file(path("log.gz"), std::filesystem::file_size(path("log.gz")) - 6);
  LogReader reader(path("log.gz"), false);
  EXPECT_THAT(read(reader), ElementsAre("one", "two"));
  EXPECT_TRUE(reader.ends_within_a_line());
  append("bad.gz", "\x1f\x8bnot gzip at all");
  LogReader bad(path("bad.gz"), false);
  EXPECT_THROW(read(bad), InputError);
}

TEST_F(LogReaderTest, AFileIsFollowedWhileItIsWrittenReplacedAndCut) {
  LogReader reader(path("log"), true);
  EXPECT_TRUE(reader.is_live());
  Lines none;
  reader.read(none);
  EXPECT_THAT(none, IsEmpty()) << "it does not exist yet";
  append("log", "one\ntw");
  EXPECT_THAT(read(reader, 1), ElementsAre("one"));
  append("log", "o\n");
  EXPECT_THAT(read(reader, 1), ElementsAre("two"));
  EXPECT_FALSE(reader.is_ended());
  std::filesystem::rename(path("log"), path("log.1"));
  append("log", "three\n");
  EXPECT_THAT(read(reader, 1), ElementsAre("three"));
  std::filesystem::resize_file(path("log"), 0);
  reader.read(none);
  append("log", "four\n");
  EXPECT_THAT(read(reader, 1), ElementsAre("four"));
}

TEST_F(LogReaderTest, APipeEndsWithItsWriter) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  LogReader reader(path("pipe"), false);
  EXPECT_TRUE(reader.is_live());
  Lines lines;
  reader.read(lines);
  EXPECT_THAT(lines, IsEmpty());
  EXPECT_FALSE(reader.is_ended()) << "nobody has opened it for writing yet";
  std::thread writer([&] {
    std::ofstream pipe(path("pipe"));
    pipe << "one\n" << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pipe << "two\n";
  });
  EXPECT_THAT(read(reader), ElementsAre("one", "two"));
  writer.join();
  EXPECT_TRUE(reader.is_ended());
}

TEST_F(LogReaderTest, WhatCannotBeReadIsBadInput) {
  EXPECT_THROW(LogReader(path("nothing"), false), InputError);
  EXPECT_THROW(LogReader(folder_.string(), false), InputError);
}

}  // namespace
}  // namespace dissensus::conform
